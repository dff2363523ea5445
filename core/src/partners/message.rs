//! The encoding of a region in a message: all elements, or only those that are not blank.
//!
//! A message of the region's length contains all elements. A shorter one contains the elements that are not blank, then the runs (a number
//! of blank elements and a number of others), and then the number of runs.

use crate::element::{Element, bytes_of, elements_in, from_bytes};
use std::borrow::Cow;

/// The number of samples to estimate the coverage.
const SAMPLES: usize = 256;

/// Encodes a region without its blank elements, if that is sufficiently shorter. Returns whether it is.
pub(super) fn packed<T: Element>(elements: &[T], blank: T, message: &mut Vec<u8>) -> bool {
    let is_blank = |element: &T| bytes_of(std::slice::from_ref(element)) == bytes_of(&[blank]);
    let worth = size_of_val(elements) / 8 * 7;
    if coverage(elements, blank) > 0.75 || u32::try_from(elements.len()).is_err() {
        return false;
    }
    message.clear();
    let (mut runs, mut at): (Vec<[u32; 2]>, usize) = (Vec::new(), 0);
    while at < elements.len() {
        let rest = &elements[at..];
        let blanks = rest.iter().take_while(|element| is_blank(element)).count();
        let others = rest[blanks..].iter().take_while(|element| !is_blank(element)).count();
        runs.push([blanks as u32, others as u32]);
        if message.len() + others * size_of::<T>() + size_of_val(&runs[..]) >= worth {
            return false;
        }
        message.extend_from_slice(bytes_of(&rest[blanks..blanks + others]));
        at += blanks + others;
    }
    message.extend_from_slice(bytes_of(&runs));
    message.extend_from_slice(&(runs.len() as u32).to_ne_bytes());
    message.len() < size_of_val(elements)
}

/// Expands a message in place. It is at the start of a buffer of the region's full length.
pub(super) fn unpack<T: Element>(region: &mut [u8], length: usize, blank: T) {
    let Some((elements, runs)) = (length < region.len()).then(|| runs_of(&region[..length])) else { return };
    let (size, blank) = (size_of::<T>(), [blank]);
    // From the end: each element moves to the same or a higher address, so no element is overwritten before it has moved.
    let (mut from, mut to) = (elements, region.len());
    for [blanks, others] in runs.into_iter().rev().map(|run| run.map(|count| count * size)) {
        region.copy_within(from - others..from, to - others);
        (from, to) = (from - others, to - others);
        region[to - blanks..to].chunks_exact_mut(size.max(1)).for_each(|place| place.copy_from_slice(bytes_of(&blank)));
        to -= blanks;
    }
}

/// The number of bytes of elements in a shorter message, and its runs.
fn runs_of(message: &[u8]) -> (usize, Vec<[usize; 2]>) {
    let Some((rest, count)) = message.split_last_chunk() else { return (0, Vec::new()) };
    let runs = u32::from_ne_bytes(*count) as usize * size_of::<[u32; 2]>();
    let (elements, runs) = rest.split_at(rest.len() - runs);
    (elements.len(), from_bytes::<[u32; 2]>(runs).into_iter().map(|run| run.map(|count| count as usize)).collect())
}

/// An estimate of the fraction of a region that is not blank, from 0 to 1, by sampling.
pub fn coverage<T: Element>(elements: &[T], blank: T) -> f64 {
    let is_blank = |element: &&T| bytes_of(std::slice::from_ref(*element)) == bytes_of(&[blank]);
    let samples = elements.iter().step_by(elements.len().div_ceil(SAMPLES).max(1));
    let (looked_at, blanks) = (samples.len(), samples.filter(is_blank).count());
    1.0 - blanks as f64 / looked_at.max(1) as f64
}

/// Whether all elements of a region are blank.
pub fn all_blank<T: Element>(elements: &[T], blank: T) -> bool {
    let some = [blank; 64];
    elements.chunks(some.len()).all(|part| bytes_of(part) == bytes_of(&some[..part.len()]))
}

/// A part of the rank's region, from index `at` of the frame on, and the received elements for it.
pub(super) struct Segment<'k, T> {
    pub at: usize,
    pub kept: &'k mut [T],
    pub came: Option<&'k [T]>,
}

impl<'k, T> Segment<'k, T> {
    /// Splits the segment into parts of at most `most` elements.
    pub fn batches(self, most: usize) -> impl Iterator<Item = Segment<'k, T>> {
        let Segment { at, kept, came } = self;
        kept.chunks_mut(most).enumerate().map(move |(number, kept)| {
            let first = number * most;
            Segment { at: at + first, came: came.map(|came| &came[first..first + kept.len()]), kept }
        })
    }
}

/// A received message.
pub(super) struct Came<'m, T: Element> {
    elements: Cow<'m, [T]>,
    /// The runs: the number of omitted elements, and the number of those that follow.
    runs: Vec<[usize; 2]>,
}

impl<'m, T: Element> Came<'m, T> {
    /// Decodes a message for a region of `length` elements.
    pub fn of(message: &'m [u8], length: usize) -> Self {
        let (elements, runs) = match message.len() < length * size_of::<T>() {
            true => runs_of(message),
            false => (message.len(), vec![[0, length]]),
        };
        let elements = &message[..elements];
        Came { elements: elements_in(elements), runs }
    }

    /// Pairs the received elements with the rank's elements, for a region that begins at index `at` of the frame. Runs without received
    /// elements are included if `blanks_too` is set.
    pub fn segments<'k>(&'k self, mut at: usize, mut kept: &'k mut [T], blanks_too: bool) -> Vec<Segment<'k, T>> {
        let (mut came, mut segments) = (&self.elements[..], Vec::new());
        let mut next = |length: usize, came: Option<&'k [T]>| {
            let (here, rest) = std::mem::take(&mut kept).split_at_mut(length);
            if length > 0 && (came.is_some() || blanks_too) {
                segments.push(Segment { at, kept: here, came });
            }
            (kept, at) = (rest, at + length);
        };
        for &[blanks, others] in &self.runs {
            let (there, after) = came.split_at(others);
            next(blanks, None);
            next(others, Some(there));
            came = after;
        }
        segments
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The result of merging a region into blanks, and the length of its message if it is encoded without blank elements.
    fn sent(elements: &[u64]) -> (Vec<u64>, Option<usize>) {
        let mut message = Vec::new();
        let message = packed(elements, 0, &mut message).then_some(message);
        let bytes = message.as_deref().unwrap_or(bytes_of(elements));
        let (came, mut kept) = (Came::of(bytes, elements.len()), vec![0; elements.len()]);
        for Segment { kept, came, .. } in came.segments(0, &mut kept, false) {
            kept.copy_from_slice(came.expect("the others are not wanted"));
        }
        // In place, over the previous contents.
        let mut region = vec![u64::MAX; elements.len()];
        let room: &mut [u8] = bytemuck::cast_slice_mut(&mut region);
        room[..bytes.len()].copy_from_slice(bytes);
        unpack(room, bytes.len(), 0_u64);
        assert_eq!(region, elements);
        (kept, message.map(|message| message.len()))
    }

    #[test]
    fn what_is_not_blank_arrives() {
        let runs = |lengths: &[usize]| -> Vec<u64> {
            lengths
                .iter()
                .enumerate()
                .flat_map(|(run, length)| (0..*length as u64).map(move |k| (run as u64 % 2) * (k + 1)))
                .collect()
        };
        for (elements, length) in [
            (runs(&[]), None),
            (runs(&[0, 9]), None),
            (runs(&[9]), Some(12)),
            (runs(&[1000]), Some(12)),
            (runs(&[500, 3]), Some(36)),
            (runs(&[500, 3, 500]), Some(44)),
            (runs(&[0, 100, 50, 20, 1000, 1]), Some(121 * 8 + 28)),
            (runs(&[1; 100]), None),
            (runs(&[1, 2000]), None),
        ] {
            assert_eq!(sent(&elements), (elements.clone(), length));
        }
    }
}
