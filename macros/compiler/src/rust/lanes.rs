//! Bodies that keep several chunks or lanes of a chunk going at once, and the ones that find out totals.

use super::computed::item;
use super::region;
use super::updates::rewritten;
use crate::ir::Id;
use crate::ir::names::position_variable;
use crate::ir::print::Edit;
use crate::maps::{HashMap, New as _};
use crate::plan::{Class, Plan};
use proc_macro2::{Ident, TokenStream};
use quote::{ToTokens, quote, quote_spanned};
use std::cmp::Ordering;

/// The replacements of updates in the totals of a level. Those of the level start from the identity, those of higher
/// levels are left out, and those of lower levels stay as they are.
pub(super) fn edits_of_level(found: &Plan, level: usize, edit: &dyn Edit) -> HashMap<Id, TokenStream> {
    let mut edits = HashMap::new();
    for accumulator in &found.accumulators {
        match accumulator.level.cmp(&level) {
            Ordering::Less => {}
            Ordering::Equal => edits.extend(rewritten(accumulator, edit)),
            Ordering::Greater => edits.extend(accumulator.nodes.iter().map(|id| (*id, quote!(())))),
        }
    }
    edits
}

/// The loop over the iterations with these positions.
pub(super) fn iterations(found: &Plan, positions: &TokenStream, body: &impl ToTokens) -> TokenStream {
    let position = position_variable();
    let (label, pattern) = (&found.f.label.tokens, &found.f.pattern.tokens);
    if let Some(region) = &found.region {
        return region::tasks(found, region, positions, &body.to_token_stream());
    }
    let item = item(found, &position);
    quote_spanned!(found.f.span=>
        #label for #position in #positions {
            __at.position = #position;
            let #pattern = #item;
            #body
        }
    )
}

/// A body whose reductions go to interleaved lanes.
///
/// The body runs inside of a loop of one iteration, so that `continue` ends it and not the lane.
pub(super) fn iterate_in_lanes(found: &Plan, lanes: &[Ident], body: &TokenStream) -> TokenStream {
    let own = found.source.owned();
    // A sum that tells whether it was ever out of range knows the order of its iterations.
    let lane = |class: &Class, lanes: &Ident| match class {
        Class::Sum { counts: true, .. } | Class::Difference { wraps: false } | Class::Product => {
            quote!(#lanes[__forall::accumulate::lane_of(&#lanes, __lane)])
        }
        _ => quote!(#lanes[__lane]),
    };
    let reductions: Vec<(&Ident, TokenStream)> = found
        .accumulators
        .iter()
        .zip(lanes)
        .filter(|(a, _)| a.class.is_reduction())
        .map(|(a, lanes)| (&a.ident, lane(&a.class, lanes)))
        .collect();
    let load = reductions.iter().map(|(ident, lane)| quote!(let mut #ident = __forall::Clone::clone(&#lane);));
    let store = reductions.iter().map(|(ident, lane)| quote!(#lane = #ident;));
    let one = iterations(found, &quote!(__forall::Some(__first + __lane)), body);
    let one = quote_spanned!(found.f.span=> #(#load)* #one #(#store)*);
    quote!(
        #own
        let mut __at = __forall::At::new();
        let mut __first = __range.start;
        while __range.end - __first >= __forall::accumulate::LANES {
            for __lane in 0..__forall::accumulate::LANES { #one }
            __first += __forall::accumulate::LANES;
        }
        for __lane in 0..__range.end - __first { #one }
        __at.done();
    )
}

/// A body whose totals go through several blocks of a chunk at once, one after the other in each of them.
pub(super) fn iterate_in_blocks(found: &Plan, lanes: &[Ident], body: &TokenStream) -> TokenStream {
    let own = found.source.owned();
    let reductions = found.accumulators.iter().zip(lanes).filter(|(a, _)| a.class.is_reduction());
    let reductions: Vec<(&Ident, &Ident)> = reductions.map(|(a, lanes)| (&a.ident, lanes)).collect();
    let load = reductions.iter().map(|(ident, lanes)| quote!(let mut #ident = #lanes[__block];));
    let store = reductions.iter().map(|(ident, lanes)| quote!(#lanes[__block] = #ident;));
    let position = quote!(__forall::Some(__range.start + __block * __length + __step));
    let one = iterations(found, &position, body);
    let one = quote_spanned!(found.f.span=> #(#load)* #one #(#store)*);
    quote!(
        #own
        let mut __at = __forall::At::new();
        let __blocks = __forall::accumulate::BLOCKS;
        let __length = (__range.end - __range.start) / __blocks;
        for __step in 0..__length {
            for __block in 0..__blocks { #one }
        }
        let __block = __blocks - 1;
        for __step in __length..__range.end - __range.start - __block * __length { #one }
        __at.done();
    )
}

/// A body that runs through several chunks at once, each with a running value of its own.
///
/// Chunks are a power of two apart, so that their elements would meet in one place of the first-level cache: each chunk is
/// a few elements ahead of the one before it.
pub(super) fn iterate_in_chains(
    found: &Plan,
    value_in: &TokenStream,
    value_out: &TokenStream,
    body: &TokenStream,
) -> TokenStream {
    let own = found.source.owned();
    let position = quote!(__forall::Some(__range.start + __chain * __length + __step));
    let one = iterations(found, &position, body);
    let one = quote_spanned!(found.f.span=>
        let #value_in = __forall::Clone::clone(&__values[__chain]);
        #one
        __values[__chain] = #value_out;
    );
    quote!(
        #own
        let mut __at = __forall::At::new();
        let __length = (__range.end - __range.start) / __forall::fold::CHAINS;
        let __ahead = ::core::cmp::min(__forall::fold::AHEAD, __length / __forall::fold::CHAINS);
        let __together = __length - (__forall::fold::CHAINS - 1) * __ahead;
        for __ends in [false, true] {
            for __chain in 0..__forall::fold::CHAINS {
                let __first = __chain * __ahead;
                for __step in if __ends { __first + __together..__length } else { 0..__first } { #one }
            }
            if !__ends {
                for __together in 0..__together {
                    for __chain in 0..__forall::fold::CHAINS {
                        let __step = __together + __chain * __ahead;
                        #one
                    }
                }
            }
        }
        __at.done();
    )
}
