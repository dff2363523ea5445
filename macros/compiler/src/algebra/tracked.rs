//! The values of variables, followed through a body.

use crate::ir::names::{bindings, each_binding, each_let};
use crate::ir::place::Place;
use crate::ir::{Block, Expr, Kind, Local};
use crate::maps::{HashSet, New as _};

/// The places of a set, together with the variables of the body that are computed from them.
pub(super) struct Tracked<'a> {
    pub states: &'a [Place],
    /// The variables with a value of their own.
    pub locals: Vec<Local>,
    /// The variables that patterns bind to parts of values, or to others' values.
    parts: HashSet<Local>,
}

impl Tracked<'_> {
    /// The variables of the body that are computed from the states.
    pub fn of<'a>(states: &'a [Place], body: &Block) -> Tracked<'a> {
        let mut tracked = Tracked { states, locals: Vec::new(), parts: HashSet::new() };
        let (declared, bound) = (declared_in(body), bound_in(body));
        loop {
            let before = (tracked.locals.len(), tracked.parts.len());
            let mut add = |name: Local, value: &Expr| {
                if tracked.locals.contains(&name) || tracked.parts.contains(&name) || !tracked.occurs_in(value) {
                } else if declared.contains(&name) {
                    tracked.locals.push(name);
                } else {
                    tracked.parts.insert(name);
                }
            };
            // A pattern may name a constant.
            let is_variable = |name: &Local| !name.text().starts_with(char::is_uppercase);
            each_binding(body, &mut |pattern, value| {
                pattern.variables().filter(is_variable).for_each(|name| add(name, value));
            });
            for e in body.nodes() {
                if let Kind::Assign(target, _, value) = &e.kind {
                    let targets = target.places().into_iter().filter_map(Expr::root);
                    targets.filter(|name| bound.contains(name)).for_each(|name| add(name, value));
                }
            }
            if (tracked.locals.len(), tracked.parts.len()) == before {
                return tracked;
            }
        }
    }

    /// Whether an expression mentions one of them, or something that contains a part of one.
    pub fn occurs_in(&self, e: &Expr) -> bool {
        let mut found = false;
        e.walk(&mut |e| {
            let is_local = |name: Local| self.locals.contains(&name) || self.parts.contains(&name);
            if found || e.name().is_some_and(is_local) {
                found = true;
            } else if let Some(place) = e.place().filter(|_| !matches!(e.kind, Kind::Paren(_))) {
                let of_root = self.states.iter().any(|state| state.root == place.root);
                found |= of_root && self.states.iter().any(|state| !state.is_apart_from(&place));
                // The indices of the place are expressions, too.
                return !of_root || found;
            }
            !found
        });
        found
    }
}

/// The variables that declarations bind to whole values.
pub(super) fn declared_in(body: &Block) -> HashSet<Local> {
    let mut declared = HashSet::new();
    each_let(body, &mut |pattern, _| declared.extend(pattern.single().map(|binding| binding.name)));
    declared
}

/// The variables that a body declares.
pub(super) fn bound_in(body: &Block) -> HashSet<Local> {
    let mut bound = HashSet::new();
    bindings(body, &mut |pattern| bound.extend(pattern.variables()));
    bound
}

/// Whether an iteration may end before its last statement.
pub(super) fn ends_early(body: &Block) -> bool {
    body.nodes().any(|e| match &e.kind {
        Kind::Continue(_) | Kind::Break(..) | Kind::Return(_) | Kind::Try(_) => true,
        Kind::Opaque(opaque) => opaque.may_leave(),
        _ => false,
    })
}
