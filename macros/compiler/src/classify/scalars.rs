//! Accumulators: reductions, best values, recurrences.

use super::context::Classifier;
use super::nodes::{assigned, assignment, called};
use crate::algebra::updates::{Form, Given, Through, Update, as_linear, operands, through, updates};
use crate::analysis::effects::Effects;
use crate::analysis::walk::{Event, What};
use crate::flow::{Fresh, Graph};
use crate::front::attribute::Attribute;
use crate::ir::place::Place;
use crate::ir::report::{Code, Location, Report};
use crate::ir::text::shown;
use crate::ir::{Expr, For, Id, Kind, Local, Op, StatementKind};
use crate::maps::{HashMap, HashSet, New as _};
use crate::plan::{Accumulator, Better, Class, Merge, Operand, Operator, Plan, Rewrite};
use proc_macro2::Span;
use quote::{format_ident, quote};
use std::collections::BTreeSet;
use std::rc::Rc;

impl Classifier<'_> {
    /// Classifies the variables that are assigned, changed by methods, or borrowed.
    pub(super) fn scalars(
        &self,
        f: &Rc<For>,
        scalars: Vec<(Local, Vec<&Event>)>,
        result: &mut Plan,
        report: &mut Report,
    ) {
        let combine = self.function.args.combine.as_ref().map(|path| path.to_string());
        // The assigned places, in order of their first assignment.
        let mut places: Vec<Assigned<'_>> = Vec::new();
        for (name, events) in &scalars {
            // `all = all.then(x)` is an ordinary update.
            let opaque = events.iter().any(|e| match e.what {
                What::Method { .. } => !self.inside_assignment(&f.body, *name, e.id),
                What::BorrowMut => true,
                _ => false,
            });
            let parts: BTreeSet<Place> = events
                .iter()
                .filter_map(|e| match &e.what {
                    What::Assign { place, .. } => Some(place.clone()),
                    _ => None,
                })
                .collect();
            if self.function.pushes.iter().any(|p| p.name == *name) || opaque || self.function.state_named(*name) {
                self.state(*name, events, result, report);
                continue;
            }
            for place in parts {
                places.push(Assigned { place, name: *name, events: events.clone() });
            }
        }
        let all: Vec<Place> = places.iter().map(|assigned| assigned.place.clone()).collect();
        let (mut taken, mut kept) = (HashSet::new(), HashMap::new());
        for place in &all {
            if !taken.contains(place)
                && let Some(found) = self.choice(place, &all, f)
            {
                taken.extend(found.variables().iter().cloned());
                match found.class {
                    Class::Best { .. } => result.accumulators.push(found),
                    _ => _ = kept.insert(place.clone(), found),
                }
            }
        }
        if self.composes {
            self.systems(&places, f, &mut taken, result);
        }
        for assigned in &places {
            result.accumulators.extend(kept.remove(&assigned.place));
            if taken.contains(&assigned.place) {
                continue;
            }
            self.scalar(assigned, f, combine.as_deref(), result, report);
        }
    }

    /// The class of a place by itself.
    pub(super) fn class_alone(&self, assigned: &Assigned<'_>, f: &Rc<For>) -> Option<Class> {
        let combine = self.function.args.combine.as_ref().map(|path| path.to_string());
        let updates = Updates::of(
            &assigned.place,
            f,
            updates(&assigned.place, &f.body, self.given(&assigned.place, combine.as_deref())),
        );
        let found = self.known(&assigned.events, &updates).or_else(|| match self.attribute {
            Attribute::DistributedScan => self.linear(&updates),
            _ => None,
        });
        found.map(|found| found.class)
    }

    /// Whether iterations record that they have set the best values: in a traversal, no code runs at the end of a chunk.
    pub(super) fn records(&self, better: &Better) -> bool {
        self.function.attribute == Attribute::Traverse || !better.merges_unset()
    }

    /// Facts about a place, besides its updates.
    pub(super) fn given<'c>(&self, place: &Place, combine: Option<&'c str>) -> Given<'c> {
        let declared = place.variable().and_then(|name| self.function.declared.get(&name));
        Given { combine, float: declared.is_some_and(|declared| declared.float) }
    }

    fn scalar(
        &self,
        assigned: &Assigned<'_>,
        f: &Rc<For>,
        combine: Option<&str>,
        result: &mut Plan,
        report: &mut Report,
    ) {
        let Assigned { place, name, events } = assigned;
        let (name, events) = (*name, events.as_slice());
        let all = updates(place, &f.body, self.given(place, combine));
        let Some(first) = all.first() else { return };
        let (span, assign) = (assignment(first), first.assign);
        if *place == name && !self.leaves_last(events) && Fresh::unset(name).holds(&Graph::of_iteration(f)) {
            return lost(name, span, report);
        }
        let updates = Updates::of(place, f, all);
        if updates.all.iter().any(|update| self.skips_effects(place, name, update, report)) {
            return;
        }
        let scan = self.attribute == Attribute::DistributedScan;
        let mut found = self.known(events, &updates);
        if found.is_none() && self.is_segmented(&updates) {
            self.blame(name);
            report.error(
                Code::FA015,
                span,
                format!("the updates of `{place}` are not of the form `{place} = {place} op value`"),
                "",
            );
            return;
        }
        found = found.or_else(|| if scan { self.linear(&updates) } else { None });
        let Some(Found { class, rewrites, mut nodes }) = found else {
            self.refuse_scalar(name, events, &updates, report);
            return;
        };
        nodes.extend(updates.all.iter().map(|u| u.node.id));
        let ident = match place.variable() {
            Some(name) => name.ident(),
            None => format_ident!("__acc_{}", assign, span = Span::mixed_site()),
        };
        let accumulator = Accumulator::new(place.clone(), ident, class, span.start);
        result.accumulators.push(Accumulator { rewrites, nodes, ..accumulator });
    }

    /// The class of updates by operators that forall knows.
    fn known(&self, events: &[&Event], updates: &Updates<'_, '_>) -> Option<Found> {
        let scan = self.attribute == Attribute::DistributedScan;
        match updates.operators.as_slice() {
            _ if !updates.simple || scan && updates.is_through_others() => None,
            [operator] if updates.resets == 0 && !matches!(operator, Operator::Follow(_)) => {
                Some(self.reduction(operator, updates))
            }
            _ if updates.resets == updates.all.len() && (scan || self.leaves_last(events)) => Some(last_value(updates)),
            [operator] if self.is_segmented(updates) => self.segmented(operator, updates),
            _ => None,
        }
    }

    /// The updates as steps of a linear recurrence.
    fn linear(&self, updates: &Updates<'_, '_>) -> Option<Found> {
        let (through, float) = (updates.through(), self.given(updates.place, None).float);
        let (mut rewrites, mut nodes) = (HashMap::new(), Vec::new());
        for update in &updates.all {
            let step = as_linear(&update.form, assignment_of(updates.f, update.assign)?, float, &through)?;
            rewrites.insert(update.assign, Rewrite::Linear(step));
        }
        // These variables have no value in a pass that computes only the accumulators.
        for statement in &updates.f.body.statements {
            if let StatementKind::Let(pattern, Some(value), _) = &statement.kind
                && pattern.single().is_some_and(|b| through.contains_key(&b.name))
            {
                rewrites.insert(value.id, Rewrite::Unused { typed: pattern.ty.is_some() });
                nodes.push(value.id);
            }
        }
        let class = Class::Linear { through: through.into_keys().collect() };
        Some(Found { class, rewrites, nodes })
    }

    /// Whether all updates have one operator, or start afresh.
    fn is_segmented(&self, updates: &Updates<'_, '_>) -> bool {
        let scan = self.attribute == Attribute::DistributedScan;
        let through = scan && updates.is_through_others();
        updates.simple && !through && updates.operators.len() == 1 && (scan || updates.resets == 0)
    }

    /// Whether iterations only set a variable: the value of the last one then remains. Calls of a traversal have no
    /// last one.
    fn leaves_last(&self, events: &[&Event]) -> bool {
        let sets = |e: &&Event| matches!(e.what, What::Assign { op: None, .. });
        self.function.attribute != Attribute::Traverse && events.iter().all(sets)
    }

    /// Rejects an update with side effects that happen only for certain values of its variable.
    fn skips_effects(&self, place: &Place, name: Local, update: &Update<'_>, report: &mut Report) -> bool {
        let (effect, message) = match (self.skipped_effect(update), self.moved_effect(update)) {
            (Some(effect), _) => {
                (effect, format!("depends on whether it is reached, and that on what `{place}` is here"))
            }
            (None, Some(effect)) => (
                effect,
                format!("is more than a value, and what goes into `{place}` is computed in another order, or twice"),
            ),
            (None, None) => return false,
        };
        self.blame(name);
        report.error(Code::FA014, effect, format!("what `{}` does {message}", effect.shown()), "");
        true
    }

    /// The side effect of an update that runs only for certain values of its variable: `c += 1` in
    /// `ok = ok && { c += 1; e }`.
    fn skipped_effect<'e>(&self, update: &Update<'e>) -> Option<&'e Expr> {
        let effects = Effects::of(self.function);
        match (&update.form, &update.node.kind) {
            (Form::Step(Operator::Logical(Op::AndAnd | Op::OrOr), Some(operand)), _) => effects.first(operand),
            (Form::Step(Operator::Keep(_), _), Kind::If(condition, then, _)) => {
                let values = then.statements.iter().filter_map(|s| match &s.kind {
                    StatementKind::Expr(Expr { kind: Kind::Assign(_, _, value), .. }, _) => Some(&**value),
                    StatementKind::Let(_, value, _) => value.as_ref(),
                    _ => None,
                });
                std::iter::once(&**condition).chain(values).find_map(|value| effects.first(value))
            }
            _ => None,
        }
    }

    /// The side effect of an update that the expansion evaluates twice or in another order:
    /// `m = if m > e { m } else { e }`, `s = (s + a) * b`, `s = a + (s - b)`.
    fn moved_effect<'e>(&self, update: &Update<'e>) -> Option<&'e Expr> {
        let effects = Effects::of(self.function);
        match (&update.form, &update.node.kind) {
            (Form::Linear | Form::Step(_, None), Kind::Assign(_, _, value)) => effects.first(value),
            (Form::Step(Operator::Follow(_), _), _) => effects.first(match &update.node.kind {
                Kind::If(condition, ..) => condition,
                _ => update.node,
            }),
            _ => None,
        }
    }

    /// The class of a variable whose updates all have one operator.
    fn reduction(&self, operator: &Operator, updates: &Updates<'_, '_>) -> Found {
        let wrapping = |operands| Rewrite::Wrap { operator: operator.clone(), operands, place: None };
        match operator {
            Operator::Add => sum(updates, self.states_are_read),
            Operator::Mul => {
                let operands = |u: &Update<'_>| Some((u.assign, wrapping(updates.operands(operator, u)?)));
                Found::of(Class::Product, updates.all.iter().filter_map(operands))
            }
            Operator::Xor => Found::of(Class::Parity, []),
            Operator::WrappingAdd
            | Operator::WrappingMul
            | Operator::SaturatingAdd
            | Operator::SaturatingMul
            | Operator::Combine => {
                let included = |u: &Update<'_>| match &u.form {
                    Form::Step(_, Some(operand)) => Some((u.assign, Rewrite::Include(Some((*operand).clone())))),
                    _ => None,
                };
                let merge = Merge::of(operator, self.function.args.combine.as_ref());
                Found::of(Class::Combine { merge }, updates.all.iter().filter_map(included))
            }
            _ => Found::of(Class::Idempotent { merge: self.merge_as_written(operator, updates) }, []),
        }
    }

    /// The merge by an operator, as the user wrote it if it is a function.
    fn merge_as_written(&self, operator: &Operator, updates: &Updates<'_, '_>) -> Merge {
        let function = updates.all.iter().find_map(|update| match &update.node.kind {
            Kind::Assign(_, None, value) => match &value.bare().kind {
                // Of an operator in an option, it is `Some`.
                Kind::Call(function, _) if !matches!(operator, Operator::InOption(_)) => Some((**function).clone()),
                _ => None,
            },
            _ => None,
        });
        match (function, operator) {
            (Some(function), _) => Merge::Written(operator.clone(), function),
            // A method needs a type, which rustc may infer from the body only.
            (None, Operator::Max | Operator::Min) if self.given(updates.place, None).float => {
                Merge::Written(operator.clone(), of_floats(operator))
            }
            _ => Merge::By(operator.clone()),
        }
    }

    /// The class of a variable whose updates all have one operator, possibly with resets; `None` if an operand is
    /// unknown.
    fn segmented(&self, operator: &Operator, updates: &Updates<'_, '_>) -> Option<Found> {
        let merge = match operator {
            Operator::Logical(_) | Operator::Max | Operator::Min => self.merge_as_written(operator, updates),
            _ => Merge::of(operator, self.function.args.combine.as_ref()),
        };
        let rewrites = updates.all.iter().map(|update| {
            Some(match &update.form {
                Form::Step(operator @ (Operator::Add | Operator::Mul), _) => {
                    (update.assign, Rewrite::IncludeNumbers(updates.operands(operator, update)?))
                }
                Form::Step(Operator::Follow(_), Some(operand)) => (update.node.id, Rewrite::Follow((*operand).clone())),
                // `inside = !inside`.
                Form::Step(Operator::Xor, None) => (update.assign, Rewrite::Include(None)),
                Form::Step(Operator::Keep(_), operand) => (update.node.id, Rewrite::Include(Some((*operand)?.clone()))),
                Form::Step(_, operand) => (update.assign, Rewrite::Include(Some((*operand)?.clone()))),
                Form::Reset(value) => (update.assign, Rewrite::Restart((*value).clone())),
                _ => return None,
            })
        });
        let rewrites: Vec<(Id, Rewrite)> = rewrites.collect::<Option<_>>()?;
        Some(Found::of(Class::Segmented { merge, resets: updates.resets > 0 }, rewrites))
    }

    /// Reports why a variable that is only set has no class.
    fn refuse_set(&self, sets: &str, events: &[&Event], updates: &Updates<'_, '_>, report: &mut Report) {
        let Updates { place, f, all, .. } = updates;
        let place = *place;
        let first = all.first().map_or_else(|| Location::from(f.span), assignment);
        let reads = || events.iter().filter(|e| matches!(e.what, What::Use));
        // A value that goes into another variable tells more than a condition.
        let goes_into =
            |value: &Expr, read: &Event| value.mentions_place(place) && value.nodes().any(|e| e.id == read.id);
        let kept = |read: &&&Event| {
            f.body.nodes().any(|e| matches!(&e.kind, Kind::Assign(_, _, value) if goes_into(value, read)))
        };
        let Some(read) = reads().find(kept).or_else(|| reads().next()) else {
            report.error(
                Code::FA013,
                first,
                format!(
                    "`{place}` keeps what the last iteration that sets it leaves (`{sets}`): which one that is depends on the \
                     order of the iterations"
                ),
                "",
            );
            return;
        };
        report.error(
            Code::FA010,
            read.place,
            format!(
                "loop-carried dependence: `{place}` is read here, and an earlier iteration may have set it by `{sets}` (line {})",
                first.line()
            ),
            "",
        );
    }

    /// Reports why the updates of a variable have no class.
    fn refuse_scalar(&self, name: Local, events: &[&Event], updates: &Updates<'_, '_>, report: &mut Report) {
        let Updates { place, f, all, operators, resets, .. } = updates;
        let (place, resets) = (*place, *resets);
        self.blame(name);
        let at = |u: Option<&Update<'_>>| u.map_or_else(|| Location::from(f.span), assignment);
        let first = at(all.first());
        let sets = all.first().map(|u| shown(&assigned(f, u.assign))).unwrap_or_default();
        let linear = all.iter().all(|u| !matches!(u.form, Form::Opaque))
            && !operators.iter().any(|o| !matches!(o, Operator::Add | Operator::Mul));
        if resets == all.len() {
            self.refuse_set(&sets, events, updates, report);
        } else if operators.len() > 1 {
            let texts: Vec<String> = operators.iter().map(|o| format!("`{}`", o.text())).collect();
            report.error(
                Code::FA016,
                at(all.iter().find(|u| matches!(&u.form, Form::Step(o, _) if *o != operators[0]))),
                format!(
                    "`{place}` is updated with different operators ({}), which together are not associative",
                    texts.join(" and ")
                ),
                "",
            );
        } else if linear {
            let what = if resets > 0 { "starts afresh in some iterations" } else { "is a linear recurrence" };
            report.error(
                Code::FA015,
                first,
                format!("`{sets}` is not associative as a reduction: `{place}` {what}"),
                "",
            );
        } else if matches!(self.attribute, Attribute::Foreach | Attribute::ForeachTls) {
            report.error(
                Code::FA010,
                first,
                format!(
                    "loop-carried dependence: `{sets}` computes `{place}` from what the iteration before left in it"
                ),
                "",
            );
        } else {
            let function = all.iter().find_map(|u| called(f, u.assign, place));
            report.error(
                Code::FA015,
                first,
                format!("`{sets}` updates `{place}` by an operation that is not known to be associative"),
                function.map_or_else(String::new, |function| {
                    let attribute = self.attribute.name();
                    format!(
                        "if `{function}` is associative, write `#[{attribute}(combine = {function})]`; if it is not, the loop is \
                         sequential as written: remove `#[{attribute}]`"
                    )
                }),
            );
        }
    }
}

/// The assignment with this number.
fn assignment_of(f: &For, assign: Id) -> Option<&Expr> {
    f.body.node(assign)
}

/// `max` or `min` of floats, as a function of `core`.
fn of_floats(operator: &Operator) -> Expr {
    let name = format_ident!("{}", operator.text());
    let tokens = quote!(__forall::accumulate::float::#name);
    Expr { id: 0, kind: Kind::Path, span: Span::call_site(), tokens }
}

/// A place that the body assigns.
pub(super) struct Assigned<'e> {
    pub place: Place,
    pub name: Local,
    pub events: Vec<&'e Event>,
}

/// All updates of one place.
struct Updates<'p, 'e> {
    place: &'p Place,
    f: &'e Rc<For>,
    all: Vec<Update<'e>>,
    /// Without repetition.
    operators: Vec<Operator>,
    /// The number of updates that set it independently of its value.
    resets: usize,
    /// Whether each update has an operator or sets the place.
    simple: bool,
}

impl<'p, 'e> Updates<'p, 'e> {
    fn of(place: &'p Place, f: &'e Rc<For>, all: Vec<Update<'e>>) -> Self {
        let mut operators: Vec<Operator> = Vec::new();
        for update in &all {
            if let Form::Step(operator, _) = &update.form
                && !operators.contains(operator)
            {
                operators.push(operator.clone());
            }
        }
        let resets = all.iter().filter(|u| matches!(u.form, Form::Reset(_))).count();
        let simple = all.iter().all(|u| matches!(u.form, Form::Reset(_) | Form::Step(..)));
        Updates { place, f, all, operators, resets, simple }
    }

    fn operands(&self, operator: &Operator, update: &Update<'_>) -> Option<Vec<Operand>> {
        operands(operator, assignment_of(self.f, update.assign)?)
    }

    /// The variables of the body through which it is computed: `let b = a * y; y = b - y;`.
    fn through(&self) -> Through<'e> {
        match self.all.as_slice() {
            [update] => through(self.place, &self.f.body, update.assign),
            _ => Through::new(),
        }
    }

    fn is_through_others(&self) -> bool {
        let through = self.through();
        let first = self.all.first().and_then(|update| assignment_of(self.f, update.assign));
        first.is_some_and(|e| through.keys().any(|name| e.mentions(*name)))
    }
}

/// The class of a variable, the replacements of its updates, and further nodes that belong to the updates.
struct Found {
    class: Class,
    rewrites: HashMap<Id, Rewrite>,
    nodes: Vec<Id>,
}

impl Found {
    fn of(class: Class, rewrites: impl IntoIterator<Item = (Id, Rewrite)>) -> Found {
        Found { class, rewrites: rewrites.into_iter().collect(), nodes: Vec::new() }
    }
}

/// Rejects a variable that each iteration sets before it reads it, and that is read after the loop.
fn lost(name: Local, span: Location, report: &mut Report) {
    report.error(
        Code::FA013,
        span,
        format!("`{name}` is set by every iteration and read after the loop: the value of the last iteration is lost"),
        "",
    );
}

/// The class of `acc += e`, `acc -= e` and similar updates.
fn sum(updates: &Updates<'_, '_>, scan: bool) -> Found {
    let all = updates.all.iter().map(|u| Some((u.assign, updates.operands(&Operator::Add, u)?)));
    let all: Option<Vec<(Id, Vec<Operand>)>> = all.collect();
    // `a.mul_add(b, acc)` is for floats only.
    let counts = all.is_some() && !scan;
    let all = all.unwrap_or_default();
    let any = |minus| all.iter().flat_map(|(_, operands)| operands).any(|operand| operand.minus == minus);
    let plain = |operands: Vec<Operand>| Rewrite::Add(operands.into_iter().map(|operand| operand.value).collect());
    let wrapping = |operands| Rewrite::Wrap { operator: Operator::Add, operands, place: None };
    match (any(true), any(false)) {
        (true, false) => {
            // The chunk adds up the subtracted values.
            let added = |operands: Vec<Operand>| match scan {
                true => wrapping(operands.into_iter().map(|operand| Operand { minus: false, ..operand }).collect()),
                false => plain(operands),
            };
            let rewrites = all.into_iter().map(|(assign, operands)| (assign, added(operands)));
            Found::of(Class::Difference { wraps: scan }, rewrites)
        }
        (both, _) if both || scan => {
            let rewrites = all.into_iter().map(|(assign, operands)| (assign, wrapping(operands)));
            Found::of(Class::Sum { wraps: true, counts }, rewrites)
        }
        _ => {
            let as_value = |assign: &Id| {
                assignment_of(updates.f, *assign).is_some_and(|e| matches!(e.kind, Kind::Assign(_, None, _)))
            };
            let rewrites = all.into_iter().filter(|(assign, _)| as_value(assign));
            let rewrites = rewrites.map(|(assign, operands)| (assign, plain(operands)));
            Found::of(Class::Sum { wraps: false, counts }, rewrites)
        }
    }
}

/// The class of a variable that every update sets: the last value remains.
fn last_value(updates: &Updates<'_, '_>) -> Found {
    let rewrites = updates.all.iter().filter_map(|update| match &update.form {
        Form::Reset(value) => Some((update.assign, Rewrite::Restart((*value).clone()))),
        _ => None,
    });
    Found::of(Class::Segmented { merge: Merge::Last, resets: true }, rewrites)
}
