//! Variables that are computed from each other: systems of recurrences, and finite-state machines.

use super::context::Classifier;
use super::nodes::names_of;
use super::scalars::Assigned;
use crate::algebra::{Choice, Dependences, Kept, bound_in, choice, has_comparing_method, machine, system};
use crate::analysis::effects::Effects;
use crate::front::attribute::Attribute;
use crate::ir::place::Place;
use crate::ir::report::Location;
use crate::ir::{Expr, For, Id, Kind, Local, Statement};
use crate::maps::{HashMap, HashSet, New as _};
use crate::plan::{Accumulator, Better, Class, Merge, Missing, Operator, Plan, Rewrite, System};
use proc_macro2::Span;
use quote::format_ident;
use std::rc::Rc;

impl Classifier<'_> {
    /// Classifies the places that no class of a single variable fits, with those that they are computed from.
    pub(super) fn systems(
        &self,
        assigned: &[Assigned<'_>],
        f: &Rc<For>,
        taken: &mut HashSet<Place>,
        result: &mut Plan,
    ) {
        let places: Vec<Place> = assigned.iter().map(|assigned| assigned.place.clone()).collect();
        let dependences = Dependences::of(&places, &f.body);
        let scan = self.attribute == Attribute::DistributedScan;
        let alone = |number: usize, connected: &[usize]| {
            let class = self.class_alone(&assigned[number], f).filter(|_| !dependences.decides_itself(number));
            // A condition may read a variable with few values while it decides about another variable.
            let few =
                |class: &Class| matches!(class, Class::Parity | Class::Segmented { .. } | Class::Idempotent { .. });
            class.is_some_and(|class| {
                !few(&class)
                    || connected.len() == 1 && !scan
                    || machine(f, &places[number..=number], &self.function.body).is_none()
            })
        };
        if self.attribute == Attribute::ForeachTls {
            return;
        }
        let left: Vec<usize> = (0..places.len()).filter(|number| !taken.contains(&places[*number])).collect();
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
            let connected: Vec<usize> = connected.into_iter().filter(|number| left.contains(number)).collect();
            if connected.is_empty() {
                continue;
            }
            if connected.len() == 1 && alone(connected[0], &connected) || add(&connected, result) {
                continue;
            }
            for cycle in dependences.cycles(&connected) {
                if cycle.len() > 1 || !alone(cycle[0], &connected) {
                    add(&cycle, result);
                }
            }
        }
    }

    /// The accumulator of variables that keep the best of values, or the first match.
    pub(super) fn choice(&self, of: &Place, all: &[Place], f: &For) -> Option<Accumulator> {
        let effects = Effects::of(self.function);
        let reads = self.states_are_read;
        let found = choice(f, of, all, (&|e, locals| effects.first_besides(e, locals).is_some(), reads))?;
        if self.function.attribute == Attribute::Traverse && found.statements.iter().any(|s| self.calls_itself(s))
            || reads && !self.runs_twice(&found, f)
        {
            return None;
        }
        let Choice { members, kept, takes, nodes, through, .. } = found;
        let taken: HashMap<Id, Rewrite> =
            takes.iter().filter_map(|id| Some((*id, Rewrite::Take(f.body.node(*id)?.clone())))).collect();
        let first = f.body.node(*takes.first()?)?;
        let better = match kept {
            Kept::Best(better) => better,
            Kept::Extreme(operator) => {
                let (ident, at) = (names_of(&members, "acc", first.id).pop()?, Location::from(first).start);
                let class = Class::Idempotent { merge: Merge::By(operator) };
                return Some(Accumulator { nodes, ..Accumulator::new(members[0].clone(), ident, class, at) });
            }
        };
        if let (Better::Than { key, op, total, by: None, flag: None, tie: None }, [place]) =
            (&better, members.as_slice())
            && key.of.is(place)
            && !nodes.iter().filter_map(|id| f.body.node(*id)).any(has_comparing_method)
        {
            // Otherwise a scan follows values that compare with nothing.
            if *total && reads {
                return None;
            }
            if !total {
                let ident = place.variable().map_or_else(
                    || format_ident!("__acc_{}", first.id, span = Span::mixed_site()),
                    crate::ir::Local::ident,
                );
                let class = Class::Idempotent { merge: Merge::By(Operator::Keep(*op)) };
                let at = Location::from(first).start;
                return Some(Accumulator { nodes, ..Accumulator::new(place.clone(), ident, class, at) });
            }
        }
        // The chunks of a scan and the calls of a traversal cannot run again in order.
        let marks = matches!(&better, Better::First(Missing::Where(_)))
            || matches!(&better, Better::Than { flag: Some((_, Missing::Where(_))), .. });
        if marks && (reads || self.function.attribute == Attribute::Traverse) {
            return None;
        }
        // A recurrence of maxima or minima also follows floats that compare with nothing.
        if let (Better::Than { key, total: true, by: None, flag: None, tie: None, .. }, [place]) =
            (&better, &members[..])
            && reads
            && key.of.is(place)
        {
            return None;
        }
        let hit = format_ident!("__hit_{}", first.id, span = Span::mixed_site());
        let names = names_of(&members, "best", first.id);
        let (ident, at) = (format_ident!("__best_{}", first.id), Location::from(first).start);
        let records = self.records(&better);
        let class = Class::Best { variables: members.clone(), names, better, hit, records, through };
        Some(Accumulator { rewrites: taken, nodes, ..Accumulator::new(members[0].clone(), ident, class, at) })
    }

    /// Whether a statement of a traversal calls the function.
    fn calls_itself(&self, statement: &Statement) -> bool {
        // A call stands for its arguments.
        let arguments: HashSet<Id> =
            statement.nodes().filter(|e| matches!(e.kind, Kind::Tuple(_))).map(|e| e.id).collect();
        let calls = |e: &Expr| matches!(e.kind, Kind::Call(..) | Kind::Method(..)) && arguments.contains(&e.id);
        self.function.body.nodes().any(calls)
    }

    /// Whether the updates of a scan have no side effects: its chunks compute the values before the iterations run.
    fn runs_twice(&self, found: &Choice<'_>, f: &For) -> bool {
        let effects = Effects::of(self.function);
        let bound: HashSet<Local> = bound_in(&f.body);
        let state = |name: Local| found.members.iter().any(|of| of.root == name) || found.through.contains(&name);
        let mut pure = true;
        for e in found.statements.iter().flat_map(Statement::exprs).filter(|e| found.nodes.contains(&e.id)) {
            e.walk(&mut |e| {
                // The algebra knows what the code does with the values before.
                let followed = e.variables().any(state);
                pure &= followed || effects.first_besides(e, &bound).is_none();
                followed && pure
            });
        }
        pure
    }

    /// The accumulator of several variables together.
    fn composed(&self, places: &[Place], f: &For) -> Option<Accumulator> {
        let assigns = |to: &Expr| to.places().into_iter().any(|to| places.iter().any(|place| to.is(place)));
        let assignments = || f.body.nodes().filter(|e| matches!(&e.kind, Kind::Assign(to, ..) if assigns(to)));
        let first = assignments().next()?;
        let names = names_of(places, "state", first.id);
        let (ident, at) =
            (format_ident!("__system_{}", first.id, span = Span::mixed_site()), Location::from(first).start);
        let variables = places.to_vec();
        // The totals evaluate the values and the conditions once more.
        let effects = Effects::of(self.function);
        let mut has_effects = false;
        let floats = places.iter().all(|place| self.given(place, None).float);
        if let Some(found) = system(f, places, floats).filter(|found| {
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
