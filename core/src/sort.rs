//! Sorting: each element ends where it stands in the sorted whole.
//!
//! A sort keeps the cuts of what it sorts: every share has as many elements afterwards as before, whatever the keys are. On one
//! rank, the node's workers sort by digits where the keys are numbers ([`radix`]), else by comparing ([`merging`]). On several,
//! each rank sorts its share, the ranks find out exactly where the sorted whole is to be cut ([`splitters`]), and each element goes
//! to its rank in one exchange ([`over_ranks`]).
//!
//! Elements that compare equal keep their order over all ranks, for the unstable forms too: so the result is the same on any
//! number of threads and ranks. A comparison that is no order gives some order of the same elements, or a panic.

mod merging;
mod number;
mod order;
mod over_ranks;
mod radix;
mod splitters;
mod workers;

use order::{By, ByCachedKey, ByKey, Natural, Order, TotalOrder};

use crate::call::Call;
use crate::element::Element;
use crate::parameter::Output;
use crate::runtime::enter_loop;
use std::cmp::Ordering;
use workers::Workers;

/// `x.sort()`.
pub fn natural<T: Element + Ord>(call: &Call, x: &mut Output<'_, T>) {
    sort(call, x, &Natural);
}

/// `x.sort_by(compare)`.
pub fn by<T: Element>(call: &Call, x: &mut Output<'_, T>, compare: impl Fn(&T, &T) -> Ordering + Sync) {
    sort(call, x, &By(compare));
}

/// `x.sort_by(|a, b| a.total_cmp(b))`.
pub fn total<T: Element>(call: &Call, x: &mut Output<'_, T>, compare: impl Fn(&T, &T) -> Ordering + Sync) {
    sort(call, x, &TotalOrder(compare));
}

/// `x.sort_by_key(key)`.
pub fn by_key<T: Element, K: Ord>(call: &Call, x: &mut Output<'_, T>, key: impl Fn(&T) -> K + Sync) {
    sort(call, x, &ByKey::new(key));
}

/// `x.sort_by_cached_key(key)`.
pub fn by_cached_key<T: Element, K: Ord>(call: &Call, x: &mut Output<'_, T>, key: impl Fn(&T) -> K + Sync) {
    sort(call, x, &ByCachedKey::new(key));
}

/// Sorts a parameter.
fn sort<T: Element>(call: &Call, x: &mut Output<'_, T>, order: &impl Order<T>) {
    let (local, place) = x.parts();
    // The author's closures run here, whether alone or not.
    let _inside = enter_loop(call.context().place());
    let elements = local.into_elements();
    call.context().count_iterations(elements.len());
    match place.cuts() {
        Some(cuts) => over_ranks::sort(call.context(), elements, cuts, order),
        None => order.sort(Workers::of(call.context()), elements),
    }
}

#[cfg(test)]
mod tests;
