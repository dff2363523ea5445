//! `#[gather]`: reads at places that only the data know (`x[index[i]]`), fetched from their owners in two phases.
//!
//! First the part of the body that computes places runs by itself over this rank's iterations, and notes them in an
//! [`Asks`]. Then each rank asks the owners for the elements that it noted, once each, and the loop runs on what came.
//! One rank by itself reads the array where it is.

use crate::call::{Input, Place};
use crate::comm::collective;
use crate::element::{Element, bytes_of, from_bytes};
use crate::runtime::Context;
use crate::slot::{Slot, Slots, Windows};
use crate::view::Window;
use std::ops::{Index, Range, RangeFrom, RangeFull, RangeInclusive, RangeTo, RangeToInclusive};
use std::sync::atomic::{AtomicU64, Ordering};

/// The elements of each array of a loop that this rank's iterations ask for.
#[derive(Debug)]
pub struct Asks(Vec<Asked>);

/// The elements of one array that are asked for: a bit for each.
#[derive(Debug)]
pub struct Asked {
    bits: Vec<AtomicU64>,
    len: usize,
}

/// What an array can be indexed with.
pub trait Places {
    /// Asks for the elements.
    fn ask(self, asked: &Asked);
}

impl Asks {
    /// Nothing asked for yet, for arrays of these lengths.
    pub(crate) fn new(lens: impl IntoIterator<Item = usize>) -> Self {
        let none = |len: usize| Asked { bits: (0..len.div_ceil(64)).map(|_| AtomicU64::new(0)).collect(), len };
        Asks(lens.into_iter().map(none).collect())
    }

    /// Asks for elements of an array. Those that do not exist are left out: the loop itself will say so.
    #[inline]
    pub fn ask(&self, array: usize, places: impl Places) {
        places.ask(&self.0[array]);
    }

    pub(crate) fn of(&self, array: usize) -> &Asked {
        &self.0[array]
    }
}

impl Asked {
    /// Workers ask at the same time, often for what has been asked for before: then nothing is written.
    #[inline]
    fn bit(&self, index: usize) {
        let (word, bit) = (&self.bits[index / 64], 1 << (index % 64));
        if word.load(Ordering::Relaxed) & bit == 0 {
            word.fetch_or(bit, Ordering::Relaxed);
        }
    }

    /// The elements in a range, in order.
    fn ones(&self, range: Range<usize>) -> impl Iterator<Item = usize> {
        let words = range.start / 64..range.end.div_ceil(64);
        words.flat_map(move |word| {
            let mut bits = self.bits[word].load(Ordering::Relaxed);
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

    /// The elements of a share as a message, counted from its start: a list, or a bit for each if that is shorter.
    fn request(&self, share: &Range<usize>) -> (Vec<u8>, usize) {
        let count = self.ones(share.clone()).count();
        if count == 0 {
            return (Vec::new(), 0);
        }
        let offsets = self.ones(share.clone()).map(|index| index - share.start);
        let mut message = vec![u8::from(count * 8 < share.len().div_ceil(8))];
        if message[0] == LIST {
            offsets.for_each(|offset| message.extend_from_slice(&(offset as u64).to_le_bytes()));
        } else {
            message.resize(1 + share.len().div_ceil(8), 0);
            offsets.for_each(|offset| message[1 + offset / 8] |= 1 << (offset % 8));
        }
        (message, count)
    }
}

/// The first byte of a request that lists places.
const LIST: u8 = 1;

/// The elements of a share that a request names, in order.
fn requested<T: Element>(request: &[u8], local: &[T]) -> Vec<T> {
    match request.split_first() {
        None => Vec::new(),
        Some((&LIST, list)) => from_bytes::<u64>(list).into_iter().map(|offset| local[offset as usize]).collect(),
        Some((_, bits)) => {
            let wanted = |offset: &usize| bits[offset / 8] >> (offset % 8) & 1 == 1;
            (0..local.len()).filter(wanted).map(|offset| local[offset]).collect()
        }
    }
}

impl Places for usize {
    #[inline]
    fn ask(self, asked: &Asked) {
        if self < asked.len {
            asked.bit(self);
        }
    }
}

impl Places for Range<usize> {
    #[inline]
    fn ask(self, asked: &Asked) {
        (self.start..self.end.min(asked.len)).for_each(|index| asked.bit(index));
    }
}

/// Some of the elements of an array, packed in their order, and where each of them is.
#[derive(Debug)]
struct Packed<T> {
    words: Vec<Word>,
    elements: Vec<T>,
    /// How many, also where they take no space.
    count: usize,
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
    local: &'a [T],
    first: *mut T,
    place: &'a Place,
    /// What was asked for, on several ranks.
    packed: Option<Packed<T>>,
}

impl<'a, T: Element> GatherSlot<'a, T> {
    /// A parameter marked `#[gather]`.
    #[inline]
    pub fn new(input: &'a Input<'_, T>) -> Self {
        GatherSlot { local: input.local(), first: input.address(), place: input.place(), packed: None }
    }
}

impl<T: Element> Slot for GatherSlot<'_, T> {
    fn place(&self) -> &Place {
        self.place
    }

    fn writes(&self) -> bool {
        false
    }

    fn open(&mut self, _: &Context, _: &[Range<usize>]) {}

    fn close(&mut self, _: &Context, _: &[Range<usize>]) {}

    fn receive(&mut self, context: &Context, asked: &Asked) {
        let (comm, me) = (context.comm(), context.place().rank);
        let (mut requests, mut counts) = (Vec::new(), Vec::new());
        for owner in 0..context.place().ranks {
            let (request, count) = asked.request(&self.place.share_of(owner));
            requests.push(if owner == me { Vec::new() } else { request });
            counts.push(count);
        }
        let replies: Vec<Vec<T>> =
            collective::all_to_all(comm, &requests).iter().map(|request| requested(request, self.local)).collect();
        let sends: Vec<(usize, &[u8])> =
            replies.iter().map(|reply| bytes_of(reply)).enumerate().filter(|(_, bytes)| !bytes.is_empty()).collect();
        let size = size_of::<T>();
        let expected: Vec<(usize, usize)> = (0..counts.len())
            .filter(|&owner| owner != me && counts[owner] * size > 0)
            .map(|owner| (owner, counts[owner] * size))
            .collect();
        let mut received = collective::all_to_all_known(comm, &sends, &expected).into_iter();

        let mut elements = Vec::with_capacity(counts.iter().sum());
        for (owner, count) in counts.into_iter().enumerate() {
            if owner == me {
                elements.extend(asked.ones(self.place.share_of(me)).map(|index| self.local[index - self.place.offset]));
            } else if count * size > 0 {
                elements.extend(from_bytes::<T>(&received.next().unwrap_or_default()));
            }
        }
        let mut before = 0;
        let words = asked.bits.iter().map(|bits| {
            let word = Word { bits: bits.load(Ordering::Relaxed), before };
            before += word.bits.count_ones() as usize;
            word
        });
        let words = words.collect();
        self.packed = Some(Packed { words, elements, count: before });
    }
}

/// The address of such an array.
#[derive(Debug)]
pub struct GatherWindow<T> {
    window: Window<T>,
    /// Where the elements are in the window, unless it holds all of them.
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
        let GatherSlot { local, first, place, packed } = &mut self.0;
        let window = match packed {
            None => GatherWindow {
                window: Window::new(*first, place.offset, place.offset + local.len(), place.len),
                words: None,
            },
            Some(Packed { words, elements, count }) => GatherWindow {
                window: Window::new(elements.as_mut_ptr(), 0, *count, place.len),
                words: Some((words.as_ptr(), words.len())),
            },
        };
        (window, self.1.windows())
    }
}

impl<T: Element, Tail: Windows> Windows for (GatherWindow<T>, Tail) {
    type Fast<'w> = (Gathered<'w, T>, Tail::Fast<'w>);
    type Checked<'w> = (Gathered<'w, T>, Tail::Checked<'w>);

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

/// What a slice marked `#[gather]` is inside a loop's body: indexed by global positions, each access checked.
#[derive(Debug)]
pub struct Gathered<'w, T> {
    window: Window<T>,
    words: Option<&'w [Word]>,
}

impl<T> Clone for Gathered<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<T> Copy for Gathered<'_, T> {}

/// Ends the call for an element that was not asked for.
#[cold]
#[inline(never)]
#[track_caller]
fn not_asked_for(index: usize) -> ! {
    panic!(
        "FA063: element {index} of a `#[gather]` slice was not among those that this rank had asked for: its place must \
         be the same whenever it is computed, so it must not depend on the time, on random numbers or on hidden state"
    );
}

impl<T> Gathered<'_, T> {
    /// # Safety
    /// The window is alive as long as the view, and nothing writes its elements meanwhile.
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

    /// The place of an existing element in the window.
    #[inline]
    #[track_caller]
    fn position(&self, words: &[Word], index: usize) -> usize {
        let (word, bit) = (words[index / 64], index % 64);
        if word.bits >> bit & 1 == 0 {
            not_asked_for(index);
        }
        word.before + (word.bits & !(u64::MAX << bit)).count_ones() as usize
    }
}

impl<T> Index<usize> for Gathered<'_, T> {
    type Output = T;

    #[inline(always)]
    #[track_caller]
    fn index(&self, index: usize) -> &T {
        let place = match self.words {
            None => index,
            Some(_) if index >= self.len() => {
                panic!("index out of bounds: the len is {} but the index is {index}", self.len())
            }
            Some(words) => self.position(words, index),
        };
        // SAFETY: `element` checks that the window holds it, and nothing writes it (the contract of `new`).
        unsafe { &*self.window.element::<true>(place) }
    }
}

impl<T> Index<Range<usize>> for Gathered<'_, T> {
    type Output = [T];

    #[inline]
    #[track_caller]
    fn index(&self, range: Range<usize>) -> &[T] {
        let places = match self.words {
            Some(words) if range.start < range.end && range.end <= self.len() => {
                let (first, last) = (self.position(words, range.start), self.position(words, range.end - 1));
                // Packed elements keep their order: what lies between is there if as many are.
                if last - first != range.end - 1 - range.start {
                    not_asked_for(range.start);
                }
                first..last + 1
            }
            Some(_) if range.start == range.end && range.end <= self.len() => 0..0,
            _ => self.window.range(range),
        };
        // SAFETY: `range` and `position` check that the window holds the elements, and nothing writes them.
        unsafe { self.window.slice(places) }
    }
}

macro_rules! ranges {
    ($($range:ty, |$r:ident, $len:ident| $to:expr;)*) => {$(
        impl Places for $range {
            #[inline]
            fn ask(self, asked: &Asked) {
                let ($r, $len) = (self, asked.len);
                ($to).ask(asked);
            }
        }

        impl<T> Index<$range> for Gathered<'_, T> {
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

    fn asked(len: usize, elements: &[usize]) -> Asks {
        let asks = Asks::new([len]);
        elements.iter().for_each(|&index| asks.ask(0, index));
        asks
    }

    #[test]
    fn what_does_not_exist_is_not_asked_for() {
        let asks = asked(3, &[0, 2, 3, usize::MAX]);
        asks.ask(0, 2..7);
        asks.ask(0, ..=usize::MAX);
        assert_eq!(asks.of(0).ones(0..3).collect::<Vec<_>>(), [0, 1, 2]);
        asked(0, &[0]).ask(0, ..);
    }

    /// Sparse and dense requests name the same elements, for shares that begin and end anywhere.
    #[test]
    fn a_request_brings_what_was_asked_for() {
        for len in [1, 63, 64, 65, 130, 1000] {
            for step in [1, 2, 7, 63, 64, 200, 999] {
                let elements: Vec<usize> = (0..len).step_by(step).collect();
                let asks = asked(len, &elements);
                for (start, end) in [(0, len), (len / 3, len / 2), (len / 2, len), (len, len), (0, 1)] {
                    let local: Vec<u32> = (start..end).map(|index| index as u32 * 10).collect();
                    let (request, count) = asks.of(0).request(&(start..end));
                    let share = elements.iter().filter(|index| (start..end).contains(index));
                    let expected: Vec<u32> = share.map(|&index| index as u32 * 10).collect();
                    assert_eq!(
                        (count, requested(&request, &local)),
                        (expected.len(), expected),
                        "{start}..{end} of {len}"
                    );
                }
            }
        }
    }
}
