//! One run of a loop on a device: what it is given, and what it leaves.

use super::residence::Residence;
use forall_contract::{Cause, Program};

/// Elements of an array that other ranks own and that do not lie beside each other: this rank's iterations asked for them.
#[derive(Debug, Clone, Copy)]
pub struct Sparse<'a> {
    /// Where they are in the host's memory, one after the other.
    pub address: *const u8,
    /// How many there are.
    pub count: usize,
    /// Where elements follow each other in the array, in order: the global index of the first one, and how many there are
    /// in all runs before. At the end there is [`u32::MAX`] with how many there are in all.
    pub runs: &'a [[u32; 2]],
}

/// The part of an array that the iterations of a launch touch.
///
/// Some of its elements may belong to a share that stays on the device: these are where the share's [`Residence`] says. All
/// others, such as a halo on one side of the share or both, are in the host's memory, before the launch and after it.
#[derive(Debug, Clone, Copy)]
pub struct Part<'a> {
    /// Where its first element is. Where the share has elements of the part, the host's memory may hold anything.
    pub address: *mut u8,
    /// The global index of that element.
    pub first: usize,
    /// How many elements there are.
    pub count: usize,
    /// The array's global length.
    pub len: usize,
    /// The share that has some of the elements, at least one, and that may stay on the device.
    pub share: Option<Resident<'a>>,
    /// Further elements, of an array that is not written: then the part is this rank's share, or nothing. An index that is
    /// neither here nor there raises [`Cause::Index`].
    pub sparse: Option<Sparse<'a>>,
    /// Whether fewer positions touch about as much of it: then [`Refusal::TooMuch`](super::Refusal::TooMuch) is of no use where the part alone is more
    /// than the device looks at at once.
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
    /// Which of its copies are valid, and the device's one.
    pub residence: &'a Residence,
    /// Where its first element is.
    pub address: *mut u8,
    /// The global index of that element.
    pub first: usize,
    /// How many elements there are.
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
    /// What to run.
    pub program: &'static Program,
    /// The positions of this rank's iterations.
    pub positions: std::ops::Range<usize>,
    /// For each array, what the iterations touch.
    pub arrays: &'a [Part<'a>],
    /// Whether all indices are proved to lie inside of the parts, so that they need not be checked.
    pub proved: bool,
    /// Whether sums of integers that are out of range raise [`Cause::Overflow`], as in builds that check it; else they wrap.
    pub overflow: bool,
    /// The values, one after the other, as Rust holds them.
    pub values: &'a [u8],
    /// The elements of the tables.
    pub tables: &'a [&'a [u8]],
    /// For each histogram what its bins start from, as Rust holds them.
    pub bins: &'a [Vec<u8>],
    /// Where the loop is a scan, the running value before the first position, field after field, as Rust holds them; nothing
    /// for the identity. Other loops have none.
    pub state: Option<&'a [u8]>,
    /// Find out the totals of the levels up to this one alone, where the loop is a scan: nothing is written or pushed, and
    /// the fields of other levels mean nothing. The running values of the levels below are those of [`Launch::state`].
    pub totals: Option<usize>,
    /// Whether the caller takes the time of the launch: then it ends when the device is done, even where there is nothing to
    /// wait for.
    pub timed: bool,
}

/// What a launch leaves beside what it wrote to the arrays.
#[derive(Debug, Default)]
pub struct Outcome {
    /// The chunk of all positions, field after field, as Rust holds them: of a scan too, not the value after the last one.
    pub state: Vec<u8>,
    /// What was pushed, in the order of the iterations: the elements as Rust holds them.
    pub pushes: Vec<Vec<u8>>,
    /// The bins of each histogram, as Rust holds them.
    pub bins: Vec<Vec<u8>>,
    /// The first position that panics in Rust, and why. Then the arrays are as they were, and the rest of this is of no use.
    /// Where it is the merging of chunks that panics, the position is the last.
    pub raised: Option<(usize, Cause)>,
}

impl Outcome {
    /// What accumulators receive of it.
    pub(crate) fn received(&self, program: &Program) -> Received<'_> {
        let at = self.state.len().saturating_sub(4 * program.counted);
        let (fields, wraps) = self.state.split_at(at);
        Received { fields, wraps, bins: self.bins.iter() }
    }
}

/// The chunk of all positions of a launch, which each accumulator takes its part of, in their order.
#[derive(Debug, Clone)]
pub struct Received<'o> {
    /// The fields of the state.
    pub fields: &'o [u8],
    /// How often sums wrapped around.
    pub wraps: &'o [u8],
    /// The histograms.
    pub bins: std::slice::Iter<'o, Vec<u8>>,
}
