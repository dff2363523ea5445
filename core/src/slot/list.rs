//! The arrays of a loop: a list of slots, and the addresses in them that its workers share.

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
    /// Slices with the proof that indices lie inside.
    type Fast<'w>;
    /// Views that check each index.
    type Checked<'w>;

    /// Lists every array in order.
    fn list<'s>(&'s mut self, to: &mut List<'s>);

    /// The arrays for iterations that touch only `hulls[k]` of array `k`.
    ///
    /// # Safety
    /// The windows are those of slots of these types, and open for `'w`; the iterations touch only `hulls`, which lie inside
    /// the windows; nothing else touches the hulls of written arrays meanwhile, nor writes those of read ones.
    unsafe fn fast<'w>(windows: &[Opened], hulls: &[Range<usize>]) -> Self::Fast<'w>;

    /// The arrays for any iterations.
    ///
    /// # Safety
    /// The windows are those of slots of these types, and open for `'w`, and no two iterations that run at the same time
    /// touch the same element if one of them writes it.
    unsafe fn checked<'w>(windows: &[Opened]) -> Self::Checked<'w>;
}

/// The arrays of a loop, whatever their elements.
#[derive(Default)]
#[allow(missing_debug_implementations)] // What it lists need not have it.
pub struct List<'s>(SmallVec<[&'s mut dyn Slot; 8]>);

impl<'s> List<'s> {
    /// Adds the next one.
    pub fn push(&mut self, slot: &'s mut dyn Slot) {
        self.0.push(slot);
    }

    /// The windows, once every array is open.
    pub(crate) fn windows(&self, windows: &mut Windows) {
        windows.clear();
        self.0.iter().for_each(|slot| slot.list_window(windows));
    }

    /// The memory of all arrays, for a device, once every array is open.
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

/// One array of a loop, whatever its element.
pub trait Slot {
    /// Where its elements are.
    fn place(&self) -> &Layout;

    /// Whether the loop writes it.
    fn writes(&self) -> bool;

    /// Whether any rank touches elements of another: `touched[r]` are the elements that rank `r` may touch.
    fn is_remote(&self, touched: &[Elements]) -> bool {
        let share = |rank: usize| self.place().share_of(rank);
        let inside = |(rank, elements): (usize, &Elements)| elements.count_inside(share(rank)) == elements.count();
        !self.place().everywhere && !touched.iter().enumerate().all(inside)
    }

    /// Gets ready an array that every rank has whole, of which this rank's iterations touch these elements.
    fn open_everywhere(&mut self, _: &Elements) {}

    /// Makes the window for what iterations touch, with room for what is to come of it from others.
    fn open(&mut self, _: &Context, _: &[Elements]) {}

    /// What this rank gives others before the loop: to whom, in rank order, and the elements, range by range. Either what is put
    /// into one message with all else for that rank, or what travels [as it lies](Way).
    fn gives(&self, context: &Context, need: Need<'_>, way: Way) -> Vec<(usize, Vec<Cow<'_, [u8]>>)>;

    /// What it gets from others: from whom, in rank order, and how many bytes.
    fn expects(&self, context: &Context, need: Need<'_>, way: Way) -> Vec<(usize, usize)>;

    /// Takes what came from these ranks, in rank order. Of what iterations touch, the window is open; of what they ask for, it is
    /// made now.
    fn take(&mut self, context: &Context, need: Need<'_>, received: &[(usize, &[u8])]);

    /// Where in the window the elements belong that are to come as they lie: from whom, and the room, range by range.
    ///
    /// # Safety
    /// The window is open, and nothing else refers to these elements as long as the room is used.
    #[allow(clippy::mut_from_ref, reason = "the window is an address, to which the slot has no reference of its own")]
    unsafe fn rooms(&self, _: &Context, _: Need<'_>) -> Vec<(usize, &mut [u8])> {
        Vec::new()
    }

    /// Notes what was fetched, of an array that the loop writes, once all of it is there: what differs later was written.
    fn note(&mut self, _: &Context, _: &[Elements]) {}

    /// Sends back what this rank's iterations wrote to elements of other ranks. Where no two ranks write the same one, `written`
    /// are those that each may write; else all that each touches is looked at for changes.
    fn close(&mut self, context: &Context, touched: &[Elements], written: Option<&[Elements]>);

    /// Lists the address of what is held of it, for the workers.
    fn list_window(&self, to: &mut Windows);

    /// The elements held that accesses are proved to lie among.
    fn held(&self) -> Range<usize>;

    /// Those that are there, where it does not hold all from the first to the last one.
    fn sparse(&self) -> Option<&Elements> {
        None
    }

    /// The memory that this rank's iterations touch, for a device.
    fn part(&self) -> Part<'_>;

    /// Makes the host's copy of the elements valid, and the only one where the loop writes.
    fn bring_back(&mut self);

    /// The version of the share, where it has one and the loop cannot change it.
    fn version(&self) -> Option<u64> {
        None
    }

    /// Tells the others what this rank's iterations ask for, and learns what they ask for.
    fn schedule(&self, _: &Context, _: Requested) -> Option<Schedule> {
        None
    }
}

/// How elements travel between two ranks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Way {
    /// All ranges in one message, with those of other arrays.
    Packed,
    /// Each range by itself, from where it lies to where it belongs: nothing is copied on the way.
    Direct,
}

impl Way {
    /// From so many bytes on, to leave out a copy is worth more than to leave out messages.
    const MANY: usize = 1 << 17;

    /// What a message costs, in bytes that could be copied meanwhile.
    const MESSAGE: usize = 1 << 14;

    /// The way of so many elements of this size, in so many ranges, from one rank to another: both know it.
    pub(super) fn of(elements: usize, ranges: usize, size: usize) -> Way {
        let bytes = elements * size;
        if bytes >= Way::MANY && bytes / ranges.max(1) >= Way::MESSAGE { Way::Direct } else { Way::Packed }
    }
}

/// What iterations need of an array.
#[derive(Debug, Clone, Copy)]
pub enum Need<'n> {
    /// What the footprints say: the elements that each rank may touch.
    Touched(&'n [Elements]),
    /// What the iterations ask for.
    Requested(&'n Schedule),
}

/// The addresses of a loop's arrays.
pub(crate) type Windows = SmallVec<[Opened; 8]>;

/// The address of an array of a loop, whatever its elements, shared by the workers.
#[derive(Debug, Clone, Copy)]
pub struct Opened {
    window: RawWindow,
    held: Held,
}

/// Which elements a window holds.
#[derive(Debug, Clone, Copy)]
enum Held {
    /// All from its first to its last one.
    All,
    /// Some ranges of them.
    Sparse,
    /// Single ones, packed: these words tell where they are, and only the checked form finds them.
    Single(*const Word, usize),
}

// SAFETY: it is an address; what may be done through it is decided where views are made of it.
unsafe impl Send for Opened {}

// SAFETY: as above.
unsafe impl Sync for Opened {}

impl Opened {
    /// Elements of a window: all from the first to the last one, or some that lie apart.
    pub(super) fn of(window: RawWindow, whole: bool) -> Self {
        Opened { window, held: if whole { Held::All } else { Held::Sparse } }
    }

    /// Whether the window holds all elements from its first to its last one.
    pub(super) fn is_whole(&self) -> bool {
        !matches!(self.held, Held::Sparse)
    }

    /// The elements that the words tell of.
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

    /// Where the elements are in the window, if it holds single ones.
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

/// Which of 64 elements are there, and how many are there before them.
#[derive(Debug, Clone, Copy)]
pub struct Word {
    pub(super) bits: u64,
    pub(super) before: usize,
}

impl Slots for () {
    type Fast<'w> = ();
    type Checked<'w> = ();
    fn list<'s>(&'s mut self, _: &mut List<'s>) {}
    unsafe fn fast<'w>(_: &[Opened], _: &[Range<usize>]) -> Self::Fast<'w> {}
    unsafe fn checked<'w>(_: &[Opened]) -> Self::Checked<'w> {}
}
