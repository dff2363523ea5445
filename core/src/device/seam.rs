//! The interface of devices.

use super::launch::{Launch, Outcome};
use super::refusal::Refusal;
use super::sorting::Sorting;

/// The costs of a device, in picoseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Costs {
    /// The latency of a launch.
    pub launch: u64,
    /// The time to copy a byte to or from the device.
    pub byte: u64,
}

impl Default for Costs {
    /// An estimate, for a card on PCI Express.
    fn default() -> Self {
        Costs { launch: 50_000_000, byte: 100 }
    }
}

/// A processor with its own memory.
///
/// # Safety
/// The device writes and returns valid elements of the types and numbers in the program.
pub unsafe trait Device: Send + Sync {
    /// The name from the driver.
    fn name(&self) -> &str;

    /// Whether the host's processor simulates the device.
    fn simulated(&self) -> bool {
        false
    }

    /// The costs, measured once.
    fn costs(&self) -> Costs {
        Costs::default()
    }

    /// Whether a share of this size may stay in its memory.
    fn holds(&self, bytes: usize) -> bool {
        let _ = bytes;
        true
    }

    /// Runs a loop, and returns when its results are in host memory. Shares may stay on the device. If there are no other results and no
    /// iteration can panic, it may return before the device is done.
    ///
    /// # Safety
    /// Each part of [`Launch::arrays`] is valid memory of this number of elements with the types of the program. Nothing else accesses it
    /// concurrently, except readers of arrays that are only read.
    ///
    /// # Errors
    /// If the device cannot run it. Nothing is written then.
    unsafe fn run(&self, launch: &Launch<'_>) -> Result<Outcome, Refusal>;

    /// Sorts numbers. The result is in host memory, or stays on the device.
    ///
    /// # Safety
    /// The memory has this number of values of this size, which nothing else accesses concurrently. The share is that of the numbers, and
    /// there are as many indices.
    ///
    /// # Errors
    /// If the device cannot sort them. Nothing is written then.
    unsafe fn sort(&self, sorting: Sorting<'_>) -> Result<(), Refusal> {
        let _ = sorting;
        Err(Refusal::Cannot(format!("{} has no sort", self.name())))
    }
}
