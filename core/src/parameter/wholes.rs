//! Statements outside of loops about a whole slice and another one: `a.copy_from_slice(b)`. Each rank gets what it has of it: where
//! both are cut alike nothing moves, else each element moves once.

use super::{Output, check_lengths};
use crate::call::Call;
use crate::data::{Cuts, Share, Shared, recut};
use crate::element::Element;

/// Sets `to` to what this rank has of a slice that is cut otherwise, of which it has `own`; nothing where both are cut alike.
fn cut_as<T: Element>(call: &Call, own: &[T], from: Option<&Cuts>, to: Option<&Cuts>) -> Option<Vec<T>> {
    match (from, to) {
        (Some(from), Some(to)) if !call.alone() && from != to => Some(recut(call.comm(), own, from, to).to_vec()),
        _ => None,
    }
}

impl<T: Element> Output<'_, T> {
    /// `self.copy_from_slice(from)`, of another slice of which each rank has its share.
    ///
    /// # Panics
    /// When they are not of one length.
    #[track_caller]
    pub fn copy_from(&mut self, from: &impl Shared<T>) {
        let Share { local, cuts, .. } = from.share();
        check_lengths(self.len(), cuts.map_or(local.len(), Cuts::total));
        let own = local.elements();
        let moved = cut_as(self.call, own, cuts, self.place.cuts());
        self.own.change().write(0, moved.as_deref().unwrap_or(own));
    }

    /// `self.swap_with_slice(other)`, of another slice of which each rank has its share.
    ///
    /// # Panics
    /// When they are not of one length.
    #[track_caller]
    pub fn swap_with(&mut self, other: &mut Output<'_, T>) {
        assert!(self.len() == other.len(), "destination and source slices have different lengths");
        let moved = cut_as(self.call, self.local().elements(), self.place.cuts(), other.place.cuts());
        let before = moved.unwrap_or_else(|| self.local().elements().to_vec());
        self.copy_from(&*other);
        other.own.change().write(0, &before);
    }
}
