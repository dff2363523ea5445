//! The elements of an object on one rank, as an array.

use super::memory::Memory;
use crate::element::Element;
use bytemuck::Zeroable;

/// The memory of an object that is on one rank: one allocation with all elements. On several ranks, memory comes and goes, and there is none.
///
/// The addresses are plain fields: a loop over elements need not read them again.
#[derive(Debug)]
pub(super) struct Dense<T> {
    /// The address of the first element, if the host has a valid copy.
    read: Option<*mut T>,
    /// The same, if the host has the only valid copy.
    written: Option<*mut T>,
}

impl<T: Element + Zeroable> Dense<T> {
    /// The memory of an object with this number of ranks.
    pub fn of(memory: &mut Memory<T>, whole: super::area::Area, ranks: usize) -> Self {
        let all = if ranks == 1 { memory.slab(whole) } else { None };
        let read = all.map(|slab| {
            slab.on_host();
            slab.start()
        });
        Dense { read, written: None }
    }

    /// The host's copy will change: it becomes the only valid one.
    pub fn begin_to_write(&mut self, memory: &mut Memory<T>, whole: super::area::Area) {
        if let Some(slab) = memory.slab(whole) {
            slab.changed_on_host();
            (self.read, self.written) = (Some(slab.start()), Some(slab.start()));
        }
    }

    /// Whether the host may have changed elements since a device received them.
    pub fn is_written(&self) -> bool {
        self.written.is_some()
    }

    /// Tasks write elements, on the host or on a device.
    pub fn tasks_write(&mut self, on_host: bool) {
        self.written = None;
        self.read = self.read.filter(|_| on_host);
    }

    /// An element; `None` if the host has no array with a valid copy.
    ///
    /// # Safety
    /// The position is inside the object, whose memory is alive, and nobody writes it during the lifetime.
    #[inline]
    pub unsafe fn get<'o>(&self, position: usize) -> Option<&'o T> {
        // SAFETY: the caller guarantees it.
        self.read.map(|start| unsafe { &*start.add(position) })
    }

    /// The same, to write it; `None` if the array is not the only valid copy.
    ///
    /// # Safety
    /// As [`Dense::get`], and nobody reads the element during the lifetime.
    #[inline]
    pub unsafe fn get_mut<'o>(&mut self, position: usize) -> Option<&'o mut T> {
        // SAFETY: the caller guarantees it.
        self.written.map(|start| unsafe { &mut *start.add(position) })
    }
}
