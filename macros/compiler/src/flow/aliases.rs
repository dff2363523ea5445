//! Which names of a body may mean the same place, and which names a node changes.
//!
//! A name that is bound to a borrow of another one for writing (`let r = &mut v;`, `for v in a.iter_mut()`, a closure that
//! changes `v`) is an alias of it. A change through one of them may be a change through each. Code that no table knows counts as
//! such a borrow.

use super::definitions::{Definitions, Form};
use super::relation::Relation;
use crate::ir::names::{each_let, names_of_closure};
use crate::ir::{Child, Expr, For, Id, Kind, Local};
use crate::language::methods;
use crate::maps::{HashMap, HashSet, New as _};

pub struct Aliases {
    /// The classes of names that may mean the same place.
    classes: Vec<Vec<Local>>,
    class: HashMap<Local, usize>,
    /// Names that may hold a borrow for writing: who is handed one may change all of its class.
    borrows: HashSet<Local>,
}

/// Something that a node changes: all names of a class, or, by a plain assignment, one variable.
#[derive(Debug, Clone, Copy)]
pub enum Change {
    Variable(Local),
    Class(Local),
}

impl Aliases {
    /// Those of a body.
    pub fn of(definitions: &Definitions<'_>) -> Aliases {
        let (mut first, mut follows, mut same) = (HashSet::new(), Relation::new(), Vec::new());
        for definition in definitions.iter().filter(|definition| definition.form != Form::Changed) {
            if let Some(value) = definition.given() {
                borrowed_by(value, &mut |of, always| {
                    for name in &definition.variables {
                        follows.follows(of, *name);
                        first.extend(always.then_some(*name));
                        same.push((*name, of, always));
                    }
                });
            }
        }
        let borrows = follows.from(first);
        let mut either = Relation::new();
        for (name, of, _) in same.into_iter().filter(|(_, of, always)| *always || borrows.contains(of)) {
            either.follows(name, of);
            either.follows(of, name);
        }
        let classes = either.cycles();
        let numbered = classes.iter().enumerate().flat_map(|(number, names)| names.iter().map(move |n| (*n, number)));
        Aliases { class: numbered.collect(), classes, borrows }
    }

    /// The values that a body's variables are given and that are taken for copies, though they are made of what borrows.
    pub fn copies(&self, f: &For) -> HashSet<Id> {
        let mut copies = HashSet::new();
        let mut given = |value: &Expr| {
            let borrows = match &value.bare().kind {
                Kind::Unary(_, inner) => self.borrows_in(inner),
                Kind::Binary(op, one, two) => !op.is_comparison() && (self.borrows_in(one) || self.borrows_in(two)),
                _ => false,
            };
            copies.extend(borrows.then_some(value.bare().id));
        };
        each_let(&f.body, &mut |pattern, value| {
            if pattern.single().is_some() {
                given(value);
            }
        });
        f.body.walk(&mut |e| {
            if let Kind::Assign(_, None, value) = &e.kind {
                given(value);
            }
            true
        });
        copies
    }

    /// Whether something that borrows is handed on in an expression as it is.
    fn borrows_in(&self, e: &Expr) -> bool {
        let mut found = false;
        borrowed_by(e, &mut |of, always| found |= always || self.may_borrow(of));
        found
    }

    /// The names that may hold a borrow for writing.
    pub fn borrows(&self) -> impl Iterator<Item = Local> {
        self.borrows.iter().copied()
    }

    pub fn may_borrow(&self, name: Local) -> bool {
        self.borrows.contains(&name)
    }

    /// The names that may mean the same place as this one.
    pub fn of_class(&self, name: Local) -> &[Local] {
        self.class.get(&name).map_or(&[], |class| &self.classes[*class])
    }

    /// Whether something that borrows a variable for writing is known.
    pub fn is_borrowed(&self, name: Local) -> bool {
        self.of_class(name).iter().any(|other| self.may_borrow(*other))
    }

    /// Adds the names through which one of these may be changed.
    pub fn extend(&self, names: &mut HashSet<Local>) {
        let others: Vec<&[Local]> = names.iter().map(|name| self.of_class(*name)).collect();
        names.extend(others.into_iter().flatten().filter(|name| self.may_borrow(**name)));
    }

    /// The variables that a change may be one of.
    pub fn touched(&self, change: Change) -> impl Iterator<Item = Local> {
        let (name, others) = match change {
            Change::Variable(name) => (name, [].as_slice()),
            Change::Class(name) => (name, self.of_class(name)),
        };
        std::iter::once(name).chain(others.iter().copied().filter(move |other| *other != name))
    }

    /// Whether a change may be one of a variable.
    pub fn touches(&self, change: Change, variable: Local) -> bool {
        self.touched(change).any(|name| name == variable)
    }

    /// The variables that a node by itself may change, without the nodes that stand in it.
    pub fn changed_by(&self, e: &Expr, to: &mut dyn FnMut(Change)) {
        changes(e, &mut |name, how| match how {
            How::Assigns => to(Change::Variable(name)),
            // `row += x` of what refers to a row changes the row.
            How::Updates if !self.may_borrow(name) => to(Change::Variable(name)),
            How::Receives if !self.may_borrow(name) => {}
            _ => to(Change::Class(name)),
        });
    }
}

/// How a node may change a variable.
#[derive(Clone, Copy, PartialEq, Eq)]
enum How {
    Assigns,
    Updates,
    /// It changes a part of it, or borrows it for writing.
    Borrows,
    /// It receives the variable as a value, which may hold a borrow.
    Receives,
}

/// The variables that a node may change.
fn changes(e: &Expr, to: &mut dyn FnMut(Local, How)) {
    let receives = |args: &[Expr], to: &mut dyn FnMut(Local, How)| {
        args.iter().filter_map(Expr::name).for_each(|name| to(name, How::Receives));
    };
    match &e.kind {
        Kind::Assign(place, op, _) => {
            for place in place.places() {
                match place.name() {
                    Some(name) => to(name, if op.is_some() { How::Updates } else { How::Assigns }),
                    None => place.root().into_iter().for_each(|root| to(root, How::Borrows)),
                }
            }
        }
        Kind::Ref(true, place) => place.root().into_iter().for_each(|root| to(root, How::Borrows)),
        Kind::Method(receiver, method, args, _) => {
            if !methods::only_reads(method) {
                receiver.root().into_iter().for_each(|root| to(root, How::Borrows));
            }
            receives(args, to);
        }
        Kind::Call(function, args) => {
            receives(std::slice::from_ref(&**function), to);
            receives(args, to);
        }
        Kind::Opaque(opaque) => {
            opaque.received().into_iter().filter_map(Expr::name).for_each(|name| to(name, How::Borrows));
        }
        _ => {}
    }
}

/// The variables that whoever has this value may change: always, or if they hold a borrow themselves.
fn borrowed_by(value: &Expr, to: &mut dyn FnMut(Local, bool)) {
    match &value.kind {
        Kind::Name(name) => to(*name, false),
        Kind::Ref(true, place) => {
            place.root().into_iter().for_each(|root| to(root, true));
            borrowed_by(place, to);
        }
        Kind::Method(receiver, method, args, _) => {
            if !methods::only_reads(method) {
                receiver.root().into_iter().for_each(|root| to(root, true));
            }
            borrowed_by(receiver, to);
            args.iter().for_each(|arg| borrowed_by(arg, to));
        }
        Kind::Opaque(opaque) => {
            opaque.received().into_iter().filter_map(Expr::name).for_each(|name| to(name, true));
            opaque.parts.iter().for_each(|part| borrowed_by(part, to));
        }
        Kind::Closure(patterns, _, body) => {
            let own = names_of_closure(patterns, body);
            let mut outer = |name, how| {
                if !own.contains(&name) {
                    to(name, how != How::Receives)
                }
            };
            body.nodes().for_each(|e| changes(e, &mut outer));
        }
        // Whoever breaks out gives the value.
        Kind::Loop(_, block) | Kind::Labeled(_, _, block) => {
            block.value().into_iter().for_each(|e| borrowed_by(e, to));
            block.walk(&mut |e| {
                if let Kind::Break(_, Some(given)) = &e.kind {
                    borrowed_by(given, to);
                }
                true
            });
        }
        Kind::Cast(inner, ..) if matches!(inner.bare().kind, Kind::Ref(..) | Kind::Cast(..)) => borrowed_by(inner, to),
        // Copies (see `copies`), and values of their own.
        Kind::Index(..) | Kind::Unary(..) | Kind::Binary(..) | Kind::Cast(..) => {}
        Kind::If(_, then, otherwise) => {
            then.value().into_iter().for_each(|e| borrowed_by(e, to));
            otherwise.iter().for_each(|e| borrowed_by(e, to));
        }
        Kind::Match(_, arms) => arms.iter().for_each(|arm| borrowed_by(&arm.body, to)),
        _ => {
            for child in value.children() {
                match child {
                    Child::Expr(e) => borrowed_by(e, to),
                    Child::Block(block) => block.value().into_iter().for_each(|e| borrowed_by(e, to)),
                }
            }
        }
    }
}
