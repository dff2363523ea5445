//! Which names of a body may mean the same place, and which names a node changes.
//!
//! A name that is bound to what borrows another one for writing (`let r = &mut v;`, `for v in a.iter_mut()`, a closure that
//! changes `v`) is an alias of it: what is changed through one of them may be changed through each. What no table knows counts as
//! such a borrow.

use crate::ir::names::{each_binding, each_let, names_of_closure};
use crate::ir::{Child, Expr, For, Id, Kind, Local, Pattern};
use crate::language::methods;
use crate::maps::{HashMap, HashSet, New as _};

#[derive(Default)]
pub struct Aliases {
    /// Another name of the same class; the last one stands for all of it.
    next: HashMap<Local, Local>,
    /// Names that may hold a borrow for writing: who is handed one may change all of its class.
    borrows: HashSet<Local>,
}

/// Something that a node changes: all names of a class, or, by a plain assignment, one variable.
#[derive(Debug, Clone, Copy)]
pub enum Change {
    Variable(Local),
    Class(Local),
}

impl Change {
    fn name(self) -> Local {
        match self {
            Change::Variable(name) | Change::Class(name) => name,
        }
    }
}

impl Aliases {
    /// Those of a loop's body.
    pub fn of(f: &For) -> Aliases {
        let mut aliases = Aliases::default();
        // A name may be bound to one that turns out to be an alias later, in an inner loop's next round.
        loop {
            let before = (aliases.next.len(), aliases.borrows.len());
            aliases.bound(&f.pattern, &f.source);
            each_binding(&f.body, &mut |pattern, value| aliases.bound(pattern, value));
            f.body.walk(&mut |e| {
                if let Kind::Assign(place, None, value) = &e.kind {
                    changed_place(place, &mut |change| aliases.may_hold(change.name(), value));
                }
                true
            });
            if (aliases.next.len(), aliases.borrows.len()) == before {
                return aliases;
            }
        }
    }

    fn bound(&mut self, pattern: &Pattern, value: &Expr) {
        match (&value.bare().kind, pattern.parts()) {
            (Kind::Tuple(values), parts) if values.len() == parts.len() => {
                parts.iter().zip(values).for_each(|(part, value)| self.bound(part, value));
            }
            (Kind::Method(receiver, method, args, _), parts) => match (method.as_str(), parts, args.as_slice()) {
                ("zip", [one, two], [other]) => {
                    self.bound(one, receiver);
                    self.bound(two, other);
                }
                ("enumerate", [_, item], []) => self.bound(item, receiver),
                ("rev", _, []) | ("skip" | "take" | "step_by", _, [_]) => self.bound(pattern, receiver),
                _ => pattern.names.iter().for_each(|binding| self.may_hold(binding.name, value)),
            },
            _ => pattern.names.iter().for_each(|binding| self.may_hold(binding.name, value)),
        }
    }

    /// A name that a value is given.
    fn may_hold(&mut self, name: Local, value: &Expr) {
        let mut borrowed = HashSet::new();
        self.borrowed_by(value, &mut borrowed);
        for of in &borrowed {
            self.borrows.insert(name);
            self.unite(name, *of);
        }
    }

    /// The variables that whoever has this value may change.
    fn borrowed_by(&self, value: &Expr, to: &mut HashSet<Local>) {
        match &value.kind {
            Kind::Name(name) => to.extend(Some(*name).filter(|name| self.borrows.contains(name))),
            Kind::Ref(true, place) => {
                to.extend(place.root());
                self.borrowed_by(place, to);
            }
            Kind::Method(receiver, method, args, _) => {
                if !methods::only_reads(method) {
                    to.extend(receiver.root());
                }
                self.borrowed_by(receiver, to);
                args.iter().for_each(|arg| self.borrowed_by(arg, to));
            }
            Kind::Opaque(opaque) => {
                to.extend(opaque.received().into_iter().filter_map(Expr::name));
                opaque.parts.iter().for_each(|part| self.borrowed_by(part, to));
            }
            Kind::Closure(patterns, _, body) => {
                let (own, mut changed) = (names_of_closure(patterns, body), HashSet::new());
                body.walk(&mut |e| {
                    self.changed_by(e, &mut |change| {
                        changed.insert(change.name());
                    });
                    true
                });
                to.extend(changed.into_iter().filter(|name| !own.contains(name)));
            }
            // Whoever breaks out gives the value.
            Kind::Loop(_, block) | Kind::Labeled(_, _, block) => {
                block.value().into_iter().for_each(|e| self.borrowed_by(e, to));
                block.walk(&mut |e| {
                    if let Kind::Break(_, Some(given)) = &e.kind {
                        self.borrowed_by(given, to);
                    }
                    true
                });
            }
            Kind::Cast(inner, ..) if matches!(inner.bare().kind, Kind::Ref(..) | Kind::Cast(..)) => {
                self.borrowed_by(inner, to);
            }
            // Copies (see `copies`), and values of their own.
            Kind::Index(..) | Kind::Unary(..) | Kind::Binary(..) | Kind::Cast(..) => {}
            Kind::If(_, then, otherwise) => {
                then.value().into_iter().for_each(|e| self.borrowed_by(e, to));
                otherwise.iter().for_each(|e| self.borrowed_by(e, to));
            }
            Kind::Match(_, arms) => arms.iter().for_each(|arm| self.borrowed_by(&arm.body, to)),
            _ => {
                for child in value.children() {
                    match child {
                        Child::Expr(e) => self.borrowed_by(e, to),
                        Child::Block(block) => block.value().into_iter().for_each(|e| self.borrowed_by(e, to)),
                    }
                }
            }
        }
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
        let mut borrowed = HashSet::new();
        self.borrowed_by(e, &mut borrowed);
        !borrowed.is_empty()
    }

    fn representative(&self, mut name: Local) -> Local {
        while let Some(next) = self.next.get(&name) {
            name = *next;
        }
        name
    }

    fn unite(&mut self, one: Local, two: Local) {
        let (one, two) = (self.representative(one), self.representative(two));
        if one != two {
            self.next.insert(one, two);
        }
    }

    /// The names that may hold a borrow for writing.
    pub fn borrows(&self) -> impl Iterator<Item = Local> {
        self.borrows.iter().copied()
    }

    /// Whether something that borrows a variable for writing is known.
    pub fn is_borrowed(&self, name: Local) -> bool {
        let class = self.representative(name);
        self.borrows.iter().any(|borrow| self.representative(*borrow) == class)
    }

    /// Adds the names through which one of these may be changed.
    pub fn extend(&self, names: &mut HashSet<Local>) {
        let classes: HashSet<Local> = names.iter().map(|name| self.representative(*name)).collect();
        names.extend(self.borrows.iter().filter(|name| classes.contains(&self.representative(**name))).copied());
    }

    /// Whether a change may be one of a variable.
    pub fn touches(&self, change: Change, variable: Local) -> bool {
        match change {
            Change::Variable(name) => name == variable,
            Change::Class(name) => name == variable || self.representative(name) == self.representative(variable),
        }
    }

    /// What a node by itself may change, without the nodes that stand in it.
    pub fn changed_by(&self, e: &Expr, to: &mut dyn FnMut(Change)) {
        match &e.kind {
            Kind::Assign(place, op, _) => match place.name() {
                // `row += x` of what refers to a row changes the row.
                Some(name) if op.is_some() && self.borrows.contains(&name) => to(Change::Class(name)),
                _ => changed_place(place, to),
            },
            Kind::Ref(true, place) => place.root().map(Change::Class).into_iter().for_each(to),
            Kind::Method(receiver, method, args, _) => {
                if !methods::only_reads(method) {
                    receiver.root().map(Change::Class).into_iter().for_each(&mut *to);
                }
                self.handed_on(args, to);
            }
            Kind::Call(function, args) => {
                self.handed_on(std::slice::from_ref(&**function), to);
                self.handed_on(args, to);
            }
            Kind::Opaque(opaque) => {
                opaque.received().into_iter().filter_map(Expr::name).map(Change::Class).for_each(to);
            }
            _ => {}
        }
    }

    /// Names that hold a borrow, and are handed to other code.
    fn handed_on(&self, args: &[Expr], to: &mut dyn FnMut(Change)) {
        let names = args.iter().filter_map(Expr::name).filter(|name| self.borrows.contains(name));
        names.map(Change::Class).for_each(to);
    }
}

/// What an assignment to a place, or to several, changes.
fn changed_place(place: &Expr, to: &mut dyn FnMut(Change)) {
    let place = place.bare();
    match &place.kind {
        Kind::Name(name) => to(Change::Variable(*name)),
        Kind::Tuple(parts) | Kind::Array(parts) | Kind::Call(_, parts) => {
            parts.iter().for_each(|part| changed_place(part, to));
        }
        Kind::Struct(_, fields, _) => fields.iter().for_each(|(_, part)| changed_place(part, to)),
        _ => place.root().map(Change::Class).into_iter().for_each(to),
    }
}
