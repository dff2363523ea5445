//! Parameters that every iteration reads as a whole: a plain slice of another length or with other elements on each rank is taken for a
//! share, which is not what a small table is.

use super::planned::Loop;
use crate::front::function::Function;
use crate::front::parameters::Share;
use crate::index::depends_on_position;
use crate::ir::{Expr, Id, Kind};
use crate::maps::HashMap;
use crate::plan::{Access, Plan, SlotKind};
use proc_macro2::TokenStream;
use quote::{format_ident, quote};

/// How the loops and the statements of a function use a parameter.
#[derive(Default)]
struct Use {
    /// Some loop reads other elements of it in other iterations, or writes some.
    in_parts: bool,
    /// Some elements are read, and they are the same in all iterations, or a statement outside of the loops reads them.
    whole: bool,
    /// A loop goes through its indices.
    counted: bool,
    /// The body of a loop uses its length.
    length: bool,
}

/// How each distributed parameter is used, as `core` calls it.
pub(super) fn uses(function: &Function, loops: &HashMap<Id, Loop>) -> Vec<TokenStream> {
    let names = function.parameters().map(|share| format_ident!("{}", used_as(function, loops, share)));
    names.map(|name| quote!(__forall::Use::#name)).collect()
}

fn used_as(function: &Function, loops: &HashMap<Id, Loop>, share: &Share) -> &'static str {
    if share.mutable || share.blocks || share.split_by.is_some() || share.marker.is_some() {
        return "Parts";
    }
    let mut used = Use::default();
    for found in loops.values() {
        in_loop(&found.plan, share, &mut used);
    }
    function.body.walk(&mut |e| {
        if loops.contains_key(&e.id) {
            return false;
        }
        used.whole |= reads_elements(share, e);
        used.in_parts |= function.splits(e) && matches!(&e.kind, Kind::Method(slice, ..) if is(share, slice));
        true
    });
    match used {
        Use { in_parts: true, .. } => "Parts",
        Use { whole: true, .. } => "Whole",
        Use { counted: true, .. } => "Parts",
        Use { length: true, .. } => "Whole",
        Use { .. } => "Neither",
    }
}

fn in_loop(plan: &Plan, share: &Share, used: &mut Use) {
    for (number, slot) in plan.slots.iter().enumerate().filter(|(_, slot)| slot.name == share.name) {
        used.in_parts |= slot.kind != SlotKind::Read;
        for access in plan.accesses.iter().filter(|access| access.slot == number) {
            used.in_parts |= access.writes || access.halo.is_some() || is_in_parts(access);
            used.whole = true;
        }
    }
    plan.f.source.walk(&mut |e| {
        used.counted |= is(share, e);
        true
    });
    plan.f.body.walk(&mut |e| {
        if let Kind::Method(receiver, method, ..) = &e.kind {
            used.length |= method == "len" && is(share, receiver);
        }
        true
    });
}

/// Whether other iterations touch other elements.
fn is_in_parts(access: &Access) -> bool {
    [&access.first, &access.end].into_iter().filter_map(|bound| bound.value.as_ref()).any(depends_on_position)
}

/// Methods that read no elements: they return lengths, or a view of the whole array.
const METHODS: [&str; 11] =
    ["len", "is_empty", "dim", "shape", "raw_dim", "nrows", "ncols", "len_of", "ndim", "view", "view_mut"];

/// Whether an expression outside of the loops that are run in parallel reads elements.
fn reads_elements(share: &Share, e: &Expr) -> bool {
    match &e.kind {
        // All of it, as a slice that is passed on.
        Kind::Index(_, index) if matches!(index.bare().kind, Kind::Range(None, None, _)) => false,
        Kind::Index(slice, _) => is(share, slice),
        Kind::Method(receiver, method, ..) => is(share, receiver) && !METHODS.contains(&method.as_str()),
        Kind::For(found) => is(share, &found.source),
        _ => false,
    }
}

/// Whether an expression is this parameter, or a reference to it.
fn is(share: &Share, e: &Expr) -> bool {
    match &e.bare().kind {
        Kind::Ref(_, inner) => is(share, inner),
        _ => e.name() == Some(share.name),
    }
}
