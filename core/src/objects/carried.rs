//! The values that tasks keep over a cut.

use super::declared::{Accessed, Slot, Slots};
use super::requests::Outstanding;
use std::fmt;

/// The declarations that tasks take with them over a cut.
#[derive(Default)]
pub(super) struct Carried {
    pub slots: Slots,
    /// The accesses since the last barrier.
    pub accessed: Vec<Accessed>,
    /// The boxes that arrive while the next part of the tasks runs.
    pub outstanding: Outstanding,
}

impl Carried {
    /// The declarations of a task on the object at an address.
    pub fn take(&mut self, address: usize, task: usize) -> Slot {
        self.slots.remove(&(address, task)).unwrap_or_default()
    }
}

/// Shows the number of declarations.
impl fmt::Debug for Carried {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Carried").field("slots", &self.slots.len()).finish_non_exhaustive()
    }
}
