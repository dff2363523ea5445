//! Variables that are computed from each other: systems of recurrences, and finite-state machines.

use super::context::Classifier;
use super::scalars::Assigned;
use crate::algebra::{Dependences, machine, system};
use crate::analysis::effects::Effects;
use crate::ir::place::Place;
use crate::ir::report::Location;
use crate::ir::{Expr, For, Id, Kind};
use crate::maps::{HashMap, HashSet, New as _};
use crate::plan::{Accumulator, Class, Plan, Rewrite, System};
use proc_macro2::{Ident, Span};
use quote::format_ident;
use std::rc::Rc;

impl Classifier<'_> {
    /// Classifies the places that no class of a single variable fits, with those that they are computed from. Returns all of these.
    pub(super) fn systems(&self, assigned: &[Assigned<'_>], f: &Rc<For>, result: &mut Plan) -> HashSet<Place> {
        let mut taken = HashSet::new();
        let places: Vec<Place> = assigned.iter().map(|assigned| assigned.place.clone()).collect();
        let dependences = Dependences::of(&places, &f.body);
        let alone = |number: usize| {
            let class = self.class_alone(&assigned[number], f).filter(|_| !dependences.decides_itself(number));
            // A condition may read a variable with few values while it decides about another variable.
            let few =
                |class: &Class| matches!(class, Class::Parity | Class::Segmented { .. } | Class::Idempotent { .. });
            class.is_some_and(|class| {
                !few(&class) || machine(f, &places[number..=number], &self.function.body).is_none()
            })
        };
        let mut add = |group: &[usize], result: &mut Plan| {
            let group: Vec<Place> = group.iter().map(|number| places[*number].clone()).collect();
            let found = self.composed(&group, f);
            if let Some(found) = found {
                result.accumulators.push(found);
                taken.extend(group);
                return true;
            }
            false
        };
        for connected in dependences.connected() {
            if connected.len() == 1 && alone(connected[0]) || add(&connected, result) {
                continue;
            }
            for cycle in dependences.cycles(&connected) {
                if cycle.len() > 1 || !alone(cycle[0]) {
                    add(&cycle, result);
                }
            }
        }
        taken
    }

    /// The accumulator of several variables together.
    fn composed(&self, places: &[Place], f: &For) -> Option<Accumulator> {
        let assigns = |to: &Expr| to.places().into_iter().any(|to| places.iter().any(|place| to.is(place)));
        let assignments = || f.body.nodes().filter(|e| matches!(&e.kind, Kind::Assign(to, ..) if assigns(to)));
        let first = assignments().next()?;
        let names: Vec<Ident> = (0..)
            .zip(places)
            .map(|(number, place)| match place.variable() {
                Some(name) => name.ident(),
                None => format_ident!("__state_{}_{number}", first.id, span = Span::mixed_site()),
            })
            .collect();
        let (ident, at) =
            (format_ident!("__system_{}", first.id, span = Span::mixed_site()), Location::from(first).start);
        let variables = places.to_vec();
        // The totals evaluate the values and the conditions once more.
        let effects = Effects::of(self.function);
        let mut has_effects = false;
        if let Some(found) = system(f, places).filter(|found| {
            let transfers = found.assignments.values().flat_map(|all| &all.rows);
            transfers.for_each(|(_, of)| of.values(&mut |e| has_effects |= effects.first(e).is_some()));
            !has_effects
        }) {
            let declares = declarations(f);
            let mut nodes: Vec<Id> = found.assignments.keys().copied().collect();
            nodes.sort_unstable();
            let rewrites = found
                .assignments
                .into_iter()
                .map(|(id, rows)| (id, Rewrite::Assignments { rows, declares: declares.get(&id).copied() }));
            let rewrites = rewrites.collect();
            let crate::algebra::System { locals, semiring, summed, present, bounds, step, .. } = found;
            let class = Class::System(System { variables, names, locals, semiring, summed, present, bounds, step });
            return Some(Accumulator { rewrites, nodes, ..Accumulator::new(places[0].clone(), ident, class, at) });
        }
        let states = machine(f, places, &self.function.body).filter(|_| !has_effects)?;
        let decisive = f.body.nodes().filter_map(|e| match &e.kind {
            Kind::If(decisive, ..) | Kind::Match(decisive, _) | Kind::While(_, decisive, _) => Some(&**decisive),
            Kind::Assign(place, _, value) if places.iter().any(|assigned| place.is(assigned)) => Some(&**value),
            _ => None,
        });
        if decisive.into_iter().any(|e| effects.first(e).is_some()) {
            return None;
        }
        let nodes: Vec<Id> = assignments().map(|e| e.id).collect();
        let class = Class::Machine { variables, names, states };
        Some(Accumulator { nodes, ..Accumulator::new(places[0].clone(), ident, class, at) })
    }
}

/// The values of declarations, with whether the declaration has a type.
fn declarations(f: &For) -> HashMap<Id, bool> {
    let mut found = HashMap::new();
    crate::ir::names::each_let(&f.body, &mut |pattern, value| _ = found.insert(value.id, pattern.ty.is_some()));
    found
}
