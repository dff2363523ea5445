//! Ways to use a device, which all give the same results.

/// Ways to run kernels that are faster where they work. All give the same results.
#[doc(hidden)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ways {
    /// Workgroups take tiles of positions, where a program can.
    pub tiles: bool,
    /// The lanes of a subgroup hand what they fold to each other.
    pub subgroups: bool,
    /// Scans of what is exact in any order read their input once.
    pub look_back: LookBack,
}

/// Whether tiles look back.
#[doc(hidden)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum LookBack {
    /// They do not.
    No,
    /// They do.
    Yes,
    /// They do, and every third tile tells nothing, so that others have to help: for tests.
    Shy,
}

impl Ways {
    /// The abilities of every device.
    pub const ALL: Ways = Ways { tiles: true, subgroups: false, look_back: LookBack::No };
}

/// How much a device is to be used for at once, at the most.
#[doc(hidden)]
#[derive(Debug, Clone, Copy)]
pub struct Room {
    /// Bytes of an array that a kernel looks at.
    pub binding: u64,
    /// Bytes that lie together.
    pub buffer: u64,
    /// Workgroups in a row.
    pub groups: u32,
    /// Bytes for which it has memory left.
    pub memory: u64,
}

impl Default for Room {
    fn default() -> Self {
        Room { binding: u64::MAX, buffer: u64::MAX, groups: u32::MAX, memory: u64::MAX }
    }
}
