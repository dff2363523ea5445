//! The two parts of a slice that is split outside of loops: each is one as a parameter is.

use super::fetched::{Changing, Fetched};
use super::{Input, Output};
use crate::data::{Layout, Local, LocalMut, overlap};
use crate::element::Element;

/// Where the two parts lie, and how many of this rank's elements the first one has. What is said of an index that is too large is
/// what std says.
#[track_caller]
fn layouts(place: &Layout, len: usize, at: usize, rank: usize) -> ([Layout; 2], usize) {
    let _ = [(); usize::MAX][..place.len].split_at(at);
    let mine = place.offset..place.offset + len;
    let here = overlap(&mine, &(0..at)).len();
    ([place.part(0..at, rank), place.part(at..place.len, rank)], here)
}

impl<T: Element> Input<'_, T> {
    /// The elements before one, and from it on.
    ///
    /// # Panics
    /// When there are not so many.
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

    /// As [`Input::split_at`], to write.
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
