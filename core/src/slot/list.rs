//! The arrays of a loop as a list of slots, and the windows that its workers share.

use crate::data::{Elements, Layout};
use crate::device::Part;
use crate::gather::requested::Requested;
use crate::gather::schedule::Schedule;
use crate::runtime::Context;
use crate::view::{RawWindow, Window};
use smallvec::SmallVec;
use std::borrow::Cow;
use std::ops::{Deref, DerefMut, Range};

/// The arrays of a loop: nested pairs of slots, `(x, (out, ()))`.
pub trait Slots {
    /// Whether a loop sets elements of any array without reading them: see [`Slot::sets`].
    const SETS: bool;
    /// Views without bounds checks, with the proof that all indices are inside.
    type Fast<'w>;
    /// Views with bounds checks.
    type Checked<'w>;

    /// Lists all arrays in order.
    fn list<'s>(&'s mut self, to: &mut List<'s>);

    /// Views for iterations that access only `hulls[k]` of array `k`.
    ///
    /// # Safety
    /// The windows belong to slots of these types, and are open for `'w`. The iterations access only `hulls`, which are inside the windows.
    /// Nothing else accesses the hulls of written arrays, or writes the hulls of read ones.
    unsafe fn fast<'w>(windows: &[Opened], hulls: &[Range<usize>]) -> Self::Fast<'w>;

    /// Views for any iterations.
    ///
    /// # Safety
    /// The windows belong to slots of these types, and are open for `'w`. There are no data races: no two concurrent iterations access the
    /// same element if one of them writes it.
    unsafe fn checked<'w>(windows: &[Opened]) -> Self::Checked<'w>;
}

/// The arrays of a loop, with the types of their elements erased.
#[derive(Default)]
#[allow(missing_debug_implementations)] // Its items need not implement it.
pub struct List<'s>(SmallVec<[&'s mut dyn Slot; 8]>);

impl<'s> List<'s> {
    /// Appends an array.
    pub fn push(&mut self, slot: &'s mut dyn Slot) {
        self.0.push(slot);
    }

    /// The windows of all arrays, which are open.
    pub(crate) fn windows(&self, windows: &mut Windows) {
        windows.clear();
        self.0.iter().for_each(|slot| slot.list_window(windows));
    }

    /// The memory of all arrays, which are open, for a device.
    pub(crate) fn parts(&self) -> Vec<Part<'_>> {
        self.0.iter().map(|slot| slot.part()).collect()
    }
}

impl<'s> Deref for List<'s> {
    type Target = [&'s mut dyn Slot];

    fn deref(&self) -> &Self::Target {
        &self.0
    }
}

impl DerefMut for List<'_> {
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut self.0
    }
}

/// One array of a loop, with the type of its elements erased.
pub trait Slot {
    /// The layout of the array over the ranks.
    fn place(&self) -> &Layout;

    /// Whether the loop writes the array.
    fn writes(&self) -> bool;

    /// The number of elements that each iteration sets before it reads any, if it accesses no others; otherwise 0.
    fn sets(&self) -> usize {
        0
    }

    /// The size of an element in bytes.
    fn element_size(&self) -> usize;

    /// Whether any rank touches remote elements; rank `r` may touch `touched[r]`.
    fn is_remote(&self, touched: &[Elements]) -> bool {
        let share = |rank: usize| self.place().share_of(rank);
        let inside = |(rank, elements): (usize, &Elements)| elements.count_inside(share(rank)) == elements.count();
        !self.place().everywhere && !touched.iter().enumerate().all(inside)
    }

    /// Prepares a replicated array. This rank's iterations touch these elements of it.
    fn open_everywhere(&mut self, _: &Elements) {}

    /// Makes the window for the touched elements, with space for the halo.
    fn open(&mut self, _: &Context, _: &[Elements]) {}

    /// The elements that this rank sends before the loop, [packed or directly](Way): the receivers in rank order, and the elements range by
    /// range.
    fn outgoing(&self, context: &Context, need: Need<'_>, way: Way) -> Vec<(usize, Vec<Cow<'_, [u8]>>)>;

    /// The senders in rank order, and the number of bytes from each.
    fn expects(&self, context: &Context, need: Need<'_>, way: Way) -> Vec<(usize, usize)>;

    /// Stores the elements from these ranks, in rank order. The window for a halo is open; the window for gathered elements is made now.
    fn take(&mut self, context: &Context, need: Need<'_>, received: &[(usize, &[u8])]);

    /// The destinations of direct messages in the window: the senders, and the memory range by range.
    ///
    /// # Safety
    /// The window is open, and nothing else refers to these elements while the result is used.
    #[allow(clippy::mut_from_ref, reason = "the window is an address, to which the slot has no reference of its own")]
    unsafe fn buffers(&self, _: &Context, _: Need<'_>) -> Vec<(usize, &mut [u8])> {
        Vec::new()
    }

    /// Copies the fetched elements of an array that the loop writes. A later comparison shows which ones were written.
    fn note(&mut self, _: &Context, _: &[Elements]) {}

    /// Sends remote writes to the owners. If no two ranks write the same element, `written` has the elements that each rank may write.
    /// Otherwise the touched elements are compared with their copies.
    fn close(&mut self, context: &Context, touched: &[Elements], written: Option<&[Elements]>);

    /// Lists the window for the workers.
    fn list_window(&self, to: &mut Windows);

    /// The range of elements in the window that proofs may rely on.
    fn held(&self) -> Range<usize>;

    /// The elements in the window, if it has gaps.
    fn sparse(&self) -> Option<&Elements> {
        None
    }

    /// The memory that this rank's iterations access, for a device.
    fn part(&self) -> Part<'_>;

    /// Makes the host's copy valid; if the loop writes, also invalidates the device's copy.
    fn bring_back(&mut self);

    /// The version of the share, if it has one and the loop cannot change it.
    fn version(&self) -> Option<u64> {
        None
    }

    /// Exchanges the requested indices with the other ranks, and computes the schedule.
    fn schedule(&self, _: &Context, _: Requested) -> Option<Schedule> {
        None
    }
}

/// How elements travel between two ranks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Way {
    /// All ranges in one message, together with other arrays.
    Packed,
    /// A message for each range, without copies.
    Direct,
}

impl Way {
    /// From this size on, avoiding copies saves more time than avoiding messages.
    const MANY: usize = 1 << 17;

    /// The cost of a message, as the number of bytes that can be copied in this time.
    const MESSAGE: usize = 1 << 14;

    /// The way of elements of this size in this number of ranges. Both ranks compute the same.
    pub(super) fn of(elements: usize, ranges: usize, size: usize) -> Way {
        let bytes = elements * size;
        if bytes >= Way::MANY && bytes / ranges.max(1) >= Way::MESSAGE { Way::Direct } else { Way::Packed }
    }
}

/// The elements of an array that iterations need.
#[derive(Debug, Clone, Copy)]
pub enum Need<'n> {
    /// By footprint: the elements that each rank may touch.
    Touched(&'n [Elements]),
    /// By inspector: the requested elements.
    Requested(&'n Schedule),
}

/// The windows of a loop's arrays.
pub(crate) type Windows = SmallVec<[Opened; 8]>;

/// The window of an array, shared by the workers, with the type of its elements erased.
#[derive(Debug, Clone, Copy)]
pub struct Opened {
    window: RawWindow,
    held: Held,
}

/// The elements that a window holds.
#[derive(Debug, Clone, Copy)]
enum Held {
    /// All elements, without gaps.
    All,
    /// Ranges with gaps between them.
    Sparse,
    /// Single elements, packed. These words locate them; only the checked view uses them.
    Single(*const Word, usize),
}

// SAFETY: it is only an address; making a view of it is unsafe.
unsafe impl Send for Opened {}

// SAFETY: as above.
unsafe impl Sync for Opened {}

impl Opened {
    /// A window without gaps if `whole`, otherwise with gaps.
    pub(crate) fn of(window: RawWindow, whole: bool) -> Self {
        Opened { window, held: if whole { Held::All } else { Held::Sparse } }
    }

    /// The window with the type of its elements erased.
    pub(crate) fn raw(&self) -> RawWindow {
        self.window
    }

    /// Whether the window has no gaps.
    pub(super) fn is_whole(&self) -> bool {
        !matches!(self.held, Held::Sparse)
    }

    /// A window of single elements, which these words locate.
    pub(super) fn packed(window: RawWindow, words: &[Word]) -> Self {
        let held = if words.is_empty() { Held::All } else { Held::Single(words.as_ptr(), words.len()) };
        Opened { window, held }
    }

    /// Whether the window holds single elements.
    pub(crate) fn is_scattered(&self) -> bool {
        matches!(self.held, Held::Single(..))
    }

    /// The window of elements of this type.
    #[inline]
    pub(super) fn window<T>(&self) -> Window<T> {
        self.window.of()
    }

    /// The words of a window of single elements.
    ///
    /// # Safety
    /// The array is open for `'w`.
    #[inline]
    pub(super) unsafe fn words<'w>(&self) -> Option<&'w [Word]> {
        match self.held {
            // SAFETY: the words live as long as the window.
            Held::Single(first, count) => Some(unsafe { std::slice::from_raw_parts(first, count) }),
            Held::All | Held::Sparse => None,
        }
    }
}

/// The bits of 64 elements, and the number of elements before them.
#[derive(Debug, Clone, Copy)]
pub struct Word {
    pub(super) bits: u64,
    pub(super) before: usize,
}

impl Slots for () {
    const SETS: bool = false;
    type Fast<'w> = ();
    type Checked<'w> = ();
    fn list<'s>(&'s mut self, _: &mut List<'s>) {}
    unsafe fn fast<'w>(_: &[Opened], _: &[Range<usize>]) -> Self::Fast<'w> {}
    unsafe fn checked<'w>(_: &[Opened]) -> Self::Checked<'w> {}
}
