//! Loops that keep some elements: `if keep(x[i]) { out.push(x[i]); }`.
//!
//! Where about half is kept, the processor guesses each branch, and is wrong as often. Without the branch the element is
//! written behind the last one in any case, and stays there if it is kept. That is only done where the element may be
//! looked at in any case: where nothing in it can fail.

use crate::ir::print::{Edit, expr};
use crate::ir::{Block, Expr, Id, Kind, Op, Statement, StatementKind};
use crate::plan::{Class, Plan, SlotKind, Weight};
use proc_macro2::{Ident, TokenStream};
use quote::quote;
use std::collections::HashMap;

/// The statements of a loop's body that keep elements, without their branches.
pub struct Selection {
    pub edits: HashMap<Id, TokenStream>,
    /// The sequence that the first of them keeps elements in.
    pub kept_in: Ident,
}

/// What a light loop keeps. The result only holds where all indices are proved to be inside.
pub fn selection(found: &Plan, edit: &dyn Edit) -> Option<Selection> {
    if found.weight != Weight::Light || found.macros || found.running {
        return None;
    }
    let mut edits = HashMap::new();
    let mut kept_in = None;
    for statement in &found.f.body.statements {
        let StatementKind::Expr(e, _) = &statement.kind else { continue };
        let Kind::If(condition, block, None) = &e.kind else { continue };
        let (false, Some(pushes)) = (binds(condition), pushes(found, block)) else { continue };
        let condition = expr(condition, edit);
        let puts = pushes.iter().map(|(ident, value)| {
            let value = expr(value, edit);
            quote!(::forall::__private::accumulate::keep(&mut #ident, __keep, #value);)
        });
        edits.insert(e.id, quote!({ let __keep: bool = #condition; #(#puts)* }));
        kept_in = kept_in.or(pushes.first().map(|(ident, _)| ident.clone()));
    }
    kept_in.map(|kept_in| Selection { edits, kept_in })
}

/// Whether a condition has names for what it finds.
fn binds(condition: &Expr) -> bool {
    let mut binds = false;
    condition.walk(&mut |e| {
        binds |= matches!(e.kind, Kind::Let(..));
        !binds
    });
    binds
}

/// A block that only pushes: to what, and which elements.
fn pushes<'a>(found: &Plan, block: &'a Block) -> Option<Vec<(Ident, &'a Expr)>> {
    let push = |statement: &'a Statement| {
        let StatementKind::Expr(e, _) = &statement.kind else { return None };
        let Kind::Method(target, name, arguments, _) = &e.bare().kind else { return None };
        let (target, [value]) = (target.text(), arguments.as_slice()) else { return None };
        let is_target = |class: &Class| matches!(class, Class::Pushes { .. });
        let target = found.accumulators.iter().find(|a| is_target(&a.class) && a.text == target)?;
        (name == "push" && cannot_fail(found, value)).then(|| (target.ident.clone(), value))
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
            let proved = |name: &str| {
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
        let mut sums = true;
        e.walk(&mut |e| {
            let plain = matches!(e.kind, Kind::Name(_) | Kind::Int(_) | Kind::Paren(_));
            sums &= plain || matches!(e.kind, Kind::Binary(Op::Add | Op::Mul, ..));
            sums
        });
        sums
    };
    match &index.bare().kind {
        Kind::Binary(Op::Sub, a, b) => sum(a) && sum(b),
        _ => sum(index),
    }
}
