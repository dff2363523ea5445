//! Slices that are split outside loops. Each half is a handle, as a parameter is.

use super::fetched::{Changing, Fetched};
use super::{Input, Output};
use crate::data::{Layout, Local, LocalMut, overlap};
use crate::element::Element;

/// The layouts of the two halves, and the number of this rank's elements in the first one. Panics with the message of std if `at` is too
/// large.
#[track_caller]
fn layouts(place: &Layout, len: usize, at: usize, rank: usize) -> ([Layout; 2], usize) {
    let _ = [(); usize::MAX][..place.len].split_at(at);
    let mine = place.offset..place.offset + len;
    let here = overlap(&mine, &(0..at)).len();
    ([place.part(0..at, rank), place.part(at..place.len, rank)], here)
}

impl<T: Element> Input<'_, T> {
    /// The elements before `at`, and the other ones.
    ///
    /// # Panics
    /// If `at` is larger than the length.
    #[track_caller]
    pub fn split_at(&self, at: usize) -> (Input<'_, T>, Input<'_, T>) {
        let rank = self.call.context.this_rank().rank;
        let ([one, two], here) = layouts(&self.place, self.local.len(), at, rank);
        let (first, second) = self.local.elements().split_at(here);
        let part = |local, place| Input { call: self.call, local: Local::from(local), place, fetched: Fetched::new() };
        (part(first, one), part(second, two))
    }
}

impl<T: Element> Output<'_, T> {
    /// As [`Input::split_at`].
    #[track_caller]
    pub fn split_at(&self, at: usize) -> (Input<'_, T>, Input<'_, T>) {
        let rank = self.call.context.this_rank().rank;
        let ([one, two], here) = layouts(&self.place, self.own.len(), at, rank);
        let (first, second) = self.own.local().elements().split_at(here);
        let part = |local, place| Input { call: self.call, local: Local::from(local), place, fetched: Fetched::new() };
        (part(first, one), part(second, two))
    }

    /// As [`Input::split_at`], for writing.
    #[track_caller]
    pub fn split_at_mut(&mut self, at: usize) -> (Output<'_, T>, Output<'_, T>) {
        let rank = self.call.context.this_rank().rank;
        let ([one, two], here) = layouts(&self.place, self.own.len(), at, rank);
        let (first, second) = self.own.change().split_at_mut(here);
        let call = self.call;
        let part = |local, place| {
            let own = Changing::new(LocalMut::from(local));
            Output { call, own, place, elsewhere: Vec::new() }
        };
        (part(first, one), part(second, two))
    }
}
