//! Reports the traffic of a loop between ranks. With `FORALL_EXPLAIN`, rank 0 prints it at the first call of the loop.

use super::site::Instance;
use crate::call::Call;
use std::sync::atomic::Ordering;

/// Reports the traffic of one loop.
#[derive(Clone, Copy)]
pub(super) struct TrafficReport {
    site: &'static Instance,
    ranks: usize,
}

impl TrafficReport {
    /// The report for this call, or `None` if nothing is printed.
    pub(super) fn of(call: &Call, site: &'static Instance) -> Option<TrafficReport> {
        let first = || call.context.this_rank().rank == 0 && !site.traffic_reported.swap(true, Ordering::Relaxed);
        (call.context.settings().explain && !call.alone() && first())
            .then(|| TrafficReport { site, ranks: call.context.ranks() })
    }

    fn print(&self, what: &str) {
        let TrafficReport { site, ranks } = self;
        eprintln!("`{}`, loop {}: rank 0 of {ranks} {what}", site.name, site.number + 1);
    }

    /// Reports the bytes of an array that this rank receives and sends before the loop: `requested` elements of a gather, or a halo.
    pub(super) fn fetched(&self, array: usize, received: usize, given: usize, requested: bool) {
        let name = self.site.arrays.get(array).copied().unwrap_or_default();
        let why = if requested { "the requested elements" } else { "elements of other shares that iterations access" };
        self.print(&format!("fetches {received} bytes of `{name}` ({why}) and gives {given}"));
    }

    /// Reports that the loop fetches nothing.
    pub(super) fn fetched_nothing(&self) {
        self.print("fetches nothing");
    }

    /// Reports the bytes of elements that iterations wrote to shares of other ranks, with their indices.
    pub(super) fn written(&self, array: usize, sent: u64, received: u64) {
        let name = self.site.arrays.get(array).copied().unwrap_or_default();
        self.print(&format!(
            "sends {sent} bytes that its iterations wrote to `{name}` elsewhere, and receives {received}"
        ));
    }
}
