//! Slices marked `#[scatter]`: writes at indices that depend on data.

use super::context::Classifier;
use super::nodes::{assignment_to, holds};
use crate::algebra::updates::{Form, Given, updates};
use crate::analysis::effects::Effects;
use crate::analysis::walk::{Event, What};
use crate::front::parameters::Share;
use crate::index::Known;
use crate::index::poly::{Poly, position};
use crate::ir::report::{Code, Report};
use crate::ir::{Block, Expr, Id, Kind, Local};
use crate::language::methods;
use crate::maps::HashMap;
use crate::plan::{Accumulator, Class, Operator, Plan, Rewrite, Step, Written};
use quote::format_ident;

/// A write: `place` and `value` replace the node.
struct Write<'e> {
    node: &'e Expr,
    written: Written,
    /// The path to the written part of the element.
    path: Vec<Step>,
    place: &'e Expr,
    value: &'e Expr,
}

impl Write<'_> {
    /// Whether another write has the same operator and path.
    fn is_as(&self, other: &Write<'_>) -> bool {
        (&self.written, &self.path) == (&other.written, &other.path)
    }
}

/// The reason that a slice is not a scatter.
enum Why {
    /// It has an access that is not a write of elements.
    Touched,
    /// The index of an element, or the compared value, is written twice.
    Twice,
}

impl Why {
    fn told(&self, text: &str, name: Local) -> String {
        match self {
            Why::Touched => format!(
                "`{text}` accesses `{name}`, to which iterations write at places that only the data know: the element depends on \
                 other iterations"
            ),
            Why::Twice => format!(
                "`{text}` is updated by an expression that calls functions twice: they may give different values each time"
            ),
        }
    }
}

impl Classifier<'_> {
    /// Whether a scatter would do for an array with these accesses.
    pub(super) fn could_scatter(&self, name: Local, events: &[&Event], body: &Block) -> bool {
        let slice = self.function.shares.iter().any(|share| share.name == name && share.array.is_none());
        slice
            && writes(name, events, body, &Effects::of(self.function))
                .is_ok_and(|writes| writes.windows(2).all(|w| w[0].is_as(&w[1])))
    }

    /// Accepts a slice if all its accesses are `out[index] = e` or `out[index] op= e`.
    pub(super) fn scatter(&self, share: &Share, events: &[&Event], result: &mut Plan, report: &mut Report) {
        let (name, f) = (&share.name, result.f.clone());
        let found = match writes(*name, events, &f.body, &Effects::of(self.function)) {
            Ok(found) => found,
            Err(_) if self.repeated_scatter(share, events, result) => return,
            Err((event, why)) => {
                self.blame(*name);
                return report.error(Code::FA010, event.place, why.told(&event.text, *name), "");
            }
        };
        let Some(first) = found.first() else { return };
        if let Some(other) = found.iter().find(|write| !write.is_as(first)) {
            self.blame(*name);
            let (one, two) = (first.node.shown(), other.node.shown());
            let what =
                if first.path == other.path { "by different operators" } else { "in different parts of its elements" };
            return report.error(
                Code::FA010,
                other.node,
                format!("`{one}` and `{two}` write to `{name}` {what}, at places that only the data know"),
                "",
            );
        }
        let Write { written, path, .. } = first;
        let class = Class::Scatter { element: share.element.clone(), path: path.clone(), written: written.clone() };
        let rewrite = |write: &Write<'_>| Rewrite::Scatter { place: write.place.clone(), value: write.value.clone() };
        let rewrites: HashMap<Id, Rewrite> = found.iter().map(|write| (write.node.id, rewrite(write))).collect();
        let ident = format_ident!("{name}");
        let at = events.first().map_or(f.span, |event| event.place.start);
        // No scan state depends on the writes, so there are no nodes.
        result.accumulators.push(Accumulator { rewrites, ..Accumulator::new(*name, ident, class, at) });
    }
}

/// Whether an iteration writes at one index of its own that no other iteration can write, for any inner loops.
pub(super) fn has_own_place(first: &Known) -> bool {
    let Some(index) = first.poly.as_ref().filter(|_| first.value.is_some()) else { return false };
    let Some(step) = index.coefficient_of_position() else { return true };
    let inner = step.times(&Poly::symbol(position())).and_then(|moving| index.minus(&moving));
    let meets = matches!(step.as_constant(), Some(-1 | 1)) && !inner.is_some_and(|inner| inner.is_fixed());
    !step.is_zero() && !meets
}

/// All accesses of a loop to a slice, if they are writes of elements; otherwise an access that is not, and the reason.
fn writes<'e>(
    name: Local,
    events: &[&'e Event],
    body: &'e Block,
    effects: &Effects<'_>,
) -> Result<Vec<Write<'e>>, (&'e Event, Why)> {
    let mut found: Vec<Write<'_>> = Vec::new();
    let mut refused = None;
    for event in events {
        match &event.what {
            What::Elements { writes: true, single: true, .. } => match write(name, event, body, effects) {
                Ok(write) => found.push(write),
                Err(why) => _ = refused.get_or_insert((*event, why)),
            },
            What::Elements { writes: false, .. } | What::Len => {}
            _ => return Err((event, Why::Touched)),
        }
    }
    if let Some((event, Why::Twice)) = refused {
        return Err((event, Why::Twice));
    }
    // The expansion removes the reads that belong to a write of the same element. Any other read could read the writes
    // of other iterations.
    let gone =
        |write: &Write<'_>, read: Id| holds(write.node, read) && !holds(write.place, read) && !holds(write.value, read);
    let reads = |event: &&&Event| matches!(event.what, What::Elements { writes: false, .. });
    match events.iter().filter(reads).find(|event| !found.iter().any(|write| gone(write, event.id))) {
        Some(event) => Err((event, Why::Touched)),
        None => refused.map_or(Ok(found), Err),
    }
}

fn write<'e>(name: Local, event: &Event, body: &'e Block, effects: &Effects<'_>) -> Result<Write<'e>, Why> {
    let (target, assign) = assignment_to(body, event.id).ok_or(Why::Touched)?;
    let Kind::Assign(_, operator, value) = &assign.kind else { return Err(Why::Touched) };
    let (place, path) = place_and_part(target, name).ok_or(Why::Touched)?;
    let write = |node, written, value| Ok(Write { node, written, path: path.clone(), place, value });
    if let Some(operator) = operator {
        return write(assign, Written::Assign(*operator), value);
    }
    let update = updates(&target.place().ok_or(Why::Touched)?, body, Given::default())
        .into_iter()
        .find(|update| update.assign == assign.id);
    let update = update.ok_or(Why::Touched)?;
    let keeps = matches!(update.form, Form::Step(Operator::Keep(_), _));
    if !keeps && !value.mentions(name) {
        return write(assign, Written::Set, value);
    }
    match update.form {
        // The expansion evaluates an expression once that is written twice.
        Form::Step(..) if !is_plain(place) || effects.first(value).is_some() || keeps && !is_plain(value) => {
            Err(Why::Twice)
        }
        Form::Step(operator @ Operator::Keep(_), _) => match &update.node.kind {
            Kind::If(condition, ..) if matches!(&condition.bare().kind, Kind::Binary(op, ..) if op.is_comparison()) => {
                write(update.node, Written::Merge(operator), value)
            }
            _ => Err(Why::Touched),
        },
        Form::Step(operator, Some(operand)) => match &value.bare().kind {
            Kind::Binary(op, one, _) if one.is_written_as(target) => write(assign, Written::Binary(*op), operand),
            Kind::Binary(..) => Err(Why::Touched),
            _ => write(assign, Written::Merge(operator), operand),
        },
        _ => Err(Why::Touched),
    }
}

/// The index of the element that contains a place, and the part: `k` and `x` of `out[k].x`.
fn place_and_part(target: &Expr, array: Local) -> Option<(&Expr, Vec<Step>)> {
    match &target.bare().kind {
        Kind::Index(of, place) => (of.name() == Some(array)).then(|| (&**place, Vec::new())),
        Kind::Field(of, field) => {
            let (place, mut path) = place_and_part(of, array)?;
            path.push(Step::Field(field.clone()));
            Some((place, path))
        }
        _ => None,
    }
}

/// Whether evaluating an expression once is the same as evaluating it twice.
fn is_plain(e: &Expr) -> bool {
    e.nodes().all(|e| match &e.kind {
        Kind::Name(_) | Kind::Path | Kind::Int(_) | Kind::Literal | Kind::Paren(_) | Kind::Field(..) => true,
        Kind::Index(..) | Kind::Binary(..) | Kind::Unary(..) | Kind::Cast(..) | Kind::Ref(false, _) => true,
        Kind::Method(_, name, ..) => methods::reads(name),
        _ => false,
    })
}
