//! The statements that the first pass of a scan leaves out: each must leave the variables unchanged that the pass uses later.

use crate::analysis::dependency::Sliced;
use crate::flow::aliases::{Aliases, Change};
use crate::ir::obligation::Unchanged;
use crate::ir::{Block, Child, Expr, Id, Kind, Local, Pattern, Statement, StatementKind};
use crate::maps::{HashMap, HashSet, New as _};
use crate::plan::Plan;
use std::collections::BTreeSet;

/// The statements that the totals of all levels leave out.
pub fn unchanged(found: &Plan, aliases: &Aliases) -> HashMap<Id, Unchanged> {
    let mut all = HashMap::new();
    for level in 0..found.levels() {
        let sliced = Sliced::of(found, level);
        let mut finder = Finder { sliced: &sliced, aliases, visible: Vec::new(), found: &mut all };
        finder.bind(&found.f.pattern);
        finder.block(&found.f.body, &HashSet::new());
    }
    all
}

struct Finder<'a> {
    sliced: &'a Sliced,
    aliases: &'a Aliases,
    /// The variables in scope, the latest last, and whether one can be borrowed for the check: it may be changed, has a value, and
    /// no borrow of it is known.
    visible: Vec<(Local, bool)>,
    found: &'a mut HashMap<Id, Unchanged>,
}

impl Finder<'_> {
    fn bind(&mut self, pattern: &Pattern) {
        let names = pattern.names.iter();
        self.visible.extend(names.map(|b| (b.name, b.mutable && !self.aliases.is_borrowed(b.name))));
    }

    /// A block after which these names are mentioned.
    fn block(&mut self, block: &Block, after: &HashSet<Local>) {
        let around = self.visible.len();
        // What is mentioned after each statement.
        let mut later = vec![after.clone()];
        for statement in block.statements.iter().rev() {
            let mut mentioned = later.last().cloned().unwrap_or_default();
            self.mentioned_by(statement, &mut mentioned);
            later.push(mentioned);
        }
        later.reverse();
        for (statement, later) in block.statements.iter().zip(&later[1..]) {
            self.statement(statement, later);
        }
        self.visible.truncate(around);
    }

    fn statement(&mut self, statement: &Statement, later: &HashSet<Local>) {
        let kept = self.sliced.keeps(statement);
        if !kept && may_change(statement) {
            let visible = |name: &Local| self.visible.iter().rev().find(|(bound, _)| bound == name);
            let inputs = later.iter().filter(|name| visible(name).is_some_and(|(_, borrowed)| *borrowed));
            let names = passed(statement);
            // One of two aliases may be borrowed already.
            let alone = |name: &&Local| {
                let touches = |other: &Local| self.aliases.touches(Change::Class(*other), **name);
                visible(name).is_some() && names.iter().all(|other| other == *name || !touches(other))
            };
            let (inputs, passed) = (inputs.copied().collect::<Vec<_>>(), names.iter().filter(alone).copied());
            let passed: Vec<Local> = passed.collect();
            if !inputs.is_empty() || !passed.is_empty() {
                let found = self.found.entry(statement.id).or_default();
                found.inputs.extend(inputs);
                found.passed.extend(passed);
            }
        }
        match &statement.kind {
            StatementKind::Let(pattern, value, otherwise) => {
                for e in value.iter().chain(otherwise).filter(|_| kept) {
                    self.expr(e, later);
                }
                let first = self.visible.len();
                self.bind(pattern);
                if value.is_none() {
                    self.visible[first..].iter_mut().for_each(|(_, borrowed)| *borrowed = false);
                }
            }
            StatementKind::Expr(e, _) if kept => self.expr(e, later),
            _ => {}
        }
    }

    /// The blocks inside of what is kept.
    fn expr(&mut self, e: &Expr, later: &HashSet<Local>) {
        let around = self.visible.len();
        let mut after = later.clone();
        match &e.kind {
            // The next round comes after each statement.
            Kind::For(f) => {
                self.names_in(&f.source, &mut after);
                self.names_of(&f.body, &mut after);
                self.bind(&f.pattern);
            }
            Kind::While(_, condition, body) => {
                self.names_in(condition, &mut after);
                self.names_of(body, &mut after);
            }
            Kind::Loop(_, body) => self.names_of(body, &mut after),
            Kind::Closure(patterns, _, body) => {
                self.names_in(body, &mut after);
                patterns.iter().for_each(|pattern| self.bind(pattern));
            }
            _ => {}
        }
        e.walk(&mut |inner| {
            if let Kind::Let(pattern, _) = &inner.kind {
                self.bind(pattern);
            }
            !matches!(inner.kind, Kind::Block(_) | Kind::Closure(..))
        });
        if let Kind::Match(_, arms) = &e.kind {
            arms.iter().for_each(|arm| self.bind(&arm.pattern));
        }
        for child in e.children() {
            match child {
                Child::Expr(inner) => self.expr(inner, &after),
                Child::Block(block) => self.block(block, &after),
            }
        }
        self.visible.truncate(around);
    }

    fn names_of(&self, block: &Block, to: &mut HashSet<Local>) {
        block.statements.iter().for_each(|statement| self.mentioned_by(statement, to));
    }

    /// The names that a statement mentions in what is kept of it.
    fn mentioned_by(&self, statement: &Statement, to: &mut HashSet<Local>) {
        if !self.sliced.keeps(statement) {
            return;
        }
        match &statement.kind {
            StatementKind::Let(_, value, otherwise) => {
                value.iter().chain(otherwise).for_each(|e| self.names_in(e, to));
            }
            StatementKind::Expr(e, _) => self.names_in(e, to),
            StatementKind::Item(_) => {}
        }
    }

    fn names_in(&self, e: &Expr, to: &mut HashSet<Local>) {
        if self.sliced.leaves_out(e) {
            return;
        }
        if let Kind::Name(name) = &e.kind {
            to.insert(*name);
        }
        for child in e.children() {
            match child {
                Child::Expr(inner) => self.names_in(inner, to),
                Child::Block(block) => self.names_of(block, to),
            }
        }
    }
}

/// Whether a statement does more than to store numbers in elements of named arrays.
fn may_change(statement: &Statement) -> bool {
    let mut may = false;
    statement.walk(&mut |e| {
        may |= match &e.kind {
            Kind::Assign(place, ..) => !matches!(&place.kind, Kind::Index(base, _) if base.name().is_some()),
            Kind::Call(..) | Kind::Method(..) | Kind::Macro(..) | Kind::Closure(..) | Kind::Ref(true, _) => true,
            Kind::Opaque(..) | Kind::Struct(..) => true,
            _ => false,
        };
        !may
    });
    may
}

/// The variables that a statement passes to other code, and does not set itself.
fn passed(statement: &Statement) -> BTreeSet<Local> {
    let (mut names, mut set) = (Vec::new(), HashSet::new());
    statement.walk(&mut |e| {
        let places: Vec<&Expr> = match &e.kind {
            Kind::Method(receiver, _, args, _) => std::iter::once(&**receiver).chain(args).collect(),
            Kind::Call(_, args) => args.iter().collect(),
            Kind::Ref(_, place) | Kind::Index(place, _) | Kind::Field(place, _) | Kind::Unary('*', place) => {
                vec![place]
            }
            Kind::Macro(_, args, _) => args.iter().collect(),
            Kind::Opaque(opaque) => opaque.received(),
            Kind::Assign(place, ..) => {
                set.extend(place.name());
                Vec::new()
            }
            _ => Vec::new(),
        };
        names.extend(places.into_iter().filter_map(|place| place.root()));
        true
    });
    names.into_iter().filter(|name| !set.contains(name)).collect()
}
