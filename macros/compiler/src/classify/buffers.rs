//! Arrays that every rank holds as a whole: scratch, histograms, and maps into local arrays.

use super::arrays::read_bins;
use super::context::Classifier;
use super::nodes::{assignment_to, header, holds, single};
use crate::algebra::updates::{Form, Given, operands, updates};
use crate::analysis::collected::Flow;
use crate::analysis::effects::Effects;
use crate::analysis::walk::{Event, What};
use crate::front::attribute::Attribute;
use crate::index::poly::Poly;
use crate::index::triangles::is_in_a_triangle;
use crate::ir::report::{Code, Location, Report};
use crate::ir::{Block, Expr, Id, Kind, Local, Statement, StatementKind};
use crate::language::methods;
use crate::maps::{HashMap, New as _};
use crate::plan::{Access, Accumulator, Class, Leaf, Merge, Operator, Plan, Rewrite, Slot, SlotKind, Step, path_below};
use proc_macro2::Span;
use quote::format_ident;

/// The updates of the elements of an array.
pub(super) struct Collected {
    /// The updated parts of an element, each with one operator: `h[k]`, `h[k].n`, `h[k][j]`.
    pub leaves: Vec<Leaf>,
    pub share: bool,
    /// Whether only a part of the iterations may be out of range.
    pub wraps: bool,
    /// Whether an update adds a value.
    pub rises: bool,
    /// Whether an update has the form of a plain assignment: `h[k] = h[k] + e`.
    pub set: bool,
    pub rewrites: HashMap<Id, Rewrite>,
    pub nodes: Vec<Id>,
    pub at: Span,
}

impl Collected {
    pub fn new(share: bool, at: Span) -> Self {
        let (leaves, rewrites, nodes) = Default::default();
        Collected { leaves, share, wraps: false, rises: false, set: false, rewrites, nodes, at }
    }
}

impl Classifier<'_> {
    /// A local or replicated array whose elements the loop writes.
    pub(super) fn local_array(&self, name: Local, events: &[&Event], result: &mut Plan, report: &mut Report) {
        if self.function.state_named(name)
            || events.iter().any(|e| matches!(&e.what, What::Method { method, .. } if methods::pushes(method)))
        {
            return self.state(name, events, result, report);
        }
        if self.scratch(name, result, report) {
            return;
        }
        if self.pushed_rows(name, result) || self.unfit_target(name, events, report) {
            return;
        }
        let maps = events.iter().all(|e| match &e.what {
            What::Elements { first, writes: true, .. } => {
                let moves =
                    |index: &Poly| index.coefficient_of_position().map_or(index.is_pair(), |step| !step.is_zero());
                first.poly.as_ref().is_some_and(moves)
            }
            _ => true,
        });
        if !maps && (self.histogram(name, events, false, result) || self.repeated_bins(name, events, false, result)) {
            return;
        }
        if !maps
            && let Some(declared) = self.function.declared.get(&name)
            && !declared.parameter
            && declared.buffer
            && !(self.live)(name)
        {
            return self.own_array(name, events, result, report);
        }
        self.array_on_all_ranks(name, events, result, report);
    }

    /// Rejects writes to elements of a variable that is not an array of its own. Returns whether there were any.
    fn unfit_target(&self, name: Local, events: &[&Event], report: &mut Report) -> bool {
        let of_ndarray = |path: &String| path.split(" :: ").any(|part| part.starts_with("Array"));
        let declared = self.function.declared.get(&name);
        if let Some(event) = events.iter().find(|e| matches!(e.what, What::Elements { writes: true, .. }))
            && declared.and_then(|declared| declared.made_by.as_ref()).is_some_and(of_ndarray)
        {
            self.blame(name);
            report.error(
                Code::FA012,
                event.place,
                format!("`{}` writes elements of `{name}`, an array of `ndarray` that is no parameter", event.text),
                format!("take it as a parameter (`{name}: &mut Array1<T>`), or write to a vector (`vec![0.0; n]`)"),
            );
            return true;
        }
        // `x.bins[k]`, but not `x.iter_mut()`.
        let in_field = |e: &&&Event| {
            let after = e.text.strip_prefix(name.text()).and_then(|text| text.strip_prefix('.'));
            let member = after.map(|text| text.trim_start_matches(|c: char| c.is_alphanumeric() || c == '_'));
            matches!(e.what, What::Elements { writes: true, .. }) && member.is_some_and(|rest| !rest.starts_with('('))
        };
        if let Some(event) = events.iter().find(in_field) {
            self.blame(name);
            report.error(
                Code::FA012,
                event.place,
                format!("`{}` writes elements of an array inside of `{name}`, which all iterations share", event.text),
                format!(
                    "use an array of its own (`let mut bins = [0; n];`), and put it into `{name}` after the loop; a fixed element of a \
                     field may be accumulated (`{name}.sum[0] += e`)"
                ),
            );
            return true;
        }
        false
    }

    /// Rejects an array of the function that iterations neither fill nor accumulate in.
    fn own_array(&self, name: Local, events: &[&Event], result: &Plan, report: &mut Report) {
        let place = events.first().map_or_else(|| header(&result.f), |e| e.place);
        if let Some((add, read)) = read_bins(events)
            && [add, read].iter().all(|e| constant_of(e).is_some())
        {
            self.blame(name);
            return report.error(
                Code::FA014,
                read.place,
                format!(
                    "`{}` is read while iterations add to `{}`: an element of an array is no scan state",
                    read.text, add.text
                ),
                "",
            );
        }
        self.unfilled(name, place, report);
    }

    /// A replicated array. Each iteration writes its own elements.
    fn array_on_all_ranks(&self, name: Local, events: &[&Event], result: &mut Plan, report: &mut Report) {
        let slot = result.slots.len();
        result.slots.push(Slot { name, element: None, kind: SlotKind::Everywhere, sets: 0 });
        for event in events {
            match &event.what {
                What::Elements { first, end, single, writes, .. } => {
                    if *writes {
                        let known = first.value.is_some() && end.value.is_some();
                        self.write(name, event, events, first, known, result, report);
                    }
                    result.accesses.push(Access {
                        slot,
                        writes: *writes,
                        single: *single,
                        first: first.clone(),
                        end: end.clone(),
                        halo: None,
                        apart: false,
                        text: event.text.clone(),
                        span: event.place.start,
                        points: event.points.clone(),
                    });
                }
                What::Len => {}
                _ => report.error(
                    Code::FA010,
                    event.place,
                    if event.text == *name {
                        format!("`{name}` is used as a whole here while iterations write its elements")
                    } else {
                        format!("`{}` uses `{name}` as a whole while iterations write its elements", event.text)
                    },
                    "",
                ),
            }
        }
    }

    /// Accepts a variable that every iteration overwrites before any other use. Returns whether it is one.
    pub(super) fn scratch(&self, name: Local, result: &mut Plan, report: &mut Report) -> bool {
        let Some(declared) = self.function.declared.get(&name) else { return false };
        let flow = Flow::of_iteration(self.function, &result.f, name);
        if !flow.private {
            return false;
        }
        match flow.resets.first() {
            _ if !(self.live)(name) => self.add_scratch(name, result),
            Some(reset) => {
                let after = if declared.reference { "given back to the caller" } else { "read after the loop" };
                report.error(
                    Code::FA013,
                    reset.place,
                    format!("`{name}` is set anew by every iteration (`{}`) and {after}: what the last iteration leaves is lost", reset.text),
                    "",
                );
            }
            // The elements may be those of a map.
            None => return false,
        }
        true
    }

    pub(super) fn unfilled(&self, name: Local, place: Location, report: &mut Report) {
        report.error(
            Code::FA018,
            place,
            format!("`{name}` is a buffer that an iteration may read before it has written it: what it finds depends on other iterations"),
            "",
        );
    }

    fn add_scratch(&self, name: Local, result: &mut Plan) {
        let ident = format_ident!("{name}");
        result.accumulators.push(Accumulator::new(name, ident, Class::Scratch, result.f.span));
    }

    /// Accepts an array if all its accesses are updates `h[k] op= e`.
    pub(super) fn histogram(&self, name: Local, events: &[&Event], share: bool, result: &mut Plan) -> bool {
        let mut found = Collected::new(share, events.first().map_or(result.f.span, |e| e.place.start));
        for event in events {
            match &event.what {
                What::Elements { writes: true, single: true, .. } => {
                    let Some((target, assign)) = assignment_to(&result.f.body, event.id) else { return false };
                    let Some(path) = path_below(target, name) else { return false };
                    if !self.collect(&result.f.body, assign, path, &mut found) {
                        return false;
                    }
                }
                What::Elements { writes: false, .. } => {
                    // The only permitted reads are inside the updates that were just checked.
                    if !self.inside_update(&result.f.body, name, event.id) {
                        return false;
                    }
                }
                What::Len => {}
                _ => return false,
            }
        }
        let leaves = &found.leaves;
        if leaves.is_empty() {
            return false;
        }
        // If the iteration determines the indices of the writes, it is a map, not a histogram: `y[i] += x[i]`.
        let placed = events.iter().all(|event| is_placed(event));
        if placed {
            return false;
        }
        // The loop updates an element and also a part of it, so the part has no operator of its own.
        if leaves
            .iter()
            .any(|one| leaves.iter().any(|other| one.path != other.path && other.path.starts_with(&one.path)))
        {
            return false;
        }
        self.collected(name, found, result)
    }

    /// Accepts an update of an element, or of the part of it at the end of a path. Returns whether it is one, by the
    /// same operator as the other updates of that part.
    pub(super) fn collect(&self, body: &Block, assign: &Expr, path: Vec<Step>, into: &mut Collected) -> bool {
        let Kind::Assign(target, op, value) = &assign.kind else { return false };
        // The program evaluates the index before the operand, or after it if the element is a number.
        let effects = Effects::of(self.function);
        let (place, operand) = (effects.first(target), effects.first(value));
        let changes = |effect: &Expr, other: &Expr| {
            let receiver = if let Kind::Method(receiver, ..) = &effect.kind { receiver.root() } else { None };
            let mut changed = effect.changes().into_iter().chain(receiver).peekable();
            changed.peek().is_none() || changed.any(|name| other.mentions(name))
        };
        let both = place.is_some() && operand.is_some();
        if both
            || place.is_some_and(|e| op.is_none() || changes(e, value))
            || operand.is_some_and(|e| op.is_none() || changes(e, target))
        {
            return false;
        }
        let operator = match op {
            Some(op) => Operator::of(*op),
            // `h[k] = h[k].max(e)`, `h[k] = h[k] + e`.
            None => self.element_update(target, assign).or_else(|| kept(body, target, assign)),
        };
        let Some(operator) = operator else { return false };
        match into.leaves.iter().find(|leaf| leaf.path == path) {
            Some(leaf) if leaf.operator != operator => return false,
            Some(_) => {}
            None => into.leaves.push(Leaf { path, operator: operator.clone() }),
        }
        if let Some(operands) = operands(&operator, assign) {
            // Partial results of subtraction or multiplication may leave the range although the final result does not.
            into.wraps |= operator == Operator::Mul || operands.iter().any(|operand| operand.minus);
            into.set |= op.is_none();
            into.rises |= operands.iter().any(|operand| !operand.minus);
            let place = Some((**target).clone());
            into.rewrites.insert(assign.id, Rewrite::Wrap { operator, operands, place });
        }
        into.nodes.push(assign.id);
        true
    }

    /// Accepts an array whose elements are accumulators. Returns whether it can be one.
    pub(super) fn collected(&self, name: Local, found: Collected, result: &mut Plan) -> bool {
        let Collected { leaves, share, wraps, rises, set, rewrites, nodes, at } = found;
        let class = match (self.merge_of_frames(&leaves, share), leaves.iter().any(|l| l.operator == Operator::Combine))
        {
            (Some(merge), _) => Class::Frame { merge, wraps, falls: !rises, layers: false },
            (None, true) => return false,
            (None, false) => Class::Bins { leaves, share, wraps, falls: !rises },
        };
        let ident = format_ident!("{name}");
        // The private element of a chunk may only support operators with assignment, such as `+=`.
        let rewrites = if wraps || set { rewrites } else { HashMap::new() };
        result.accumulators.push(Accumulator { rewrites, nodes, ..Accumulator::new(name, ident, class, at) });
        true
    }

    /// How the arrays of the ranks merge, if each rank folds its iterations into its own array, in order: by the user's
    /// function, or as the attribute specifies.
    fn merge_of_frames(&self, leaves: &[Leaf], share: bool) -> Option<Merge> {
        let [Leaf { path, operator }] = leaves else { return None };
        let args = &self.function.args;
        let asked = args.merging.algorithm.is_some() || args.merging.root.is_some();
        let fits = match operator {
            Operator::Combine => true,
            Operator::Add | Operator::Mul | Operator::Max | Operator::Min => asked,
            Operator::Logical(_) | Operator::Keep(_) => asked,
            _ => false,
        };
        let whole = path.is_empty() && !share && self.attribute == Attribute::KaryReduce;
        (fits && whole).then(|| Merge::of(operator, args.combine.as_ref()))
    }

    /// The operator of `h[k] = h[k] op e`.
    fn element_update(&self, target: &Expr, assign: &Expr) -> Option<Operator> {
        let combine = self.function.args.combine.as_ref().map(ToString::to_string);
        let single = single(assign);
        let found = updates(&target.place()?, &single, Given { combine: combine.as_deref(), ..Given::default() })
            .into_iter()
            .find_map(|u| match u.form {
                Form::Step(operator, _) => Some(operator),
                _ => None,
            });
        found.filter(|o| !matches!(o, Operator::Keep(_) | Operator::Follow(_)))
    }

    /// Whether a node is part of a value that is assigned to the variable itself.
    pub(super) fn inside_assignment(&self, body: &Block, name: Local, node: Id) -> bool {
        body.nodes().any(|e| match &e.kind {
            Kind::Assign(target, None, value) => target.name() == Some(name) && holds(value, node),
            _ => false,
        })
    }

    fn inside_update(&self, body: &Block, name: Local, read: Id) -> bool {
        let is_place = |e: &Expr, place: &Expr| e.nodes().any(|e| e.is_written_as(place) && holds(e, read));
        body.nodes().any(|e| match &e.kind {
            Kind::Assign(target, None, value) => target.root() == Some(name) && is_place(value, target),
            Kind::If(condition, ..) => {
                kept_place(e).is_some_and(|place| place.root() == Some(name) && is_place(condition, place))
            }
            _ => false,
        })
    }
}

/// Whether an event is no write, or a write at an index that moves with the iteration.
pub(super) fn is_placed(event: &Event) -> bool {
    match &event.what {
        What::Elements { first, writes: true, .. } => {
            let moves = |index: &Poly| match index.coefficient_of_position() {
                Some(step) => !step.is_zero(),
                None => index.is_pair() || is_in_a_triangle(index),
            };
            first.poly.as_ref().is_some_and(moves)
        }
        _ => true,
    }
}

/// The operator of `if e < h[k] { h[k] = e; }`.
fn kept(body: &Block, target: &Expr, assign: &Expr) -> Option<Operator> {
    updates(&target.place()?, body, Given::default()).into_iter().find_map(|update| match update.form {
        Form::Step(operator @ Operator::Keep(_), _) if update.assign == assign.id => {
            kept_place(update.node).map(|_| operator)
        }
        _ => None,
    })
}

/// The place of `if e < place { place = e; }`, if the body of the `if` is only this assignment.
fn kept_place(e: &Expr) -> Option<&Expr> {
    let Kind::If(_, then, None) = &e.kind else { return None };
    let [Statement { kind: StatementKind::Expr(assign, _), .. }] = then.statements.as_slice() else { return None };
    match &assign.kind {
        Kind::Assign(place, None, _) => Some(place),
        _ => None,
    }
}

/// `k` of `name[k]`, if it is a number.
fn constant_of(event: &Event) -> Option<i64> {
    match &event.what {
        What::Elements { index, single: true, .. } => index.parse().ok(),
        _ => None,
    }
}
