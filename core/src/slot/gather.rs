//! A slot for a gathered array: `x[index[i]]`.

use super::exchange::{Fetched, PackedBuffer, SeparateBuffer, assemble, put};
use super::list::{List, Need, Opened, Slot, Slots, Way, Windows, Word};
use crate::comm::collective;
use crate::data::{Elements, Layout, LocalBytes, overlap, pick};
use crate::device::{self, Part};
use crate::element::Element;
use crate::gather::message::{request_range, requested_elements};
use crate::gather::requested::{Requested, ones};
use crate::gather::schedule::Schedule;
use crate::grid::Linear;
use crate::out_of_line::{OutOfLine, drop_here};
use crate::parameter::{Input, Output};
use crate::runtime::Context;
use crate::view::{PartOfSlice, RawWindow, Window, no_such_part};
use std::borrow::Cow;
use std::marker::PhantomData;
use std::ops::{Index, Range, RangeFrom, RangeFull, RangeInclusive, RangeTo, RangeToInclusive};

/// An array that a loop reads at indices that depend on data.
#[derive(Debug)]
pub struct GatherSlot<'a, T>(OutOfLine<GatheredArray<'a>>, PhantomData<&'a [T]>);

/// The same with the type of its elements erased.
#[derive(Debug)]
struct GatheredArray<'a> {
    local: LocalBytes<'a>,
    place: &'a Layout,
    window: RawWindow,
    /// Memory for a window that does not fit into the halo of the share's allocation.
    buffer: SeparateBuffer,
    /// Memory for a window of single elements, packed.
    packed: PackedBuffer,
    /// For a packed window: the bits that locate each element.
    words: Vec<Word>,
    /// Where this rank's own elements are missing in the packed window, until a worker needs them: a device has them.
    missing: Option<usize>,
    /// For a device that may have the share: the elements of other ranks, consecutive.
    others: Vec<u8>,
    /// For a device: the runs of `others`, or of all requested elements if the share cannot stay on the device.
    runs: Vec<[u32; 2]>,
    /// Whether fetched elements are cached for later calls, because the function does not write the array.
    cached: bool,
}

impl<T: Element> Input<'_, T> {
    /// The slot for a loop that gathers from the array.
    #[inline]
    pub fn gather_slot(&self) -> GatherSlot<'_, T> {
        GatherSlot(GatheredArray::over(self.local().as_bytes(), self.place(), true), PhantomData)
    }
}

impl<T: Element> Output<'_, T> {
    /// The slot for a loop that only gathers from the array.
    #[inline]
    pub fn gather_slot(&self) -> GatherSlot<'_, T> {
        GatherSlot(GatheredArray::over(self.local().as_bytes(), self.place(), false), PhantomData)
    }
}

drop_here!(GatheredArray<'_>);

impl<'a> GatheredArray<'a> {
    #[inline]
    fn over(local: LocalBytes<'a>, place: &'a Layout, cached: bool) -> OutOfLine<Self> {
        let (first, end, size) = (place.offset, place.offset + local.len(), local.element().size());
        let (words, others, runs) = (Vec::new(), Vec::new(), Vec::new());
        OutOfLine::new(GatheredArray {
            local,
            place,
            window: RawWindow::new(local.address(), first, end, place.len, size),
            buffer: SeparateBuffer::new(),
            packed: PackedBuffer::new(),
            words,
            missing: None,
            others,
            runs,
            cached,
        })
    }
}

impl GatheredArray<'_> {
    /// Packs the requested elements, in order.
    fn pack(&mut self, requested: &Requested, fetched: &[Fetched<'_>], for_device: bool) {
        let share = self.place.offset..self.place.offset + self.local.len();
        let (below, above) = fetched.split_at(fetched.partition_point(|(range, _)| range.start < share.start));
        let (element, size) = (self.local.element(), self.local.element().size());
        let own = requested.count(share.clone());
        let mut before = 0;
        let words = (0..requested.words()).map(|number| {
            let word = Word { bits: requested.word(number), before };
            before += word.bits.count_ones() as usize;
            word
        });
        self.words = words.collect();
        self.packed = PackedBuffer::with_capacity(before, element);
        let mut at = 0;
        let mut others = |part: &[Fetched<'_>], packed: &mut PackedBuffer, gap: usize| {
            for (_, elements) in part {
                packed.bytes()[at..at + elements.len()].copy_from_slice(elements);
                at += elements.len();
            }
            let place = at;
            at += gap;
            place
        };
        self.missing = Some(others(below, &mut self.packed, own * size));
        others(above, &mut self.packed, 0);
        self.window = self.packed.window(before, self.place.len, size);
        if !self.local.is_away() {
            self.complete();
        }
        if for_device && self.local.may_stay() {
            self.others = fetched.iter().flat_map(|(_, elements)| *elements).copied().collect();
            self.runs = requested.runs([0..share.start, share.end..self.place.len]);
        } else if for_device {
            self.runs = requested.runs([0..self.place.len, 0..0]);
        }
    }

    /// Copies this rank's own elements to the packed window.
    fn complete(&mut self) {
        let Some(at) = self.missing.take() else { return };
        let (share, elements) = (self.place.offset..self.place.offset + self.local.len(), self.local.all());
        let own = ones(|word: usize| self.words[word].bits, share.clone()).map(|index| index - share.start);
        pick(elements, self.local.element().size(), own, &mut self.packed.bytes()[at..]);
    }
}

impl Slot for GatheredArray<'_> {
    fn place(&self) -> &Layout {
        self.place
    }

    fn writes(&self) -> bool {
        false
    }

    fn element_size(&self) -> usize {
        self.local.element().size()
    }

    fn list_window(&self, to: &mut Windows) {
        to.push(Opened::packed(self.window, &self.words));
    }

    fn held(&self) -> Range<usize> {
        // Each access is checked.
        0..0
    }

    fn is_remote(&self, _: &[Elements]) -> bool {
        // The requested elements are fetched; the footprint does not matter.
        false
    }

    fn part(&self) -> Part<'_> {
        let share = self.local.held(self.place.offset);
        if self.runs.is_empty() {
            return self.window.part(share);
        }
        let count_of_others = self.others.len() / self.local.element().size().max(1);
        let ((own, address), count) = match share {
            Some(_) => ((self.local.len(), self.others.as_ptr()), count_of_others),
            None => ((0, self.window.element(0).cast_const()), self.window.held().len()),
        };
        Part {
            address: self.local.address(),
            first: self.place.offset,
            count: own,
            len: self.place.len,
            share,
            sparse: Some(device::Sparse { address, count, runs: &self.runs }),
            whole: true,
        }
    }

    fn bring_back(&mut self) {
        self.local.all();
        self.buffer.complete(&self.window, &self.local, self.place.offset);
        self.complete();
    }

    fn close(&mut self, _: &Context, _: &[Elements], _: Option<&[Elements]>) {}

    fn version(&self) -> Option<u64> {
        if self.cached { self.local.version() } else { None }
    }

    fn schedule(&self, context: &Context, requested: Requested) -> Option<Schedule> {
        let me = context.this_rank().rank;
        let hull = requested.hull();
        // Elements that are close together are fetched as a range, and accessed without a search.
        let dense = 2 * requested.count(hull.clone()) >= hull.len();
        let (mut requests, mut wanted) = (Vec::new(), Vec::new());
        for owner in 0..context.this_rank().ranks {
            let share = self.place.share_of(owner);
            let range = overlap(&hull, &share);
            let count = if dense { range.len() } else { requested.count(range.clone()) };
            requests.push(match owner == me {
                true => Vec::new(),
                false if dense => request_range(&range, &share),
                false => requested.request(&share, count),
            });
            if owner != me && count > 0 {
                wanted.push((owner, range, count));
            }
        }
        let requests = collective::all_to_all(context.comm(), &requests);
        Some(Schedule { requested, hull, dense, wanted, requests })
    }

    fn outgoing(&self, _: &Context, need: Need<'_>, way: Way) -> Vec<(usize, Vec<Cow<'_, [u8]>>)> {
        let (Need::Requested(Schedule { requests, .. }), Way::Packed) = (need, way) else { return Vec::new() };
        let requested = requests.iter().enumerate().filter(|(_, request)| !request.is_empty());
        requested.map(|(rank, request)| (rank, vec![Cow::Owned(requested_elements(request, &self.local))])).collect()
    }

    fn expects(&self, _: &Context, need: Need<'_>, way: Way) -> Vec<(usize, usize)> {
        let (Need::Requested(Schedule { wanted, .. }), Way::Packed) = (need, way) else { return Vec::new() };
        wanted.iter().map(|(owner, _, count)| (*owner, count * self.local.element().size())).collect()
    }

    fn take(&mut self, context: &Context, need: Need<'_>, received: &[(usize, &[u8])]) {
        let Need::Requested(Schedule { requested, hull, dense, wanted, .. }) = need else { return };
        if self.local.element().size() == 0 {
            // Elements of size zero need no memory.
            self.window = RawWindow::new(self.local.address(), 0, self.place.len, self.place.len, 0);
            return;
        }
        let ranges = wanted.iter().map(|(_, range, _)| range.clone());
        let fetched: Vec<Fetched<'_>> = ranges.zip(received.iter().map(|(_, bytes)| *bytes)).collect();
        if !dense {
            let for_device = context.node().may_have_device() && self.place.len < u32::MAX as usize;
            self.pack(requested, &fetched, for_device);
        } else if !received.is_empty() {
            let window = assemble(self.place, &self.local, &hull.clone().into(), &mut self.buffer);
            // SAFETY: the ranges belong to other ranks and are inside the hull, and no worker runs yet.
            unsafe { put(&window, fetched.into_iter()) };
            self.window = window;
        }
    }
}

impl<T: Element, Tail: Slots> Slots for (GatherSlot<'_, T>, Tail) {
    const SETS: bool = Tail::SETS;
    type Fast<'w> = (Gathered<'w, T, false>, Tail::Fast<'w>);
    type Checked<'w> = (Gathered<'w, T, true>, Tail::Checked<'w>);

    fn list<'s>(&'s mut self, to: &mut List<'s>) {
        to.push(&mut *self.0.0);
        self.1.list(to);
    }

    #[inline]
    unsafe fn fast<'w>(windows: &[Opened], hulls: &[Range<usize>]) -> Self::Fast<'w> {
        // SAFETY: the caller guarantees it.
        unsafe { (Gathered::new(&windows[0]), Tail::fast(&windows[1..], &hulls[1..])) }
    }

    #[inline]
    unsafe fn checked<'w>(windows: &[Opened]) -> Self::Checked<'w> {
        // SAFETY: the caller guarantees it.
        unsafe { (Gathered::new(&windows[0]), Tail::checked(&windows[1..])) }
    }
}

/// A slice marked `#[gather]` inside a loop's body. Indices are global, and each access is checked. The window is contiguous, unless it is
/// `SCATTERED`.
#[derive(Debug)]
pub struct Gathered<'w, T, const SCATTERED: bool> {
    window: Window<T>,
    words: Option<&'w [Word]>,
}

impl<T, const SCATTERED: bool> Clone for Gathered<'_, T, SCATTERED> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T, const SCATTERED: bool> Copy for Gathered<'_, T, SCATTERED> {}

impl<T, const SCATTERED: bool> Gathered<'_, T, SCATTERED> {
    /// # Safety
    /// The window has elements of this type, lives as long as the view, and nothing writes its elements. A window of single elements needs a
    /// `SCATTERED` view.
    unsafe fn new(from: &Opened) -> Self {
        // SAFETY: the caller guarantees it.
        Gathered { window: from.window(), words: unsafe { from.words() } }
    }

    /// The array's global length.
    #[inline(always)]
    pub fn len(&self) -> usize {
        self.window.len()
    }

    /// Whether the array has no elements at all.
    #[inline(always)]
    pub fn is_empty(&self) -> bool {
        self.window.is_empty()
    }

    /// As the method of slices.
    #[inline(always)]
    #[track_caller]
    pub fn get(&self, index: usize) -> Option<&T> {
        (index < self.len()).then(|| &self[index])
    }

    /// The position of an element in the window.
    #[inline(always)]
    #[track_caller]
    fn position(&self, index: usize) -> usize {
        match self.words {
            Some(words) if SCATTERED => self.search(words, index),
            _ if self.window.has(index) => index,
            _ => self.missing(index),
        }
    }

    /// The address of an element in the window.
    #[inline(always)]
    #[track_caller]
    fn address(&self, index: usize) -> *const T {
        match self.words {
            Some(words) if SCATTERED => self.window.element(self.search(words, index)),
            _ if self.window.has(index) => self.window.address(index),
            _ => self.missing(index),
        }
    }

    #[inline]
    #[track_caller]
    fn search(&self, words: &[Word], index: usize) -> usize {
        if index >= self.len() {
            self.missing(index);
        }
        let (word, bit) = (words[index / 64], index % 64);
        if word.bits >> bit & 1 == 0 {
            self.missing(index);
        }
        word.before + (word.bits & !(u64::MAX << bit)).count_ones() as usize
    }

    /// Panics for an index out of bounds, or for an element that was not requested.
    #[cold]
    #[inline(never)]
    #[track_caller]
    fn missing(&self, index: usize) -> ! {
        let len = self.len();
        assert!(index < len, "index out of bounds: the len is {len} but the index is {index}");
        panic!(
            "FA063: element {index} of a `#[gather]` slice was not among those that this rank had asked for: its place \
             must be the same whenever it is computed, so it must not depend on the time, on random numbers or on hidden \
             state; compute the places before the loop, into a slice, and read `x[at[i]]`"
        );
    }
}

impl<T, const SCATTERED: bool> Linear for Gathered<'_, T, SCATTERED> {
    const CHECKED: bool = true;
}

impl<T, const SCATTERED: bool> Index<usize> for Gathered<'_, T, SCATTERED> {
    type Output = T;

    #[inline(always)]
    #[track_caller]
    fn index(&self, index: usize) -> &T {
        let element = self.address(index);
        // SAFETY: the element is in the window, and nothing writes its elements (the contract of `new`).
        unsafe { &*element }
    }
}

impl<T, const SCATTERED: bool> Gathered<'_, T, SCATTERED> {
    /// The elements of a range. `written` is the user's form of it, for messages.
    #[inline]
    #[track_caller]
    fn part(&self, range: Range<usize>, written: impl PartOfSlice) -> &[T] {
        let Range { start, end } = range;
        if start > end || end > self.len() {
            no_such_part(self.len(), written);
        }
        if start == end {
            return &[];
        }
        let (first, last) = (self.position(start), self.position(end - 1));
        // Packed elements keep their order, so the range is complete if the count is right.
        if last - first != end - 1 - start {
            self.missing(start);
        }
        // SAFETY: as in `index`; all positions between two positions in the window are in it.
        unsafe { self.window.slice(first..last + 1) }
    }
}

macro_rules! ranges {
    ($($range:ty, |$r:ident, $len:ident| $to:expr;)*) => {$(
        impl<T, const SCATTERED: bool> Index<$range> for Gathered<'_, T, SCATTERED> {
            type Output = [T];

            #[inline]
            #[track_caller]
            fn index(&self, $r: $range) -> &[T] {
                let $len = self.len();
                self.part($to, $r)
            }
        }
    )*};
}

ranges! {
    Range<usize>, |range, _len| range.clone();
    RangeInclusive<usize>, |range, _len| *range.start()..range.end().saturating_add(1);
    RangeFrom<usize>, |range, len| range.start..len;
    RangeTo<usize>, |range, _len| 0..range.end;
    RangeToInclusive<usize>, |range, _len| 0..range.end.saturating_add(1);
    RangeFull, |_range, len| 0..len;
}
