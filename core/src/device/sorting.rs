//! Numbers that a device sorts.

use super::residence::Residence;

/// Numbers of 32 or 64 bits, to be sorted by their words; what is equal keeps its order.
#[derive(Debug)]
pub struct Sorting<'a> {
    /// Where the first one is in the host's memory.
    pub address: *mut u8,
    /// How many there are.
    pub count: usize,
    /// How many bytes one has: 4 or 8.
    pub size: usize,
    /// Whether they may stay on the device: then they are where this says, and the sorted ones stay there.
    pub share: Option<&'a Residence>,
    /// How they become words, whose order as unsigned numbers is the one that is wanted.
    pub words: Words,
    /// For each place of the sorted whole, where the number there was. Then this alone is wanted, and the numbers stay as they are.
    pub places: Option<&'a mut [u32]>,
}

/// How the bits of a number become its word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Words {
    /// What flips where the highest bit is set; not that bit itself.
    pub flips: u64,
    /// What flips always.
    pub sign: u64,
}
