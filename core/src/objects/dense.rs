//! The elements of an object on one rank, as an array.

use super::memory::Memory;

/// The memory of an object that is on one rank: one allocation with all elements. `None` on several ranks, where memory comes and goes.
#[derive(Debug)]
pub(super) struct Dense<T>(Option<*mut T>);

impl<T: Copy + bytemuck::Zeroable> Dense<T> {
    /// The memory of an object with this number of ranks.
    pub fn of(memory: &mut Memory<T>, whole: super::area::Area, ranks: usize) -> Self {
        let all = if ranks == 1 { memory.slab(whole) } else { None };
        Dense(all.map(|slab| slab.data.as_mut_ptr()))
    }

    /// An element; `None` on several ranks.
    ///
    /// # Safety
    /// The position is inside the object, whose memory is alive, and nobody writes it during the lifetime.
    #[inline]
    pub unsafe fn get<'o>(&self, position: usize) -> Option<&'o T> {
        // SAFETY: the caller guarantees it.
        self.0.map(|start| unsafe { &*start.add(position) })
    }

    /// The same, to write it.
    ///
    /// # Safety
    /// As [`Dense::get`], and nobody reads the element during the lifetime.
    #[inline]
    pub unsafe fn get_mut<'o>(&mut self, position: usize) -> Option<&'o mut T> {
        // SAFETY: the caller guarantees it.
        self.0.map(|start| unsafe { &mut *start.add(position) })
    }
}
