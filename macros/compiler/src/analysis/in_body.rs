//! All assumptions about a loop, and those about the values of its body by the expressions that have them.

use super::collected::{given, keep_length};
use super::{obligations, reached, types, unchanged};
use crate::flow::Definitions;
use crate::flow::aliases::Aliases;
use crate::front::function::Function;
use crate::ir::names::{bindings, each_let};
use crate::ir::obligation::{InBody, InPlace, Obligation, OperandsOf};
use crate::ir::{Block, Expr, Id, Kind, Local, Pattern};
use crate::language::methods;
use crate::maps::{HashSet, New as _};
use crate::plan::{Accumulator, Class, Plan, SlotKind, StateMerge};
use proc_macro2::Span;
use quote::ToTokens;

/// The assumptions about a loop.
pub fn of_loop(function: &Function, found: &Plan) -> (Vec<Obligation>, InBody) {
    of_body(function, found, Some((&found.f.pattern, &found.f.source)))
}

/// The assumptions about the calls of a traversal. Values that calls hand down are captured too: several calls may share a node.
pub fn of_calls(function: &Function, found: &Plan) -> (Vec<Obligation>, InBody) {
    of_body(function, found, None)
}

/// The assumptions about the order of a sort, given as a block that passes it on.
pub fn of_order(function: &Function, order: &Block, captures: &[(Local, Span)]) -> (Vec<Obligation>, InBody) {
    let mut in_body = InBody::default();
    (reached::record(function, order, None, captures, &mut in_body), in_body)
}

fn of_body(function: &Function, found: &Plan, header: Option<(&Pattern, &Expr)>) -> (Vec<Obligation>, InBody) {
    let mut in_body = InBody::default();
    let mut all = reached::record(function, &found.f.body, header, &found.captures, &mut in_body);
    record(function, found, &mut in_body);
    all.extend(types::of_loop(function, found));
    all.extend(obligations::of_loop(function, found));
    (all, in_body)
}

/// Records the assumptions about the values of a loop's body.
fn record(function: &Function, found: &Plan, to: &mut InBody) {
    let body = &found.f.body;
    let (aliases, variables) = (Aliases::of(&Definitions::of_loop(&found.f)), changed(found));
    let mut note = |id: Id, value: InPlace| to.values.entry(id).or_default().push(value);
    if found.has_totals() {
        aliases.copies(&found.f).into_iter().for_each(|id| note(id, InPlace::Copy));
        to.statements = unchanged::unchanged(found, &aliases);
    }
    given(body, &variables).into_iter().for_each(|id| note(id, InPlace::NoOutput));
    for accumulator in &found.accumulators {
        if matches!(accumulator.class, Class::Scratch) {
            let borrows = keep_length(function, &found.f, accumulator.place.root);
            borrows.into_iter().for_each(|id| note(id, InPlace::KeepsLength));
        }
        let operands = operands(found, accumulator);
        if !operands.is_empty() {
            to.operands.push((accumulator.ident.clone(), operands_of(function, accumulator)));
        }
        for id in operands {
            note(id, InPlace::Operand(accumulator.ident.clone()));
        }
    }
    let (changeable, iterators) = (changeable(found, &aliases, &variables), iterators(found));
    body.walk(&mut |e| {
        if let Kind::Method(receiver, method, ..) = &e.kind
            && only_reads(receiver, method)
            && receiver.root().is_some_and(|root| {
                changeable.contains(&root) && !(methods::uses_up(method) && iterators.contains(&root))
            })
        {
            note(receiver.id, InPlace::OnlyRead);
        }
        true
    });
}

/// Whether a method is assumed to leave its receiver unchanged, and does not consume it.
fn only_reads(receiver: &Expr, method: &str) -> bool {
    // `rotate_left` of an element counts as that of a number.
    let element =
        matches!(&receiver.bare().kind, Kind::Index(_, index) if !matches!(index.bare().kind, Kind::Range(..)));
    (element && methods::reads(method) || methods::only_reads(method)) && !methods::may_adapt(method)
}

/// The variables that the loop updates.
fn changed(found: &Plan) -> HashSet<Local> {
    found.accumulators.iter().flat_map(Accumulator::variables).map(|place| place.root).collect()
}

/// The variables that a body may change: those that it binds as `mut` or to a borrow, and those from outside that the loop writes.
fn changeable(found: &Plan, aliases: &Aliases, changed: &HashSet<Local>) -> HashSet<Local> {
    let mut names: HashSet<Local> = aliases.borrows().collect();
    let mut own = |pattern: &Pattern| {
        names.extend(pattern.names.iter().filter(|binding| binding.mutable).map(|binding| binding.name));
    };
    own(&found.f.pattern);
    bindings(&found.f.body, &mut own);
    found.f.body.walk(&mut |e| {
        if let Kind::For(f) = &e.kind
            && f.counts_by_while
        {
            names.extend(f.pattern.names.iter().map(|binding| binding.name));
        }
        true
    });
    let written = found.slots.iter().filter(|slot| matches!(slot.kind, SlotKind::Write | SlotKind::Everywhere));
    names.extend(written.map(|slot| slot.name));
    names.extend(changed);
    names
}

/// The variables of a body that begin as an iterator.
fn iterators(found: &Plan) -> HashSet<Local> {
    let mut iterators = HashSet::new();
    each_let(&found.f.body, &mut |pattern, value| {
        if let (Some(binding), Kind::Method(_, method, ..)) = (pattern.single(), &value.bare().kind)
            && methods::gives_iterator(method)
        {
            iterators.insert(binding.name);
        }
    });
    iterators
}

/// The operands of an accumulator's updates: an operator of the language is std's only if both of its operands have types of std.
fn operands(found: &Plan, accumulator: &Accumulator) -> HashSet<Id> {
    let keyed = matches!(accumulator.class, Class::State(StateMerge::Keyed(_)));
    let mut operands = HashSet::new();
    found.f.body.walk(&mut |e| {
        let Kind::Assign(place, op, value) = &e.kind else { return true };
        let entry = keyed && place.root().is_none() && place.mentions(accumulator.place.root);
        match op {
            _ if !entry && !accumulator.nodes.contains(&e.id) => {}
            Some(_) => _ = operands.insert(value.id),
            None => other_operands(place, value, &mut operands),
        }
        true
    });
    operands
}

/// The operands of `acc + a - b` and `e.max(acc)` other than the accumulator.
fn other_operands(place: &Expr, e: &Expr, to: &mut HashSet<Id>) {
    let mut mentions = false;
    e.walk(&mut |e| {
        mentions |= e.is_written_as(place);
        !mentions
    });
    match &e.bare().kind {
        _ if !mentions => _ = to.insert(e.id),
        Kind::Binary(_, one, two) => [one, two].into_iter().for_each(|e| other_operands(place, e, to)),
        // The method of the receiver determines the types of the arguments.
        Kind::Method(receiver, ..) => other_operands(place, receiver, to),
        _ => {}
    }
}

/// The type of an accumulator's operands.
fn operands_of(function: &Function, accumulator: &Accumulator) -> OperandsOf {
    match &accumulator.class {
        Class::Bins { leaves, share: true, .. } if leaves.iter().any(|leaf| leaf.path.is_empty()) => {
            let share = function.shares.iter().find(|share| accumulator.place == share.name);
            OperandsOf::Type(share.map(|share| share.element.to_token_stream()).unwrap_or_default())
        }
        class if class.is_reduction() && !matches!(class, Class::Bins { .. }) => {
            OperandsOf::Value(accumulator.tokens.clone())
        }
        // The type is unknown here, so the type of each operand must be std's.
        _ => OperandsOf::Any,
    }
}
