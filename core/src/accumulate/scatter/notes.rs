//! Recorded writes, separated by the part of the array.

use crate::data::overlap;
use std::ops::Range;

/// A division of an array into parts of one length. There are few of them, so that a worker can record the writes to each part separately,
/// but enough that the elements of a part fit in a worker's cache when it applies the writes.
#[derive(Debug, Clone, Copy)]
pub(super) struct Parts {
    pub len: usize,
    /// The binary logarithm of the length of a part.
    shift: u32,
}

impl Parts {
    const MOST: usize = 128;
    const SHORTEST: usize = 1 << 10;

    pub fn of(len: usize) -> Self {
        let length = len.div_ceil(Parts::MOST).max(Parts::SHORTEST).next_power_of_two();
        // An index in a part is a `u32`.
        Parts { len, shift: length.trailing_zeros().min(u32::BITS - 1) }
    }

    pub fn count(self) -> usize {
        self.len.div_ceil(1 << self.shift)
    }

    /// The elements of a part.
    pub fn range(self, part: usize) -> Range<usize> {
        overlap(&(part << self.shift..(part + 1) << self.shift), &(0..self.len))
    }
}

/// A write: the index in its part of the array, and the value.
pub(super) type Note<V> = (u32, V);

/// Writes in the order of the iterations, for each part of the array. Empty if there are no parts.
#[derive(Debug)]
pub struct Notes<V>(Vec<Vec<Note<V>>>);

impl<V> Notes<V> {
    pub(super) fn none() -> Self {
        Notes(Vec::new())
    }

    /// Empty lists of writes to each part.
    pub(super) fn begun(parts: Parts) -> Self {
        Notes((0..parts.count()).map(|_| Vec::new()).collect())
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.iter().all(Vec::is_empty)
    }

    /// Records a write; [`begun`](Notes::begun) has made the lists. Nothing here takes the address of the notes, so that the loop can keep
    /// its variables in registers.
    #[inline(always)]
    pub(super) fn add(&mut self, parts: Parts, index: usize, value: V) {
        self.0[index >> parts.shift].push(((index & ((1 << parts.shift) - 1)) as u32, value));
    }

    /// The writes to a part, for appending.
    pub(super) fn to(&mut self, parts: Parts, part: usize) -> &mut Vec<Note<V>> {
        if self.0.is_empty() {
            *self = Notes::begun(parts);
        }
        &mut self.0[part]
    }

    /// The writes to a part.
    pub(super) fn of(&self, part: usize) -> &[Note<V>] {
        self.0.get(part).map_or(&[], Vec::as_slice)
    }

    /// All writes, with the numbers of the parts.
    pub(super) fn into_parts(self) -> impl Iterator<Item = (usize, Vec<Note<V>>)> {
        self.0.into_iter().enumerate().filter(|(_, notes)| !notes.is_empty())
    }

    /// The number of writes to each part.
    pub(super) fn counts(&self) -> impl Iterator<Item = usize> {
        self.0.iter().map(Vec::len)
    }

    /// All writes, part by part.
    pub(super) fn iter(&self) -> impl Iterator<Item = &Note<V>> {
        self.0.iter().flatten()
    }
}

/// The work after the loop.
#[allow(missing_debug_implementations)] // It holds a closure.
pub struct Noted<V, W> {
    pub(super) parts: Parts,
    /// The update of an element with a value.
    pub(super) write: W,
    /// In the order of the iterations.
    pub(super) notes: Vec<Notes<V>>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_cover_an_array_and_are_few() {
        for len in [0, 1, 1023, 1024, 1025, 100_000, (1 << 20) - 1, 1 << 20, (1 << 20) + 1, usize::MAX >> 20] {
            let parts = Parts::of(len);
            let mut end = 0;
            for part in 0..parts.count() {
                let range = parts.range(part);
                assert!(range.start == end && !range.is_empty(), "part {part} of {len}");
                end = range.end;
            }
            assert_eq!(end, len);
            assert!(parts.count() <= Parts::MOST || parts.shift == u32::BITS - 1, "{len}");
        }
    }

    #[test]
    fn notes_are_where_their_elements_are() {
        let parts = Parts::of(300_000);
        let mut notes = Notes::begun(parts);
        for index in [5, 299_999, 5, 150_000, 0] {
            notes.add(parts, index, index);
        }
        for part in 0..parts.count() {
            for (place, index) in notes.of(part) {
                assert_eq!(parts.range(part).start + *place as usize, *index);
            }
        }
        let first: Vec<usize> = notes.of(0).iter().map(|(_, index)| *index).collect();
        assert_eq!((first, notes.iter().count()), (vec![5, 5, 0], 5));
    }
}
