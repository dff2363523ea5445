//! Buffers that a launch uses, and which bytes of them are meant.

use wgpu::Buffer;

/// A buffer, and which bytes of it are meant.
#[derive(Debug, Clone)]
pub(super) struct Region {
    pub(super) buffer: Buffer,
    pub(super) from: u64,
    pub(super) bytes: u64,
}

impl Region {
    /// The first bytes of a buffer.
    pub(super) fn first(buffer: Buffer, bytes: u64) -> Self {
        Region { buffer, from: 0, bytes }
    }

    /// A window of it, of this size; the last one has what is left, and there is none beyond.
    pub(super) fn window(&self, number: u32, size: u64) -> Option<Self> {
        let skipped = u64::from(number) * size;
        let bytes = self.bytes.checked_sub(skipped).filter(|left| *left > 0)?.min(size);
        Some(Region { buffer: self.buffer.clone(), from: self.from + skipped, bytes })
    }
}

/// The loop's arrays in the memory of the device.
#[derive(Debug, Default)]
pub(super) struct Resident {
    pub(super) arrays: Vec<Region>,
    /// For each array, the element of its binding with which its part begins.
    pub(super) begin: Vec<u64>,
    /// For each array that iterations both read and write, what it was before.
    pub(super) before: Vec<Option<Region>>,
    pub(super) tables: Vec<Region>,
    /// Where the elements are that lie apart, and at which of these runs each array's begin.
    pub(super) runs: Option<Region>,
    pub(super) first_runs: Vec<usize>,
}
