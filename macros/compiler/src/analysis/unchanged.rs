//! What the first pass of a scan goes on with, at each statement that it leaves out: rustc is asked that the statement leaves these
//! variables as they are.

use crate::analysis::aliases::{Aliases, Change};
use crate::analysis::dependency::Sliced;
use crate::ir::{Block, Child, Expr, Id, Kind, Local, Pattern, Statement, StatementKind};
use crate::plan::Plan;
use std::collections::{BTreeSet, HashMap, HashSet};

/// What rustc is asked of a body.
#[derive(Default)]
pub struct Unchanged {
    /// The statements that are left out, each with the variables of the body that may be changed and that what is kept mentions
    /// later.
    pub lent: HashMap<Id, BTreeSet<Local>>,
    /// The statements that are left out, each with the variables of the body that it looks into: one may hold a cell, which changes
    /// though it is lent for reading.
    pub looked_into: HashMap<Id, BTreeSet<Local>>,
}

/// What is to be asked for the totals of all levels.
pub fn unchanged(found: &Plan) -> Unchanged {
    let (aliases, mut all) = (Aliases::of(&found.f), Unchanged::default());
    for level in 0..found.levels() {
        let sliced = Sliced::of(found, level);
        let mut finder = Finder { sliced: &sliced, aliases: &aliases, visible: Vec::new(), found: &mut all };
        finder.bind(&found.f.pattern);
        finder.block(&found.f.body, &HashSet::new());
    }
    all
}

struct Finder<'a> {
    sliced: &'a Sliced,
    aliases: &'a Aliases,
    /// The variables that are bound around here, the latest last, and whether one can be asked about: it may be changed, has a
    /// value, and nothing that borrows it is known.
    visible: Vec<(Local, bool)>,
    found: &'a mut Unchanged,
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
            let asked: BTreeSet<Local> = later
                .iter()
                .filter(|name| {
                    self.visible.iter().rev().find(|(bound, _)| bound == **name).is_some_and(|(_, ask)| *ask)
                })
                .cloned()
                .collect();
            if !asked.is_empty() {
                self.found.lent.entry(statement.id).or_default().extend(asked);
            }
            let names = looked_into(statement);
            // Of two that may be the same, one may be lent already.
            let alone = |name: &&Local| {
                self.visible.iter().any(|(bound, _)| bound == **name)
                    && names.iter().all(|other| other == *name || !self.aliases.touches(Change::Class(*other), **name))
            };
            let names: BTreeSet<Local> = names.iter().filter(alone).copied().collect();
            if !names.is_empty() {
                self.found.looked_into.entry(statement.id).or_default().extend(names);
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
                    self.visible[first..].iter_mut().for_each(|(_, ask)| *ask = false);
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

/// Whether a statement is more than stores to elements of named arrays, computed from numbers: what these change is seen.
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

/// The variables that a statement hands to other code, and does not set itself.
fn looked_into(statement: &Statement) -> BTreeSet<Local> {
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
