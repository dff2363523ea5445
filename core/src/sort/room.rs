//! Room for what other ranks send.

use crate::element::Element;
use crate::large_pages::ask_for_large_pages;
use std::alloc::{Layout, alloc_zeroed, handle_alloc_error};

/// Room for elements whose bytes come from elsewhere: zeros, which the system has at hand, so that none is written twice.
pub(super) struct Room<T> {
    room: Vec<T>,
    len: usize,
}

impl<T: Element> Room<T> {
    pub(super) fn of(len: usize) -> Self {
        let layout =
            Layout::array::<T>(len).unwrap_or_else(|_| unreachable!("a share of as many elements is in memory"));
        if layout.size() == 0 {
            return Room { room: Vec::new(), len };
        }
        // SAFETY: the layout is not empty; it is that of a vector with this capacity, of which no element is there yet.
        let mut room = unsafe {
            let start = alloc_zeroed(layout);
            if start.is_null() {
                handle_alloc_error(layout);
            }
            Vec::from_raw_parts(start.cast(), 0, len)
        };
        ask_for_large_pages(&mut room);
        Room { room, len }
    }

    pub(super) fn bytes(&mut self) -> &mut [u8] {
        // SAFETY: these are the bytes of the room, which are initialised, and borrowed alone.
        unsafe { std::slice::from_raw_parts_mut(self.room.as_mut_ptr().cast(), self.len * size_of::<T>()) }
    }

    /// # Safety
    /// All bytes have become those of elements.
    pub(super) unsafe fn filled(mut self) -> Vec<T> {
        // SAFETY: there is room for so many, and the caller's promise.
        unsafe { self.room.set_len(self.len) };
        self.room
    }
}
