//! How a region travels: as its elements, or without those that change nothing.
//!
//! A message as long as the region is its elements. A shorter one holds the elements that are not blank, then runs, each as how many
//! blank elements and how many others there are, and then how many runs.

use crate::element::{Element, bytes_of, elements_in, from_bytes};
use std::borrow::Cow;

/// How many elements are looked at before all are.
const SAMPLES: usize = 256;

/// Puts the message in place of a region's elements into a room, where it is shorter by so much that it pays. Whether it does.
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

/// Puts the elements of a message in their places, in the region at whose start it lies, which is as long as all elements.
pub(super) fn unpack<T: Element>(region: &mut [u8], length: usize, blank: T) {
    let Some((elements, runs)) = (length < region.len()).then(|| runs_of(&region[..length])) else { return };
    let (size, blank) = (size_of::<T>(), [blank]);
    // From the end, where no element lies behind its place: what is before it has not moved yet.
    let (mut from, mut to) = (elements, region.len());
    for [blanks, others] in runs.into_iter().rev().map(|run| run.map(|count| count * size)) {
        region.copy_within(from - others..from, to - others);
        (from, to) = (from - others, to - others);
        region[to - blanks..to].chunks_exact_mut(size.max(1)).for_each(|place| place.copy_from_slice(bytes_of(&blank)));
        to -= blanks;
    }
}

/// How many bytes of elements a shorter message holds, and the runs behind them.
fn runs_of(message: &[u8]) -> (usize, Vec<[usize; 2]>) {
    let Some((rest, count)) = message.split_last_chunk() else { return (0, Vec::new()) };
    let runs = u32::from_ne_bytes(*count) as usize * size_of::<[u32; 2]>();
    let (elements, runs) = rest.split_at(rest.len() - runs);
    (elements.len(), from_bytes::<[u32; 2]>(runs).into_iter().map(|run| run.map(|count| count as usize)).collect())
}

/// How much of a region is not blank, from 0 to 1, by some of its elements.
pub fn coverage<T: Element>(elements: &[T], blank: T) -> f64 {
    let is_blank = |element: &&T| bytes_of(std::slice::from_ref(*element)) == bytes_of(&[blank]);
    let samples = elements.iter().step_by(elements.len().div_ceil(SAMPLES).max(1));
    let (looked_at, blanks) = (samples.len(), samples.filter(is_blank).count());
    1.0 - blanks as f64 / looked_at.max(1) as f64
}

/// Whether a region is nothing but blank.
pub fn all_blank<T: Element>(elements: &[T], blank: T) -> bool {
    let some = [blank; 64];
    elements.chunks(some.len()).all(|part| bytes_of(part) == bytes_of(&some[..part.len()]))
}

/// A part of a region that is kept, from a place of the frame on, and what came for it.
pub(super) struct Segment<'k, T> {
    pub at: usize,
    pub kept: &'k mut [T],
    pub came: Option<&'k [T]>,
}

impl<'k, T> Segment<'k, T> {
    /// The same in parts of at most so many elements.
    pub fn batches(self, most: usize) -> impl Iterator<Item = Segment<'k, T>> {
        let Segment { at, kept, came } = self;
        kept.chunks_mut(most).enumerate().map(move |(number, kept)| {
            let first = number * most;
            Segment { at: at + first, came: came.map(|came| &came[first..first + kept.len()]), kept }
        })
    }
}

/// What a message brings.
pub(super) struct Came<'m, T: Element> {
    elements: Cow<'m, [T]>,
    /// How many elements are left out, and how many follow.
    runs: Vec<[usize; 2]>,
}

impl<'m, T: Element> Came<'m, T> {
    /// For a region of so many elements.
    pub fn of(message: &'m [u8], length: usize) -> Self {
        let (elements, runs) = match message.len() < length * size_of::<T>() {
            true => runs_of(message),
            false => (message.len(), vec![[0, length]]),
        };
        let elements = &message[..elements];
        Came { elements: elements_in(elements), runs }
    }

    /// Each part that came beside what is kept there, of a region that begins `at` a place of the frame; and those where nothing
    /// came, if they are wanted.
    pub fn beside<'k>(&'k self, mut at: usize, mut kept: &'k mut [T], blanks_too: bool) -> Vec<Segment<'k, T>> {
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

    /// What merging a region into blanks gives, and how long its message is, if it is another than the elements.
    fn sent(elements: &[u64]) -> (Vec<u64>, Option<usize>) {
        let mut message = Vec::new();
        let message = packed(elements, 0, &mut message).then_some(message);
        let bytes = message.as_deref().unwrap_or(bytes_of(elements));
        let (came, mut kept) = (Came::of(bytes, elements.len()), vec![0; elements.len()]);
        for Segment { kept, came, .. } in came.beside(0, &mut kept, false) {
            kept.copy_from_slice(came.expect("the others are not wanted"));
        }
        // In place, over what was there before.
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
