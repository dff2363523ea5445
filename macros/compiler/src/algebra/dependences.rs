//! The loop-carried variables that are computed from each other.

use super::tracked::Tracked;
use crate::ir::place::Place;
use crate::ir::{Block, Child, Expr, Kind, Local, Op};
use crate::maps::HashSet;

/// Which variables the assignments of each variable depend on.
pub struct Dependences {
    /// `of[p][q]`: an assignment to `p` depends on `q`.
    of: Vec<Vec<bool>>,
    /// Whether a condition around an assignment depends on the assigned variable.
    decides_itself: Vec<bool>,
}

impl Dependences {
    pub fn of(places: &[Place], body: &Block) -> Dependences {
        let assignments = conditional_assignments(body);
        let mut of = vec![vec![false; places.len()]; places.len()];
        let mut decides_itself = vec![false; places.len()];
        for (number, place) in places.iter().enumerate() {
            let tracked = Tracked::of(std::slice::from_ref(place), body);
            for (assign, conditions) in &assignments {
                let Kind::Assign(target, op, value) = &assign.kind else { continue };
                let decides = conditions.iter().any(|condition| tracked.occurs_in(condition));
                for target in target.places() {
                    let Some(assigned) = places.iter().position(|place| target.is(place)) else { continue };
                    of[assigned][number] |= decides || tracked.occurs_in(value) || op.is_some() && assigned == number;
                    decides_itself[number] |= decides && assigned == number;
                }
            }
        }
        Dependences { of, decides_itself }
    }

    /// The variables that depend on each other, in either direction, over any number of steps.
    pub fn connected(&self) -> Vec<Vec<usize>> {
        self.groups(|one, other| self.of[one][other] || self.of[other][one])
    }

    /// The variables that depend on each other in both directions.
    pub fn cycles(&self, among: &[usize]) -> Vec<Vec<usize>> {
        let count = self.of.len();
        let mut reach = self.of.clone();
        for middle in 0..count {
            for one in 0..count {
                for other in 0..count {
                    reach[one][other] |= reach[one][middle] && reach[middle][other];
                }
            }
        }
        let cycles = self.groups(|one, other| reach[one][other] && reach[other][one]);
        cycles.into_iter().filter(|cycle| cycle.iter().any(|place| among.contains(place))).collect()
    }

    /// Whether a variable decides whether it is assigned.
    pub fn decides_itself(&self, place: usize) -> bool {
        self.decides_itself[place]
    }

    fn groups(&self, together: impl Fn(usize, usize) -> bool) -> Vec<Vec<usize>> {
        let mut groups: Vec<Vec<usize>> = Vec::new();
        for place in 0..self.of.len() {
            let (mut with, apart): (Vec<_>, Vec<_>) =
                groups.into_iter().partition(|group| group.iter().any(|other| together(place, *other)));
            with.push(vec![place]);
            groups = apart;
            let mut group = with.concat();
            group.sort_unstable();
            groups.push(group);
        }
        groups.sort_unstable();
        groups
    }
}

/// Whether a variable of the body depends on these places as they were before the iteration: through its values, the conditions around its
/// assignments, or an early end of the iteration.
pub fn depends(name: Local, on: &[Place], body: &Block) -> bool {
    let mut found: HashSet<Local> = on.iter().map(|place| place.root).collect();
    let mentions = |e: &Expr, found: &HashSet<Local>| found.iter().any(|name| e.mentions(*name));
    let leaves = |e: &Expr| matches!(e.kind, Kind::Continue(_) | Kind::Break(..));
    let all = under_conditions(body, &|e| leaves(e) || !e.changes().is_empty());
    loop {
        let before = found.len();
        crate::ir::names::each_let(body, &mut |pattern, value| {
            if mentions(value, &found) {
                found.extend(pattern.variables());
            }
        });
        for (e, conditions) in &all {
            let reads = match &e.kind {
                Kind::Assign(_, _, value) => mentions(value, &found),
                _ => mentions(e, &found),
            };
            if reads || conditions.iter().any(|condition| mentions(condition, &found)) {
                if leaves(e) {
                    return true;
                }
                found.extend(e.changes());
            }
        }
        if found.len() == before {
            return found.contains(&name);
        }
    }
}

/// The assignments of a body, each with the conditions around it.
pub(super) fn conditional_assignments(body: &Block) -> Vec<(&Expr, Vec<&Expr>)> {
    under_conditions(body, &|e| matches!(e.kind, Kind::Assign(..)))
}

/// Such expressions of a body, each with the conditions around it.
fn under_conditions<'e>(body: &'e Block, fits: &dyn Fn(&Expr) -> bool) -> Vec<(&'e Expr, Vec<&'e Expr>)> {
    let mut found = Vec::new();
    in_block(body, fits, &mut Vec::new(), &mut found);
    found
}

/// Collects such expressions of a block, each with the conditions around it.
fn in_block<'e>(
    block: &'e Block,
    fits: &dyn Fn(&Expr) -> bool,
    around: &mut Vec<&'e Expr>,
    to: &mut Vec<(&'e Expr, Vec<&'e Expr>)>,
) {
    for e in block.statements.iter().flat_map(crate::ir::Statement::exprs) {
        in_expr(e, fits, around, to);
    }
}

fn in_expr<'e>(
    e: &'e Expr,
    fits: &dyn Fn(&Expr) -> bool,
    around: &mut Vec<&'e Expr>,
    to: &mut Vec<(&'e Expr, Vec<&'e Expr>)>,
) {
    if fits(e) {
        to.push((e, around.clone()));
    }
    let depth = around.len();
    match &e.kind {
        Kind::If(condition, ..) | Kind::While(_, condition, _) | Kind::Match(condition, _) => around.push(condition),
        Kind::For(f) => around.push(&f.source),
        Kind::Binary(Op::AndAnd | Op::OrOr, condition, _) => around.push(condition),
        _ => {}
    }
    if let Kind::Match(_, arms) = &e.kind {
        around.extend(arms.iter().filter_map(|arm| arm.guard.as_ref()));
    }
    for child in e.children() {
        match child {
            Child::Expr(e) => in_expr(e, fits, around, to),
            Child::Block(block) => in_block(block, fits, around, to),
        }
    }
    around.truncate(depth);
}
