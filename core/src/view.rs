//! Views of slice parameters inside a loop's body, with global indices.
//!
//! The macro shadows `x` by a view. An access is unchecked only if the view has a proof, and the expansion has computed the index from the
//! bindings of this proof ([`Computed`]). All other indices are checked, in every build. So the user's tokens cannot cause an access out of
//! bounds.

use crate::computed::{Computed, misread};
use crate::device::{Part, Resident};
use crate::grid::Linear;
use std::marker::PhantomData;
use std::ops::{Index, IndexMut, Range, RangeFrom, RangeFull, RangeInclusive, RangeTo, RangeToInclusive};
use std::slice::SliceIndex;

/// The window of an array on a rank: the elements `lo..hi` of `len`.
#[derive(Debug)]
pub struct Window<T> {
    /// The address that element 0 would have. Only `lo..hi` may be accessed.
    base: *mut T,
    lo: usize,
    hi: usize,
    len: usize,
}

impl<T> Clone for Window<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Window<T> {}

// SAFETY: a window is an address. The creation of views decides which accesses are allowed.
unsafe impl<T: Sync + Send> Send for Window<T> {}
// SAFETY: as above.
unsafe impl<T: Sync + Send> Sync for Window<T> {}

impl<T> Window<T> {
    /// The window whose element `lo` is at `first`.
    pub fn new(first: *mut T, lo: usize, hi: usize, len: usize) -> Self {
        Window { base: first.wrapping_sub(lo), lo, hi, len }
    }

    /// The range of elements in the window.
    #[inline]
    pub fn held(&self) -> Range<usize> {
        self.lo..self.hi
    }

    /// The array's global length.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether the array is empty.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The address of an element in the window.
    #[inline(always)]
    pub(crate) fn address(&self, index: usize) -> *mut T {
        self.base.wrapping_add(index)
    }

    /// The elements `range` as a slice.
    ///
    /// # Safety
    /// The window is alive for `'w`, `range` is inside it, and nothing writes these elements concurrently.
    pub unsafe fn slice<'w>(&self, range: Range<usize>) -> &'w [T] {
        // SAFETY: the caller's promise.
        unsafe { std::slice::from_raw_parts(self.address(range.start), range.len()) }
    }

    /// The elements `range` as a mutable slice.
    ///
    /// # Safety
    /// The window is alive for `'w`, `range` is inside it, and nothing else accesses these elements concurrently.
    pub unsafe fn slice_mut<'w>(&self, range: Range<usize>) -> &'w mut [T] {
        // SAFETY: the caller's promise.
        unsafe { std::slice::from_raw_parts_mut(self.address(range.start), range.len()) }
    }
}

/// A window whose elements have an erased type; only the size is known.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RawWindow {
    base: *mut u8,
    lo: usize,
    hi: usize,
    len: usize,
    size: usize,
}

impl RawWindow {
    /// The window whose element `lo` is at `first`.
    pub(crate) fn new(first: *mut u8, lo: usize, hi: usize, len: usize, size: usize) -> Self {
        RawWindow { base: first.wrapping_sub(lo * size), lo, hi, len, size }
    }

    /// The window with elements of this type.
    #[inline]
    pub(crate) fn of<T>(self) -> Window<T> {
        Window { base: self.base.cast(), lo: self.lo, hi: self.hi, len: self.len }
    }

    /// The range of elements in the window.
    pub(crate) fn held(&self) -> Range<usize> {
        self.lo..self.hi
    }

    /// The size of an element in bytes.
    pub(crate) fn size(&self) -> usize {
        self.size
    }

    /// The address of an element in the window.
    pub(crate) fn element(&self, index: usize) -> *mut u8 {
        self.address(index)
    }

    /// A window of the same array: this memory has the elements `held`.
    pub(crate) fn at(&self, first: *mut u8, held: &Range<usize>) -> RawWindow {
        RawWindow::new(first, held.start, held.end, self.len, self.size)
    }

    /// The memory of the window, for a device.
    ///
    /// Elements outside the share, such as the halo, are only in host memory.
    pub(crate) fn part<'a>(&self, share: Option<Resident<'a>>) -> Part<'a> {
        let (address, count) = (self.address(self.lo), self.hi - self.lo);
        Part { address, first: self.lo, count, len: self.len, share, sparse: None, whole: false }
    }

    fn address(&self, index: usize) -> *mut u8 {
        self.base.wrapping_add(index * self.size)
    }

    /// Writes elements to the window, from element `at` on.
    ///
    /// # Safety
    /// The elements are inside the window, nothing else refers to them, and the bytes are those of valid elements.
    pub(crate) unsafe fn put(&self, at: usize, elements: &[u8]) {
        // SAFETY: the caller's promise.
        unsafe { std::ptr::copy_nonoverlapping(elements.as_ptr(), self.address(at), elements.len()) };
    }

    /// Sets elements of the window to zero bytes.
    ///
    /// # Safety
    /// The elements are inside the window, nothing else refers to them, and nobody reads them as elements.
    pub(crate) unsafe fn clear(&self, elements: Range<usize>) {
        // SAFETY: the caller's promise.
        unsafe { std::ptr::write_bytes(self.address(elements.start), 0, elements.len() * self.size) };
    }

    /// Memory in the window for elements that will be received.
    ///
    /// # Safety
    /// The window is alive for `'w`, `range` is inside it, and nothing else refers to these elements in that time. The written bytes are
    /// those of valid elements. Zero bytes are also allowed for elements that are never read.
    pub(crate) unsafe fn room<'w>(&self, range: &Range<usize>) -> &'w mut [u8] {
        // SAFETY: the caller's promise; the bytes are initialised first.
        unsafe {
            self.clear(range.clone());
            std::slice::from_raw_parts_mut(self.address(range.start), range.len() * self.size)
        }
    }

    /// The bytes of the elements `range`.
    ///
    /// # Safety
    /// The window is alive for `'w`, `range` is inside it, and nothing writes these elements concurrently.
    pub(crate) unsafe fn bytes<'w>(&self, range: &Range<usize>) -> &'w [u8] {
        // SAFETY: the caller's promise; elements have no uninitialised bytes.
        unsafe { std::slice::from_raw_parts(self.address(range.start), range.len() * self.size) }
    }
}

/// Permission to use computed indices without checks: the footprint of the iterations is inside the slice that belongs to it.
///
/// Only the drivers create it, after the proof.
#[derive(Debug, Clone, Copy)]
pub struct Proof<'w> {
    lo: usize,
    len: usize,
    scope: PhantomData<&'w ()>,
}

/// A slice for reading, and its proof.
///
/// They are separate arguments of a closure, so that rustc sees a plain `&[T]` without aliases.
pub type ReadPart<'w, T> = (&'w [T], Proof<'w>);

/// A slice for writing, and its proof.
pub type WritePart<'w, T> = (&'w mut [T], Proof<'w>);

impl<'w> Proof<'w> {
    /// A proof for the elements from `lo` on, of an array of length `len`.
    ///
    /// # Safety
    /// All indices that the expansion computes for iterations with this proof are inside the slice, which starts at element `lo`.
    pub(crate) unsafe fn new(lo: usize, len: usize) -> Self {
        Proof { lo, len, scope: PhantomData }
    }
}

/// An array that the loop reads.
#[derive(Debug)]
pub struct Reads<'w, T, const CHECKED: bool> {
    window: Window<T>,
    /// For a proved view: the number of the array in the loop's list.
    slot: usize,
    scope: PhantomData<&'w [T]>,
}

/// An array that the loop writes, and may read.
#[derive(Debug)]
pub struct Writes<'w, T, const CHECKED: bool> {
    window: Window<T>,
    /// For a proved view: the number of the array in the loop's list.
    slot: usize,
    scope: PhantomData<&'w mut [T]>,
}

impl<T, const CHECKED: bool> Clone for Reads<'_, T, CHECKED> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T, const CHECKED: bool> Copy for Reads<'_, T, CHECKED> {}

impl<'w, T> Reads<'w, T, false> {
    /// A proved view of the array with this number in the loop's list.
    #[inline(always)]
    pub fn proved(slice: &'w [T], proof: Proof<'_>, slot: usize) -> Self {
        let window = Window::new(slice.as_ptr().cast_mut(), proof.lo, proof.lo + slice.len(), proof.len);
        Reads { window, slot, scope: PhantomData }
    }
}

impl<'w, T> Writes<'w, T, false> {
    /// As [`Reads::proved`].
    #[inline(always)]
    pub fn proved(slice: &'w mut [T], proof: Proof<'_>, slot: usize) -> Self {
        let window = Window::new(slice.as_mut_ptr(), proof.lo, proof.lo + slice.len(), proof.len);
        Writes { window, slot, scope: PhantomData }
    }
}

impl<T> Reads<'_, T, true> {
    /// A checked view of the window.
    ///
    /// # Safety
    /// The window lives as long as the view, and nothing writes the elements that the view's iterations read.
    pub(crate) unsafe fn checked(window: Window<T>) -> Self {
        Reads { window, slot: 0, scope: PhantomData }
    }
}

impl<T> Writes<'_, T, true> {
    /// A checked view of the window.
    ///
    /// # Safety
    /// The window lives as long as the view, and nothing else accesses the elements that the view's iterations access.
    pub(crate) unsafe fn checked(window: Window<T>) -> Self {
        Writes { window, slot: 0, scope: PhantomData }
    }
}

/// Panics for an index outside the window; for an index out of bounds with the message of a slice.
#[cold]
#[inline(never)]
#[track_caller]
fn outside(index: usize, held: Range<usize>, len: usize) -> ! {
    if index >= len {
        panic!("index out of bounds: the len is {len} but the index is {index}");
    }
    panic!(
        "FA060: element {index} is outside of what this rank holds ({}..{} of {len}): a `#[halo(..)]` is too small: it counts from the element, or plane, of the iteration's number; write a larger number, or `#[gather]` in its place",
        held.start, held.end
    );
}

#[cold]
#[inline(never)]
#[track_caller]
fn wrong_footprint(index: usize, lo: usize, hi: usize) -> ! {
    panic!("the footprint of a loop is wrong: element {index} is outside of {lo}..{hi}");
}

#[cold]
#[inline(never)]
#[track_caller]
fn outside_range(range: Range<usize>, written: impl PartOfSlice, held: Range<usize>, len: usize) -> ! {
    if range.start > range.end || range.end > len {
        no_such_part(len, written);
    }
    outside(if range.start < held.start { range.start } else { range.end - 1 }, held, len)
}

/// A range of a slice in the user's form, for messages.
pub trait PartOfSlice {
    /// Applies it to a slice of empty elements, to panic with std's message.
    fn of(self, all: &[()]) -> &[()];
}

impl<R: SliceIndex<[()], Output = [()]>> PartOfSlice for R {
    #[track_caller]
    fn of(self, all: &[()]) -> &[()] {
        &all[self]
    }
}

/// `x[from..][..length]`.
#[derive(Debug, Clone)]
pub struct PartOfRest {
    from: usize,
    length: usize,
}

/// `x[from..][..length]`, as `x[part_of_rest(from, length)]`.
#[inline(always)]
pub fn part_of_rest(from: usize, length: usize) -> PartOfRest {
    PartOfRest { from, length }
}

impl PartOfSlice for PartOfRest {
    #[track_caller]
    fn of(self, all: &[()]) -> &[()] {
        &all[self.from..][..self.length]
    }
}

/// Panics as a slice of this length, with the message of the user's std.
#[cold]
#[inline(never)]
#[track_caller]
pub(crate) fn no_such_part(len: usize, part: impl PartOfSlice) -> ! {
    let _ = part.of(&[(); usize::MAX][..len]);
    unreachable!("a slice of {len} elements has this part")
}

impl<T> Window<T> {
    /// An element in the window.
    #[inline(always)]
    #[track_caller]
    pub(crate) fn element(&self, index: usize) -> *mut T {
        if index.wrapping_sub(self.lo) >= self.hi - self.lo {
            outside(index, self.held(), self.len);
        }
        self.base.wrapping_add(index)
    }

    /// Whether the window has an element.
    #[inline(always)]
    pub(crate) fn has(&self, index: usize) -> bool {
        index.wrapping_sub(self.lo) < self.hi - self.lo
    }

    /// Ranges are always checked, once for each slice.
    #[inline(always)]
    #[track_caller]
    fn range(&self, range: Range<usize>, written: impl PartOfSlice) -> Range<usize> {
        let inside = range.start <= range.end && range.start >= self.lo && range.end <= self.hi;
        let empty = range.start == range.end && range.end <= self.len;
        if !inside {
            if empty {
                return self.lo..self.lo;
            }
            outside_range(range, written, self.held(), self.len);
        }
        range
    }
}

/// The address of the element at a computed index, which is proved to be in the window unless the view is `CHECKED`.
///
/// A macro, because builds without optimisation copy the arguments of each function to the stack, also of those that are inlined.
macro_rules! computed {
    ($view:ident, $index:ident) => {{
        if CHECKED {
            $view.window.element($index.index)
        } else {
            if $index.slot != $view.slot {
                misread();
            }
            if cfg!(debug_assertions) && ($index.index < $view.window.lo || $index.index >= $view.window.hi) {
                wrong_footprint($index.index, $view.window.lo, $view.window.hi);
            }
            $view.window.base.wrapping_add($index.index)
        }
    }};
}

macro_rules! views {
    ($($view:ident)*) => {$(
        impl<'w, T, const CHECKED: bool> $view<'w, T, CHECKED> {
            /// The array's global length.
            #[inline(always)]
            pub fn len(&self) -> usize {
                self.window.len
            }

            /// Whether the array is empty.
            #[inline(always)]
            pub fn is_empty(&self) -> bool {
                self.window.len == 0
            }

            /// As the method of slices.
            #[inline(always)]
            #[track_caller]
            pub fn get(&self, index: usize) -> Option<&T> {
                (index < self.window.len).then(|| &self[index])
            }
        }

        impl<T, const CHECKED: bool> Index<usize> for $view<'_, T, CHECKED> {
            type Output = T;

            #[inline(always)]
            #[track_caller]
            fn index(&self, index: usize) -> &T {
                let element = self.window.element(index);
                // SAFETY: the element is held: checked just now.
                unsafe { &*element }
            }
        }

        impl<T, const CHECKED: bool> Index<Computed<usize>> for $view<'_, T, CHECKED> {
            type Output = T;

            #[inline(always)]
            #[track_caller]
            fn index(&self, index: Computed<usize>) -> &T {
                let element = computed!(self, index);
                // SAFETY: the element is held: checked just now, or proved for the computed indices of these iterations when the view
                // was made.
                unsafe { &*element }
            }
        }

        impl<T, const CHECKED: bool> Linear for $view<'_, T, CHECKED> {
            const CHECKED: bool = CHECKED;
        }

        impl<T, const CHECKED: bool> Index<Range<usize>> for $view<'_, T, CHECKED> {
            type Output = [T];

            #[inline(always)]
            #[track_caller]
            fn index(&self, range: Range<usize>) -> &[T] {
                // SAFETY: `range` checks that the window has these elements, and no other iterations access them.
                unsafe { self.window.slice(self.window.range(range.clone(), range)) }
            }
        }

        views!(@range $view RangeInclusive<usize>, |range, _len| *range.start()..range.end().saturating_add(1));
        views!(@range $view RangeFrom<usize>, |range, len| range.start..len);
        views!(@range $view RangeTo<usize>, |range, _len| 0..range.end);
        views!(@range $view RangeToInclusive<usize>, |range, _len| 0..range.end.saturating_add(1));
        views!(@range $view RangeFull, |_range, len| 0..len);
        views!(@range $view PartOfRest, |rest, _len| rest.from..rest.from.saturating_add(rest.length));
    )*};
    (@range $view:ident $range:ty, |$r:ident, $len:ident| $to:expr) => {
        impl<T, const CHECKED: bool> Index<$range> for $view<'_, T, CHECKED> {
            type Output = [T];

            #[inline(always)]
            #[track_caller]
            fn index(&self, $r: $range) -> &[T] {
                let $len = self.window.len;
                // SAFETY: as in `index` of a range with two ends.
                unsafe { self.window.slice(self.window.range($to, $r)) }
            }
        }
    };
}
views!(Reads Writes);

impl<T, const CHECKED: bool> Writes<'_, T, CHECKED> {
    /// As the method of slices.
    #[inline(always)]
    #[track_caller]
    pub fn swap(&mut self, one: usize, other: usize) {
        let (one, other) = (self.window.element(one), self.window.element(other));
        // SAFETY: the elements are held, as in `index`, and belong to this iteration alone; they may be the same one.
        unsafe { std::ptr::swap(one, other) }
    }
}

impl<T, const CHECKED: bool> IndexMut<usize> for Writes<'_, T, CHECKED> {
    #[inline(always)]
    #[track_caller]
    fn index_mut(&mut self, index: usize) -> &mut T {
        let element = self.window.element(index);
        // SAFETY: the element is held, as in `index`, and belongs to this iteration alone.
        unsafe { &mut *element }
    }
}

impl<T, const CHECKED: bool> IndexMut<Computed<usize>> for Writes<'_, T, CHECKED> {
    #[inline(always)]
    #[track_caller]
    fn index_mut(&mut self, index: Computed<usize>) -> &mut T {
        let element = computed!(self, index);
        // SAFETY: the element is held, as in `index`, and belongs to this iteration alone.
        unsafe { &mut *element }
    }
}

impl<T, const CHECKED: bool> IndexMut<Range<usize>> for Writes<'_, T, CHECKED> {
    #[inline(always)]
    #[track_caller]
    fn index_mut(&mut self, range: Range<usize>) -> &mut [T] {
        // SAFETY: `range` checks that the window holds it, and these elements belong to this iteration alone.
        unsafe { self.window.slice_mut(self.window.range(range.clone(), range)) }
    }
}

macro_rules! ranges_mut {
    ($($range:ty, |$r:ident, $len:ident| $to:expr;)*) => {$(
        impl<T, const CHECKED: bool> IndexMut<$range> for Writes<'_, T, CHECKED> {
            #[inline(always)]
            #[track_caller]
            fn index_mut(&mut self, $r: $range) -> &mut [T] {
                let $len = self.window.len;
                // SAFETY: as in `index_mut` of a range with two ends.
                unsafe { self.window.slice_mut(self.window.range($to, $r)) }
            }
        }
    )*};
}
ranges_mut! {
    RangeInclusive<usize>, |range, _len| *range.start()..range.end().saturating_add(1);
    RangeFrom<usize>, |range, len| range.start..len;
    RangeTo<usize>, |range, _len| 0..range.end;
    RangeToInclusive<usize>, |range, _len| 0..range.end.saturating_add(1);
    RangeFull, |_range, len| 0..len;
    PartOfRest, |rest, _len| rest.from..rest.from.saturating_add(rest.length);
}
