//! Sorting requests for a device.

use super::residence::Residence;

/// Numbers of 32 or 64 bits, for a stable sort by their words.
#[derive(Debug)]
pub struct Sorting<'a> {
    /// The address of the first number in host memory.
    pub address: *mut u8,
    /// The number of values.
    pub count: usize,
    /// The size of a value in bytes: 4 or 8.
    pub size: usize,
    /// The share, if it may stay on the device. The sorted numbers then stay there, too.
    pub share: Option<&'a Residence>,
    /// The order-preserving conversion to unsigned words.
    pub words: Words,
    /// If given, receives the sorting permutation: for each sorted position the original index. The numbers then stay unchanged.
    pub places: Option<&'a mut [u32]>,
}

/// The conversion of a number's bits to its word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Words {
    /// The bits that flip if the highest bit is set, except that bit itself.
    pub flips: u64,
    /// The bits that always flip.
    pub sign: u64,
}
