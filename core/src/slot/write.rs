//! An array that a loop writes.

use super::exchange::{Apart, any_remote, apply_changes, assemble, fetch, note_changes};
use super::list::{Slot, Slots, Windows};
use crate::comm::collective;
use crate::data::{Layout, LocalMut, overlap};
use crate::device::Part;
use crate::element::Element;
use crate::parameter::Output;
use crate::runtime::Context;
use crate::view::{Proof, Window, WritePart, Writes};
use std::ops::Range;

impl<T: Element, Tail: Slots> Slots for (WriteSlot<'_, T>, Tail) {
    type Windows = (WriteWindow<T>, Tail::Windows);

    fn each(&mut self, visit: &mut dyn FnMut(&mut dyn Slot)) {
        visit(&mut self.0);
        self.1.each(visit);
    }

    fn windows(&mut self) -> Self::Windows {
        (WriteWindow(self.0.window), self.1.windows())
    }

    fn parts<'p>(&'p self, to: &mut Vec<Part<'p>>) {
        to.push(self.0.part());
        self.1.parts(to);
    }
}

/// The address of an array that the loop writes.
#[derive(Debug)]
pub struct WriteWindow<T>(Window<T>);

impl<T> Clone for WriteWindow<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for WriteWindow<T> {}

impl<T: Element, Tail: Windows> Windows for (WriteWindow<T>, Tail) {
    type Fast<'w> = (WritePart<'w, T>, Tail::Fast<'w>);
    type Checked<'w> = (Writes<'w, T, true>, Tail::Checked<'w>);

    fn scattered(&self) -> bool {
        self.1.scattered()
    }

    fn held(&self, visit: &mut dyn FnMut(Range<usize>)) {
        visit(self.0.0.held());
        self.1.held(visit);
    }

    #[inline]
    unsafe fn fast<'w>(&self, hulls: &[Range<usize>]) -> Self::Fast<'w> {
        // SAFETY: the caller's promise.
        unsafe {
            let slice = self.0.0.slice_mut(hulls[0].clone());
            ((slice, Proof::new(hulls[0].start, self.0.0.len())), self.1.fast(&hulls[1..]))
        }
    }

    #[inline]
    unsafe fn checked<'w>(&self) -> Self::Checked<'w> {
        // SAFETY: the caller's promise.
        unsafe { (Writes::checked(self.0.0), self.1.checked()) }
    }
}

/// An array that a loop writes.
#[derive(Debug)]
pub struct WriteSlot<'a, T> {
    local: LocalMut<'a, T>,
    place: LayoutRef<'a>,
    window: Window<T>,
    buffer: Apart<T>,
    /// What was fetched from other ranks, as it was: the elements that differ later are sent back.
    pristine: Vec<(Range<usize>, Vec<T>)>,
}

#[derive(Debug)]
enum LayoutRef<'a> {
    Borrowed(&'a Layout),
    Owned(Layout),
}

impl<T: Element> Output<'_, T> {
    /// For a loop that writes it.
    #[inline]
    pub fn write_slot(&mut self) -> WriteSlot<'_, T> {
        let (local, place) = self.parts();
        WriteSlot::over(local, LayoutRef::Borrowed(place))
    }
}

impl<'a, T: Element> WriteSlot<'a, T> {
    /// An array that every rank has whole, and has whole again after the loop.
    #[inline]
    pub fn everywhere(local: &'a mut [T]) -> Self {
        let place = Layout::everywhere(local.len());
        WriteSlot::over(local.into(), LayoutRef::Owned(place))
    }

    #[inline]
    fn over(local: LocalMut<'a, T>, place: LayoutRef<'a>) -> Self {
        let at = match &place {
            LayoutRef::Borrowed(place) => *place,
            LayoutRef::Owned(place) => place,
        };
        let window = Window::new(local.as_local().address(), at.offset, at.offset + local.len(), at.len);
        WriteSlot { local, place, window, buffer: Apart::new(), pristine: Vec::new() }
    }
}

impl<T: Element> Slot for WriteSlot<'_, T> {
    fn place(&self) -> &Layout {
        match &self.place {
            LayoutRef::Borrowed(place) => place,
            LayoutRef::Owned(place) => place,
        }
    }

    fn writes(&self) -> bool {
        true
    }

    fn part(&self) -> Part<'_> {
        self.window.part(self.local.as_local().held(self.place().offset))
    }

    fn bring_back(&mut self) {
        let _: &mut [T] = &mut self.local;
        let offset = self.place().offset;
        self.buffer.complete(&self.window, &self.local.as_local(), offset);
    }

    fn open(&mut self, context: &Context, hulls: &[Range<usize>]) {
        if self.place().everywhere {
            let hull = hulls[context.place().rank].clone();
            self.pristine = vec![(hull.clone(), self.local[hull].to_vec())];
            return;
        }
        if !any_remote(self.place(), hulls) {
            return;
        }
        let fetched = fetch(context, self.place(), self.local.as_local(), hulls);
        let hull = &hulls[context.place().rank];
        if !fetched.is_empty() {
            let mut buffer = Apart::new();
            self.window = assemble(self.place(), self.local.as_local(), hull, &fetched, &mut buffer);
            self.buffer = buffer;
        }
        self.pristine = fetched;
    }

    fn close(&mut self, context: &Context, hulls: &[Range<usize>]) {
        if self.place().everywhere {
            let mut changes = Vec::new();
            for (range, before) in std::mem::take(&mut self.pristine) {
                note_changes(range.start, &before, &self.local[range], &mut changes);
            }
            let (all, _) = collective::allgather_varied(context.comm(), &changes);
            apply_changes(&all, 0, &mut self.local);
            return;
        }
        if !any_remote(self.place(), hulls) {
            return;
        }
        let mut changes = vec![Vec::new(); context.place().ranks];
        for (range, before) in std::mem::take(&mut self.pristine) {
            let owner = self.place().owner(range.start);
            // SAFETY: the workers are done, so nothing else touches the window; the fetched range lies inside it.
            let after = unsafe { self.window.slice(range.clone()) };
            note_changes(range.start, &before, after, &mut changes[owner]);
        }
        let offset = self.place().offset;
        // A device has written to its copy of the share.
        if self.buffer.is_used() && !self.local.as_local().is_away() {
            let mine = overlap(&self.window.held(), &(offset..offset + self.local.len()));
            if !mine.is_empty() {
                // SAFETY: as above; this rank's elements of the window were put there before the loop.
                let after = unsafe { self.window.slice(mine.clone()) };
                self.local[mine.start - offset..mine.end - offset].copy_from_slice(after);
            }
        }
        for changes in collective::all_to_all(context.comm(), &changes) {
            apply_changes(&changes, offset, &mut self.local);
        }
    }
}
