//! Statements outside loops on two whole slices, such as `a.copy_from_slice(b)`. If both have the same cuts, nothing is communicated.
//! Otherwise each element moves at most once.

use super::{Output, check_lengths};
use crate::call::Call;
use crate::data::{Cuts, Share, Shared, recut};
use crate::element::Element;

/// Redistributes a slice from the cuts `from`, where this rank has `own`, to the cuts `to`. `None` if the cuts are equal.
fn redistribute<T: Element>(call: &Call, own: &[T], from: Option<&Cuts>, to: Option<&Cuts>) -> Option<Vec<T>> {
    match (from, to) {
        (Some(from), Some(to)) if !call.alone() && from != to => Some(recut(call.comm(), own, from, to).to_vec()),
        _ => None,
    }
}

impl<T: Element> Output<'_, T> {
    /// `self.copy_from_slice(from)` for another distributed slice.
    ///
    /// # Panics
    /// If the lengths differ.
    #[track_caller]
    pub fn copy_from(&mut self, from: &impl Shared<T>) {
        let Share { local, cuts, .. } = from.share();
        check_lengths(self.len(), cuts.map_or(local.len(), Cuts::total));
        let own = local.elements();
        let redistributed = redistribute(self.call, own, cuts, self.place.cuts());
        self.own.change().write(0, redistributed.as_deref().unwrap_or(own));
    }

    /// `self.swap_with_slice(other)` for another distributed slice.
    ///
    /// # Panics
    /// If the lengths differ.
    #[track_caller]
    pub fn swap_with(&mut self, other: &mut Output<'_, T>) {
        assert!(self.len() == other.len(), "destination and source slices have different lengths");
        let redistributed = redistribute(self.call, self.local().elements(), self.place.cuts(), other.place.cuts());
        let before = redistributed.unwrap_or_else(|| self.local().elements().to_vec());
        self.copy_from(&*other);
        other.own.change().write(0, &before);
    }
}
