//! An array that a loop only reads.

use super::exchange::{Apart, any_remote, assemble, fetch};
use super::list::{Slot, Slots, Windows};
use crate::data::{Layout, Local};
use crate::device::Part;
use crate::element::Element;
use crate::parameter::{Input, Output};
use crate::runtime::Context;
use crate::view::{Proof, ReadPart, Reads, Window};
use std::ops::Range;

impl<T: Element, Tail: Slots> Slots for (ReadSlot<'_, T>, Tail) {
    type Windows = (ReadWindow<T>, Tail::Windows);

    fn each(&mut self, visit: &mut dyn FnMut(&mut dyn Slot)) {
        visit(&mut self.0);
        self.1.each(visit);
    }

    fn windows(&mut self) -> Self::Windows {
        (ReadWindow(self.0.window), self.1.windows())
    }

    fn parts<'p>(&'p self, to: &mut Vec<Part<'p>>) {
        to.push(self.0.part());
        self.1.parts(to);
    }
}

/// The address of an array that the loop reads.
#[derive(Debug)]
pub struct ReadWindow<T>(Window<T>);

impl<T> Clone for ReadWindow<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for ReadWindow<T> {}

impl<T: Element, Tail: Windows> Windows for (ReadWindow<T>, Tail) {
    type Fast<'w> = (ReadPart<'w, T>, Tail::Fast<'w>);
    type Checked<'w> = (Reads<'w, T, true>, Tail::Checked<'w>);

    fn scattered(&self) -> bool {
        self.1.scattered()
    }

    fn held(&self, visit: &mut dyn FnMut(Range<usize>)) {
        visit(self.0.0.held());
        self.1.held(visit);
    }

    #[inline]
    unsafe fn fast<'w>(&self, hulls: &[Range<usize>]) -> Self::Fast<'w> {
        // A reader may have the whole window: sharing it harms nobody.
        let held = self.0.0.held();
        // SAFETY: the caller's promise; indices inside the hull are inside the whole window too.
        unsafe {
            let slice = self.0.0.slice(held.clone());
            ((slice, Proof::new(held.start, self.0.0.len())), self.1.fast(&hulls[1..]))
        }
    }

    #[inline]
    unsafe fn checked<'w>(&self) -> Self::Checked<'w> {
        // SAFETY: the caller's promise.
        unsafe { (Reads::checked(self.0.0), self.1.checked()) }
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
