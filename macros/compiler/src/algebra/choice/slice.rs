//! The statements of an iteration that set variables, and those that these need. All other statements only read the variables.

use super::run::leaves;
use crate::algebra::tracked::bound_in;
use crate::ir::place::Place;
use crate::ir::{Block, Expr, For, Kind, Label, Local, Statement, StatementKind};
use crate::maps::{HashSet, New as _};

/// The part of an iteration that sets variables.
pub struct Slice<'e> {
    /// The innermost block with all statements that set them.
    pub block: &'e Block,
    /// Whether the block is the body of a loop, with the loop's label.
    pub ends: Option<Option<&'e str>>,
    /// Its statements, by their numbers in the block.
    pub statements: Vec<usize>,
    /// The variables of the body that are computed from the values before, or that these decide about.
    pub through: HashSet<Local>,
    /// The other statements that read the variables.
    pub others: Vec<&'e Statement>,
}

impl<'e> Slice<'e> {
    /// The slice of these places, which are all fixed.
    pub fn of(f: &'e For, places: &[Place]) -> Slice<'e> {
        let (mut block, mut ends) = (&f.body, Some(f.label.name.as_deref()));
        let mut others = Vec::new();
        loop {
            let (statements, through) = needed(block, places);
            let involved = |number: &usize| is_involved(&block.statements[*number], places, &through);
            let mut states = statements.iter().filter(|number| involved(number));
            let inner = match (states.next(), states.next()) {
                (Some(one), None) => inside(&block.statements[*one], places, &through),
                _ => None,
            };
            let rest = (0..block.statements.len()).filter(|number| !statements.contains(number));
            others.extend(rest.filter(involved).map(|number| &block.statements[number]));
            match inner {
                Some(inner) => (block, ends) = inner,
                None => return Slice { block, ends, statements, through, others },
            }
        }
    }

    /// One of these places that other statements compute from the variables, or that the variables decide about.
    pub fn set_by_others<'p>(&self, all: &[&'p Place]) -> Option<&'p Place> {
        let assigned = self.others.iter().flat_map(|statement| statement.nodes()).filter_map(|e| match &e.kind {
            Kind::Assign(target, ..) => Some(target.places()),
            _ => None,
        });
        assigned.flatten().find_map(|target| all.iter().find(|place| target.is(place)).copied())
    }
}

/// The block of a statement that has all of its mentions of the places.
fn inside<'e>(
    statement: &'e Statement,
    places: &[Place],
    through: &HashSet<Local>,
) -> Option<(&'e Block, Option<Option<&'e str>>)> {
    let StatementKind::Expr(e, _) = &statement.kind else { return None };
    let apart = |e: &Expr| !involves(e, places, through);
    let named = |label: &'e Label| Some(label.name.as_deref());
    match &e.bare().kind {
        Kind::For(inner) => apart(&inner.source).then(|| (&inner.body, named(&inner.label))),
        Kind::While(label, condition, body) => apart(condition).then(|| (body, named(label))),
        Kind::Loop(label, body) => Some((body, named(label))),
        // Code behind the block runs only if the block does not leave the iteration.
        _ if leaves(e) => None,
        Kind::If(condition, then, otherwise) => {
            (apart(condition) && otherwise.as_ref().is_none_or(|e| apart(e))).then_some((then, None))
        }
        Kind::Block(body) => Some((body, None)),
        _ => None,
    }
}

/// The statements that the places need, and the variables of the block through which they are computed.
fn needed(block: &Block, places: &[Place]) -> (Vec<usize>, HashSet<Local>) {
    let is_state = |name: &Local| places.iter().any(|place| place.root == *name);
    let bound = bound_in(block);
    let mut through = HashSet::new();
    // The values before decide whether later statements run.
    let mut end = usize::MAX;
    for (number, statement) in block.statements.iter().enumerate() {
        if is_involved(statement, places, &through) {
            through.extend(changed(statement).filter(|name| bound.contains(name) && !is_state(name)));
            if statement.exprs().any(leaves) {
                end = end.min(number);
            }
        }
    }
    let mut names: HashSet<Local> = HashSet::new();
    let mut kept = Vec::new();
    for (number, statement) in block.statements.iter().enumerate().rev() {
        let sets = statement.nodes().any(|e| match &e.kind {
            Kind::Assign(target, ..) => target.places().into_iter().any(|target| overlaps(target, places)),
            _ => e.changes().iter().any(&is_state),
        });
        if sets || number >= end || changed(statement).any(|name| names.contains(&name)) {
            kept.push(number);
            names.extend(statement.exprs().flat_map(Expr::variables).filter(|name| !is_state(name)));
        }
    }
    kept.reverse();
    (kept, through)
}

/// The variables that a statement declares or changes.
fn changed(statement: &Statement) -> impl Iterator<Item = Local> {
    let declared = match &statement.kind {
        StatementKind::Let(pattern, ..) => pattern.variables().collect(),
        _ => Vec::new(),
    };
    declared.into_iter().chain(statement.nodes().flat_map(Expr::changes))
}

fn is_involved(statement: &Statement, places: &[Place], through: &HashSet<Local>) -> bool {
    statement.exprs().any(|e| involves(e, places, through))
}

/// Whether an expression is a part of one of the places, or contains one.
fn overlaps(e: &Expr, places: &[Place]) -> bool {
    let Some(root) = e.root().filter(|root| places.iter().any(|place| place.root == *root)) else { return false };
    let place = e.place().filter(Place::is_fixed);
    places.iter().any(|one| one.root == root && place.as_ref().is_none_or(|place| !one.is_apart_from(place)))
}

/// Whether an expression mentions one of the places or one of the variables.
pub fn involves(e: &Expr, places: &[Place], variables: &HashSet<Local>) -> bool {
    let mut found = false;
    e.walk(&mut |e| {
        let part = matches!(e.kind, Kind::Name(_) | Kind::Field(..) | Kind::Index(..) | Kind::Unary('*', _));
        let of_state = part && e.root().is_some_and(|root| places.iter().any(|place| place.root == root));
        found |= matches!(&e.kind, Kind::Name(name) if variables.contains(name)) || of_state && overlaps(e, places);
        // Another part of the same variable is a value of its own.
        !found && !of_state
    });
    found
}
