//! Sorting: each element ends where it stands in the sorted whole.
//!
//! A sort keeps the cuts of what it sorts: every share has as many elements afterwards as before, whatever the keys are. On one
//! rank, the node's workers sort by digits where the keys are numbers (`radix`), or its device does (`on_device`), else by comparing
//! (`merging`). On several,
//! each rank sorts its share, the ranks find out exactly where the sorted whole is to be cut (`splitters`), and each element goes
//! to its rank in one exchange (`over_ranks`). Long elements with numbers as keys stay where they are until all of that is known
//! (`moving`).
//!
//! Vectors that are sorted together become one vector of `rows`.
//!
//! Elements that compare equal keep their order over all ranks, for the unstable forms too: so the result is the same on any
//! number of threads and ranks. A comparison that is no order gives some order of the same elements, or a panic.

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

/// What can be sorted: a parameter, or the rows of several.
pub trait Sorted {
    /// What it has.
    type Element: Element;
    /// This rank's elements, and on several ranks the cuts.
    fn elements(&mut self) -> (&mut [Self::Element], Option<&Cuts>);

    /// The same where they may stay on a device: their residence, where the first one is, and how many there are.
    fn resident(&mut self) -> Option<Resident<'_>> {
        None
    }

    /// How they are cut, on several ranks.
    fn cuts(&self) -> Option<&Cuts>;

    /// The same by their places.
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
    // The author's closures run here, whether alone or not.
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
        // They stay where they are.
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
        over_ranks::bring_together(context, elements, cuts, order);
    }
}

#[cfg(test)]
mod tests;
