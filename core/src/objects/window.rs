//! Views of the boxes of a task: the elements of objects that it reads and writes.
//!
//! Several workers access the memory of one object, so this module holds raw pointers.

use super::area::{Area, Ranges};
use super::copies::Copies;
use super::declared::{Declaring, Fetched, OfTask, Slot};
use super::slab::Slab;
use super::view::{View, ViewMut};
use crate::computed::Computed;
use crate::device::{Device, Part, Residence, Resident, Valid};
use crate::element::Element;
use bytemuck::Zeroable;
use std::any::TypeId;
use std::fmt;
use std::marker::PhantomData;
use std::ops::{Index, IndexMut, Range};

/// The memory of a task's box.
#[derive(Debug, Clone, Copy)]
pub(super) struct Window {
    start: *mut u8,
    /// The indices of the allocation.
    slab: Area,
    /// The task's box in it.
    pub area: Area,
    /// All indices of the object.
    whole: Area,
    element: TypeId,
    /// The size of an element.
    size: usize,
    pub writes: bool,
    /// The copies of the allocation, if a device may have one.
    copies: Option<*const Copies>,
}

// SAFETY: a window is a pointer to elements that are `Send` and `Sync`. Tasks reach the elements only through `Reads` and `Writes`, whose makers
// guarantee that nobody else accesses written elements.
unsafe impl Send for Window {}
// SAFETY: as above.
unsafe impl Sync for Window {}

impl Window {
    /// The box `area` in an allocation that starts here and has the indices `slab`, of an object with the indices `whole`.
    pub fn new<T: Element>(start: *mut T, slab: Area, area: Area, whole: Area, writes: bool) -> Window {
        debug_assert!(slab.contains(&area));
        let (element, size) = (TypeId::of::<T>(), size_of::<T>());
        Window { start: start.cast(), slab, area, whole, element, size, writes, copies: None }
    }

    /// The box `area` of an allocation, which stays where it is as long as the window.
    pub fn of_slab<T: Element + Zeroable>(slab: &mut Slab<T>, area: Area, whole: Area, writes: bool) -> Window {
        let of = slab.area;
        let copies: *const Copies = slab.copies();
        Window { copies: Some(copies), ..Window::new(slab.start(), of, area, whole, writes) }
    }

    /// Whether the elements have this type.
    pub fn is_of<T: 'static>(&self) -> bool {
        self.element == TypeId::of::<T>()
    }

    /// The number of bytes of a box.
    pub fn bytes(&self, area: Area) -> usize {
        area.len() * self.size
    }

    /// Appends the elements of the box, which no task has written or writes.
    pub fn pack(&self, to: &mut Vec<u8>) {
        for row in self.slab.rows(&self.area) {
            // SAFETY: the elements of the box are in the allocation, and are plain data. Nobody writes them: their task has not begun, and no
            // other one writes them.
            let elements =
                unsafe { std::slice::from_raw_parts(self.start.add(row.start * self.size), row.len() * self.size) };
            to.extend_from_slice(elements);
        }
    }

    /// The same for elements of this type, and indices of so many axes.
    fn of<T, const D: usize>(&self) -> Elements<T, D> {
        let [_, ny, nx] = self.slab.extents();
        let steps = [ny * nx, nx, 1];
        let along = |values: [usize; 3]| -> [usize; D] { std::array::from_fn(|axis| values[3 - D + axis]) };
        let zero =
            (0..3).fold(self.start.cast::<T>(), |zero, axis| zero.wrapping_sub(self.slab.start[axis] * steps[axis]));
        Elements {
            // Leading axes have the index 0 only.
            zero,
            steps: along(steps),
            start: along(self.area.start),
            lengths: along(self.area.extents()),
            shape: along(self.whole.end),
        }
    }
}

/// Memory that is aligned for any element.
#[derive(Debug, Clone, Copy)]
#[repr(C, align(64))]
struct Line([u8; 64]);

/// Elements of a task that is on another rank than its objects' memory.
#[derive(Debug)]
pub(super) struct Alone(*mut [Line]);

// SAFETY: this is a box of plain data.
unsafe impl Send for Alone {}
// SAFETY: as above. The elements are reached through windows only.
unsafe impl Sync for Alone {}

impl Alone {
    /// Memory with these bytes.
    pub fn new(bytes: &[u8]) -> Alone {
        let mut lines = vec![Line([0; 64]); bytes.len().div_ceil(64)];
        for (line, bytes) in lines.iter_mut().zip(bytes.chunks(64)) {
            line.0[..bytes.len()].copy_from_slice(bytes);
        }
        Alone(Box::into_raw(lines.into_boxed_slice()))
    }

    /// The greatest alignment of elements.
    pub const ALIGNMENT: usize = align_of::<Line>();

    /// The box `area` in this memory, of an object with such windows. The memory outlives the window.
    pub fn window(&self, like: &Window, area: Area) -> Window {
        Window { start: self.0.cast(), slab: area, area, copies: None, ..*like }
    }
}

impl Drop for Alone {
    fn drop(&mut self) {
        // SAFETY: the pointer is that of a box, which nobody else has.
        drop(unsafe { Box::from_raw(self.0) });
    }
}

/// Windows for a device. The methods belong to the thread of the rank, while no task runs.
impl Window {
    /// The copies of the allocation.
    ///
    /// # Safety
    /// The region of this window is open.
    unsafe fn copies(&self) -> Option<&Copies> {
        // SAFETY: the allocation, and with it the copies, stay where they are until the region is closed.
        self.copies.map(|copies| unsafe { &*copies })
    }

    /// Makes the host's copy valid, and the only one if tasks write it.
    ///
    /// # Safety
    /// The region of this window is open, and none of its tasks is running.
    pub unsafe fn bring_back(&self) {
        // SAFETY: the caller's promise.
        let Some(copies) = (unsafe { self.copies() }) else { return };
        // SAFETY: no view of the allocation is alive.
        unsafe { copies.bring_back() };
        if self.writes {
            copies.residence.host_writes();
        }
    }

    /// The allocation for a device, which keeps the elements if they fit in its memory.
    ///
    /// # Safety
    /// As for [`Window::bring_back`].
    pub unsafe fn part(&self, device: &dyn Device) -> Part<'_> {
        let count = self.slab.len();
        // SAFETY: the caller's promise.
        match unsafe { self.copies() }.filter(|_| device.holds(count * self.size)) {
            Some(copies) => {
                copies.use_on_device();
                let share = Resident { residence: &copies.residence, address: self.start, first: 0, count };
                Part { address: self.start, first: 0, count, len: count, share: Some(share), sparse: None, whole: true }
            }
            // SAFETY: the caller's promise.
            None => unsafe { self.lent() },
        }
    }

    /// The allocation, if a device can keep it, with the numbers of bytes that the device and the host lack.
    ///
    /// # Safety
    /// The region of this window is open.
    pub unsafe fn missing(&self, device: &dyn Device) -> Option<(*const Residence, [u64; 2])> {
        let bytes = self.slab.len() * self.size;
        // SAFETY: the caller's promise.
        let residence: &Residence = unsafe { self.residence(device) }?;
        let missing = match residence.valid() {
            Valid::Host => [bytes as u64, 0],
            Valid::Both => [0, 0],
            Valid::Device => [0, bytes as u64],
        };
        Some((residence, missing))
    }

    /// The copies of the allocation, if a device can keep it.
    ///
    /// # Safety
    /// The region of this window is open.
    pub unsafe fn residence(&self, device: &dyn Device) -> Option<&Residence> {
        // SAFETY: the caller's promise.
        let copies = unsafe { self.copies() }.filter(|_| device.holds(self.slab.len() * self.size))?;
        Some(&copies.residence)
    }

    /// The elements from the first of the box to the last, on the host, for a device that returns them.
    ///
    /// # Safety
    /// As for [`Window::bring_back`].
    pub unsafe fn lent(&self) -> Part<'static> {
        // SAFETY: the caller's promise.
        unsafe { self.bring_back() };
        let last = self.area.end.map(|end| end.saturating_sub(1));
        let (first, end) = match self.area.is_empty() {
            true => (0, 0),
            false => (self.slab.position(self.area.start), self.slab.position(last) + 1),
        };
        let address = self.start.wrapping_add(first * self.size);
        let (count, len) = (end - first, self.slab.len());
        Part { address, first, count, len, share: None, sparse: None, whole: true }
    }

    /// The bytes of the elements that the host lends.
    ///
    /// # Safety
    /// As for [`Window::bring_back`].
    pub unsafe fn bytes_of_lent(&self) -> Vec<u8> {
        // SAFETY: the caller's promise.
        let part = unsafe { self.lent() };
        // SAFETY: the elements are in the allocation, and are plain data.
        unsafe { std::slice::from_raw_parts(part.address.cast_const(), part.count * self.size) }.to_vec()
    }

    /// Sets these bytes again.
    ///
    /// # Safety
    /// As for [`Window::bring_back`]. The bytes are those of this window.
    pub unsafe fn set_bytes_of_lent(&self, bytes: &[u8]) {
        // SAFETY: the caller's promise.
        let part = unsafe { self.lent() };
        // SAFETY: the elements are in the allocation. The rest is the caller's promise.
        unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), part.address, bytes.len()) };
    }

    /// Where the elements of the box are in the allocation.
    pub fn place<const D: usize>(&self) -> Place<D> {
        let [_, ny, nx] = self.slab.extents();
        let along = |values: [usize; 3]| -> [usize; D] { std::array::from_fn(|axis| values[3 - D + axis]) };
        let start = if self.area.is_empty() { 0 } else { self.slab.position(self.area.start) };
        Place {
            first: along(self.area.start),
            lengths: along(self.area.extents()),
            steps: along([ny * nx, nx, 1]),
            start,
        }
    }
}

/// Where the elements of a box are in an allocation.
#[doc(hidden)]
#[derive(Debug, Clone, Copy)]
pub struct Place<const D: usize> {
    /// The first index of the box, and the number of indices.
    pub first: [usize; D],
    pub lengths: [usize; D],
    /// The number of elements from one index to the next.
    pub steps: [usize; D],
    /// The position of the first element of the box.
    pub start: usize,
}

/// The elements of a box.
#[derive(Debug)]
struct Elements<T, const D: usize> {
    /// The address that the element at index 0 along all axes would have.
    zero: *mut T,
    /// The number of elements from one index to the next along each axis; along the last it is 1.
    steps: [usize; D],
    /// The first index of the box, and the number of indices.
    start: [usize; D],
    lengths: [usize; D],
    /// The shape of the object.
    shape: [usize; D],
}

impl<T, const D: usize> Clone for Elements<T, D> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T, const D: usize> Copy for Elements<T, D> {}

impl<T, const D: usize> Elements<T, D> {
    fn ranges(&self) -> [Range<usize>; D] {
        std::array::from_fn(|axis| self.start[axis]..self.start[axis] + self.lengths[axis])
    }

    /// A plain loop: the loops around it are vectorised only if it is unrolled early.
    #[inline(always)]
    #[allow(clippy::needless_range_loop)]
    fn address(&self, index: [usize; D]) -> *mut T {
        // The step along the last axis is 1, so that rows are known to be contiguous.
        let mut place = index[D - 1];
        for axis in 0..D - 1 {
            place = place.wrapping_add(index[axis].wrapping_mul(self.steps[axis]));
        }
        self.zero.wrapping_add(place)
    }

    /// Whether an index is in the box.
    #[inline(always)]
    fn has(&self, index: [usize; D]) -> bool {
        let mut inside = true;
        for ((at, start), length) in index.iter().zip(&self.start).zip(&self.lengths) {
            inside &= at.wrapping_sub(*start) < *length;
        }
        inside
    }

    /// The element at an index of the box.
    ///
    /// # Panics
    /// If the index is outside of the box.
    #[inline(always)]
    #[track_caller]
    fn at(&self, index: [usize; D]) -> *mut T {
        if !self.has(index) {
            outside(index, self.start, self.lengths, self.shape);
        }
        self.address(index)
    }

    /// The element at a computed index, which is proved to be in the box unless the view is `CHECKED`.
    #[inline(always)]
    #[track_caller]
    fn computed<const CHECKED: bool>(&self, index: Computed<[usize; D]>, slot: usize) -> *mut T {
        if CHECKED {
            return self.at(index.index);
        }
        let index = index.index_of(slot);
        debug_assert!(self.has(index), "the box of a task is wrong: {index:?} is outside of {:?}", self.ranges());
        self.address(index)
    }

    /// The elements from an index to the end of its row in the box.
    #[inline]
    #[track_caller]
    fn row(&self, from: [usize; D]) -> (*mut T, usize) {
        (self.at(from), self.start[D - 1] + self.lengths[D - 1] - from[D - 1])
    }
}

/// Ends the task for an index that is not in its box. The arguments are copies, so that the view of the box can live in registers.
#[cold]
#[inline(never)]
#[track_caller]
fn outside<const D: usize>(index: [usize; D], start: [usize; D], lengths: [usize; D], shape: [usize; D]) -> ! {
    if index.iter().zip(shape).any(|(at, length)| *at >= length) {
        panic!("the index {index:?} is outside of an object of shape {shape:?}");
    }
    let ranges: [Range<usize>; D] = std::array::from_fn(|axis| start[axis]..start[axis] + lengths[axis]);
    panic!("the index {index:?} is outside of the task's box {ranges:?}: declare all elements that the task uses");
}

/// The elements of an object that a task reads, with the indices of the object.
#[derive(Clone, Copy)]
pub struct Reads<'t, T, const D: usize, const CHECKED: bool = true> {
    elements: Elements<T, D>,
    /// For a proved view: the number of the object in the region.
    slot: usize,
    declared: &'t Slot,
    scope: PhantomData<&'t [T]>,
}

/// The elements of an object that a task writes, with the indices of the object.
pub struct Writes<'t, T, const D: usize, const CHECKED: bool = true> {
    elements: Elements<T, D>,
    /// For a proved view: the number of the object in the region.
    slot: usize,
    declared: &'t Slot,
    scope: PhantomData<&'t mut [T]>,
}

// SAFETY: the elements are reached as through a shared slice.
unsafe impl<T: Sync, const D: usize, const CHECKED: bool> Send for Reads<'_, T, D, CHECKED> {}
// SAFETY: as above.
unsafe impl<T: Sync, const D: usize, const CHECKED: bool> Sync for Reads<'_, T, D, CHECKED> {}
// SAFETY: the elements are reached as through a unique slice.
unsafe impl<T: Send, const D: usize, const CHECKED: bool> Send for Writes<'_, T, D, CHECKED> {}
// SAFETY: as above.
unsafe impl<T: Sync, const D: usize, const CHECKED: bool> Sync for Writes<'_, T, D, CHECKED> {}

macro_rules! views {
    ($($view:ident, $condition:literal, $what:literal;)*) => {$(
        impl<'t, T: Element, const D: usize, const CHECKED: bool> $view<'t, T, D, CHECKED> {
            /// The view of a window.
            ///
            /// # Safety
            #[doc = concat!("The window has elements of this type. ", $condition)]
            /// If the view is not `CHECKED`, all indices that the expansion computes for the object `slot` of the task are in the box.
            pub(super) unsafe fn new(window: &Window, slot: usize, declared: &'t Slot) -> Self {
                $view { elements: window.of(), slot, declared, scope: PhantomData }
            }

            #[doc = concat!("The indices that the task ", $what, ".")]
            pub fn ranges(&self) -> [Range<usize>; D] {
                self.elements.ranges()
            }

            /// The elements from an index to the end of its row in the box.
            ///
            /// # Panics
            /// If the index is outside of the box.
            #[inline]
            #[track_caller]
            pub fn row(&self, from: [usize; D]) -> &[T] {
                let (start, count) = self.elements.row(from);
                // SAFETY: these elements are in the box, and nobody else writes them.
                unsafe { std::slice::from_raw_parts(start, count) }
            }
        }

        /// Declared access.
        impl<T: Element + Zeroable, const D: usize, const CHECKED: bool> $view<'_, T, D, CHECKED> {
            fn declaring(&self) -> Declaring<'_, D> {
                Declaring { slot: self.declared, shape: self.elements.shape }
            }

            /// A copy of the elements of a range inside of the box, with the changes that the task has made itself.
            ///
            /// # Panics
            /// If the range is outside of the box.
            #[track_caller]
            pub fn get(&self, ranges: impl Ranges<D>) -> View<T, D> {
                self.declaring().get(ranges, |ranges| self.copied(ranges))
            }

            /// The same, for `wait`.
            ///
            /// # Panics
            /// As [`get`](Self::get).
            #[track_caller]
            pub fn fetch(&self, ranges: impl Ranges<D>) -> Fetched<T, D> {
                self.declaring().fetched(self.get(ranges))
            }

            /// Asks for a box, whose elements arrive when the task is cut.
            #[doc(hidden)]
            #[track_caller]
            pub fn request(&self, ranges: impl Ranges<D>) -> Fetched<T, D> {
                self.declaring().request(ranges)
            }

            /// A copy of the elements of a range inside of the box, to change them for the task alone.
            #[doc(hidden)]
            #[track_caller]
            pub fn get_mut(&self, ranges: impl Ranges<D>) -> ViewMut<T, D, OfTask<T>> {
                self.declaring().get_mut(self.get(ranges))
            }

            /// Publishes the task's changes in a range, after the region.
            #[doc(hidden)]
            #[track_caller]
            pub fn modified(&self, ranges: impl Ranges<D>) {
                self.declaring().modified::<T>(ranges);
            }

            #[track_caller]
            fn copied(&self, ranges: &[Range<usize>; D]) -> Vec<T> {
                let count = ranges.iter().map(Range::len).product();
                let mut elements = Vec::with_capacity(count);
                let width = ranges[D - 1].len();
                for row in 0..count / width.max(1) {
                    let (mut index, mut rest) = (ranges.each_ref().map(|range| range.start), row);
                    for axis in (0..D - 1).rev() {
                        index[axis] += rest % ranges[axis].len();
                        rest /= ranges[axis].len();
                    }
                    let elements_of_row = self.row(index);
                    if elements_of_row.len() < width {
                        index[D - 1] = ranges[D - 1].end - 1;
                        let _ = self.row(index);
                    }
                    elements.extend_from_slice(&elements_of_row[..width]);
                }
                elements
            }
        }

        impl<T: Element, const D: usize, const CHECKED: bool> Index<[usize; D]> for $view<'_, T, D, CHECKED> {
            type Output = T;

            #[inline(always)]
            #[track_caller]
            fn index(&self, index: [usize; D]) -> &T {
                // SAFETY: the element is in the box, and nobody else writes it.
                unsafe { &*self.elements.at(index) }
            }
        }

        impl<T: Element, const D: usize, const CHECKED: bool> Index<Computed<[usize; D]>> for $view<'_, T, D, CHECKED> {
            type Output = T;

            #[inline(always)]
            #[track_caller]
            fn index(&self, index: Computed<[usize; D]>) -> &T {
                // SAFETY: the element is in the box: checked just now, or proved for the computed indices when the view was made. Nobody
                // else writes it.
                unsafe { &*self.elements.computed::<CHECKED>(index, self.slot) }
            }
        }

        /// Shows the ranges.
        impl<T, const D: usize, const CHECKED: bool> fmt::Debug for $view<'_, T, D, CHECKED> {
            fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.debug_tuple(stringify!($view)).field(&self.elements.ranges()).finish()
            }
        }
    )*};
}

views! {
    Reads, "Nobody writes its box during the lifetime.", "reads";
    Writes, "Nobody else accesses its box during the lifetime.", "writes";
}

impl<T: Element, const D: usize, const CHECKED: bool> Writes<'_, T, D, CHECKED> {
    /// As [`row`](Writes::row), to write the elements.
    ///
    /// # Panics
    /// If the index is outside of the box.
    #[inline]
    #[track_caller]
    pub fn row_mut(&mut self, from: [usize; D]) -> &mut [T] {
        let (start, count) = self.elements.row(from);
        // SAFETY: these elements are in the box, which this view has alone, and the view is borrowed as long as they are.
        unsafe { std::slice::from_raw_parts_mut(start, count) }
    }
}

impl<T: Element, const D: usize, const CHECKED: bool> IndexMut<[usize; D]> for Writes<'_, T, D, CHECKED> {
    #[inline(always)]
    #[track_caller]
    fn index_mut(&mut self, index: [usize; D]) -> &mut T {
        // SAFETY: the element is in the box, which this view has alone, and the view is borrowed as long as the element.
        unsafe { &mut *self.elements.at(index) }
    }
}

impl<T: Element, const D: usize, const CHECKED: bool> IndexMut<Computed<[usize; D]>> for Writes<'_, T, D, CHECKED> {
    #[inline(always)]
    #[track_caller]
    fn index_mut(&mut self, index: Computed<[usize; D]>) -> &mut T {
        // SAFETY: as for `Index`, and the view is borrowed as long as the element.
        unsafe { &mut *self.elements.computed::<CHECKED>(index, self.slot) }
    }
}
