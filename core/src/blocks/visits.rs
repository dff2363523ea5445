//! The visits of a loop to a block.

use std::sync::atomic::{AtomicBool, Ordering};

/// The visits of a loop to a block.
#[derive(Debug, Default)]
pub(super) struct Visits {
    /// Whether the current wave visits the block.
    due: AtomicBool,
    /// Whether the block has been visited before.
    again: AtomicBool,
    /// Whether messages have arrived since the wave began.
    arrived: AtomicBool,
    /// Whether the block has taken messages since the wave began.
    took: AtomicBool,
}

impl Visits {
    pub(super) fn arrived(&self) {
        self.arrived.store(true, Ordering::Relaxed);
    }

    pub(super) fn took(&self) {
        self.took.store(true, Ordering::Relaxed);
    }

    /// Whether the current wave visits the block.
    pub(super) fn are_due(&self) -> bool {
        self.due.load(Ordering::Relaxed)
    }

    /// Whether the loop visits the block for the first time.
    pub(super) fn are_first(&self) -> bool {
        !self.again.load(Ordering::Relaxed)
    }

    /// Whether the next wave visits the block: messages have arrived, or it has left some of those that it took. `left` says whether there are
    /// messages.
    pub(super) fn are_due_again(&self, left: impl FnOnce() -> bool) -> bool {
        self.arrived.load(Ordering::Relaxed) || self.took.load(Ordering::Relaxed) && left()
    }

    /// Begins a wave.
    pub(super) fn begin(&self, is_due: bool, again: bool) {
        self.due.store(is_due, Ordering::Relaxed);
        self.again.store(again, Ordering::Relaxed);
        self.arrived.store(false, Ordering::Relaxed);
        self.took.store(false, Ordering::Relaxed);
    }
}
