//! The requested indices of a loop.

use std::cell::Cell;
use std::ops::{Range, RangeFrom, RangeFull, RangeInclusive, RangeTo, RangeToInclusive};
use std::sync::atomic::{AtomicU64, Ordering};

/// The requested indices of all arrays of a loop, from this rank's iterations.
#[derive(Debug)]
pub struct Requests(Vec<Requested>);

/// A worker's handle to record requested indices of an array. It combines indices that are close together.
#[derive(Debug)]
pub struct Requester<'a> {
    requested: &'a Requested,
    /// The word of the last indices, and their bits, which are not recorded yet.
    recent: Cell<(usize, u64)>,
}

/// The requested indices of one array: a bit for each element.
#[derive(Debug)]
pub struct Requested {
    bits: Vec<AtomicU64>,
    len: usize,
}

/// Types that can index an array.
pub trait Indices {
    /// Requests the elements.
    fn request(self, requester: &Requester<'_>);
}

impl Requests {
    /// No requested index, for arrays of these lengths.
    pub(crate) fn new(lens: impl IntoIterator<Item = usize>) -> Self {
        let none = |len: usize| Requested { bits: (0..len.div_ceil(64)).map(|_| AtomicU64::new(0)).collect(), len };
        Requests(lens.into_iter().map(none).collect())
    }

    /// The handle of a worker for an array.
    #[inline]
    pub fn requester(&self, array: usize) -> Requester<'_> {
        Requester { requested: &self.0[array], recent: Cell::new((0, 0)) }
    }

    /// The requested indices, array by array.
    pub(crate) fn into_requested(self) -> Vec<Requested> {
        self.0
    }

    #[cfg(test)]
    pub(crate) fn of(&self, array: usize) -> &Requested {
        &self.0[array]
    }
}

impl Requester<'_> {
    /// Requests elements. Indices out of bounds are ignored: the loop itself will panic.
    #[inline(always)]
    pub fn request(&self, places: impl Indices) {
        places.request(self);
    }

    #[inline(always)]
    fn bits(&self, word: usize, bits: u64) {
        let (last, others) = self.recent.get();
        if word == last {
            self.recent.set((word, bits | others));
        } else {
            self.requested.note(last, others);
            self.recent.set((word, bits));
        }
    }
}

impl Drop for Requester<'_> {
    #[inline]
    fn drop(&mut self) {
        let (word, bits) = self.recent.get();
        self.requested.note(word, bits);
    }
}

impl Requested {
    /// Workers record concurrently. If all bits are set already, nothing is written.
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

    /// The number of words.
    pub(crate) fn words(&self) -> usize {
        self.bits.len()
    }

    /// The number of requested elements in a range.
    pub(crate) fn count(&self, range: Range<usize>) -> usize {
        let (first, last) = (range.start / 64, range.end.div_ceil(64));
        let whole: usize =
            self.bits[first..last].iter().map(|bits| bits.load(Ordering::Relaxed).count_ones() as usize).sum();
        let outside = |range: Range<usize>| self.ones(range).count();
        if first == last { 0 } else { whole - outside(first * 64..range.start) - outside(range.end..last * 64) }
    }

    /// The range from the first to the last requested element.
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

    /// The requested elements in a range, in order.
    pub(crate) fn ones(&self, range: Range<usize>) -> impl Iterator<Item = usize> {
        ones(|word| self.bits[word].load(Ordering::Relaxed), range)
    }

    /// The runs of consecutive elements in these ranges: see [`Sparse::runs`](crate::device::Sparse::runs).
    pub(crate) fn runs(&self, ranges: [Range<usize>; 2]) -> Vec<[u32; 2]> {
        let (mut runs, mut before, mut last) = (Vec::new(), 0, None);
        for range in ranges {
            // Elements of different ranges are not consecutive.
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

/// The elements of a range whose bits are set, in order.
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
    fn request(self, requester: &Requester<'_>) {
        if self < requester.requested.len {
            requester.bits(self / 64, 1 << (self % 64));
        }
    }
}

impl Indices for Range<usize> {
    #[inline]
    fn request(self, requester: &Requester<'_>) {
        let end = self.end.min(requester.requested.len);
        let mut start = self.start;
        while start < end {
            let next = (start / 64 * 64 + 64).min(end);
            requester.bits(start / 64, (u64::MAX >> (64 - (next - start))) << (start % 64));
            start = next;
        }
    }
}

macro_rules! ranges {
    ($($range:ty, |$r:ident, $len:ident| $to:expr;)*) => {$(
        impl Indices for $range {
            #[inline]
            fn request(self, requester: &Requester<'_>) {
                let ($r, $len) = (self, requester.requested.len);
                ($to).request(requester);
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

    fn requesting(len: usize, elements: impl IntoIterator<Item = usize>) -> Requests {
        let requests = Requests::new([len]);
        let requester = requests.requester(0);
        elements.into_iter().for_each(|index| requester.request(index));
        drop(requester);
        requests
    }

    #[test]
    fn indices_out_of_bounds_are_ignored() {
        let requests = requesting(3, [0, 2, 3, usize::MAX]);
        requests.requester(0).request(2..7);
        requests.requester(0).request(..=usize::MAX);
        assert_eq!(requests.of(0).ones(0..3).collect::<Vec<_>>(), [0, 1, 2]);
        requesting(0, [0]).requester(0).request(..);
    }

    #[test]
    fn the_hull_ends_at_requested_elements() {
        assert_eq!(requesting(1000, []).of(0).hull(), 0..0);
        assert_eq!(requesting(0, []).of(0).hull(), 0..0);
        for (first, last) in [(0, 0), (63, 64), (5, 700), (128, 191), (999, 999)] {
            let requests = requesting(1000, [last, first]);
            assert_eq!(requests.of(0).hull(), first..last + 1);
            assert_eq!(requests.of(0).count(first..last + 1), if first == last { 1 } else { 2 });
            assert_eq!(requests.of(0).count(first + 1..last + 1), usize::from(first < last));
        }
    }

    #[test]
    fn a_range_requests_all_of_its_elements() {
        for (start, end) in [(0, 0), (0, 1), (3, 64), (3, 65), (64, 128), (63, 200), (5, 300), (299, 300), (9, 4)] {
            let requests = requesting(300, []);
            requests.requester(0).request(start..end);
            assert_eq!(
                requests.of(0).ones(0..300).collect::<Vec<_>>(),
                (start..end).collect::<Vec<_>>(),
                "{start}..{end}"
            );
        }
    }
}
