//! What a loop moves between ranks, told by the first one at the loop's first call where `FORALL_EXPLAIN` asks for it.

use super::site::Instance;
use crate::call::Call;
use std::sync::atomic::Ordering;

/// Tells of one loop.
#[derive(Clone, Copy)]
pub(super) struct Moved {
    site: &'static Instance,
    ranks: usize,
}

impl Moved {
    /// Whether this call is told of.
    pub(super) fn of(call: &Call, site: &'static Instance) -> Option<Moved> {
        let first = || call.context.this_rank().rank == 0 && !site.moved.swap(true, Ordering::Relaxed);
        (call.context.settings().explain && !call.alone() && first())
            .then(|| Moved { site, ranks: call.context.ranks() })
    }

    fn tell(&self, what: &str) {
        let Moved { site, ranks } = self;
        eprintln!("`{}`, loop {}: rank 0 of {ranks} {what}", site.name, site.number + 1);
    }

    /// Bytes of an array that come from other ranks before the loop, and go to them; those that were asked for, or all that its
    /// iterations touch.
    pub(super) fn fetched(&self, array: usize, received: usize, given: usize, asked: bool) {
        let name = self.site.arrays.get(array).copied().unwrap_or_default();
        let why = if asked { "the elements that iterations ask for" } else { "what iterations touch of other shares" };
        self.tell(&format!("fetches {received} bytes of `{name}` ({why}) and gives {given}"));
    }

    /// Nothing comes and goes before the loop.
    pub(super) fn fetched_nothing(&self) {
        self.tell("fetches nothing");
    }

    /// Bytes of an array that iterations have written elsewhere, with where that is.
    pub(super) fn written(&self, array: usize, sent: u64, received: u64) {
        let name = self.site.arrays.get(array).copied().unwrap_or_default();
        self.tell(&format!(
            "sends {sent} bytes that its iterations wrote to `{name}` elsewhere, and receives {received}"
        ));
    }
}
