//! A box of elements in one allocation: on the host, on a device, or on both.

use super::area::{Area, copy};
use super::copies::Copies;
use crate::device::Valid;
use crate::element::{Element, bytes_of};
use crate::large_pages::request_large_pages;
use bytemuck::Zeroable;
use std::cell::Cell;
use std::ops::Range;
use std::rc::Rc;

/// A box of elements, in row-major order.
#[derive(Debug)]
pub(crate) struct Slab<T> {
    pub area: Area,
    /// The host's copy, from `first` on. It is undefined while only a device has a valid copy.
    data: Vec<T>,
    first: usize,
    copies: Rc<Copies>,
}

// SAFETY: others share the copies of an allocation only if a device has used it. Objects alone have such ones, and stay on their thread. The
// private memory of tasks, which goes from thread to thread, never reaches a device.
unsafe impl<T: Send> Send for Slab<T> {}

impl<T: Element + Zeroable> Slab<T> {
    /// Zeros, which the host has. If they are many, they begin at this line of a page.
    pub fn zeroed(area: Area, line: usize) -> Self {
        let (mut data, first) = at_line::<T>(area.len(), line);
        // SAFETY: the vector never changes its length, and lives as long as the slab. Others hold the copies only while the slab lives.
        let copies = unsafe { Copies::new(data[first..].as_mut_ptr().cast()) };
        Slab { area, data, first, copies }
    }

    pub fn count(&self) -> usize {
        self.area.len()
    }

    /// The address of the first element. No reference to elements is made, so earlier pointers stay valid.
    pub fn start(&mut self) -> *mut T {
        self.data.as_mut_ptr().wrapping_add(self.first)
    }

    fn elements(&self) -> &[T] {
        &self.data[self.first..][..self.area.len()]
    }

    fn elements_mut(&mut self) -> &mut [T] {
        &mut self.data[self.first..][..self.area.len()]
    }

    pub fn copies(&self) -> &Copies {
        &self.copies
    }

    /// Whether only a device has the elements.
    pub fn is_away(&self) -> bool {
        self.copies.residence.valid() == Valid::Device
    }

    /// The elements on the host.
    pub fn on_host(&mut self) -> &[T] {
        // SAFETY: the slab is borrowed alone.
        unsafe { self.copies.bring_back() };
        self.elements()
    }

    /// The host changes elements: a device's copy is no longer valid.
    pub fn changed_on_host(&mut self) {
        self.on_host();
        self.copies.residence.host_writes();
    }

    /// Copies the elements of `part`, which is inside, into an array with the indices `of`.
    pub fn read(&self, part: Area, to: &mut [T], of: &Area) {
        if part.is_empty() {
            return;
        }
        if !self.is_away() {
            return copy(self.elements(), &self.area, to, of, &part);
        }
        let mut elements = zeros::<T>(part.len());
        let mut rest = bytes_of_mut(&mut elements);
        let mut rows = Vec::new();
        for row in self.area.rows(&part).map(in_bytes::<T>) {
            let (own, others) = std::mem::take(&mut rest).split_at_mut(row.len());
            rows.push((row.start, own));
            rest = others;
        }
        self.copies.residence.read(&mut rows);
        copy(&elements, &part, to, of, &part);
    }

    /// Copies the elements of `part`, which is inside, from an array with the indices `of`.
    pub fn write(&mut self, part: Area, from: &[T], of: &Area) {
        if part.is_empty() {
            return;
        }
        if part == self.area {
            self.copies.residence.host_writes();
        }
        let area = self.area;
        copy(from, of, self.elements_mut(), &area, &part);
        if self.copies.residence.valid() != Valid::Host {
            for row in self.area.rows(&part) {
                self.copies.residence.write(in_bytes::<T>(row.clone()).start, bytes_of(&self.elements()[row]));
            }
        }
    }
}

/// The number of elements in a line of the cache, if their size allows to begin at one.
pub(super) fn in_line<T>() -> Option<usize> {
    let size = size_of::<T>();
    (size > 0 && LINE.is_multiple_of(size)).then(|| LINE / size)
}

/// The size of a line of the cache.
const LINE: usize = 64;

/// The size of a page, and that of allocations that are worth one more.
const PAGE: usize = 4096;
const LARGE: usize = 1 << 16;

/// The line of a page at which the memory of a new object begins: the first objects of a thread are half a page apart, the next ones a quarter, and
/// so on.
///
/// Loops over several objects access the same index in each of them, and a processor delays a load from an address that differs from that
/// of a recent store by whole pages.
pub(super) fn next_line() -> usize {
    thread_local! {
        static OBJECTS: Cell<usize> = const { Cell::new(0) };
    }
    let lines = PAGE / LINE;
    let object = OBJECTS.replace(OBJECTS.get().wrapping_add(1)) % lines;
    // The bits in the opposite order.
    object.reverse_bits() >> (usize::BITS - lines.ilog2())
}

/// Zeros, and the first one that is used. Many of them begin at this line of a page, so that rows do not straddle lines.
fn at_line<T: Copy + Zeroable>(count: usize, line: usize) -> (Vec<T>, usize) {
    if in_line::<T>().is_none() || count * size_of::<T>() < LARGE {
        return (zeros(count), 0);
    }
    let elements = zeros::<T>(count + PAGE / size_of::<T>());
    let bytes = (line * LINE).wrapping_sub(elements.as_ptr().addr()) % PAGE;
    let first = if bytes.is_multiple_of(size_of::<T>()) { bytes / size_of::<T>() } else { 0 };
    (elements, first)
}

/// Zeros, on large pages if they are many: tiles have short rows, each on another page.
pub(crate) fn zeros<T: Copy + Zeroable>(count: usize) -> Vec<T> {
    // Memory that the system has cleared is not written here.
    let mut all = vec![T::zeroed(); count];
    request_large_pages(&mut all);
    all
}

fn in_bytes<T>(elements: Range<usize>) -> Range<usize> {
    elements.start * size_of::<T>()..elements.end * size_of::<T>()
}

/// Bytes of elements, which a device replaces by those of elements of the same type.
fn bytes_of_mut<T: Element>(elements: &mut [T]) -> &mut [u8] {
    let bytes = size_of_val(elements);
    // SAFETY: the memory is initialised, without padding, and borrowed alone. Only a device writes it, with elements of this type.
    unsafe { std::slice::from_raw_parts_mut(elements.as_mut_ptr().cast(), bytes) }
}
