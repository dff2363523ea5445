//! The arrays of a loop on this rank: what its iterations need is fetched before, what they wrote elsewhere is sent after.

use crate::call::{Input, Output, Place};
use crate::comm::collective;
use crate::data::{Local, LocalMut};
use crate::device::Part;
use crate::element::{Element, bytes_of, from_bytes};
use crate::gather::{Asked, Schedule};
use crate::runtime::Context;
use crate::view::{Proof, ReadPart, Reads, Window, WritePart, Writes};
use std::ops::Range;

/// The arrays of a loop: nested pairs of slots, `(x, (out, ()))`.
pub trait Slots {
    /// The addresses, for the workers.
    type Windows: Windows;

    /// Visits every array in order.
    fn each(&mut self, visit: &mut dyn FnMut(&mut dyn Slot));

    /// The windows, once every array is open.
    fn windows(&mut self) -> Self::Windows;

    /// The memory of all arrays, for a device, once every array is open.
    fn parts<'p>(&'p self, to: &mut Vec<Part<'p>>);
}

/// One array of a loop, whatever its element.
pub trait Slot {
    /// Where its elements are.
    fn place(&self) -> &Place;

    /// Whether the loop writes it.
    fn writes(&self) -> bool;

    /// Fetches what this rank's iterations need: `hulls[r]` are the elements that rank `r` may touch.
    fn open(&mut self, context: &Context, hulls: &[Range<usize>]);

    /// Sends back what this rank's iterations wrote to elements of other ranks.
    fn close(&mut self, context: &Context, hulls: &[Range<usize>]);

    /// The memory that this rank's iterations touch, for a device.
    fn part(&self) -> Part<'_>;

    /// Makes the host's copy of the elements valid, and the only one where the loop writes.
    fn bring_back(&mut self);

    /// The version of the share, where it has one and the loop cannot change it.
    fn version(&self) -> Option<u64> {
        None
    }

    /// Tells the others what this rank's iterations ask for, and learns what they ask for.
    fn schedule(&self, _: &Context, _: Asked) -> Option<Schedule> {
        None
    }

    /// Fetches that, and gives the others what they ask for.
    fn receive(&mut self, _: &Context, _: &Schedule) {}
}

/// The addresses of a loop's arrays, shared by its workers.
pub trait Windows: Copy + Send + Sync {
    /// Slices with the proof that indices lie inside.
    type Fast<'w>;
    /// Views that check each index.
    type Checked<'w>;

    /// Whether a window holds single elements, packed: then only the checked form of the arrays finds them.
    fn scattered(&self) -> bool;

    /// Visits what each window holds.
    fn held(&self, visit: &mut dyn FnMut(Range<usize>));

    /// The arrays for iterations that touch only `hulls[k]` of array `k`.
    ///
    /// # Safety
    /// The loop's arrays are open for `'w`; the iterations touch only `hulls`, which lie inside the windows; nothing else
    /// touches the hulls of written arrays meanwhile, nor writes those of read ones.
    unsafe fn fast<'w>(&self, hulls: &[Range<usize>]) -> Self::Fast<'w>;

    /// The arrays for any iterations.
    ///
    /// # Safety
    /// The loop's arrays are open for `'w`, and no two iterations that run at the same time touch the same element if one
    /// of them writes it.
    unsafe fn checked<'w>(&self) -> Self::Checked<'w>;
}

impl Slots for () {
    type Windows = ();
    fn each(&mut self, _: &mut dyn FnMut(&mut dyn Slot)) {}
    fn windows(&mut self) {}
    fn parts<'p>(&'p self, _: &mut Vec<Part<'p>>) {}
}

impl Windows for () {
    type Fast<'w> = ();
    type Checked<'w> = ();
    fn scattered(&self) -> bool {
        false
    }
    fn held(&self, _: &mut dyn FnMut(Range<usize>)) {}
    unsafe fn fast<'w>(&self, _: &[Range<usize>]) -> Self::Fast<'w> {}
    unsafe fn checked<'w>(&self) -> Self::Checked<'w> {}
}

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

/// The address of an array that the loop reads.
#[derive(Debug)]
pub struct ReadWindow<T>(Window<T>);

/// The address of an array that the loop writes.
#[derive(Debug)]
pub struct WriteWindow<T>(Window<T>);

impl<T> Clone for ReadWindow<T> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<T> Copy for ReadWindow<T> {}
impl<T> Clone for WriteWindow<T> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<T> Copy for WriteWindow<T> {}

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

/// An array that a loop only reads.
#[derive(Debug)]
pub struct ReadSlot<'a, T> {
    local: Local<'a, T>,
    place: &'a Place,
    window: Window<T>,
    /// Holds the window when it does not fit beside the share.
    buffer: Apart<T>,
    /// Whether nothing changes the elements while the function runs.
    fixed: bool,
}

/// An array that a loop writes.
#[derive(Debug)]
pub struct WriteSlot<'a, T> {
    local: LocalMut<'a, T>,
    place: PlaceRef<'a>,
    window: Window<T>,
    buffer: Apart<T>,
    /// What was fetched from other ranks, as it was: the elements that differ later are sent back.
    pristine: Vec<(Range<usize>, Vec<T>)>,
}

/// Memory for a window that does not fit beside the share: uninitialised where nothing was put yet.
#[derive(Debug)]
pub(crate) struct Apart<T> {
    elements: Vec<T>,
    /// The share's elements of the window, while they are still to be put there: a device has them.
    missing: Range<usize>,
}

impl<T> Apart<T> {
    /// None.
    pub(crate) fn new() -> Self {
        Apart { elements: Vec::new(), missing: 0..0 }
    }

    fn is_used(&self) -> bool {
        self.elements.capacity() > 0
    }
}

impl<T: Element> Apart<T> {
    /// Puts the share's elements into the window, which is this, where they are missing.
    pub(crate) fn complete(&mut self, window: &Window<T>, local: &Local<'_, T>, offset: usize) {
        let missing = std::mem::take(&mut self.missing);
        if !missing.is_empty() {
            let own = &local.elements()[missing.start - offset..missing.end - offset];
            let to = self.elements.as_mut_ptr().wrapping_add(missing.start).wrapping_sub(window.held().start);
            // SAFETY: what is missing lies inside of the window, for which there is capacity; nothing else refers to it yet.
            unsafe { std::ptr::copy_nonoverlapping(own.as_ptr(), to, own.len()) };
        }
    }
}

#[derive(Debug)]
enum PlaceRef<'a> {
    Borrowed(&'a Place),
    Owned(Place),
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

    /// For a loop that writes it.
    #[inline]
    pub fn write_slot(&mut self) -> WriteSlot<'_, T> {
        let (local, place) = self.parts();
        WriteSlot::over(local, PlaceRef::Borrowed(place))
    }
}

impl<'a, T: Element> ReadSlot<'a, T> {
    #[inline]
    fn over(local: Local<'a, T>, place: &'a Place) -> Self {
        let window = Window::new(local.address(), place.offset, place.offset + local.len(), place.len);
        ReadSlot { local, place, window, buffer: Apart::new(), fixed: false }
    }
}

impl<'a, T: Element> WriteSlot<'a, T> {
    /// An array that every rank has whole, and has whole again after the loop.
    #[inline]
    pub fn everywhere(local: &'a mut [T]) -> Self {
        let place = Place::everywhere(local.len());
        WriteSlot::over(local.into(), PlaceRef::Owned(place))
    }

    #[inline]
    fn over(local: LocalMut<'a, T>, place: PlaceRef<'a>) -> Self {
        let at = match &place {
            PlaceRef::Borrowed(place) => *place,
            PlaceRef::Owned(place) => place,
        };
        let window = Window::new(local.as_local().address(), at.offset, at.offset + local.len(), at.len);
        WriteSlot { local, place, window, buffer: Apart::new(), pristine: Vec::new() }
    }
}

pub(crate) fn overlap(one: &Range<usize>, two: &Range<usize>) -> Range<usize> {
    let start = one.start.max(two.start);
    start..one.end.min(two.end).max(start)
}

/// The elements of `hull` that other ranks own: `(owner, elements)`.
fn remote<'a>(
    place: &'a Place,
    rank: usize,
    hull: &'a Range<usize>,
) -> impl Iterator<Item = (usize, Range<usize>)> + 'a {
    (0..place.ranks())
        .filter(move |&owner| owner != rank)
        .map(move |owner| (owner, overlap(hull, &place.share_of(owner))))
        .filter(|(_, range)| !range.is_empty())
}

/// Whether any rank touches elements of another.
fn any_remote(place: &Place, hulls: &[Range<usize>]) -> bool {
    hulls.iter().enumerate().any(|(rank, hull)| remote(place, rank, hull).next().is_some())
}

/// Fetches the elements of this rank's hull that other ranks own, and gives what they need of its share.
fn fetch<T: Element>(
    context: &Context,
    place: &Place,
    local: Local<'_, T>,
    hulls: &[Range<usize>],
) -> Vec<(Range<usize>, Vec<T>)> {
    let me = context.place().rank;
    let mine = place.share_of(me);
    let (others, needed): (Vec<usize>, Vec<Range<usize>>) = (0..context.place().ranks)
        .filter(|&rank| rank != me)
        .map(|rank| (rank, overlap(&hulls[rank], &mine)))
        .filter(|(_, range)| !range.is_empty())
        .map(|(rank, range)| (rank, range.start - mine.start..range.end - mine.start))
        .unzip();
    let needed = local.bytes(&needed);
    let sends: Vec<(usize, &[u8])> = others.into_iter().zip(needed.iter().map(|bytes| &**bytes)).collect();
    let wanted: Vec<(usize, Range<usize>)> = remote(place, me, &hulls[me]).collect();
    let mut buffers: Vec<Vec<u8>> = wanted.iter().map(|(_, range)| vec![0; range.len() * size_of::<T>()]).collect();
    let mut receives: Vec<(usize, &mut [u8])> =
        wanted.iter().zip(&mut buffers).map(|((owner, _), buffer)| (*owner, buffer.as_mut_slice())).collect();
    context.comm().exchange(&sends, &mut receives);
    wanted.into_iter().zip(buffers).map(|((_, range), bytes)| (range, from_bytes(&bytes))).collect()
}

/// Puts the fetched elements beside the share where there is room, else into memory apart, beside a copy of the share's.
pub(crate) fn assemble<T: Element>(
    place: &Place,
    local: Local<'_, T>,
    hull: &Range<usize>,
    fetched: &[(Range<usize>, Vec<T>)],
    buffer: &mut Apart<T>,
) -> Window<T> {
    let (share, first) = (place.offset..place.offset + local.len(), local.address());
    let in_place =
        hull.start + place.room.front >= share.start && hull.end <= share.end + place.room.back && !local.is_empty();
    let window = if in_place {
        // Between the share and a hull apart from it lie elements that nobody has fetched.
        let apart = hull.end < share.start || hull.start > share.end;
        let (lo, hi) =
            if apart { (hull.start, hull.end) } else { (hull.start.min(share.start), hull.end.max(share.end)) };
        Window::new(first.wrapping_add(lo).wrapping_sub(share.start), lo, hi, place.len)
    } else {
        *buffer = Apart { elements: Vec::with_capacity(hull.len()), missing: overlap(hull, &share) };
        Window::new(buffer.elements.as_mut_ptr(), hull.start, hull.end, place.len)
    };
    for (range, elements) in fetched {
        // SAFETY: the elements lie outside of the share, inside its room, which belongs to the share's allocation and
        // which nothing else refers to (the contract of `Shared`); or inside the memory apart, which is new.
        unsafe { window.put(range.start, elements) };
    }
    if !local.is_away() {
        buffer.complete(&window, &local, share.start);
    }
    window
}

impl<T: Element> Slot for ReadSlot<'_, T> {
    fn place(&self) -> &Place {
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

impl<T: Element> Slot for WriteSlot<'_, T> {
    fn place(&self) -> &Place {
        match &self.place {
            PlaceRef::Borrowed(place) => place,
            PlaceRef::Owned(place) => place,
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

/// Appends the runs of elements that differ, each as its first index, its length and its elements.
fn note_changes<T: Element>(first: usize, before: &[T], after: &[T], to: &mut Vec<u8>) {
    let size = size_of::<T>().max(1);
    let (before, bytes) = (bytes_of(before), bytes_of(after));
    let differs = |k: usize| before[k * size..(k + 1) * size] != bytes[k * size..(k + 1) * size];
    let mut k = 0;
    while k < bytes.len() / size {
        if !differs(k) {
            k += 1;
            continue;
        }
        let start = k;
        while k < bytes.len() / size && differs(k) {
            k += 1;
        }
        to.extend_from_slice(&((first + start) as u64).to_le_bytes());
        to.extend_from_slice(&((k - start) as u64).to_le_bytes());
        to.extend_from_slice(&bytes[start * size..k * size]);
    }
}

/// Writes such runs into the share that starts at element `offset`.
fn apply_changes<T: Element>(mut changes: &[u8], offset: usize, local: &mut LocalMut<'_, T>) {
    let number = |bytes: &[u8]| u64::from_le_bytes(bytes.try_into().unwrap_or([0; 8])) as usize;
    let mut runs: Vec<(usize, Vec<T>)> = Vec::new();
    while let Some((head, rest)) = changes.split_at_checked(16) {
        let (first, length) = (number(&head[..8]), number(&head[8..]));
        let (elements, rest) = rest.split_at(length * size_of::<T>());
        runs.push((first - offset, from_bytes(elements)));
        changes = rest;
    }
    let end = runs.iter().map(|(first, elements)| first + elements.len()).max();
    if let (true, [(start, _), _, ..], Some(end)) = (local.as_local().is_away(), &runs[..], end) {
        // One way there and back is shorter than a way for each run.
        let start = *start;
        let covered = start..end;
        let mut all = from_bytes::<T>(&local.as_local().bytes(std::slice::from_ref(&covered))[0]);
        runs.into_iter().for_each(|(at, run)| all[at - start..at - start + run.len()].copy_from_slice(&run));
        local.write(start, &all);
        return;
    }
    runs.into_iter().for_each(|(first, elements)| local.write(first, &elements));
}
