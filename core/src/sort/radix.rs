//! Radix sort.
//!
//! All workers together partition the elements by the highest digit in which they differ. Then each worker takes buckets that fit into its
//! cache, and sorts each by its other digits, from the lowest to the highest (LSD). Larger buckets are partitioned again by all workers.
//! Digits without differences are skipped, and sorted runs are left as they are.
//!
//! Keys are read twice, to count and to move, and must not change in between. So keys are computed by `forall`'s own code, or once for each
//! element and stored.

use super::number::{Numbers, Word};
use super::workers::{Places, Workers, part};
use super::{merging, on_device};
use crate::element::Element;
use crate::large_pages::request_large_pages;
use std::marker::PhantomData;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// The number of bits in a digit, and of its values.
const DIGIT: u32 = 8;
const DIGITS: usize = 1 << DIGIT;

/// Shorter runs are sorted by comparing words.
const FEW: usize = 256;

/// The same, if many digits are left.
const SOME: usize = 1024;

/// The largest number of digits for LSD radix sort.
const LAST_DIGITS: u32 = 3;

/// The size of a run that one worker sorts.
const CACHED: usize = 1 << 20;

/// Elements up to this size move together with their words; longer ones are moved once at the end.
const LIGHT: usize = 8;

/// The words by which elements are sorted: a pure function of the element.
pub(super) trait Words<T>: Sync {
    /// The type of the words.
    type Word: Word;

    /// The word of an element.
    fn word(&self, element: &T) -> Self::Word;
}

macro_rules! words_of_numbers {
    ($($number:ty => $word:ty),*) => {$(
        impl Words<$number> for Numbers<$number> {
            type Word = $word;

            #[inline(always)]
            fn word(&self, number: &$number) -> $word {
                self.word(number)
            }
        }
    )*};
}
words_of_numbers!(u8 => u32, u16 => u32, u32 => u32, u64 => u64);

/// Sorts numbers.
pub(super) fn sort_numbers<K: Copy + Send + Sync>(workers: Workers<'_>, elements: &mut [K], numbers: &Numbers<K>) {
    if on_device::numbers(workers, elements, numbers) {
        return;
    }
    // SAFETY: these are numbers of that size, and borrowed alone.
    unsafe { sort_of_size(workers, size_of::<K>(), elements.as_mut_ptr().cast(), elements.len(), &numbers.same()) };
}

/// Sorts numbers of this size. Compiled once for all types of the size.
///
/// # Safety
/// The memory has this number of values of this size, and nobody else uses it.
unsafe fn sort_of_size(workers: Workers<'_>, size: usize, first: *mut u8, len: usize, numbers: &Numbers<()>) {
    // SAFETY: the caller's promise; the numbers change their places and nothing else.
    unsafe {
        match size {
            1 => sort(workers, Places::new(first).slice_mut(len), numbers.same::<u8>()),
            2 => sort(workers, Places::new(first.cast()).slice_mut(len), numbers.same::<u16>()),
            4 => sort(workers, Places::new(first.cast()).slice_mut(len), numbers.same::<u32>()),
            _ => sort(workers, Places::new(first.cast()).slice_mut(len), numbers.same::<u64>()),
        }
    }
}

/// Sorts elements by a numeric key.
pub(super) fn sort_by_number<T: Element, K>(
    workers: Workers<'_>,
    elements: &mut [T],
    numbers: &Numbers<K>,
    key: &(impl Fn(&T) -> K + Sync),
) {
    let bytes = if size_of::<T>() <= LIGHT { size_of::<T>() } else { bytes_of_place(elements.len()) };
    match (Numbers::<K>::SHORT, bytes <= 4) {
        (true, true) => sort_by_word::<T, Short>(workers, elements, &|element| numbers.word(&key(element))),
        (true, false) => sort_by_word::<T, Middle>(workers, elements, &|element| numbers.word(&key(element))),
        (false, _) => sort_by_word::<T, Long>(workers, elements, &|element| numbers.word(&key(element))),
    }
}

/// The number of bytes that hold any index below this one.
pub(super) fn bytes_of_place(len: usize) -> usize {
    if u32::try_from(len).is_ok() { 4 } else { 8 }
}

/// A tag: a word and a value.
#[derive(Clone, Copy, Debug)]
pub(super) struct Tagged<W, V> {
    word: W,
    value: V,
}

/// Tags of several sizes. The sort is compiled once for each size.
pub(super) trait Tag: Copy + Send + Sync {
    /// The type of the word.
    type Word: Word;

    /// A tag of a word and a value, which is truncated to the size of the field.
    fn new(word: Self::Word, value: u64) -> Self;

    /// The word.
    fn word(&self) -> Self::Word;

    /// The value.
    fn value(&self) -> u64;

    /// Sorts tags by their words.
    fn sort(workers: Workers<'_>, tags: &mut [Self]);

    /// Merges sorted runs, as [`merging::merge_into`] does.
    fn merge_into(workers: Workers<'_>, tags: &mut [Self], from: &mut [Self], ends: Vec<usize>);
}

/// Words and values of four bytes.
pub(super) type Short = Tagged<u32, u32>;
/// Words of four bytes, with values of eight.
pub(super) type Middle = Tagged<u32, [u32; 2]>;
/// Words and values of eight bytes.
pub(super) type Long = Tagged<u64, u64>;

/// Tags are sorted by their words.
struct OwnWords;

macro_rules! tags {
    ($($tag:ty: $word:ty, $new:expr, $value:expr;)*) => {$(
        impl Tag for $tag {
            type Word = $word;

            #[inline(always)]
            fn new(word: $word, value: u64) -> Self {
                Tagged { word, value: $new(value) }
            }

            #[inline(always)]
            fn word(&self) -> $word {
                self.word
            }

            #[inline(always)]
            fn value(&self) -> u64 {
                $value(self.value)
            }

            fn sort(workers: Workers<'_>, tags: &mut [Self]) {
                sort(workers, tags, OwnWords);
            }

            fn merge_into(workers: Workers<'_>, tags: &mut [Self], from: &mut [Self], ends: Vec<usize>) {
                merging::merge_into(workers, tags, from, ends, |one: &Self, other: &Self| one.word.cmp(&other.word));
            }
        }

        impl Words<$tag> for OwnWords {
            type Word = $word;

            #[inline(always)]
            fn word(&self, tag: &$tag) -> $word {
                tag.word
            }
        }
    )*};
}
tags! {
    Short: u32, |value| value as u32, u64::from;
    Middle: u32, |value| [value as u32, (value >> 32) as u32], |[low, high]: [u32; 2]| u64::from(low) | u64::from(high) << 32;
    Long: u64, |value| value, |value| value;
}

/// Sorts elements by words that the user's code computes, once for each element.
fn sort_by_word<T: Element, G: Tag>(workers: Workers<'_>, elements: &mut [T], word: &(impl Fn(&T) -> G::Word + Sync)) {
    let len = elements.len();
    let words = || workers.filled(len, |place| word(&elements[place]));
    if let Some(places) = on_device::places(workers, len, &words) {
        return put(workers, elements, &|at| places[at] as usize);
    }
    let light = size_of::<T>() <= LIGHT;
    let tag = |place: usize| {
        let element = &elements[place];
        G::new(word(element), if light { to_bits(element) } else { place as u64 })
    };
    let mut tags = workers.filled(len, tag);
    G::sort(workers, &mut tags);
    if light {
        let to = Places::new(elements.as_mut_ptr());
        // SAFETY: these are as many, and borrowed alone; the bits are those of elements.
        return workers.for_each(len, |place| unsafe { to.set(place, from_bits(tags[place].value())) });
    }
    put(workers, elements, &|at| tags[at].value() as usize);
}

/// The bytes of a short element, as a number.
#[inline(always)]
fn to_bits<T: Element>(element: &T) -> u64 {
    let mut bytes = [0; LIGHT];
    bytes[..size_of::<T>()].copy_from_slice(bytemuck::bytes_of(element));
    u64::from_le_bytes(bytes)
}

/// The element with these bytes.
///
/// # Safety
/// The bytes are those of an element.
#[inline(always)]
unsafe fn from_bits<T: Element>(bits: u64) -> T {
    let bytes = bits.to_le_bytes();
    assert!(size_of::<T>() <= LIGHT, "a light element");
    // SAFETY: there are as many bytes, and the caller's promise.
    unsafe { bytes.as_ptr().cast::<T>().read_unaligned() }
}

/// Permutes the elements: each index receives the element from another index.
fn put<T: Element>(workers: Workers<'_>, elements: &mut [T], from: &(impl Fn(usize) -> usize + Sync)) {
    let to = Places::new(elements.as_mut_ptr());
    let old = &*elements;
    let sorted = workers.filled(old.len(), |place| old[from(place)]);
    // SAFETY: these are as many, and borrowed alone.
    unsafe { workers.copy(Places::new(sorted.as_ptr().cast_mut()), to, sorted.len()) };
}

/// Sorts elements by words that `forall`'s own code computes.
fn sort<T: Copy + Send + Sync, F: Words<T>>(workers: Workers<'_>, elements: &mut [T], words: F) {
    if elements.len() <= FEW {
        return elements.sort_by_key(|element| words.word(element));
    }
    let mut spare = Vec::with_capacity(elements.len());
    request_large_pages(&mut spare);
    let digits = Digits { words, of: PhantomData };
    let (here, there) = (Places::new(elements.as_mut_ptr()), Places::new(spare.as_mut_ptr()));
    let all = Run { here, there, len: elements.len(), stays: true };
    // SAFETY: both have as many places, which nobody else uses, and the elements are initialised.
    unsafe { digits.sort(all, None, workers) };
}

/// Elements, a buffer of the same length, and which of the two will have the result.
#[derive(Clone, Copy)]
struct Run<T> {
    here: Places<T>,
    there: Places<T>,
    len: usize,
    stays: bool,
}

impl<T: Copy + Send + Sync> Run<T> {
    /// # Safety
    /// As [`Digits::sort`].
    unsafe fn elements<'r>(&self) -> &'r [T] {
        // SAFETY: the caller's promise.
        unsafe { self.here.slice(self.len) }
    }

    /// The run after its elements moved to the other buffer; the result still ends in the same place.
    ///
    /// # Safety
    /// As [`Digits::sort`], of the other side.
    unsafe fn gone(&self, from: usize, len: usize) -> Run<T> {
        // SAFETY: the caller's promise.
        let (here, there) = unsafe { (self.there.from(from), self.here.from(from)) };
        Run { here, there, len, stays: !self.stays }
    }

    /// Moves the elements to the place of the result.
    ///
    /// # Safety
    /// As [`Digits::sort`].
    unsafe fn settle<'r>(&self) -> &'r mut [T] {
        // SAFETY: the caller's promise.
        unsafe {
            if self.stays {
                return self.here.slice_mut(self.len);
            }
            self.there.copy(self.here, self.len);
            self.there.slice_mut(self.len)
        }
    }
}

/// The bits in which words differ.
enum Found {
    /// None: the run is sorted.
    Sorted,
    /// This range of bits.
    Bits(u32, u32),
}

/// Sorts by the digits of words.
struct Digits<T, F> {
    words: F,
    of: PhantomData<fn(T)>,
}

impl<T: Copy + Send + Sync, F: Words<T>> Digits<T, F> {
    #[inline(always)]
    fn word(&self, element: &T) -> F::Word {
        self.words.word(element)
    }

    /// Sorts a run. `bits` is the range of bits in which words may differ, if known.
    ///
    /// # Safety
    /// `here` has initialised elements, `there` has the same length, and nobody else uses either.
    unsafe fn sort(&self, run: Run<T>, known: Option<(u32, u32)>, workers: Workers<'_>) {
        let cached = run.len * size_of::<T>() <= CACHED;
        // SAFETY: the caller's promise, here and below.
        unsafe {
            if run.len <= FEW {
                return run.settle().sort_by_key(|element| self.word(element));
            }
            match known.map(|(low, high)| (low, high, high.saturating_sub(low).div_ceil(DIGIT))) {
                Some((_, _, 0)) => {
                    run.settle();
                    return;
                }
                Some((low, high, digits)) if cached && digits <= LAST_DIGITS => {
                    return self.lowest_first(run, low, high, digits);
                }
                _ => {}
            }
            let blocks = if workers.count() == 1 { 1 } else { (run.len >> 14).clamp(1, 8 * workers.count()) };
            match self.differing(run, blocks, workers) {
                Found::Sorted if run.stays => {}
                Found::Sorted => workers.copy(run.here, run.there, run.len),
                Found::Bits(low, high) => {
                    let digits = (high - low).div_ceil(DIGIT);
                    if cached && digits <= LAST_DIGITS {
                        self.lowest_first(run, low, high, digits);
                    } else if run.len <= SOME {
                        run.settle().sort_by_key(|element| self.word(element));
                    } else {
                        self.highest_first(run, low, high.saturating_sub(DIGIT), blocks, workers);
                    }
                }
            }
        }
    }

    /// The bits in which words differ, or none if the run is sorted.
    ///
    /// # Safety
    /// As [`Digits::sort`].
    unsafe fn differing(&self, run: Run<T>, blocks: usize, workers: Workers<'_>) -> Found {
        // SAFETY: the caller's promise.
        let elements = unsafe { run.elements() };
        let first = self.word(&elements[0]).bits();
        let (bits, ordered) = (AtomicU64::new(0), AtomicBool::new(true));
        let look = |block| {
            let range = part(run.len, blocks, block);
            let mut last = self.word(&elements[range.start.saturating_sub(1)]);
            let (mut differ, mut sorted) = (0, true);
            for element in &elements[range] {
                let word = self.word(element);
                differ |= word.bits() ^ first;
                sorted &= last <= word;
                last = word;
            }
            bits.fetch_or(differ, Ordering::Relaxed);
            ordered.fetch_and(sorted, Ordering::Relaxed);
        };
        workers.share_out(blocks, &look);
        let bits = bits.into_inner();
        match ordered.into_inner() {
            true => Found::Sorted,
            false => Found::Bits(bits.trailing_zeros(), u64::BITS - bits.leading_zeros()),
        }
    }

    #[inline(always)]
    fn digit(&self, element: &T, shift: u32) -> usize {
        (self.word(element).bits() >> shift) as usize % DIGITS
    }

    /// Partitions a run by one digit, and sorts the buckets. All words are equal above the digit and below `low`.
    ///
    /// # Safety
    /// As [`Digits::sort`].
    unsafe fn highest_first(&self, run: Run<T>, low: u32, shift: u32, blocks: usize, workers: Workers<'_>) {
        // SAFETY: the caller's promise.
        let elements = unsafe { run.elements() };
        let mut counts = vec![[0; DIGITS]; blocks];
        let places = Places::new(counts.as_mut_ptr());
        workers.share_out(blocks, &|block| {
            let mut counted = [0; DIGITS];
            for element in &elements[part(run.len, blocks, block)] {
                counted[self.digit(element, shift)] += 1;
            }
            // SAFETY: each block has its own counts.
            unsafe { places.set(block, counted) };
        });
        let mut starts = [0; DIGITS + 1];
        let mut next = 0;
        for digit in 0..DIGITS {
            starts[digit] = next;
            for counted in &mut counts {
                next += std::mem::replace(&mut counted[digit], next);
            }
        }
        starts[DIGITS] = next;
        workers.share_out(blocks, &|block| {
            let mut places = counts[block];
            for element in &elements[part(run.len, blocks, block)] {
                let place = &mut places[self.digit(element, shift)];
                // SAFETY: the words are those that were counted, so each element has a place of its own.
                unsafe { run.there.set(*place, *element) };
                *place += 1;
            }
        });
        let range = |digit: usize| (starts[digit], starts[digit + 1] - starts[digit]);
        let long = |len: usize| {
            workers.count() > 1 && len * size_of::<T>() > CACHED.max(run.len * size_of::<T>() / (2 * workers.count()))
        };
        for (from, len) in (0..DIGITS).map(range).filter(|(_, len)| long(*len)) {
            // SAFETY: all elements are on the other side, and this part is nobody else's.
            unsafe { self.sort(run.gone(from, len), Some((low, shift)), workers) };
        }
        let short: Vec<_> = (0..DIGITS).map(range).filter(|(_, len)| *len > 0 && !long(*len)).collect();
        let each = |number: usize| {
            let (from, len) = short[number];
            // SAFETY: as above.
            unsafe { self.sort(run.gone(from, len), Some((low, shift)), Workers::alone()) };
        };
        workers.share_out(short.len(), &each);
    }

    /// Sorts a run by the digits of the bits `low..high`, the lowest first.
    ///
    /// # Safety
    /// As [`Digits::sort`].
    unsafe fn lowest_first(&self, mut run: Run<T>, low: u32, high: u32, digits: u32) {
        // Digits of equal lengths are shorter than one byte.
        let length = (high - low).div_ceil(digits);
        let mask = (1 << length) - 1;
        let shifts = (0..digits).map(|digit| low + digit * length);
        let mut counts = [[0; DIGITS]; LAST_DIGITS as usize];
        // SAFETY: the caller's promise.
        for element in unsafe { run.elements() } {
            let word = self.word(element).bits();
            for (counted, shift) in counts.iter_mut().zip(shifts.clone()) {
                counted[(word >> shift) as usize & mask] += 1;
            }
        }
        for (counted, shift) in counts.iter_mut().zip(shifts) {
            if counted.contains(&run.len) {
                continue;
            }
            let mut next = 0;
            for place in counted.iter_mut() {
                next += std::mem::replace(place, next);
            }
            // SAFETY: the elements are on this side, and each has a place of its own on the other.
            unsafe {
                for element in run.elements() {
                    let place = &mut counted[(self.word(element).bits() >> shift) as usize & mask];
                    run.there.set(*place, *element);
                    *place += 1;
                }
                run = run.gone(0, run.len);
            }
        }
        // SAFETY: the elements are on this side.
        unsafe { run.settle() };
    }
}
