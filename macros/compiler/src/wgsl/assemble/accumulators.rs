//! What accumulators start from, and how chunks of them are put together, as text.

use crate::ir::Op;
use crate::ir::report::Place;
use crate::plan::{Accumulator, Class, Plan};
use crate::wgsl::emit::text::{Emit, Value};
use crate::wgsl::tree::{Component, LoopBody, Merge, Node, NodeKind, Total, Ty};
use std::collections::HashMap;

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Step {
    /// Two chunks.
    Merge,
    /// A value, and the chunk after it.
    Advance,
}

pub fn identity(
    emit: &mut Emit<'_>,
    found: &Plan,
    parts: &LoopBody,
    initial: &HashMap<(usize, usize), usize>,
) -> String {
    emit.function("fn fa_identity() -> State", |emit| {
        emit.put_line("var fresh: State;".to_owned());
        emit.state = "fresh";
        for (number, accumulator) in found.accumulators.iter().enumerate() {
            let at = Place::from(accumulator.at);
            for (variable, ty) in parts.held[number].iter().enumerate() {
                let kind = match &accumulator.class {
                    Class::Sum { .. } | Class::Linear { .. } => NodeKind::Zero,
                    Class::Difference { .. } => NodeKind::PlainZero,
                    Class::Product => NodeKind::One,
                    _ => match initial.get(&(number, variable)) {
                        Some(value) => NodeKind::Value(*value),
                        // The rest is not looked at, or all bits are zero.
                        None => continue,
                    },
                };
                set(emit, number, Component::Variable(variable), ty, kind, at);
            }
            if let (Class::Linear { .. }, Some(ty)) = (&accumulator.class, parts.held[number].first()) {
                set(emit, number, Component::Factor, ty, NodeKind::One, at);
            }
        }
        emit.put_line("return fresh;".to_owned());
    })
}

pub fn set(emit: &mut Emit<'_>, number: usize, part: Component, ty: &Ty, kind: NodeKind, at: Place) {
    let node = |kind| Node { kind, ty: ty.clone(), at };
    let assign = NodeKind::Assign(node(NodeKind::State(number, part)).boxed(), None, node(kind).boxed());
    emit.run(&Node { kind: assign, ty: Ty::unit(), at });
}

/// `fa_merge`, or `fa_advance`.
pub fn merges(emit: &mut Emit<'_>, found: &Plan, parts: &LoopBody, step: Step) -> String {
    let head = match step {
        Step::Merge => "fn fa_merge(earlier: State, later: State) -> State",
        Step::Advance => "fn fa_advance(value: State, chunk: State) -> State",
    };
    let (first, second) = if step == Step::Merge { ("earlier", "later") } else { ("value", "chunk") };
    emit.function(head, |emit| {
        emit.put_line(format!("var both = {first};"));
        for (number, accumulator) in found.accumulators.iter().enumerate() {
            if accumulator.class.is_reduction() {
                put_together(
                    emit,
                    accumulator,
                    &parts.held[number],
                    parts.merges[number].as_ref(),
                    number,
                    step,
                    first,
                    second,
                );
            }
        }
        emit.put_line("return both;".to_owned());
    })
}

#[allow(clippy::too_many_arguments)]
pub fn put_together(
    emit: &mut Emit<'_>,
    accumulator: &Accumulator,
    types: &[Ty],
    merge: Option<&Merge>,
    number: usize,
    step: Step,
    first: &'static str,
    second: &'static str,
) {
    let at = Place::from(accumulator.at);
    let Some(ty) = types.first() else { return };
    let node = |kind, ty: &Ty| Node { kind, ty: ty.clone(), at };
    let read = |emit: &mut Emit<'_>, state: &'static str, part, ty: &Ty| {
        emit.state = state;
        emit.state_value(number, part, ty, at)
    };
    let variable = Component::Variable(0);
    // What both come to, of the two that the merge names.
    let both = |emit: &mut Emit<'_>, merge: &Merge, a: Value, b: Value| {
        emit.name(merge.earlier, a);
        emit.name(merge.later, b);
        emit.state = "both";
        let assign =
            NodeKind::Assign(node(NodeKind::State(number, variable), ty).boxed(), None, merge.both.clone().boxed());
        emit.run(&node(assign, &Ty::unit()));
    };
    let copy = |emit: &mut Emit<'_>, part: Component| {
        let mut lines = Vec::new();
        for field in emit.fields_of(
            number,
            part,
            match part {
                Component::Variable(k) => &types[k],
                Component::Factor => ty,
                _ => &Ty::BOOL,
            },
        ) {
            lines.push(format!("both.f{field} = {second}.f{field};"));
        }
        lines
    };
    match &accumulator.class {
        // Of all bits, and with how often they wrap around.
        Class::Sum { .. } | Class::Difference { .. } | Class::Product if emit.sums_apart(number, ty) => {
            let how = match &accumulator.class {
                Class::Product => Total::Times,
                Class::Difference { .. } if step == Step::Advance => Total::Minus,
                _ => Total::Plus,
            };
            let checks =
                matches!(accumulator.class, Class::Sum { wraps: false, .. } | Class::Difference { wraps: false });
            let field = emit.field(number, variable);
            if let Some(count) = emit.counts.get(&number).copied() {
                emit.put_line(format!("both.f{count} += {second}.f{count};"));
            }
            emit.state = "both";
            emit.put_sum(number, ty, how, &format!("{second}.f{field}"), checks, at);
        }
        Class::Difference { wraps } if step == Step::Advance => {
            let (a, b) = (read(emit, first, variable, ty), read(emit, second, variable, ty));
            if let Some(merge) = merge {
                emit.name(merge.earlier, a);
                emit.name(merge.later, b);
                let (a, b) = (
                    node(NodeKind::Variable(merge.earlier), ty).boxed(),
                    node(NodeKind::Variable(merge.later), ty).boxed(),
                );
                let kind = if *wraps { NodeKind::Total(Total::Minus, a, b) } else { NodeKind::Binary(Op::Sub, a, b) };
                emit.state = "both";
                let assign =
                    NodeKind::Assign(node(NodeKind::State(number, variable), ty).boxed(), None, node(kind, ty).boxed());
                emit.run(&node(assign, &Ty::unit()));
            }
        }
        Class::Sum { .. } | Class::Difference { .. } | Class::Product | Class::Parity | Class::Idempotent { .. } => {
            let (a, b) = (read(emit, first, variable, ty), read(emit, second, variable, ty));
            if let Some(merge) = merge {
                both(emit, merge, a, b);
            }
        }
        Class::Combine { .. } | Class::Segmented { .. } => {
            let Some(merge) = merge else { return };
            let some = |emit: &Emit<'_>, state: &str| format!("{state}.f{} != 0u", emit.field(number, Component::Some));
            let has_reset = matches!(accumulator.class, Class::Segmented { .. });
            let (a, b) = (read(emit, first, variable, ty), read(emit, second, variable, ty));
            let mut copies = copy(emit, variable);
            copies.extend(copy(emit, Component::Some));
            let merged = emit.indented(|emit| both(emit, merge, a, b));
            let mut open = String::from("if");
            if has_reset {
                let mut all = copies.clone();
                all.extend(copy(emit, Component::Reset));
                emit.put_line(format!("if ({second}.f{} != 0u) {{", emit.field(number, Component::Reset)));
                all.into_iter().for_each(|line| emit.put_line(format!("    {line}")));
                open = "} else if".to_owned();
            }
            let condition = match step {
                Step::Merge => format!("{} && {}", some(emit, first), some(emit, second)),
                // There is always a value.
                Step::Advance => some(emit, second),
            };
            emit.put_line(format!("{open} ({condition}) {{"));
            merged.into_iter().for_each(|line| emit.put_line(format!("    {line}")));
            if step == Step::Merge {
                emit.put_line(format!("}} else if ({}) {{", some(emit, second)));
                copies.into_iter().for_each(|line| emit.put_line(format!("    {line}")));
            }
            emit.put_line("}".to_owned());
        }
        Class::Best { .. } => {
            let Some(merge) = merge else { return };
            let all = |emit: &mut Emit<'_>, state: &'static str| {
                emit.state = state;
                Value::Tuple(
                    types
                        .iter()
                        .enumerate()
                        .map(|(k, ty)| emit.state_value(number, Component::Variable(k), ty, at))
                        .collect(),
                )
            };
            let (a, b) = (all(emit, first), all(emit, second));
            emit.name(merge.earlier, a);
            emit.name(merge.later, b);
            let better = emit.value(&merge.both).text().to_owned();
            let hit = |state: &str| format!("{state}.f{} != 0u", emit.field(number, Component::Hit));
            let condition = match step {
                Step::Merge => format!("{} && (!({}) || {better})", hit(second), hit(first)),
                Step::Advance => format!("{} && {better}", hit(second)),
            };
            emit.put_line(format!("if ({condition}) {{"));
            for k in 0..types.len() {
                copy(emit, Component::Variable(k)).into_iter().for_each(|line| emit.put_line(format!("    {line}")));
            }
            copy(emit, Component::Hit).into_iter().for_each(|line| emit.put_line(format!("    {line}")));
            emit.put_line("}".to_owned());
        }
        Class::Linear { .. } => {
            // `later` after `earlier`: its factor times the one before.
            let state = |emit: &mut Emit<'_>, state, part| {
                let value = match read(emit, state, part, ty) {
                    Value::One(text, _) => text,
                    _ => String::new(),
                };
                Value::named(value)
            };
            let names: Vec<Value> =
                [(second, Component::Factor), (first, variable), (second, variable), (first, Component::Factor)]
                    .into_iter()
                    .map(|(of, part)| state(emit, of, part))
                    .collect();
            let term = emit.totals(ty, Total::Times, &names[0], &names[1], at);
            let term = emit.totals(ty, Total::Plus, &term, &names[2], at);
            let factor = emit.totals(ty, Total::Times, &names[0], &names[3], at);
            let (reset, fields) = (
                emit.field(number, Component::Reset),
                [variable, Component::Factor].map(|part| emit.field(number, part)),
            );
            emit.put_line(format!("if ({second}.f{reset} != 0u) {{"));
            for part in [variable, Component::Factor, Component::Reset] {
                copy(emit, part).into_iter().for_each(|line| emit.put_line(format!("    {line}")));
            }
            emit.put_line("} else {".to_owned());
            emit.put_line(format!("    both.f{} = {};", fields[0], emit.as_field(fields[0], term.text())));
            if step == Step::Merge {
                emit.put_line(format!("    both.f{} = {};", fields[1], emit.as_field(fields[1], factor.text())));
            }
            emit.put_line("}".to_owned());
        }
        _ => {}
    }
}
