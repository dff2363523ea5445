//! The shape in which a program runs on a device, and which of its texts that needs.

use crate::library::Native;
use crate::ways::LookBack;
use forall_core::device::Program;

/// The purpose of a run of the body.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Pass {
    /// For what it adds to the running values of a level: nothing is pushed, and nothing stored for good.
    Total(usize),
    /// For how many elements it pushes: nothing is stored for good.
    Count,
    /// For all that it does.
    Iterate,
}

/// Which of the texts that a program has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Variant {
    pub pass: Pass,
    /// See [`forall_core::device::Launch::proved`].
    pub proved: bool,
    /// See [`forall_core::device::Launch::overflow`].
    pub overflow: bool,
    /// A bit for each array whose elements lie apart.
    pub apart: u64,
    /// How many windows there are to each array, and to each table; to the runs, too, after all tables.
    pub arrays: Windows,
    pub tables: Windows,
}

/// Through how many windows kernels look at each of several arrays, where these are too long for one: a few bits for each.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub(crate) struct Windows(u64);

impl Windows {
    const BITS: usize = 4;

    /// The most that there are to an array.
    pub(crate) const MOST: u64 = 1 << Self::BITS;

    /// So many for each of them; `None` where that is too many, of too many arrays.
    pub(crate) fn new(counts: impl Iterator<Item = u64>) -> Option<Windows> {
        counts.enumerate().filter(|(_, count)| *count > 1).try_fold(Windows::default(), |all, (number, count)| {
            let fits = count <= Self::MOST && (number + 1) * Self::BITS <= u64::BITS as usize;
            fits.then(|| Windows(all.0 | (count - 1) << (number * Self::BITS)))
        })
    }

    /// How many the array with this number has.
    pub(crate) fn of(self, number: usize) -> u32 {
        let shifted = u32::try_from(number * Self::BITS).ok().and_then(|shift| self.0.checked_shr(shift)).unwrap_or(0);
        (shifted & ((1 << Self::BITS) - 1)) as u32 + 1
    }
}

impl Variant {
    pub(crate) fn is_apart(self, array: usize) -> bool {
        array < 64 && self.apart >> array & 1 == 1
    }
}

/// An array has fewer than twice this power of two runs of elements that lie apart.
pub(crate) const LONGEST_SEARCH: u32 = 25;

/// The shape in which a program runs on a device.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Shape {
    /// Which positions an invocation takes.
    pub walk: Walk,
    /// Invocations of a workgroup in a pass.
    pub group: u32,
    /// Positions of an invocation.
    pub each: u32,
    /// Invocations of a workgroup in the tree.
    pub fold: u32,
    /// How many turns of loops an invocation may have, where they are counted.
    pub turns: Option<u32>,
    /// How many words of histograms a workgroup has room for; none where they are put into the device's memory at once.
    pub shared: u32,
    /// Whether sizes and values are few enough to be held where all invocations read the same.
    pub uniform: bool,
    /// Whether the lanes of a subgroup hand what they fold to each other.
    pub subgroups: bool,
    /// Whether the tiles of a scan look back, instead of a pass for their totals.
    pub look_back: LookBack,
    /// The operations that the device computes as Rust does.
    pub native: Native,
    /// The size of a window, as a power of two of bytes.
    pub window: u32,
}

impl Shape {
    /// How many positions leave a leaf.
    pub(crate) fn span(self) -> u32 {
        match self.walk {
            Walk::Tiles => self.group * self.each,
            Walk::Runs => self.each,
        }
    }
}

/// Which positions an invocation takes: see [`kernels`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Walk {
    /// Those of a tile that are as far apart as there are lanes.
    Tiles,
    /// Some that follow each other.
    Runs,
}

/// Mesa's software devices end a shader, without an error, after 65,535 turns of all loops together. Each turn of one lane
/// counts for the vector that it is in, which has 8 lanes or fewer. Some are left to the kernels' own loops.
pub(crate) const TURNS: u32 = 65_535 / 8 - 256;

/// For a lane that is alone.
pub(crate) const TURNS_ALONE: u32 = 65_535 - 512;

/// Whether the loop needs a state at all.
pub(crate) fn folds(program: &Program) -> bool {
    !program.state.is_empty()
}

/// The result of a pass for each invocation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Leaf {
    Nothing,
    State,
    Counts,
}

/// The result of this pass of the program.
pub(crate) fn leaf(program: &Program, pass: Pass) -> Leaf {
    match pass {
        Pass::Total(_) => Leaf::State,
        Pass::Count => Leaf::Counts,
        Pass::Iterate if folds(program) && !program.running => Leaf::State,
        Pass::Iterate => Leaf::Nothing,
    }
}

/// The type of a fold, its identity, and its operator, in order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Monoid {
    pub(crate) of: &'static str,
    pub(crate) none: &'static str,
    pub(crate) merge: &'static str,
}

pub(crate) const STATES: Monoid = Monoid { of: "State", none: "fa_identity()", merge: "fa_merge" };

pub(crate) const COUNTS: Monoid = Monoid { of: "fa_Counts", none: "fa_Counts()", merge: "fa_merge_counts" };

impl Monoid {
    /// Of these leaves, where there are some.
    pub(crate) fn of(leaf: Leaf) -> Option<Monoid> {
        match leaf {
            Leaf::Nothing => None,
            Leaf::State => Some(STATES),
            Leaf::Counts => Some(COUNTS),
        }
    }
}
