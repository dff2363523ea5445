//! This rank's elements of an array, whose valid copy may be on the host or on a device.

use super::versioned::Versioned;
use crate::device::{Residence, Resident, Valid};
use crate::element::{Element, bytes_of, from_bytes};
use std::alloc::Layout;
use std::borrow::Cow;
use std::marker::PhantomData;
use std::ops::{Deref, DerefMut, Range};

/// This rank's elements, for reading. They are in host memory, or copied there at the first access.
#[derive(Debug)]
pub struct Local<'a, T> {
    at: Versioned<'a, T>,
    len: usize,
}

/// This rank's elements as bytes, with their type erased.
#[derive(Debug, Clone, Copy)]
pub(crate) struct LocalBytes<'a> {
    at: Versioned<'a, u8>,
    len: usize,
    element: Layout,
    /// Whether the elements may be written. Their version ended when this was created, and they have no version as long as it exists.
    writable: bool,
}

/// This rank's elements, for writing.
#[derive(Debug)]
pub struct LocalMut<'a, T> {
    local: Local<'a, T>,
    elements: PhantomData<&'a mut [T]>,
}

impl<T> Clone for Local<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Local<'_, T> {}

impl<'a, T> Local<'a, T> {
    /// Elements that may be on a device too.
    ///
    /// # Safety
    /// For `'a`, there are `len` initialised elements at `address`, with permission to write. Only `residence`, which belongs to them, changes
    /// them. No slice of them is alive while only the device has a valid copy.
    pub(crate) unsafe fn resident(address: *mut T, len: usize, residence: &'a Residence) -> Self {
        Local { at: Versioned::share(address, residence), len }
    }

    /// The number of elements.
    #[inline]
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there are no elements.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The address of the first element, with permission for the whole allocation. A window writes only the halo through it.
    #[inline]
    pub fn address(&self) -> *mut T {
        self.at.with_room()
    }

    /// The elements.
    #[inline]
    pub fn elements(&self) -> &'a [T] {
        if let Some(residence) = self.at.residence() {
            // SAFETY: the elements' own memory, as the constructor requires.
            unsafe { residence.bring_back(self.at.with_room().cast()) };
        }
        // SAFETY: as above.
        unsafe { std::slice::from_raw_parts(self.at.reading(), self.len) }
    }

    /// Whether only a device has a valid copy.
    pub(crate) fn is_away(&self) -> bool {
        self.at.residence().is_some_and(|residence| residence.valid() == Valid::Device)
    }
}

impl<'a, T: Element> Local<'a, T> {
    /// The elements as bytes.
    #[inline]
    pub(crate) fn as_bytes(&self) -> LocalBytes<'a> {
        LocalBytes { at: self.at.cast(), len: self.len, element: Layout::new::<T>(), writable: false }
    }

    /// The bytes of some elements. If only a device has a valid copy, only these are copied.
    pub(crate) fn bytes(&self, ranges: &[Range<usize>]) -> Vec<Cow<'a, [u8]>> {
        self.as_bytes().some(ranges)
    }

    /// Gathers elements by index, as [`LocalBytes::gather`].
    pub(crate) fn gather(&self, places: &[usize]) -> Vec<T> {
        from_bytes(&self.as_bytes().gather(places))
    }
}

impl<'a> LocalBytes<'a> {
    /// The number of elements.
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    /// The layout of an element.
    pub(crate) fn element(&self) -> Layout {
        self.element
    }

    /// The address of the first element, with permission for the whole allocation. For writable elements the version has ended.
    pub(crate) fn address(&self) -> *mut u8 {
        self.at.with_room()
    }

    /// Whether only a device has a valid copy.
    pub(crate) fn is_away(&self) -> bool {
        self.at.residence().is_some_and(|residence| residence.valid() == Valid::Device)
    }

    /// Whether only the host has a valid copy.
    pub(crate) fn is_at_home(&self) -> bool {
        self.at.residence().is_none_or(|residence| residence.valid() == Valid::Host)
    }

    /// The [version](Residence::version) of the share, if the elements are a share. Writable elements have none, because they may be written
    /// through an address from an earlier call.
    pub(crate) fn version(&self) -> Option<u64> {
        if self.writable { None } else { self.at.version() }
    }

    /// Whether the elements may be written.
    #[inline]
    pub(crate) fn is_writable(&self) -> bool {
        self.writable
    }

    /// The share for a device, after pending changes of the host are copied to it.
    pub(crate) fn held(&self, first: usize) -> Option<Resident<'a>> {
        let (residence, address) = (self.at.residence()?, self.at.with_room());
        // SAFETY: the elements' own memory, as the constructor requires.
        unsafe { residence.settle(address) };
        Some(Resident { residence, address, first, count: self.len })
    }

    /// All bytes, in host memory.
    pub(crate) fn all(&self) -> &'a [u8] {
        if let Some(residence) = self.at.residence() {
            // SAFETY: the elements' own memory, as the constructor requires.
            unsafe { residence.bring_back(self.at.with_room()) };
        }
        // SAFETY: as above; elements have no padding.
        unsafe { std::slice::from_raw_parts(self.at.reading(), self.len * self.element.size()) }
    }

    /// The bytes of some elements. If only a device has a valid copy, only these are copied.
    pub(crate) fn some(&self, ranges: &[Range<usize>]) -> Vec<Cow<'a, [u8]>> {
        let size = self.element.size();
        let bytes = |range: &Range<usize>| range.start * size..range.end * size;
        match self.at.residence() {
            Some(residence) if self.is_away() => {
                // SAFETY: the elements' own memory, as the constructor requires.
                unsafe { residence.settle(self.at.reading()) };
                let mut all: Vec<Vec<u8>> = ranges.iter().map(|range| vec![0; range.len() * size]).collect();
                let places = ranges.iter().map(|range| range.start * size);
                let mut parts: Vec<_> = places.zip(all.iter_mut().map(Vec::as_mut_slice)).collect();
                parts.retain(|(_, bytes)| !bytes.is_empty());
                if !parts.is_empty() {
                    residence.read(&mut parts);
                }
                all.into_iter().map(Cow::Owned).collect()
            }
            _ => {
                let all = self.all();
                ranges.iter().map(|range| Cow::Borrowed(&all[bytes(range)])).collect()
            }
        }
    }

    /// Whether the elements may stay on a device.
    pub(crate) fn may_stay(&self) -> bool {
        self.at.residence().is_some()
    }

    /// Gathers elements by index. If only a device has a valid copy, only these are copied, unless copying all is faster.
    pub(crate) fn gather(&self, places: &[usize]) -> Vec<u8> {
        let size = self.element.size();
        match self.at.residence() {
            // The indices are copied to the device, and the elements back.
            Some(residence) if self.is_away() && places.len() * (size + 4) < self.len * size => {
                // SAFETY: the elements' own memory, as the constructor requires.
                unsafe { residence.settle(self.at.reading()) };
                residence.gather(places, size)
            }
            _ => {
                let mut all = vec![0; places.len() * size];
                pick(self.all(), size, places.iter().copied(), &mut all);
                all
            }
        }
    }

    /// All bytes, in host memory; invalidates the device's copy.
    ///
    /// # Safety
    /// The elements may be written, nothing else refers to them while the result exists, and only valid elements are written.
    pub(crate) unsafe fn all_mut(&mut self) -> &mut [u8] {
        debug_assert!(self.writable, "these elements are to be read alone");
        if let Some(residence) = self.at.residence() {
            // SAFETY: the elements' own memory, as the constructor requires.
            unsafe { residence.bring_back(self.at.with_room()) };
            residence.host_writes();
        }
        // SAFETY: the caller guarantees it.
        unsafe { std::slice::from_raw_parts_mut(self.at.writing(), self.len * self.element.size()) }
    }

    /// Writes elements from `at` on, in all valid copies. No other element is copied.
    ///
    /// # Safety
    /// As [`LocalBytes::all_mut`].
    pub(crate) unsafe fn write(&mut self, at: usize, elements: &[u8]) {
        debug_assert!(self.writable, "these elements are to be read alone");
        if elements.is_empty() {
            return;
        }
        let (at, all) = (at * self.element.size(), self.len * self.element.size());
        if let Some(residence) = self.at.residence() {
            if elements.len() == all {
                residence.host_writes();
            } else if residence.valid() != Valid::Host {
                // SAFETY: the elements' own memory, which nothing else changes.
                unsafe { residence.settle(self.at.reading()) };
                residence.write(at, elements);
            }
        }
        if !self.is_away() {
            // SAFETY: the caller's promise; whatever of the elements is valid there, they are initialised.
            let memory = unsafe { std::slice::from_raw_parts_mut(self.at.writing(), all) };
            memory[at..at + elements.len()].copy_from_slice(elements);
        }
    }
}

impl<T: Element> Local<'_, T> {
    /// One element; no other element is copied from a device.
    ///
    /// # Panics
    /// If the index is out of bounds.
    pub(crate) fn one(&self, index: usize) -> T {
        if !self.is_away() {
            return self.elements()[index];
        }
        check(index, self.len);
        let place = place::<T>(index);
        if self.at.residence().is_some_and(|residence| residence.may_be_newer(&place)) {
            // SAFETY: the element is there, and the host's copy of it is the newest.
            return unsafe { *self.at.reading().add(index) };
        }
        let mut bytes = vec![0; size_of::<T>()];
        if let Some(residence) = self.at.residence() {
            residence.read(&mut [(place.start, &mut bytes)]);
        }
        from_bytes(&bytes)[0]
    }
}

/// Copies the elements of this size at these places, one after the other.
pub(crate) fn pick(elements: &[u8], size: usize, places: impl Iterator<Item = usize>, to: &mut [u8]) {
    /// With the size as a constant, each element is a load and a store.
    fn of<const SIZE: usize>(elements: &[u8], places: impl Iterator<Item = usize>, to: &mut [u8]) {
        let (elements, to) = (elements.as_chunks::<SIZE>().0, to.as_chunks_mut::<SIZE>().0);
        places.zip(to).for_each(|(place, to)| *to = elements[place]);
    }
    match size {
        0 => {}
        1 => of::<1>(elements, places, to),
        4 => of::<4>(elements, places, to),
        8 => of::<8>(elements, places, to),
        16 => of::<16>(elements, places, to),
        24 => of::<24>(elements, places, to),
        _ => places
            .zip(to.chunks_exact_mut(size))
            .for_each(|(place, to)| to.copy_from_slice(&elements[place * size..(place + 1) * size])),
    }
}

/// The number of single elements that are copied from or to a device; after that, all elements are copied to the host.
pub(crate) const FEW: usize = 16;

/// The range of bytes of an element.
fn place<T>(index: usize) -> Range<usize> {
    index * size_of::<T>()..(index + 1) * size_of::<T>()
}

/// Panics as an index out of bounds does.
#[inline(always)]
#[track_caller]
pub(crate) fn check(index: usize, len: usize) {
    assert!(index < len, "index out of bounds: the len is {len} but the index is {index}");
}

impl<'a, T> From<&'a [T]> for Local<'a, T> {
    #[inline]
    fn from(slice: &'a [T]) -> Self {
        Local { at: Versioned::slice(slice.as_ptr().cast_mut()), len: slice.len() }
    }
}

impl<T> Deref for Local<'_, T> {
    type Target = [T];

    #[inline]
    fn deref(&self) -> &[T] {
        self.elements()
    }
}

impl<'a, T> LocalMut<'a, T> {
    /// Elements that may be on a device too.
    ///
    /// # Safety
    /// As [`Local::resident`], and nothing else refers to the elements for `'a`.
    pub(crate) unsafe fn resident(address: *mut T, len: usize, residence: &'a Residence) -> Self {
        // SAFETY: the caller guarantees it.
        LocalMut { local: unsafe { Local::resident(address, len, residence) }, elements: PhantomData }
    }

    /// The number of elements.
    #[inline]
    pub fn len(&self) -> usize {
        self.local.len
    }

    /// Whether there are no elements.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.local.len == 0
    }

    /// The elements, in host memory; invalidates the device's copy.
    #[inline]
    pub(crate) fn into_elements(mut self) -> &'a mut [T] {
        let elements: *mut [T] = &mut *self;
        // SAFETY: nothing else refers to the elements for `'a`, because this call consumes the only reference.
        unsafe { &mut *elements }
    }

    /// The same elements, for a shorter lifetime.
    #[inline]
    pub(crate) fn reborrow(&mut self) -> LocalMut<'_, T> {
        LocalMut { local: self.local, elements: PhantomData }
    }

    /// The same elements, for reading.
    #[inline]
    pub(crate) fn as_local(&self) -> Local<'_, T> {
        self.local
    }
}

impl<'a, T: Element> LocalMut<'a, T> {
    /// The same elements as writable bytes. Ends their version.
    #[inline]
    pub(crate) fn into_bytes(mut self) -> LocalBytes<'a> {
        self.local.at.writing();
        LocalBytes { writable: true, ..self.local.as_bytes() }
    }

    /// The elements in host memory, which may be out of date.
    fn in_memory(&mut self) -> &mut [T] {
        // SAFETY: the elements are initialised, and nothing else refers to them, as the constructor requires.
        unsafe { std::slice::from_raw_parts_mut(self.local.at.writing(), self.local.len) }
    }

    /// Copies pending changes of the host to the device, before the device's copy changes.
    fn settle(&mut self) {
        if let Some(residence) = self.local.at.residence() {
            // SAFETY: the elements' own memory, which nothing else changes.
            unsafe { residence.settle(self.local.at.reading().cast()) };
        }
    }

    /// As [`LocalBytes::write`].
    pub(crate) fn write(&mut self, at: usize, elements: &[T]) {
        // SAFETY: nothing else refers to the elements, as the constructor requires.
        unsafe { self.reborrow().into_bytes().write(at, bytes_of(elements)) }
    }

    /// Fills a range, in all valid copies.
    pub(crate) fn fill(&mut self, range: Range<usize>, value: T) {
        if range.is_empty() {
            return;
        }
        if let Some(residence) = self.local.at.residence().filter(|residence| residence.valid() != Valid::Host) {
            self.settle();
            residence.fill(range.start * size_of::<T>(), bytes_of(&[value]), range.len());
        }
        if !self.local.is_away() {
            self.in_memory()[range].fill(value);
        }
    }

    /// One element, for writing. Other elements stay on a device, unless many are accessed.
    ///
    /// # Panics
    /// If the index is out of bounds.
    #[inline]
    #[track_caller]
    pub(crate) fn one_mut(&mut self, index: usize) -> &mut T {
        self.borrow_one(index, false)
    }

    /// Sets one element, in the same way.
    ///
    /// # Panics
    /// If the index is out of bounds.
    #[inline]
    #[track_caller]
    pub(crate) fn put(&mut self, index: usize, value: T) {
        *self.borrow_one(index, true) = value;
    }

    #[inline]
    #[track_caller]
    fn borrow_one(&mut self, index: usize, replaced: bool) -> &mut T {
        match self.local.at.residence() {
            Some(residence) if residence.valid() != Valid::Host && residence.newer_parts() < FEW => {
                check(index, self.local.len);
                // SAFETY: the elements' own memory, as the constructor requires.
                unsafe { residence.host_writes_part(self.local.at.with_room().cast(), place::<T>(index), replaced) };
                &mut self.in_memory()[index]
            }
            _ => &mut self[index],
        }
    }
}

impl<'a, T> From<&'a mut [T]> for LocalMut<'a, T> {
    #[inline]
    fn from(slice: &'a mut [T]) -> Self {
        let (at, len) = (Versioned::slice(slice.as_mut_ptr()), slice.len());
        LocalMut { local: Local { at, len }, elements: PhantomData }
    }
}

impl<T> Deref for LocalMut<'_, T> {
    type Target = [T];

    #[inline]
    fn deref(&self) -> &[T] {
        self.local.elements()
    }
}

impl<T> DerefMut for LocalMut<'_, T> {
    #[inline]
    fn deref_mut(&mut self) -> &mut [T] {
        if let Some(residence) = self.local.at.residence() {
            // SAFETY: the elements' own memory, as the constructor requires.
            unsafe { residence.bring_back(self.local.at.with_room().cast()) };
            residence.host_writes();
        }
        // SAFETY: as above, and nothing else refers to the elements.
        unsafe { std::slice::from_raw_parts_mut(self.local.at.writing(), self.local.len) }
    }
}
