//! `#[gather]`: reads at places that only the data know (`x[index[i]]`), fetched from their owners in two phases.
//!
//! First the part of the body that computes places runs by itself over this rank's iterations, and notes them in an
//! [`Asks`]. Then each rank asks the owners for the elements that it noted, once each, and the loop runs on what came.
//! One rank by itself reads the array where it is.
//!
//! Where a device has the shares, it is the places alone that come to the host, and only the elements that others ask for leave
//! their owner's device. Those that this rank asked for, and that do not lie beside each other, a device gets behind the share,
//! with where they are in the array ([`device::Apart`]).

mod schedule;

pub(crate) use schedule::{Key, Schedules};
pub use schedule::{Schedule, captured};

use crate::call::{Input, Place};
use crate::comm::collective;
use crate::data::Local;
use crate::device::{self, Part};
use crate::element::{Element, bytes_of, from_bytes};
use crate::grid::Linear;
use crate::runtime::Context;
use crate::slot::{Apart, Slot, Slots, Windows, assemble, overlap};
use crate::view::Window;
use std::cell::Cell;
use std::ops::{Index, Range, RangeFrom, RangeFull, RangeInclusive, RangeTo, RangeToInclusive};
use std::sync::atomic::{AtomicU64, Ordering};

/// The elements of each array of a loop that this rank's iterations ask for.
#[derive(Debug)]
pub struct Asks(Vec<Asked>);

/// A worker's way to ask for elements of an array: those that lie close together are noted together.
#[derive(Debug)]
pub struct Asker<'a> {
    asked: &'a Asked,
    /// The word in which the last places were, and these: not yet noted.
    recent: Cell<(usize, u64)>,
}

/// The elements of one array that are asked for: a bit for each.
#[derive(Debug)]
pub struct Asked {
    bits: Vec<AtomicU64>,
    len: usize,
}

/// What an array can be indexed with.
pub trait Places {
    /// Asks for the elements.
    fn ask(self, asker: &Asker<'_>);
}

impl Asks {
    /// Nothing asked for yet, for arrays of these lengths.
    pub(crate) fn new(lens: impl IntoIterator<Item = usize>) -> Self {
        let none = |len: usize| Asked { bits: (0..len.div_ceil(64)).map(|_| AtomicU64::new(0)).collect(), len };
        Asks(lens.into_iter().map(none).collect())
    }

    /// A worker's way to ask for elements of an array.
    #[inline]
    pub fn asker(&self, array: usize) -> Asker<'_> {
        Asker { asked: &self.0[array], recent: Cell::new((0, 0)) }
    }

    /// What was asked for, array by array.
    pub(crate) fn into_asked(self) -> Vec<Asked> {
        self.0
    }

    #[cfg(test)]
    fn of(&self, array: usize) -> &Asked {
        &self.0[array]
    }
}

impl Asker<'_> {
    /// Asks for elements. Those that do not exist are left out: the loop itself will say so.
    #[inline(always)]
    pub fn ask(&self, places: impl Places) {
        places.ask(self);
    }

    #[inline(always)]
    fn bits(&self, word: usize, bits: u64) {
        let (last, others) = self.recent.get();
        if word == last {
            self.recent.set((word, bits | others));
        } else {
            self.asked.note(last, others);
            self.recent.set((word, bits));
        }
    }
}

impl Drop for Asker<'_> {
    #[inline]
    fn drop(&mut self) {
        let (word, bits) = self.recent.get();
        self.asked.note(word, bits);
    }
}

impl Asked {
    /// Workers ask at the same time, often for what has been asked for before: then nothing is written.
    #[inline]
    fn note(&self, word: usize, bits: u64) {
        if bits != 0 && self.bits[word].load(Ordering::Relaxed) & bits != bits {
            self.bits[word].fetch_or(bits, Ordering::Relaxed);
        }
    }

    /// How many elements of a range are asked for.
    fn count(&self, range: Range<usize>) -> usize {
        let (first, last) = (range.start / 64, range.end.div_ceil(64));
        let whole: usize =
            self.bits[first..last].iter().map(|bits| bits.load(Ordering::Relaxed).count_ones() as usize).sum();
        let outside = |range: Range<usize>| self.ones(range).count();
        if first == last { 0 } else { whole - outside(first * 64..range.start) - outside(range.end..last * 64) }
    }

    /// The elements from the first to the last that are asked for.
    fn hull(&self) -> Range<usize> {
        let bits = |word: usize| self.bits[word].load(Ordering::Relaxed);
        match (0..self.bits.len()).find(|&word| bits(word) != 0) {
            None => 0..0,
            Some(first) => {
                let last = (first..self.bits.len()).rfind(|&word| bits(word) != 0).unwrap_or(first);
                first * 64 + bits(first).trailing_zeros() as usize..last * 64 + 64 - bits(last).leading_zeros() as usize
            }
        }
    }

    /// The elements in a range, in order.
    fn ones(&self, range: Range<usize>) -> impl Iterator<Item = usize> {
        ones(|word| self.bits[word].load(Ordering::Relaxed), range)
    }

    /// Where elements of some ranges follow each other, in order: see [`device::Apart::runs`].
    fn runs(&self, ranges: [Range<usize>; 2]) -> Vec<[u32; 2]> {
        let (mut runs, mut before, mut last) = (Vec::new(), 0, None);
        for range in ranges {
            // Elements on both sides of what lies between the ranges do not follow each other.
            last.take();
            for index in self.ones(range) {
                if last != Some(index.wrapping_sub(1)) {
                    runs.push([index as u32, before]);
                }
                last = Some(index);
                before += 1;
            }
        }
        runs.push([u32::MAX, before]);
        runs
    }

    /// The elements of a share as a message, counted from its start: a list, or a bit for each if that is shorter.
    fn request(&self, share: &Range<usize>, count: usize) -> Vec<u8> {
        if count == 0 {
            return Vec::new();
        }
        if count * 8 < share.len().div_ceil(8) {
            let mut list = Vec::with_capacity(count);
            self.ones(share.clone()).for_each(|index| list.push((index - share.start) as u64));
            return [&[LIST], bytes_of(&list)].concat();
        }
        let (first, shift) = (share.start / 64, share.start % 64);
        let word = |word: usize| self.bits.get(first + word).map_or(0, |bits| bits.load(Ordering::Relaxed));
        let mut message = vec![BITS];
        message.extend((0..share.len().div_ceil(64)).flat_map(|at| {
            // The bits of the share, from its start on.
            let both = u128::from(word(at)) | u128::from(word(at + 1)) << 64;
            ((both >> shift) as u64).to_le_bytes()
        }));
        message.truncate(1 + share.len().div_ceil(8));
        if let (Some(last), beyond @ 1..) = (message.last_mut(), share.len() % 8) {
            *last &= 0xff >> (8 - beyond);
        }
        message
    }
}

/// The elements in a range, in order, of which there are a bit for each.
fn ones(bits: impl Fn(usize) -> u64, range: Range<usize>) -> impl Iterator<Item = usize> {
    let words = range.start / 64..range.end.div_ceil(64);
    words.flat_map(move |word| {
        let mut bits = bits(word);
        if word * 64 < range.start {
            bits &= u64::MAX << (range.start % 64);
        }
        if (word + 1) * 64 > range.end {
            bits &= u64::MAX >> ((word + 1) * 64 - range.end);
        }
        std::iter::from_fn(move || {
            let bit = bits.trailing_zeros() as usize;
            bits &= bits.wrapping_sub(1);
            (bit < 64).then_some(word * 64 + bit)
        })
    })
}

/// How a request names elements of a share, in its first byte: their places,
const LIST: u8 = 0;
/// a bit for each element of the share,
const BITS: u8 = 1;
/// or the first and the end of a range.
const RANGE: u8 = 2;

fn request_range(range: &Range<usize>, share: &Range<usize>) -> Vec<u8> {
    if range.is_empty() {
        return Vec::new();
    }
    [&[RANGE], bytes_of(&[(range.start - share.start) as u64, (range.end - share.start) as u64])].concat()
}

/// The elements of a share that a request names, in order. Where a device has the share, the others stay there.
fn requested<T: Element>(request: &[u8], local: &Local<'_, T>) -> Vec<T> {
    match request.split_first() {
        None => Vec::new(),
        Some((&RANGE, ends)) => {
            let ends = from_bytes::<u64>(ends);
            let range = ends[0] as usize..ends[1] as usize;
            from_bytes(&local.bytes(std::slice::from_ref(&range))[0])
        }
        Some((&LIST, list)) => {
            let places: Vec<usize> = from_bytes::<u64>(list).into_iter().map(|offset| offset as usize).collect();
            local.gather(&places)
        }
        Some((_, bits)) => {
            let word = |word: usize| {
                let bytes = &bits[8 * word..bits.len().min(8 * word + 8)];
                bytes.iter().rev().fold(0, |all, byte| all << 8 | u64::from(*byte))
            };
            let count = bits.iter().map(|byte| byte.count_ones() as usize).sum();
            let wanted = ones(word, 0..local.len());
            if local.is_away() {
                return local.gather(&wanted.collect::<Vec<_>>());
            }
            let (mut all, local) = (Vec::with_capacity(count), local.elements());
            wanted.for_each(|offset| all.push(local[offset]));
            all
        }
    }
}

impl Places for usize {
    #[inline(always)]
    fn ask(self, asker: &Asker<'_>) {
        if self < asker.asked.len {
            asker.bits(self / 64, 1 << (self % 64));
        }
    }
}

impl Places for Range<usize> {
    #[inline]
    fn ask(self, asker: &Asker<'_>) {
        let end = self.end.min(asker.asked.len);
        let mut start = self.start;
        while start < end {
            let next = (start / 64 * 64 + 64).min(end);
            asker.bits(start / 64, (u64::MAX >> (64 - (next - start))) << (start % 64));
            start = next;
        }
    }
}

/// Which of 64 elements are there, and how many are there before them.
#[derive(Debug, Clone, Copy)]
struct Word {
    bits: u64,
    before: usize,
}

/// An array that a loop reads at places that only the data know.
#[derive(Debug)]
pub struct GatherSlot<'a, T> {
    local: Local<'a, T>,
    place: &'a Place,
    window: Window<T>,
    /// Holds the window when it does not fit beside the share.
    buffer: Apart<T>,
    /// The same for single elements.
    packed: Vec<T>,
    /// Where the elements are in the window, if it holds single ones.
    words: Vec<Word>,
    /// What comes there after this rank's own ones, while these are still to be put there: a device has them.
    missing: Option<Vec<T>>,
    /// Those of other ranks, for a device that may have the share: beside each other.
    others: Vec<T>,
    /// Where they are in the array; of a share that cannot stay on a device, where all that was asked for is.
    runs: Vec<[u32; 2]>,
}

impl<T: Element> Input<'_, T> {
    /// For a loop that reads it where the data say.
    #[inline]
    pub fn gather_slot(&self) -> GatherSlot<'_, T> {
        let (local, place) = (self.local(), self.place());
        let window = Window::new(local.address(), place.offset, place.offset + local.len(), place.len);
        let (words, others, runs) = (Vec::new(), Vec::new(), Vec::new());
        GatherSlot {
            local,
            place,
            window,
            buffer: Apart::new(),
            packed: Vec::new(),
            words,
            missing: None,
            others,
            runs,
        }
    }
}

impl<T: Element> GatherSlot<'_, T> {
    /// Packs what was asked for, in order.
    fn pack(&mut self, asked: &Asked, fetched: &[(Range<usize>, Vec<T>)], for_device: bool) {
        let share = self.place.offset..self.place.offset + self.local.len();
        let (below, above) = fetched.split_at(fetched.partition_point(|(range, _)| range.start < share.start));
        let count = |part: &[(Range<usize>, Vec<T>)]| part.iter().map(|(_, elements)| elements.len()).sum::<usize>();
        let own = asked.count(share.clone());
        let mut packed = Vec::with_capacity(count(below) + own + count(above));
        let mut before = 0;
        let words = asked.bits.iter().map(|bits| {
            let word = Word { bits: bits.load(Ordering::Relaxed), before };
            before += word.bits.count_ones() as usize;
            word
        });
        self.words = words.collect();
        let others = |part: &[(Range<usize>, Vec<T>)], packed: &mut Vec<T>| {
            part.iter().for_each(|(_, elements)| packed.extend_from_slice(elements));
        };
        others(below, &mut packed);
        if self.local.is_away() {
            // This rank's own ones come when a worker wants them.
            let mut rest = Vec::with_capacity(count(above));
            others(above, &mut rest);
            self.missing = Some(rest);
        } else {
            self.own(&mut packed);
            others(above, &mut packed);
        }
        self.packed = packed;
        self.window = Window::new(self.packed.as_mut_ptr(), 0, before, self.place.len);
        if for_device && self.local.may_stay() {
            self.others = fetched.iter().flat_map(|(_, elements)| elements.iter().copied()).collect();
            self.runs = asked.runs([0..share.start, share.end..self.place.len]);
        } else if for_device {
            self.runs = asked.runs([0..self.place.len, 0..0]);
        }
    }

    /// Appends this rank's own elements that were asked for.
    fn own(&self, to: &mut Vec<T>) {
        let (share, elements) = (self.place.offset..self.place.offset + self.local.len(), self.local.elements());
        ones(|word: usize| self.words[word].bits, share.clone())
            .for_each(|index| to.push(elements[index - share.start]));
    }

    /// Puts this rank's own elements where they are packed.
    fn complete(&mut self) {
        let Some(rest) = self.missing.take() else { return };
        let mut packed = std::mem::take(&mut self.packed);
        self.own(&mut packed);
        packed.extend(rest);
        self.packed = packed;
        self.window = Window::new(self.packed.as_mut_ptr(), 0, self.packed.len(), self.place.len);
    }
}

impl<T: Element> Slot for GatherSlot<'_, T> {
    fn place(&self) -> &Place {
        self.place
    }

    fn writes(&self) -> bool {
        false
    }

    fn part(&self) -> Part<'_> {
        let share = self.local.held(self.place.offset);
        if self.runs.is_empty() {
            return self.window.part(share);
        }
        let ((own, apart), count) = match share {
            Some(_) => ((self.local.len(), self.others.as_ptr()), self.others.len()),
            None => ((0, self.packed.as_ptr()), self.window.held().len()),
        };
        Part {
            address: self.local.address().cast(),
            first: self.place.offset,
            count: own,
            len: self.place.len,
            share,
            apart: Some(device::Apart { address: apart.cast(), count, runs: &self.runs }),
            whole: true,
        }
    }

    fn bring_back(&mut self) {
        self.local.elements();
        self.buffer.complete(&self.window, &self.local, self.place.offset);
        self.complete();
    }

    fn open(&mut self, _: &Context, _: &[Range<usize>]) {}

    fn close(&mut self, _: &Context, _: &[Range<usize>]) {}

    fn version(&self) -> Option<u64> {
        self.local.version()
    }

    fn schedule(&self, context: &Context, asked: Asked) -> Option<Schedule> {
        let me = context.place().rank;
        let hull = asked.hull();
        // What lies close together is fetched as a whole, and found without a search.
        let dense = 2 * asked.count(hull.clone()) >= hull.len();
        let (mut requests, mut wanted) = (Vec::new(), Vec::new());
        for owner in 0..context.place().ranks {
            let share = self.place.share_of(owner);
            let range = overlap(&hull, &share);
            let count = if dense { range.len() } else { asked.count(range.clone()) };
            requests.push(match owner == me {
                true => Vec::new(),
                false if dense => request_range(&range, &share),
                false => asked.request(&share, count),
            });
            if owner != me && count > 0 {
                wanted.push((owner, range, count));
            }
        }
        let requests = collective::all_to_all(context.comm(), &requests);
        Some(Schedule { asked, hull, dense, wanted, requests })
    }

    fn receive(&mut self, context: &Context, schedule: &Schedule) {
        let Schedule { asked, hull, dense, wanted, requests } = schedule;
        let replies: Vec<Vec<T>> = requests.iter().map(|request| requested(request, &self.local)).collect();
        let sends: Vec<(usize, &[u8])> =
            replies.iter().map(|reply| bytes_of(reply)).enumerate().filter(|(_, bytes)| !bytes.is_empty()).collect();
        let size = size_of::<T>();
        if size == 0 {
            // Elements that are nothing are everywhere.
            self.window = Window::new(self.local.address(), 0, self.place.len, self.place.len);
            return;
        }
        let expected: Vec<(usize, usize)> = wanted.iter().map(|(owner, _, count)| (*owner, count * size)).collect();
        let received = collective::all_to_all_known(context.comm(), &sends, &expected);
        let ranges = wanted.iter().map(|(_, range, _)| range.clone());
        let fetched: Vec<(Range<usize>, Vec<T>)> = ranges.zip(received.iter().map(|bytes| from_bytes(bytes))).collect();
        if !dense {
            let for_device = context.node().may_have_device() && self.place.len < u32::MAX as usize;
            self.pack(asked, &fetched, for_device);
        } else if !fetched.is_empty() {
            self.window = assemble(self.place, self.local, hull, &fetched, &mut self.buffer);
        }
    }
}

/// The address of such an array.
#[derive(Debug)]
pub struct GatherWindow<T> {
    window: Window<T>,
    /// Where the elements are in the window, if it holds single ones.
    words: Option<(*const Word, usize)>,
}

impl<T> Clone for GatherWindow<T> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<T> Copy for GatherWindow<T> {}

// SAFETY: a window is an address; what may be done through it is decided where views are made of it.
unsafe impl<T: Sync + Send> Send for GatherWindow<T> {}
// SAFETY: as above.
unsafe impl<T: Sync + Send> Sync for GatherWindow<T> {}

impl<T: Element, Tail: Slots> Slots for (GatherSlot<'_, T>, Tail) {
    type Windows = (GatherWindow<T>, Tail::Windows);

    fn each(&mut self, visit: &mut dyn FnMut(&mut dyn Slot)) {
        visit(&mut self.0);
        self.1.each(visit);
    }

    fn windows(&mut self) -> Self::Windows {
        let GatherSlot { window, words, .. } = &self.0;
        let words = (!words.is_empty()).then_some((words.as_ptr(), words.len()));
        (GatherWindow { window: *window, words }, self.1.windows())
    }

    fn parts<'p>(&'p self, to: &mut Vec<Part<'p>>) {
        to.push(self.0.part());
        self.1.parts(to);
    }
}

impl<T: Element, Tail: Windows> Windows for (GatherWindow<T>, Tail) {
    type Fast<'w> = (Gathered<'w, T, false>, Tail::Fast<'w>);
    type Checked<'w> = (Gathered<'w, T, true>, Tail::Checked<'w>);

    fn scattered(&self) -> bool {
        self.0.words.is_some() || self.1.scattered()
    }

    fn held(&self, visit: &mut dyn FnMut(Range<usize>)) {
        visit(0..0);
        self.1.held(visit);
    }

    #[inline]
    unsafe fn fast<'w>(&self, hulls: &[Range<usize>]) -> Self::Fast<'w> {
        // SAFETY: the caller's promise.
        unsafe { (Gathered::new(self.0), self.1.fast(&hulls[1..])) }
    }

    #[inline]
    unsafe fn checked<'w>(&self) -> Self::Checked<'w> {
        // SAFETY: the caller's promise.
        unsafe { (Gathered::new(self.0), self.1.checked()) }
    }
}

/// What a slice marked `#[gather]` is inside a loop's body: indexed by global positions, each access checked. Its window
/// holds all elements from one place to another, unless it is `SCATTERED`.
#[derive(Debug)]
pub struct Gathered<'w, T, const SCATTERED: bool> {
    window: Window<T>,
    words: Option<&'w [Word]>,
}

impl<T, const SCATTERED: bool> Clone for Gathered<'_, T, SCATTERED> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<T, const SCATTERED: bool> Copy for Gathered<'_, T, SCATTERED> {}

impl<T, const SCATTERED: bool> Gathered<'_, T, SCATTERED> {
    /// # Safety
    /// The window is alive as long as the view, and nothing writes its elements meanwhile. It holds single elements only
    /// if the view is `SCATTERED`.
    unsafe fn new(from: GatherWindow<T>) -> Self {
        // SAFETY: the words live as long as the window.
        let words = from.words.map(|(first, count)| unsafe { std::slice::from_raw_parts(first, count) });
        Gathered { window: from.window, words }
    }

    /// The array's global length.
    #[inline(always)]
    pub fn len(&self) -> usize {
        self.window.len()
    }

    /// Whether the array has no elements at all.
    #[inline(always)]
    pub fn is_empty(&self) -> bool {
        self.window.is_empty()
    }

    /// As on a slice: `None` beyond the end.
    #[inline(always)]
    #[track_caller]
    pub fn get(&self, index: usize) -> Option<&T> {
        (index < self.len()).then(|| &self[index])
    }

    /// Where the window holds an element.
    #[inline(always)]
    #[track_caller]
    fn position(&self, index: usize) -> usize {
        match self.words {
            Some(words) if SCATTERED => self.search(words, index),
            _ if self.window.held().contains(&index) => index,
            _ => self.missing(index),
        }
    }

    #[inline]
    #[track_caller]
    fn search(&self, words: &[Word], index: usize) -> usize {
        if index >= self.len() {
            self.missing(index);
        }
        let (word, bit) = (words[index / 64], index % 64);
        if word.bits >> bit & 1 == 0 {
            self.missing(index);
        }
        word.before + (word.bits & !(u64::MAX << bit)).count_ones() as usize
    }

    /// Ends the call for an element that does not exist, or was not asked for.
    #[cold]
    #[inline(never)]
    #[track_caller]
    fn missing(&self, index: usize) -> ! {
        let len = self.len();
        assert!(index < len, "index out of bounds: the len is {len} but the index is {index}");
        panic!(
            "FA063: element {index} of a `#[gather]` slice was not among those that this rank had asked for: its place \
             must be the same whenever it is computed, so it must not depend on the time, on random numbers or on hidden \
             state"
        );
    }
}

impl<T, const SCATTERED: bool> Linear for Gathered<'_, T, SCATTERED> {
    const CHECKED: bool = true;
}

impl<T, const SCATTERED: bool> Index<usize> for Gathered<'_, T, SCATTERED> {
    type Output = T;

    #[inline(always)]
    #[track_caller]
    fn index(&self, index: usize) -> &T {
        let element = self.window.element::<false>(self.position(index));
        // SAFETY: `position` gives places that the window holds, and nothing writes them (the contract of `new`).
        unsafe { &*element }
    }
}

impl<T, const SCATTERED: bool> Index<Range<usize>> for Gathered<'_, T, SCATTERED> {
    type Output = [T];

    #[inline]
    #[track_caller]
    fn index(&self, range: Range<usize>) -> &[T] {
        let Range { start, end } = range;
        assert!(start <= end, "slice index starts at {start} but ends at {end}");
        assert!(end <= self.len(), "range end index {end} out of range for slice of length {}", self.len());
        if start == end {
            return &[];
        }
        let (first, last) = (self.position(start), self.position(end - 1));
        // Packed elements keep their order: what lies between is there if as many are.
        if last - first != end - 1 - start {
            self.missing(start);
        }
        // SAFETY: as in `index`; the places between two that the window holds are held too.
        unsafe { self.window.slice(first..last + 1) }
    }
}

macro_rules! ranges {
    ($($range:ty, |$r:ident, $len:ident| $to:expr;)*) => {$(
        impl Places for $range {
            #[inline]
            fn ask(self, asker: &Asker<'_>) {
                let ($r, $len) = (self, asker.asked.len);
                ($to).ask(asker);
            }
        }

        impl<T, const SCATTERED: bool> Index<$range> for Gathered<'_, T, SCATTERED> {
            type Output = [T];

            #[inline]
            #[track_caller]
            fn index(&self, $r: $range) -> &[T] {
                let $len = self.len();
                &self[$to]
            }
        }
    )*};
}
ranges! {
    RangeInclusive<usize>, |range, _len| *range.start()..range.end().saturating_add(1);
    RangeFrom<usize>, |range, len| range.start..len;
    RangeTo<usize>, |range, _len| 0..range.end;
    RangeToInclusive<usize>, |range, _len| 0..range.end.saturating_add(1);
    RangeFull, |_range, len| 0..len;
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(len: usize, elements: impl IntoIterator<Item = usize>) -> Asks {
        let asks = Asks::new([len]);
        let asker = asks.asker(0);
        elements.into_iter().for_each(|index| asker.ask(index));
        drop(asker);
        asks
    }

    #[test]
    fn what_does_not_exist_is_not_asked_for() {
        let asks = asked(3, [0, 2, 3, usize::MAX]);
        asks.asker(0).ask(2..7);
        asks.asker(0).ask(..=usize::MAX);
        assert_eq!(asks.of(0).ones(0..3).collect::<Vec<_>>(), [0, 1, 2]);
        asked(0, [0]).asker(0).ask(..);
    }

    #[test]
    fn the_hull_ends_at_what_is_asked_for() {
        assert_eq!(asked(1000, []).of(0).hull(), 0..0);
        assert_eq!(asked(0, []).of(0).hull(), 0..0);
        for (first, last) in [(0, 0), (63, 64), (5, 700), (128, 191), (999, 999)] {
            let asks = asked(1000, [last, first]);
            assert_eq!(asks.of(0).hull(), first..last + 1);
            assert_eq!(asks.of(0).count(first..last + 1), if first == last { 1 } else { 2 });
            assert_eq!(asks.of(0).count(first + 1..last + 1), usize::from(first < last));
        }
    }

    #[test]
    fn a_range_is_all_of_its_elements() {
        for (start, end) in [(0, 0), (0, 1), (3, 64), (3, 65), (64, 128), (63, 200), (5, 300), (299, 300), (9, 4)] {
            let asks = asked(300, []);
            asks.asker(0).ask(start..end);
            assert_eq!(asks.of(0).ones(0..300).collect::<Vec<_>>(), (start..end).collect::<Vec<_>>(), "{start}..{end}");
        }
    }

    /// Sparse and dense requests name the same elements, for shares that begin and end anywhere.
    #[test]
    fn a_request_brings_what_was_asked_for() {
        for len in [1, 63, 64, 65, 130, 1000] {
            for step in [1, 2, 7, 63, 64, 200, 999] {
                let elements: Vec<usize> = (0..len).step_by(step).collect();
                let asks = asked(len, elements.iter().copied());
                for (start, end) in [(0, len), (len / 3, len / 2), (len / 2, len), (len, len), (0, 1)] {
                    let local: Vec<u32> = (start..end).map(|index| index as u32 * 10).collect();
                    let count = asks.of(0).count(start..end);
                    let request = asks.of(0).request(&(start..end), count);
                    let share = elements.iter().filter(|index| (start..end).contains(index));
                    let expected: Vec<u32> = share.map(|&index| index as u32 * 10).collect();
                    assert_eq!(
                        (count, requested(&request, &Local::from(&local[..]))),
                        (expected.len(), expected),
                        "{start}..{end} of {len}"
                    );
                }
            }
        }
    }
}
