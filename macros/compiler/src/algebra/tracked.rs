//! The values of variables, followed through a body.

use crate::flow::{Definition, Definitions, indices};
use crate::ir::names::bindings;
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
    pub fn of<'a>(states: &'a [Place], definitions: &Definitions<'_>) -> Tracked<'a> {
        let mut tracked = Tracked { states, locals: Vec::new(), parts: HashSet::new() };
        let roots: HashSet<Local> = states.iter().map(|state| state.root).collect();
        let reads = |e: &Expr, to: &mut dyn FnMut(Local)| tracked.reads(e, to);
        // A pattern may name a constant.
        let follow =
            |_: &Definition<'_>, name: Local| definitions.binds(name) && !name.text().starts_with(char::is_uppercase);
        let mut found = definitions.computed_from(roots.iter().copied(), &reads, &follow);
        found.retain(|name| !roots.contains(name));
        tracked.locals = definitions.declared().filter(|name| found.remove(name)).collect();
        tracked.parts = found;
        tracked
    }

    /// Whether an expression mentions one of them, or something that contains a part of one.
    pub fn occurs_in(&self, e: &Expr) -> bool {
        let is_tracked = |name| self.locals.contains(&name) || self.parts.contains(&name);
        let mut found = false;
        self.reads(e, &mut |name| found |= is_tracked(name) || self.states.iter().any(|state| state.root == name));
        found
    }

    /// The variables in an expression. Places that are apart from all states are none.
    fn reads(&self, e: &Expr, to: &mut dyn FnMut(Local)) {
        e.walk(&mut |e| {
            match e.place().filter(|_| !matches!(e.kind, Kind::Paren(_))) {
                Some(place) if self.states.iter().any(|state| state.root == place.root) => {
                    if self.states.iter().any(|state| !state.is_apart_from(&place)) {
                        to(place.root);
                    }
                    // The indices of the place are expressions, too.
                    indices(e).for_each(|index| self.reads(index, to));
                    false
                }
                _ => {
                    e.name().filter(|_| matches!(e.kind, Kind::Name(_))).into_iter().for_each(&mut *to);
                    true
                }
            }
        });
    }
}

/// The variables that a body declares.
pub fn bound_in(body: &Block) -> HashSet<Local> {
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
