//! Systems of variables that are computed from each other.

use super::tracked::{Tracked, bound_in, ends_early};
use crate::algebra::updates::is_float;
use crate::flow::{Definitions, Relation};
use crate::ir::place::Place;
use crate::ir::{Block, Expr, For, Id, Kind, Local, StatementKind};
use crate::maps::{HashMap, HashSet, New as _};
use crate::plan::{Assignments, Semiring, Transfer};
use std::collections::BTreeSet;

/// Variables whose transfer function composes.
pub struct System {
    /// The variables of the body through which the states are computed.
    pub locals: Vec<Local>,
    pub semiring: Semiring,
    /// Whether sums start from each state.
    pub summed: Vec<bool>,
    /// The statements that assign rows.
    pub assignments: HashMap<Id, Assignments>,
    /// Which parts of the rows may be present, of maxima or minima.
    pub present: u64,
    /// Which bounds there may be: 1 for lower ones, 2 for upper ones, 4 for those of the type.
    pub bounds: u8,
    /// One iteration, if the factors are the same in all iterations.
    pub step: Vec<Assignments>,
}

/// The most states of a system.
const STATES: usize = 4;

/// The system of these states, if there is one. `floats` says whether all of them are known to be floats.
pub fn system(f: &For, states: &[Place], floats: bool) -> Option<System> {
    if states.len() > STATES {
        return None;
    }
    let body = &f.body;
    let definitions = Definitions::of(body);
    let mut tracked = Tracked::of(states, &definitions);
    let mut assignments = assignments(&tracked, &definitions, body)?;
    keep_needed(&mut tracked, &mut assignments);
    let transfers = || assignments.values().flat_map(|all| all.rows.iter().map(|(_, transfer)| transfer));
    let mut semiring = semiring(states.len(), floats, &transfers)?;
    let mut step = Vec::new();
    if let (Semiring::Linear { fixed }, Some(found)) = (&mut semiring, step_of(f, &assignments)) {
        (*fixed, step) = (true, found);
        if let Some(first) =
            statements_of(body).find(|id| assignments.contains_key(id)).and_then(|id| assignments.get_mut(&id))
        {
            first.first = true;
        }
    }
    let summed = summed(states.len(), &assignments);
    let present = present(states.len(), tracked.locals.len(), &assignments);
    let bounds =
        assignments.values().flat_map(|all| &all.rows).fold(0, |all, (_, transfer)| all | bounds(transfer, true));
    Some(System { locals: tracked.locals, semiring, summed, present, bounds, assignments, step })
}

/// The assignments to rows; `None` if one of them is no transfer function.
fn assignments(tracked: &Tracked<'_>, definitions: &Definitions<'_>, body: &Block) -> Option<HashMap<Id, Assignments>> {
    let mut found = HashMap::new();
    let one = |row, transfer| Assignments { rows: vec![(row, transfer)], first: false };
    let mut failed = false;
    crate::ir::names::each_let(body, &mut |pattern, value| {
        let row = pattern.single().and_then(|binding| tracked.locals.iter().position(|local| *local == binding.name));
        if let Some(row) = row {
            match tracked.transfer(value) {
                Some(transfer) => _ = found.insert(value.id, one(tracked.states.len() + row, transfer)),
                // The value may not be needed.
                None => _ = found.insert(value.id, one(tracked.states.len() + row, Transfer::Unknown)),
            }
        }
    });
    // Branches whose conditions depend on the rows.
    let mut inside: HashSet<Id> = HashSet::new();
    for e in body.nodes() {
        let Kind::If(condition, ..) = &e.kind else { continue };
        if inside.contains(&e.id) || !tracked.occurs_in(condition) {
            continue;
        }
        let rows: BTreeSet<usize> = e.nodes().filter_map(|e| assigned_row(tracked, e)).collect();
        if rows.is_empty() {
            continue;
        }
        inside.extend(e.nodes().map(|e| e.id));
        let transfers = rows.iter().map(|row| Some((*row, tracked.after_branches(*row, e)?)));
        // The second of two assignments may read what the first one has assigned.
        let reads_another = |(row, transfer): &(usize, Transfer)| {
            let mut reads = false;
            transfer.rows(&mut |other| reads |= other != *row && rows.contains(&other));
            reads
        };
        let transfers = transfers.collect::<Option<Vec<_>>>();
        let fits = |all: &Vec<_>| !all.iter().any(reads_another) && e.nodes().all(is_repeatable);
        match transfers.filter(fits) {
            Some(rows) => _ = found.insert(e.id, Assignments { rows, first: false }),
            None if rows.iter().all(|row| *row >= tracked.states.len()) => {
                let rows = rows.iter().map(|row| (*row, Transfer::Unknown)).collect();
                found.insert(e.id, Assignments { rows, first: false });
            }
            None => failed = true,
        }
    }
    for (e, conditions) in definitions.assignments() {
        let Kind::Assign(place, op, value) = &e.kind else { continue };
        // The conditions outside of those branches.
        let decided =
            conditions.iter().any(|condition| !inside.contains(&condition.id) && tracked.occurs_in(condition));
        if decided && tracked.row(place).is_some_and(|row| row < tracked.states.len()) {
            return None;
        }
        if inside.contains(&e.id) {
            continue;
        }
        if let (Kind::Tuple(places), None, Kind::Tuple(values)) = (&place.bare().kind, op, &value.bare().kind)
            && places.iter().any(|place| tracked.row(place).is_some())
        {
            let pairs = places.iter().zip(values).map(|(place, of)| Some((tracked.row(place)?, tracked.transfer(of)?)));
            let rows: Option<Vec<_>> = pairs.collect::<Option<_>>().filter(|_| places.len() == values.len());
            failed |= rows.is_none();
            found.extend(rows.map(|rows| (e.id, Assignments { rows, first: false })));
            continue;
        }
        match (tracked.row(place), tracked.assigned(place, *op, value)) {
            (Some(row), Some(transfer)) => _ = found.insert(e.id, one(row, transfer)),
            (Some(row), None) if row < tracked.states.len() => failed = true,
            (Some(row), None) => _ = found.insert(e.id, one(row, Transfer::Unknown)),
            // A pattern, or a part of a state.
            (None, _) => {
                let is_state = |root| tracked.states.iter().any(|state| state.root == root);
                failed |= place.places().into_iter().filter_map(Expr::root).any(is_state) && tracked.occurs_in(place);
            }
        }
    }
    (!failed).then_some(found)
}

fn assigned_row(tracked: &Tracked<'_>, e: &Expr) -> Option<usize> {
    match &e.kind {
        Kind::Assign(place, ..) => tracked.row(place),
        _ => None,
    }
}

/// Whether an expression may be evaluated twice.
fn is_repeatable(e: &Expr) -> bool {
    match &e.kind {
        Kind::Call(..) | Kind::Macro(..) | Kind::Opaque(..) | Kind::Closure(..) | Kind::Ref(true, _) => false,
        Kind::Method(receiver, name, ..) => receiver.is_left_by(name),
        _ => true,
    }
}

/// Drops the variables of the body that no state is computed from.
fn keep_needed(tracked: &mut Tracked<'_>, assignments: &mut HashMap<Id, Assignments>) {
    let states = tracked.states.len();
    let needed = read_by(assignments).from(0..states);
    let kept: Vec<usize> = (0..states + tracked.locals.len()).filter(|row| needed.contains(row)).collect();
    let number = |row: usize| kept.iter().position(|kept| *kept == row).unwrap_or(0);
    assignments.retain(|_, all| {
        all.rows.retain(|(row, _)| needed.contains(row));
        for (row, transfer) in &mut all.rows {
            *row = number(*row);
            transfer.renumbered(&number);
        }
        !all.rows.is_empty()
    });
    let mut row = states;
    tracked.locals.retain(|_| {
        row += 1;
        needed.contains(&(row - 1))
    });
}

/// The semiring of these transfer functions.
fn semiring<'t, I: Iterator<Item = &'t Transfer>>(
    states: usize,
    floats: bool,
    transfers: &dyn Fn() -> I,
) -> Option<Semiring> {
    let all = |holds: &dyn Fn(&Transfer) -> bool| transfers().all(|transfer| transfer.all(holds));
    let constant = |of: &Transfer| matches!(of, Transfer::Constant(_));
    let linear = |of: &Transfer| match of {
        Transfer::Row(_) | Transfer::Constant(_) | Transfer::Sum(_) | Transfer::Difference(_) => true,
        Transfer::Wrapping(..) | Transfer::Scaled(..) | Transfer::Negative(_) | Transfer::Choose(..) => true,
        Transfer::Divided(_, by) => floats || is_float(by),
        _ => false,
    };
    // One summand is a value of the iteration.
    let shifts = |of: &Transfer| match of {
        Transfer::Row(_) | Transfer::Constant(_) | Transfer::Choose(..) => true,
        Transfer::Sum(parts) => parts.iter().any(constant),
        Transfer::Difference(parts) => constant(&parts[1]),
        _ => false,
    };
    let bounds = |of: &Transfer| match of {
        Transfer::Greater(parts) | Transfer::Lesser(parts) => parts.iter().any(constant),
        Transfer::Between(..) | Transfer::Saturating(..) => true,
        other => shifts(other),
    };
    let maxima = |of: &Transfer| matches!(of, Transfer::Greater(_)) || shifts(of);
    let minima = |of: &Transfer| matches!(of, Transfer::Lesser(_)) || shifts(of);
    if all(&linear) {
        Some(Semiring::Linear { fixed: false })
    } else if states == 1 && all(&bounds) {
        Some(Semiring::Clamp)
    } else if all(&maxima) {
        Some(Semiring::Max)
    } else {
        all(&minima).then_some(Semiring::Min)
    }
}

/// The assignments of one iteration, if all of them happen in each iteration, with the same factors.
fn step_of(f: &For, assignments: &HashMap<Id, Assignments>) -> Option<Vec<Assignments>> {
    let body = &f.body;
    let found: Vec<&Assignments> = statements_of(body).filter_map(|id| assignments.get(&id)).collect();
    let mut own = bound_in(body);
    own.extend(f.pattern.variables());
    let changed = body.nodes().flat_map(Expr::changes);
    own.extend(changed);
    let fixed = |factor: &Expr| {
        factor.nodes().all(|e| match &e.kind {
            Kind::Name(name) => !own.contains(name),
            Kind::Path | Kind::Int(_) | Kind::Literal | Kind::Paren(_) | Kind::Unary('-', _) => true,
            Kind::Binary(..) | Kind::Cast(..) | Kind::Field(..) => true,
            _ => false,
        })
    };
    let same = |transfer: &Transfer| {
        transfer.all(&|of| match of {
            Transfer::Scaled(_, factor) | Transfer::Divided(_, factor) => fixed(factor),
            Transfer::Choose(..) => false,
            _ => true,
        })
    };
    let all = found.len() == assignments.len() && !ends_early(body);
    let fits = all && found.iter().flat_map(|all| &all.rows).all(|(_, transfer)| same(transfer));
    fits.then(|| found.into_iter().cloned().collect())
}

/// The statements at the top level of a body, and the values of its declarations.
fn statements_of(body: &Block) -> impl Iterator<Item = Id> {
    body.statements.iter().filter_map(|statement| match &statement.kind {
        StatementKind::Let(_, Some(value), None) => Some(value.id),
        StatementKind::Expr(e, _) => Some(e.id),
        _ => None,
    })
}

/// The bounds in a transfer function, as bits. A value of the iteration is its own lower and upper bound.
fn bounds(transfer: &Transfer, whole: bool) -> u8 {
    let own = match transfer {
        Transfer::Constant(_) if whole => 3,
        Transfer::Greater(_) => 1,
        Transfer::Lesser(_) => 2,
        Transfer::Between(..) => 3,
        Transfer::Saturating(..) => 7,
        _ => 0,
    };
    let whole = matches!(transfer, Transfer::Choose(..));
    transfer.parts().iter().fold(own, |all, part| all | bounds(part, whole))
}

/// Which parts of the rows may be present, as bits: for each row a state that it depends on, and a value of the iterations.
fn present(states: usize, locals: usize, assignments: &HashMap<Id, Assignments>) -> u64 {
    let (rows, parts) = (states + locals, states + 1);
    if rows * parts > u64::BITS as usize {
        return u64::MAX;
    }
    fn is_value(transfer: &Transfer) -> bool {
        match transfer {
            Transfer::Constant(_) => true,
            // A summand is not a value by itself.
            Transfer::Sum(parts) | Transfer::Difference(parts) => {
                parts.iter().any(|part| !matches!(part, Transfer::Constant(_)) && is_value(part))
            }
            _ => transfer.parts().iter().any(is_value),
        }
    }
    let reads = read_by(assignments);
    let all = assignments.values().flat_map(|all| &all.rows);
    let values: HashSet<usize> = all.filter(|(_, transfer)| is_value(transfer)).map(|(row, _)| *row).collect();
    let of_row = |row: usize| {
        let found = reads.from([row]);
        let value = if found.is_disjoint(&values) { 0 } else { 1 << states };
        found.iter().filter(|row| **row < states).fold(value, |all, state| all | 1 << state)
    };
    (0..rows).rev().fold(0, |all, row| all << parts | of_row(row))
}

/// The rows that the values of each row are computed from.
fn read_by(assignments: &HashMap<Id, Assignments>) -> Relation<usize> {
    let mut relation = Relation::new();
    for (row, transfer) in assignments.values().flat_map(|all| &all.rows) {
        transfer.rows(&mut |other| relation.follows(*row, other));
    }
    relation
}

/// Whether sums start from each state.
fn summed(states: usize, assignments: &HashMap<Id, Assignments>) -> Vec<bool> {
    let mut inside = Vec::new();
    let transfers = assignments.values().flat_map(|all| &all.rows);
    transfers.for_each(|(_, transfer)| mark(transfer, false, &mut |row| inside.push(row)));
    let found = read_by(assignments).from(inside);
    (0..states).map(|state| found.contains(&state)).collect()
}

/// Visits the rows inside of sums.
fn mark(transfer: &Transfer, inside: bool, visit: &mut dyn FnMut(usize)) {
    let sum = matches!(transfer, Transfer::Sum(_) | Transfer::Difference(_) | Transfer::Saturating(..));
    if let (true, Transfer::Row(row)) = (inside, transfer) {
        visit(*row);
    }
    transfer.parts().iter().for_each(|part| mark(part, inside || sum, visit));
}
