//! One run of a loop on a device: its inputs and its outcome.

use super::residence::Residence;
use forall_contract::{Cause, Program};

/// Gathered elements of other ranks, which are not consecutive in the array.
#[derive(Debug, Clone, Copy)]
pub struct Sparse<'a> {
    /// The address in host memory, if the elements are consecutive there.
    pub address: *const u8,
    /// The number of elements.
    pub count: usize,
    /// The runs of elements that are consecutive in the array: the global index of the first element, and the number of elements in all
    /// earlier runs. The last entry is [`u32::MAX`] with the total number.
    pub runs: &'a [[u32; 2]],
}

/// The part of an array that the iterations of a launch touch.
///
/// Elements of a resident share are in the memory that its [`Residence`] names. All other elements, such as the halo, are in host memory,
/// before and after the launch.
#[derive(Debug, Clone, Copy)]
pub struct Part<'a> {
    /// The address of its first element. For elements of the share, the content of host memory is undefined.
    pub address: *mut u8,
    /// The global index of that element.
    pub first: usize,
    /// The number of elements.
    pub count: usize,
    /// The array's global length.
    pub len: usize,
    /// The resident share that owns some of the elements, at least one.
    pub share: Option<Resident<'a>>,
    /// Further elements, of an array that is only read. The part is then this rank's share, or empty. Any other index raises
    /// [`Cause::Index`].
    pub sparse: Option<Sparse<'a>>,
    /// Whether fewer positions would touch about as many elements. If the part alone exceeds the limits of the device,
    /// [`Refusal::TooMuch`](super::Refusal::TooMuch) is then useless.
    pub whole: bool,
}

impl Part<'_> {
    /// Its elements, by their global indices.
    pub fn elements(&self) -> std::ops::Range<usize> {
        self.first..self.first + self.count
    }
}

/// A share that may stay on a device from one launch to the next.
#[derive(Debug, Clone, Copy)]
pub struct Resident<'a> {
    /// The copies of the share, and which of them are valid.
    pub residence: &'a Residence,
    /// The address of its first element.
    pub address: *mut u8,
    /// The global index of that element.
    pub first: usize,
    /// The number of elements.
    pub count: usize,
}

impl Resident<'_> {
    /// Its elements, by their global indices.
    pub fn elements(&self) -> std::ops::Range<usize> {
        self.first..self.first + self.count
    }
}

/// One loop of one call.
#[derive(Debug)]
pub struct Launch<'a> {
    /// The program to run.
    pub program: &'static Program,
    /// The positions of this rank's iterations.
    pub positions: std::ops::Range<usize>,
    /// The part of each array that the iterations touch.
    pub arrays: &'a [Part<'a>],
    /// Whether all indices are proved to lie inside the parts, so that no check is needed.
    pub proved: bool,
    /// Whether integer overflow raises [`Cause::Overflow`], as in builds with overflow checks; otherwise it wraps.
    pub overflow: bool,
    /// The values, one after the other, in Rust's representation.
    pub values: &'a [u8],
    /// The elements of the tables.
    pub tables: &'a [&'a [u8]],
    /// The initial bins of each histogram, in Rust's representation.
    pub bins: &'a [Vec<u8>],
    /// For a scan: the scan state before the first position, field by field, in Rust's representation. `None` means the identity.
    pub state: Option<&'a [u8]>,
    /// For a scan: compute only the totals of the levels up to this one. Nothing is written or pushed, and the fields of other levels are
    /// undefined. [`Launch::state`] has the scan states of the levels below.
    pub totals: Option<usize>,
    /// Whether the caller measures the launch. It then returns only after the device has finished.
    pub timed: bool,
}

/// The results of a launch, other than array elements.
#[derive(Debug, Default)]
pub struct Outcome {
    /// The chunk of all positions, field by field, in Rust's representation; for a scan also the chunk, not the final state.
    pub state: Vec<u8>,
    /// The pushed elements in the order of the iterations, in Rust's representation.
    pub pushes: Vec<Vec<u8>>,
    /// The bins of each histogram, in Rust's representation.
    pub bins: Vec<Vec<u8>>,
    /// The first position that panics, and the cause. The arrays are then unchanged, and all other results are undefined. If merging
    /// chunks panics, the position is the last one.
    pub raised: Option<(usize, Cause)>,
}

impl Outcome {
    /// The results for the accumulators.
    pub(crate) fn received(&self, program: &Program) -> Received<'_> {
        let at = self.state.len().saturating_sub(4 * program.counted);
        let (fields, wraps) = self.state.split_at(at);
        Received { fields, wraps, bins: self.bins.iter() }
    }
}

/// The chunk of all positions of a launch. Each accumulator takes its part, in order.
#[derive(Debug, Clone)]
pub struct Received<'o> {
    /// The fields of the state.
    pub fields: &'o [u8],
    /// The number of times that each sum wrapped around.
    pub wraps: &'o [u8],
    /// The histograms.
    pub bins: std::slice::Iter<'o, Vec<u8>>,
}
