//! Loops that select elements: `if keep(x[i]) { out.push(x[i]); }`.
//!
//! If the loop keeps about half of the elements, the processor mispredicts about half of the branches. Without the
//! branch, the loop always writes the element after the last one, and keeps it there if the condition holds. This is
//! allowed only if evaluating the element cannot fail.

use crate::ir::place::Place;
use crate::ir::print::{Edit, expr};
use crate::ir::{Block, Expr, Id, Kind, Local, Op, Statement, StatementKind};
use crate::maps::{HashMap, New as _};
use crate::plan::{Class, Plan, SlotKind, Weight};
use proc_macro2::{Ident, Span, TokenStream};
use quote::{format_ident, quote};

/// The statements of a loop's body that select elements, without their branches.
pub struct Selection {
    pub edits: HashMap<Id, TokenStream>,
    pub targets: Vec<Target>,
}

/// A sequence of selected elements, and the variable for its reserved memory during the loop.
pub struct Target {
    place: Place,
    pub ident: Ident,
    pub room: Ident,
    /// The maximal number of elements that an iteration adds.
    pub each: usize,
}

/// The selection of a light loop, if it has no other uses of the sequences. The result is valid only if all indices are
/// proved to be within bounds.
pub fn selection(found: &Plan, edit: &dyn Edit) -> Option<Selection> {
    if found.weight != Weight::Light || found.macros || found.running {
        return None;
    }
    let mut edits = HashMap::new();
    let mut targets: Vec<Target> = Vec::new();
    for statement in &found.f.body.statements {
        let StatementKind::Expr(e, _) = &statement.kind else { continue };
        let Kind::If(condition, block, None) = &e.kind else { continue };
        let (false, Some(pushes)) = (binds(condition), pushes(found, block)) else { continue };
        let condition = expr(condition, edit);
        let puts = pushes.into_iter().map(|Push { place, ident, value }| {
            let value = expr(value, edit);
            let known = targets.iter().position(|target| target.place == *place);
            let target = known.unwrap_or_else(|| {
                let room = format_ident!("__room{}", targets.len(), span = Span::mixed_site());
                targets.push(Target { place: place.clone(), ident: ident.clone(), room, each: 0 });
                targets.len() - 1
            });
            targets[target].each += 1;
            let room = &targets[target].room;
            quote!(#room.keep(__keep, #value);)
        });
        let puts: Vec<TokenStream> = puts.collect();
        edits.insert(e.id, quote!({ let __keep: bool = #condition; #(#puts)* }));
    }
    let alone = targets.iter().all(|target| mentions(found, &target.place) == target.each);
    (alone && !targets.is_empty()).then_some(Selection { edits, targets })
}

/// The number of mentions of a place in the loop's body.
fn mentions(found: &Plan, place: &Place) -> usize {
    let mut count = 0;
    for e in found.f.body.nodes() {
        count += usize::from(!matches!(e.kind, Kind::Paren(_)) && e.is(place));
    }
    count
}

/// Whether a condition binds names.
fn binds(condition: &Expr) -> bool {
    condition.nodes().any(|e| matches!(e.kind, Kind::Let(..)))
}

/// `target.push(value)`.
struct Push<'a> {
    place: &'a Place,
    ident: &'a Ident,
    value: &'a Expr,
}

/// The pushes of a block that only pushes.
fn pushes<'a>(found: &'a Plan, block: &'a Block) -> Option<Vec<Push<'a>>> {
    let push = |statement: &'a Statement| {
        let StatementKind::Expr(e, _) = &statement.kind else { return None };
        let Kind::Method(target, name, arguments, _) = &e.bare().kind else { return None };
        let (Some(target), [value]) = (target.place(), arguments.as_slice()) else { return None };
        let is_target = |class: &Class| matches!(class, Class::Pushes { .. });
        let target = found.accumulators.iter().find(|a| is_target(&a.class) && a.place == target)?;
        (name == "push" && cannot_fail(found, value)).then_some(Push {
            place: &target.place,
            ident: &target.ident,
            value,
        })
    };
    block.statements.iter().map(push).collect()
}

/// Whether evaluating a value cannot fail. A name is an existing value, and an index is proved.
fn cannot_fail(found: &Plan, e: &Expr) -> bool {
    let all = |parts: &[Expr]| parts.iter().all(|part| cannot_fail(found, part));
    match &e.bare().kind {
        Kind::Name(_) | Kind::Int(_) | Kind::Literal => true,
        Kind::Field(e, _) | Kind::Unary('*', e) | Kind::Cast(e, ..) => cannot_fail(found, e),
        Kind::Tuple(parts) | Kind::Array(parts) => all(parts),
        Kind::Struct(_, fields, None) => fields.iter().all(|(_, e)| cannot_fail(found, e)),
        Kind::Index(array, index) => {
            let proved = |name: Local| {
                let plain = |kind| matches!(kind, SlotKind::Read | SlotKind::ReadOutput | SlotKind::Write);
                found.slots.iter().any(|slot| slot.name == name && plain(slot.kind))
            };
            array.name().is_some_and(proved) && is_linear(index)
        }
        _ => false,
    }
}

/// Whether an index that is within the bounds of its array was computed without overflow: no part of it is greater than
/// the index, or negative.
fn is_linear(index: &Expr) -> bool {
    let sum = |e: &Expr| {
        e.nodes().all(|e| {
            let plain = matches!(e.kind, Kind::Name(_) | Kind::Int(_) | Kind::Paren(_));
            plain || matches!(e.kind, Kind::Binary(Op::Add | Op::Mul, ..))
        })
    };
    match &index.bare().kind {
        Kind::Binary(Op::Sub, a, b) => sum(a) && sum(b),
        _ => sum(index),
    }
}
