//! The seam to a processor with a memory of its own.

use super::launch::{Launch, Outcome};
use super::refusal::Refusal;
use super::sorting::Sorting;

/// What it takes to use a device, in picoseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Costs {
    /// To start a launch, and to learn that it is done.
    pub launch: u64,
    /// To move a byte there or back.
    pub byte: u64,
}

impl Default for Costs {
    /// A guess: that of a card on a bus.
    fn default() -> Self {
        Costs { launch: 50_000_000, byte: 100 }
    }
}

/// A processor with a memory of its own.
///
/// # Safety
/// What a device writes and gives back is taken for elements of the types that the program says, as many as it says.
pub unsafe trait Device: Send + Sync {
    /// As the driver names it.
    fn name(&self) -> &str;

    /// Whether the host's own processor plays the device.
    fn simulated(&self) -> bool {
        false
    }

    /// What it takes to use it, measured once.
    fn costs(&self) -> Costs {
        Costs::default()
    }

    /// Whether a share of so many bytes may stay in its memory.
    fn holds(&self, bytes: usize) -> bool {
        let _ = bytes;
        true
    }

    /// Runs a loop, and returns when its results are in the host's memory, but for shares that stay on the device: where
    /// there is nothing else, and no iteration can raise anything, it may return before the device is done.
    ///
    /// # Safety
    /// Each part of [`Launch::arrays`] is memory of that many elements, which nothing else touches meanwhile; those of arrays
    /// that are not written may be shared with readers. Elements have the types that the program says.
    ///
    /// # Errors
    /// Where the device cannot run it; then nothing was written.
    unsafe fn run(&self, launch: &Launch<'_>) -> Result<Outcome, Refusal>;

    /// Sorts numbers, and returns when they are sorted in the host's memory, or stay on the device.
    ///
    /// # Safety
    /// There are that many numbers of that size, which nothing else touches meanwhile; the share is theirs; places are as many.
    ///
    /// # Errors
    /// Where the device cannot: then nothing was written.
    unsafe fn sort(&self, sorting: Sorting<'_>) -> Result<(), Refusal> {
        let _ = sorting;
        Err(Refusal::Cannot(format!("{} has no sort", self.name())))
    }
}
