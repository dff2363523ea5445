//! Buffers for elements that other ranks send.

use crate::element::Element;
use crate::large_pages::request_large_pages;
use std::alloc::{Layout, alloc_zeroed, handle_alloc_error};

/// A buffer for elements that arrive as bytes. It is allocated as zeros, because the system has zeroed pages: nothing is written twice.
pub(super) struct ReceiveBuffer<T> {
    elements: Vec<T>,
    len: usize,
}

impl<T: Element> ReceiveBuffer<T> {
    pub(super) fn of(len: usize) -> Self {
        let layout =
            Layout::array::<T>(len).unwrap_or_else(|_| unreachable!("a share of as many elements is in memory"));
        if layout.size() == 0 {
            return ReceiveBuffer { elements: Vec::new(), len };
        }
        // SAFETY: the layout is not empty. It is the layout of an empty vector with this capacity.
        let mut elements = unsafe {
            let start = alloc_zeroed(layout);
            if start.is_null() {
                handle_alloc_error(layout);
            }
            Vec::from_raw_parts(start.cast(), 0, len)
        };
        request_large_pages(&mut elements);
        ReceiveBuffer { elements, len }
    }

    pub(super) fn bytes(&mut self) -> &mut [u8] {
        // SAFETY: the bytes are initialised, and borrowed uniquely.
        unsafe { std::slice::from_raw_parts_mut(self.elements.as_mut_ptr().cast(), self.len * size_of::<T>()) }
    }

    /// # Safety
    /// The bytes of all elements must be valid.
    pub(super) unsafe fn filled(mut self) -> Vec<T> {
        // SAFETY: the capacity is `len`, and the caller guarantees that the elements are valid.
        unsafe { self.elements.set_len(self.len) };
        self.elements
    }
}
