//! Loops that keep some elements: `if keep(x[i]) { out.push(x[i]); }`.
//!
//! Where about half is kept, the processor guesses each branch, and is wrong as often. Without the branch the element is
//! written behind the last one in any case, and stays there if it is kept. That is only done where the element may be
//! looked at in any case: where nothing in it can fail.

use crate::ir::place::Place;
use crate::ir::print::{Edit, expr};
use crate::ir::{Block, Expr, Id, Kind, Local, Op, Statement, StatementKind};
use crate::plan::{Class, Plan, SlotKind, Weight};
use proc_macro2::{Ident, Span, TokenStream};
use quote::{format_ident, quote};
use std::collections::HashMap;

/// The statements of a loop's body that keep elements, without their branches.
pub struct Selection {
    pub edits: HashMap<Id, TokenStream>,
    pub targets: Vec<Target>,
}

/// A sequence that elements are kept in, and the variable for its room while they are.
pub struct Target {
    place: Place,
    pub ident: Ident,
    pub room: Ident,
    /// How many an iteration keeps at most.
    pub each: usize,
}

/// What a light loop keeps, where nothing else is done with the sequences. The result only holds where all indices are proved to be
/// inside.
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

/// How often the loop's body mentions a place.
fn mentions(found: &Plan, place: &Place) -> usize {
    let mut count = 0;
    for e in found.f.body.nodes() {
        count += usize::from(!matches!(e.kind, Kind::Paren(_)) && e.is(place));
    }
    count
}

/// Whether a condition has names for what it finds.
fn binds(condition: &Expr) -> bool {
    condition.nodes().any(|e| matches!(e.kind, Kind::Let(..)))
}

/// `target.push(value)`.
struct Push<'a> {
    place: &'a Place,
    ident: &'a Ident,
    value: &'a Expr,
}

/// A block that only pushes: to what, and which elements.
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

/// Whether a value can be computed in any case. A name is a value that is there; an index is proved.
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

/// An index that, if it is inside of its array, was computed without overflow: nothing in it is greater, or negative.
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
