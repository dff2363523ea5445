//! A slot for an array whose accesses the footprint describes.

use super::exchange::{SeparateBuffer, apply_changes, assemble, given, note_changes, put, remote, taken};
use super::list::{List, Need, Opened, Slot, Slots, Way, Windows};
use crate::comm::collective;
use crate::data::{Elements, Layout, LocalBytes, LocalMut, overlap};
use crate::device::Part;
use crate::element::Element;
use crate::out_of_line::{OutOfLine, drop_here};
use crate::parameter::{Input, Output};
use crate::runtime::Context;
use crate::view::{Proof, RawWindow, ReadPart, Reads, WritePart, Writes};
use std::borrow::Cow;
use std::marker::PhantomData;
use std::ops::Range;

/// An array that a loop only reads.
#[derive(Debug)]
pub struct ReadSlot<'a, T>(OutOfLine<ArraySlot<'a>>, PhantomData<&'a [T]>);

/// An array that a loop writes. If `SETS`, each iteration sets its elements before it reads them: see [`Slot::sets`].
#[derive(Debug)]
pub struct WriteSlot<'a, T, const SETS: bool = false>(OutOfLine<ArraySlot<'a>>, PhantomData<&'a mut [T]>);

impl<T: Element, Tail: Slots> Slots for (ReadSlot<'_, T>, Tail) {
    const SETS: bool = Tail::SETS;
    type Fast<'w> = (ReadPart<'w, T>, Tail::Fast<'w>);
    type Checked<'w> = (Reads<'w, T, true>, Tail::Checked<'w>);

    fn list<'s>(&'s mut self, to: &mut List<'s>) {
        to.push(&mut *self.0.0);
        self.1.list(to);
    }

    #[inline]
    unsafe fn fast<'w>(windows: &[Opened], hulls: &[Range<usize>]) -> Self::Fast<'w> {
        let window = windows[0].window::<T>();
        // A reader may access the whole window if it has no gaps, because nobody writes it.
        let held = if windows[0].is_whole() { window.held() } else { hulls[0].clone() };
        // SAFETY: the caller guarantees it; indices inside the hull are inside the whole window too.
        unsafe {
            let part = (window.slice(held.clone()), Proof::new(held.start, window.len()));
            (part, Tail::fast(&windows[1..], &hulls[1..]))
        }
    }

    #[inline]
    unsafe fn checked<'w>(windows: &[Opened]) -> Self::Checked<'w> {
        // SAFETY: the caller guarantees it.
        unsafe { (Reads::checked(windows[0].window()), Tail::checked(&windows[1..])) }
    }
}

impl<T: Element, Tail: Slots, const SETS: bool> Slots for (WriteSlot<'_, T, SETS>, Tail) {
    const SETS: bool = SETS || Tail::SETS;
    type Fast<'w> = (WritePart<'w, T>, Tail::Fast<'w>);
    type Checked<'w> = (Writes<'w, T, true>, Tail::Checked<'w>);

    fn list<'s>(&'s mut self, to: &mut List<'s>) {
        to.push(&mut *self.0.0);
        self.1.list(to);
    }

    #[inline]
    unsafe fn fast<'w>(windows: &[Opened], hulls: &[Range<usize>]) -> Self::Fast<'w> {
        let (window, hull) = (windows[0].window::<T>(), hulls[0].clone());
        // SAFETY: the caller guarantees it.
        unsafe {
            let proof = Proof::new(hull.start, window.len());
            ((window.slice_mut(hull), proof), Tail::fast(&windows[1..], &hulls[1..]))
        }
    }

    #[inline]
    unsafe fn checked<'w>(windows: &[Opened]) -> Self::Checked<'w> {
        // SAFETY: the caller guarantees it.
        unsafe { (Writes::checked(windows[0].window()), Tail::checked(&windows[1..])) }
    }
}

impl<T: Element> Input<'_, T> {
    /// The slot for a loop that reads the array.
    #[inline]
    pub fn read_slot(&self) -> ReadSlot<'_, T> {
        ReadSlot(ArraySlot::over(self.local().as_bytes(), Cow::Borrowed(self.place()), true), PhantomData)
    }
}

impl<T: Element> Output<'_, T> {
    /// The slot for a loop that only reads the array.
    #[inline]
    pub fn read_slot(&self) -> ReadSlot<'_, T> {
        ReadSlot(ArraySlot::over(self.local().as_bytes(), Cow::Borrowed(self.place()), false), PhantomData)
    }

    /// The slot for a loop that writes the array.
    #[inline]
    pub fn write_slot(&mut self) -> WriteSlot<'_, T> {
        let (local, place) = self.parts();
        WriteSlot::over(local, Cow::Borrowed(place))
    }

    /// The same for a loop whose iterations each set this number of elements before they read them, and access no others.
    #[inline]
    pub fn set_slot(&mut self, sets: usize) -> WriteSlot<'_, T, true> {
        let WriteSlot(mut slot, _) = self.write_slot();
        slot.sets = sets;
        WriteSlot(slot, PhantomData)
    }
}

impl<'a, T: Element> WriteSlot<'a, T> {
    /// The slot for a replicated array, which is complete on every rank before and after the loop.
    #[inline]
    pub fn everywhere(local: &'a mut [T]) -> Self {
        let place = Layout::everywhere(local.len());
        WriteSlot::over(local.into(), Cow::Owned(place))
    }

    #[inline]
    fn over(local: LocalMut<'a, T>, place: Cow<'a, Layout>) -> Self {
        WriteSlot(ArraySlot::over(local.into_bytes(), place, false), PhantomData)
    }
}

/// How these ranges travel between two ranks.
fn way_of(ranges: &[Range<usize>], size: usize) -> Way {
    Way::of(ranges.iter().map(Range::len).sum(), ranges.len(), size)
}

/// An array that a loop reads or writes, with the type of its elements erased.
#[derive(Debug)]
struct ArraySlot<'a> {
    local: LocalBytes<'a>,
    place: Cow<'a, Layout>,
    /// Whether fetched elements are cached for later calls, because the function does not write the array.
    cached: bool,
    window: RawWindow,
    /// Memory for a window that does not fit into the halo of the share's allocation.
    buffer: SeparateBuffer,
    /// The elements in the window, if it has gaps.
    sparse: Option<Elements>,
    /// For a loop that writes: copies of fetched elements. Elements that differ after the loop are sent back.
    pristine: Vec<(Range<usize>, Vec<u8>)>,
    /// As [`Slot::sets`].
    sets: usize,
}

drop_here!(ArraySlot<'_>);

impl<'a> ArraySlot<'a> {
    #[inline]
    fn over(local: LocalBytes<'a>, place: Cow<'a, Layout>, cached: bool) -> OutOfLine<Self> {
        let (first, end, size) = (place.offset, place.offset + local.len(), local.element().size());
        let window = RawWindow::new(local.address(), first, end, place.len, size);
        OutOfLine::new(ArraySlot {
            local,
            place,
            cached,
            window,
            buffer: SeparateBuffer::new(),
            sparse: None,
            pristine: Vec::new(),
            sets: 0,
        })
    }

    /// The bytes of some of the share's elements.
    fn share(&self, elements: &Range<usize>) -> &'a [u8] {
        let (size, offset) = (self.local.element().size(), self.place.offset);
        &self.local.all()[(elements.start - offset) * size..(elements.end - offset) * size]
    }

    /// Merges the changes of all ranks to a replicated array.
    fn close_everywhere(&mut self, context: &Context) {
        let (mut changes, size) = (Vec::new(), self.local.element().size());
        for (range, before) in std::mem::take(&mut self.pristine) {
            note_changes(range.start, &before, self.share(&range), size, &mut changes);
        }
        let (all, _) = collective::allgather_varied(context.comm(), &changes);
        // SAFETY: the loop writes the array, and the changes are of elements of other ranks' copies.
        unsafe { apply_changes(&all, 0, &mut self.local) };
    }

    /// Copies the share's elements from a separate window back to the share.
    fn put_back(&mut self) {
        let (offset, size) = (self.place.offset, self.local.element().size());
        let held = self.sparse.clone().unwrap_or_else(|| self.window.held().into());
        for mine in held.inside(offset..offset + self.local.len()) {
            // SAFETY: the workers are done, so nothing else accesses the window. It holds these elements, and the loop writes the array.
            unsafe {
                let after = self.window.bytes(&mine);
                self.local.all_mut()[(mine.start - offset) * size..(mine.end - offset) * size].copy_from_slice(after);
            }
        }
    }
}

impl Slot for ArraySlot<'_> {
    fn place(&self) -> &Layout {
        &self.place
    }

    fn version(&self) -> Option<u64> {
        if self.cached { self.local.version() } else { None }
    }

    fn writes(&self) -> bool {
        self.local.is_writable()
    }

    fn element_size(&self) -> usize {
        self.window.size()
    }

    fn sets(&self) -> usize {
        self.sets
    }

    fn list_window(&self, to: &mut Windows) {
        to.push(Opened::of(self.window, self.sparse.is_none()));
    }

    fn held(&self) -> Range<usize> {
        self.window.held()
    }

    fn sparse(&self) -> Option<&Elements> {
        self.sparse.as_ref()
    }

    fn part(&self) -> Part<'_> {
        // A device copies the halo as a whole, so gaps must be initialised.
        if let Some(held) = &self.sparse {
            held.ranges().zip(held.ranges().skip(1)).for_each(|(before, after)| {
                // SAFETY: no iteration accesses the gaps, and nothing refers to them: they are in the halo of the share's allocation or in
                // separate memory.
                unsafe { self.window.clear(before.end..after.start) };
            });
        }
        self.window.part(self.local.held(self.place.offset))
    }

    fn bring_back(&mut self) {
        if self.writes() {
            // SAFETY: the loop writes the array: nothing else refers to the elements.
            unsafe { self.local.all_mut() };
        } else {
            self.local.all();
        }
        self.buffer.complete(&self.window, &self.local, self.place.offset);
    }

    fn open_everywhere(&mut self, touched: &Elements) {
        if self.writes() {
            self.pristine = touched.ranges().map(|range| (range.clone(), self.share(&range).to_vec())).collect();
        }
    }

    fn outgoing(&self, context: &Context, need: Need<'_>, way: Way) -> Vec<(usize, Vec<Cow<'_, [u8]>>)> {
        let Need::Touched(touched) = need else { return Vec::new() };
        let size = self.local.element().size();
        let mut all = Vec::new();
        for (rank, ranges) in taken(&self.place, context.this_rank().rank, touched) {
            if way_of(&ranges, size) == way {
                let start = self.place.offset;
                let ranges: Vec<Range<usize>> =
                    ranges.into_iter().map(|range| range.start - start..range.end - start).collect();
                all.push((rank, self.local.some(&ranges)));
            }
        }
        all
    }

    fn expects(&self, context: &Context, need: Need<'_>, way: Way) -> Vec<(usize, usize)> {
        let Need::Touched(touched) = need else { return Vec::new() };
        let (me, size) = (context.this_rank().rank, self.local.element().size());
        let mut all = given(&self.place, me, &touched[me]);
        all.retain(|(_, ranges)| way_of(ranges, size) == way);
        all.into_iter().map(|(owner, ranges)| (owner, ranges.iter().map(Range::len).sum::<usize>() * size)).collect()
    }

    fn open(&mut self, context: &Context, touched: &[Elements]) {
        let me = context.this_rank().rank;
        if remote(&self.place, me, &touched[me]).next().is_none() {
            return;
        }
        let touched = &touched[me];
        self.window = assemble(&self.place, &self.local, touched, &mut self.buffer);
        let share = self.place.offset..self.place.offset + self.local.len();
        let held = match self.buffer.is_used() {
            true => touched.clone(),
            false => touched.with(&overlap(&share, &self.window.held()).into()),
        };
        let is_sparse = held.ranges().len() > 1;
        self.sparse = is_sparse.then_some(held);
    }

    fn take(&mut self, context: &Context, need: Need<'_>, received: &[(usize, &[u8])]) {
        let Need::Touched(touched) = need else { return };
        let (me, size) = (context.this_rank().rank, self.local.element().size());
        let mut received = received.iter().peekable();
        for (owner, ranges) in given(&self.place, me, &touched[me]) {
            let Some(&(_, mut rest)) = received.next_if(|(from, _)| *from == owner) else { continue };
            for range in ranges {
                let (elements, others) = rest.split_at(range.len() * size);
                // SAFETY: the elements are touched ones of other ranks, and the arrays are being opened.
                unsafe { put(&self.window, std::iter::once((range, elements))) };
                rest = others;
            }
        }
    }

    unsafe fn buffers(&self, context: &Context, need: Need<'_>) -> Vec<(usize, &mut [u8])> {
        let Need::Touched(touched) = need else { return Vec::new() };
        let (me, size) = (context.this_rank().rank, self.local.element().size());
        let mut given = given(&self.place, me, &touched[me]);
        given.retain(|(_, ranges)| way_of(ranges, size) == Way::Direct);
        let rooms = given.into_iter().flat_map(|(owner, ranges)| ranges.into_iter().map(move |range| (owner, range)));
        // SAFETY: the elements are inside the window and outside the share; the caller guarantees that nothing else refers to them.
        rooms.map(|(owner, range)| (owner, unsafe { self.window.room(&range) })).collect()
    }

    fn note(&mut self, context: &Context, touched: &[Elements]) {
        let me = context.this_rank().rank;
        // SAFETY: the workers do not run yet, so nothing writes to the window. It contains the fetched elements.
        let bytes = |range: Range<usize>| (range.clone(), unsafe { self.window.bytes(&range) }.to_vec());
        self.pristine = remote(&self.place, me, &touched[me]).map(|(_, range)| bytes(range)).collect();
    }

    fn close(&mut self, context: &Context, touched: &[Elements], written: Option<&[Elements]>) {
        if self.place.everywhere {
            return self.close_everywhere(context);
        }
        if !self.is_remote(touched) {
            return;
        }
        // Otherwise a device has written to its copy of the share.
        if self.buffer.is_used() && !self.local.is_away() {
            self.put_back();
        }
        match written {
            Some(written) => self.send_written(context, written),
            None => self.send_changes(context),
        }
    }
}

impl ArraySlot<'_> {
    /// Sends all elements that this rank's iterations may have written to their owners. No other rank writes them.
    fn send_written(&mut self, context: &Context, written: &[Elements]) {
        let (me, size, offset) = (context.this_rank().rank, self.local.element().size(), self.place.offset);
        let sent = given(&self.place, me, &written[me]);
        let sent: Vec<(usize, Cow<'_, [u8]>)> = sent
            .into_iter()
            .flat_map(|(owner, ranges)| {
                // SAFETY: the workers are done, so nothing else accesses the window, and the ranges are inside it.
                let pieces = ranges.iter().map(|range| unsafe { self.window.bytes(range) });
                let pieces: Vec<Cow<'_, [u8]>> = match way_of(&ranges, size) {
                    Way::Packed => vec![Cow::Owned(pieces.collect::<Vec<_>>().concat())],
                    Way::Direct => pieces.map(Cow::Borrowed).collect(),
                };
                pieces.into_iter().map(move |piece| (owner, piece))
            })
            .collect();
        let sends: Vec<(usize, &[u8])> = sent.iter().map(|(owner, piece)| (*owner, &**piece)).collect();
        let taken = taken(&self.place, me, written);
        // Direct messages arrive in the share, if only host memory has it.
        let (at_home, mut packed) = (self.local.is_at_home(), Vec::new());
        let is_direct = |ranges: &[Range<usize>]| at_home && way_of(ranges, size) == Way::Direct;
        for (_, ranges) in taken.iter().filter(|(_, ranges)| !is_direct(ranges)) {
            packed.push(vec![0; ranges.iter().map(Range::len).sum::<usize>() * size]);
        }
        let mut direct: Vec<(usize, Range<usize>)> = Vec::new();
        for (rank, ranges) in taken.iter().filter(|(_, ranges)| is_direct(ranges)) {
            direct.extend(ranges.iter().map(|range| (*rank, range.clone())));
        }
        // No two ranks write the same element.
        direct.sort_unstable_by_key(|(_, range)| range.start);
        let mut receives: Vec<(usize, &mut [u8])> = Vec::new();
        if !direct.is_empty() {
            // SAFETY: the loop writes the array, and the elements are those that others wrote.
            let (mut share, mut at) = (unsafe { self.local.all_mut() }, offset);
            for (rank, range) in &direct {
                let (room, rest) = share[(range.start - at) * size..].split_at_mut(range.len() * size);
                (share, at) = (rest, range.end);
                receives.push((*rank, room));
            }
        }
        let mut rest = packed.iter_mut();
        for (rank, ranges) in taken.iter().filter(|(_, ranges)| !is_direct(ranges)) {
            let mut room = rest.next().map_or(&mut [][..], Vec::as_mut_slice);
            if way_of(ranges, size) == Way::Direct {
                for range in ranges {
                    let (piece, others) = room.split_at_mut(range.len() * size);
                    receives.push((*rank, piece));
                    room = others;
                }
            } else {
                receives.push((*rank, room));
            }
        }
        if !sends.is_empty() || !receives.is_empty() {
            context.comm().exchange(&sends, &mut receives);
        }
        for ((_, ranges), bytes) in taken.iter().filter(|(_, ranges)| !is_direct(ranges)).zip(&packed) {
            let mut rest = &bytes[..];
            for range in ranges {
                let (elements, others) = rest.split_at(range.len() * size);
                // SAFETY: as above.
                unsafe { self.local.write(range.start - offset, elements) };
                rest = others;
            }
        }
    }

    /// Sends the elements that this rank's iterations have changed to their owners.
    fn send_changes(&mut self, context: &Context) {
        let (mut changes, size) = (vec![Vec::new(); context.this_rank().ranks], self.local.element().size());
        for (range, before) in std::mem::take(&mut self.pristine) {
            let owner = self.place.owner(range.start);
            // SAFETY: the workers are done, so nothing else accesses the window, and the range is inside it.
            let after = unsafe { self.window.bytes(&range) };
            note_changes(range.start, &before, after, size, &mut changes[owner]);
        }
        for changes in collective::all_to_all(context.comm(), &changes) {
            // SAFETY: the loop writes the array, and the changes are of elements that others wrote.
            unsafe { apply_changes(&changes, self.place.offset, &mut self.local) };
        }
    }
}
