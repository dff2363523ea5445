//! Distributed sorting.
//!
//! A sort keeps the cuts: each share has the same length afterwards. On one rank, the workers use radix sort if the keys are numbers
//! (`radix`), or the device sorts (`on_device`); otherwise they use merge sort (`merging`). On several ranks, each rank sorts its share, the
//! ranks determine exact splitters (`splitters`), and one exchange moves each element to its rank (`over_ranks`). Long elements with numeric
//! keys stay in place until their destinations are known (`moving`).
//!
//! Vectors that are sorted together become one vector of `rows`.
//!
//! All sorts are stable over all ranks, also the unstable forms: the result is the same on any number of threads and ranks. If a comparison
//! is no total order, the result is some permutation of the elements, or a panic.

mod buffer;
mod merging;
mod moving;
mod number;
mod on_device;
mod order;
mod over_ranks;
mod radix;
mod rows;
mod search;
mod searches;
mod splitters;
mod workers;

use moving::Movable;
use order::{By, ByCachedKey, ByKey, Natural, Order, TotalOrder};
pub use rows::{Column, Columns, LookedAt, Row, Rows, sorted};

use crate::call::Call;
use crate::data::Cuts;
use crate::device::Resident;
use crate::element::Element;
use crate::parameter::Output;
use crate::runtime::enter_loop;
use std::cmp::Ordering;
use workers::Workers;

/// Sortable data: a parameter, or the rows of several parameters.
pub trait Sorted {
    /// The type of the elements.
    type Element: Element;
    /// This rank's elements, and the cuts if there are several ranks.
    fn elements(&mut self) -> (&mut [Self::Element], Option<&Cuts>);

    /// The share, if a device may have it.
    fn resident(&mut self) -> Option<Resident<'_>> {
        None
    }

    /// The cuts, if there are several ranks.
    fn cuts(&self) -> Option<&Cuts>;

    /// The elements, to move them one by one.
    fn by_places(&mut self) -> impl Movable<Row = Self::Element>;
}

impl<T: Element> Sorted for Output<'_, T> {
    type Element = T;

    fn elements(&mut self) -> (&mut [T], Option<&Cuts>) {
        let (local, place) = self.parts();
        (local.into_elements(), place.cuts())
    }

    fn resident(&mut self) -> Option<Resident<'_>> {
        self.parts().0.into_bytes().held(0)
    }

    fn cuts(&self) -> Option<&Cuts> {
        self.place().cuts()
    }

    fn by_places(&mut self) -> impl Movable<Row = T> {
        rows::sorted(self)
    }
}

impl<C: Columns> Sorted for Rows<'_, C> {
    type Element = C::Row;

    fn elements(&mut self) -> (&mut [C::Row], Option<&Cuts>) {
        self.in_one_piece()
    }

    fn cuts(&self) -> Option<&Cuts> {
        self.cuts.as_ref()
    }

    fn by_places(&mut self) -> impl Movable<Row = C::Row> {
        &self.columns
    }
}

/// `x.sort()`.
pub fn natural<X: Sorted<Element: Ord>>(call: &Call, x: &mut X) {
    sort(call, x, &Natural);
}

/// `x.sort_by(compare)`.
pub fn by<X: Sorted>(call: &Call, x: &mut X, compare: impl Fn(&X::Element, &X::Element) -> Ordering + Sync) {
    sort(call, x, &By(compare));
}

/// `x.sort_by(|a, b| a.total_cmp(b))`.
pub fn total<X: Sorted>(call: &Call, x: &mut X, compare: impl Fn(&X::Element, &X::Element) -> Ordering + Sync) {
    sort(call, x, &TotalOrder(compare));
}

/// `x.sort_by_key(key)`.
pub fn by_key<X: Sorted, K: Ord>(call: &Call, x: &mut X, key: impl Fn(&X::Element) -> K + Sync) {
    sort(call, x, &ByKey::new(key));
}

/// `x.sort_by_cached_key(key)`.
pub fn by_cached_key<X: Sorted, K: Ord>(call: &Call, x: &mut X, key: impl Fn(&X::Element) -> K + Sync) {
    sort(call, x, &ByCachedKey::new(key));
}

fn sort<X: Sorted>(call: &Call, x: &mut X, order: &impl Order<X::Element>) {
    let context = call.context();
    // The user's closures run in a loop, on one rank or several.
    let _inside = enter_loop(context.this_rank());
    let is_sorted = match (order.numbers(), x.resident()) {
        // SAFETY: these are the parameter's elements, which are numbers of this type.
        (Some(numbers), Some(Resident { residence, address, count, .. })) => unsafe {
            let is_sorted = on_device::resident(call, address, count, residence, &numbers);
            context.count_iterations(if is_sorted { count } else { 0 });
            is_sorted
        },
        _ => false,
    };
    if is_sorted && x.cuts().is_none() {
        // The sorted elements stay on the device.
        return;
    }
    let cuts = x.cuts().cloned();
    let over = cuts.as_ref().map(|cuts| (context.comm(), cuts));
    let rows = x.by_places();
    if !is_sorted && order.sort_long(Workers::or_device(call), over, &rows) {
        return context.count_iterations(rows.len());
    }
    drop(rows);
    let (elements, cuts) = x.elements();
    if !is_sorted {
        context.count_iterations(elements.len());
        order.sort(Workers::or_device(call), elements);
    }
    if let Some(cuts) = cuts {
        over_ranks::merge_shares(context, elements, cuts, order);
    }
}

#[cfg(test)]
mod tests;
