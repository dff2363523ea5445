//! The elements that the iterations of a loop ask for.

use std::cell::Cell;
use std::ops::{Range, RangeFrom, RangeFull, RangeInclusive, RangeTo, RangeToInclusive};
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
pub trait Indices {
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
    pub(crate) fn of(&self, array: usize) -> &Asked {
        &self.0[array]
    }
}

impl Asker<'_> {
    /// Asks for elements. Those that do not exist are left out: the loop itself will say so.
    #[inline(always)]
    pub fn ask(&self, places: impl Indices) {
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

    /// The bits of 64 elements.
    pub(crate) fn word(&self, word: usize) -> u64 {
        self.bits.get(word).map_or(0, |bits| bits.load(Ordering::Relaxed))
    }

    /// How many such words there are.
    pub(crate) fn words(&self) -> usize {
        self.bits.len()
    }

    /// How many elements of a range are asked for.
    pub(crate) fn count(&self, range: Range<usize>) -> usize {
        let (first, last) = (range.start / 64, range.end.div_ceil(64));
        let whole: usize =
            self.bits[first..last].iter().map(|bits| bits.load(Ordering::Relaxed).count_ones() as usize).sum();
        let outside = |range: Range<usize>| self.ones(range).count();
        if first == last { 0 } else { whole - outside(first * 64..range.start) - outside(range.end..last * 64) }
    }

    /// The elements from the first to the last that are asked for.
    pub(crate) fn hull(&self) -> Range<usize> {
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
    pub(crate) fn ones(&self, range: Range<usize>) -> impl Iterator<Item = usize> {
        ones(|word| self.bits[word].load(Ordering::Relaxed), range)
    }

    /// Where elements of some ranges follow each other, in order: see [`device::Apart::runs`].
    pub(crate) fn runs(&self, ranges: [Range<usize>; 2]) -> Vec<[u32; 2]> {
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
}

/// The elements in a range, in order, of which there are a bit for each.
pub(crate) fn ones(bits: impl Fn(usize) -> u64, range: Range<usize>) -> impl Iterator<Item = usize> {
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

impl Indices for usize {
    #[inline(always)]
    fn ask(self, asker: &Asker<'_>) {
        if self < asker.asked.len {
            asker.bits(self / 64, 1 << (self % 64));
        }
    }
}

impl Indices for Range<usize> {
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

macro_rules! ranges {
    ($($range:ty, |$r:ident, $len:ident| $to:expr;)*) => {$(
        impl Indices for $range {
            #[inline]
            fn ask(self, asker: &Asker<'_>) {
                let ($r, $len) = (self, asker.asked.len);
                ($to).ask(asker);
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
}
