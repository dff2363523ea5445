//! An array that a loop only reads.

use super::exchange::{Apart, any_remote, assemble, fetch};
use super::list::{List, Opened, Slot, Slots};
use crate::data::{Layout, Local};
use crate::device::Part;
use crate::element::Element;
use crate::parameter::{Input, Output};
use crate::runtime::Context;
use crate::view::{Proof, ReadPart, Reads, Window};
use std::ops::Range;

impl<T: Element, Tail: Slots> Slots for (ReadSlot<'_, T>, Tail) {
    type Fast<'w> = (ReadPart<'w, T>, Tail::Fast<'w>);
    type Checked<'w> = (Reads<'w, T, true>, Tail::Checked<'w>);

    fn list<'s>(&'s mut self, to: &mut List<'s>) {
        to.push(&mut self.0);
        self.1.list(to);
    }

    #[inline]
    unsafe fn fast<'w>(windows: &[Opened], hulls: &[Range<usize>]) -> Self::Fast<'w> {
        let window = windows[0].window::<T>();
        // A reader may have the whole window: sharing it harms nobody.
        let held = window.held();
        // SAFETY: the caller's promise; indices inside the hull are inside the whole window too.
        unsafe {
            let part = (window.slice(held.clone()), Proof::new(held.start, window.len()));
            (part, Tail::fast(&windows[1..], &hulls[1..]))
        }
    }

    #[inline]
    unsafe fn checked<'w>(windows: &[Opened]) -> Self::Checked<'w> {
        // SAFETY: the caller's promise.
        unsafe { (Reads::checked(windows[0].window()), Tail::checked(&windows[1..])) }
    }
}

/// An array that a loop only reads.
#[derive(Debug)]
pub struct ReadSlot<'a, T> {
    local: Local<'a, T>,
    place: &'a Layout,
    window: Window<T>,
    /// Holds the window when it does not fit beside the share.
    buffer: Apart<T>,
    /// Whether nothing changes the elements while the function runs.
    fixed: bool,
}

impl<T: Element> Input<'_, T> {
    /// For a loop that reads it.
    #[inline]
    pub fn read_slot(&self) -> ReadSlot<'_, T> {
        ReadSlot { fixed: true, ..ReadSlot::over(self.local(), self.place()) }
    }
}

impl<T: Element> Output<'_, T> {
    /// For a loop that only reads it.
    #[inline]
    pub fn read_slot(&self) -> ReadSlot<'_, T> {
        ReadSlot::over(self.local(), self.place())
    }
}

impl<'a, T: Element> ReadSlot<'a, T> {
    #[inline]
    fn over(local: Local<'a, T>, place: &'a Layout) -> Self {
        let window = Window::new(local.address(), place.offset, place.offset + local.len(), place.len);
        ReadSlot { local, place, window, buffer: Apart::new(), fixed: false }
    }
}

impl<T: Element> Slot for ReadSlot<'_, T> {
    fn place(&self) -> &Layout {
        self.place
    }

    fn version(&self) -> Option<u64> {
        if self.fixed { self.local.version() } else { None }
    }

    fn writes(&self) -> bool {
        false
    }

    fn opened(&self) -> Opened {
        Opened::whole(self.window)
    }

    fn held(&self) -> Range<usize> {
        self.window.held()
    }

    fn part(&self) -> Part<'_> {
        self.window.part(self.local.held(self.place.offset))
    }

    fn bring_back(&mut self) {
        self.local.elements();
        self.buffer.complete(&self.window, &self.local, self.place.offset);
    }

    fn open(&mut self, context: &Context, hulls: &[Range<usize>]) {
        if self.place.everywhere || !any_remote(self.place, hulls) {
            return;
        }
        let fetched = fetch(context, self.place, self.local, hulls);
        let hull = &hulls[context.place().rank];
        if !fetched.is_empty() {
            self.window = assemble(self.place, self.local, hull, &fetched, &mut self.buffer);
        }
    }

    fn close(&mut self, _: &Context, _: &[Range<usize>]) {}
}
