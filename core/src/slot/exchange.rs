//! What ranks exchange of an array: elements that iterations touch beyond the share, before and after the loop.

use crate::data::{Layout, Local, LocalMut, overlap};
use crate::element::{Element, bytes_of, from_bytes};
use crate::runtime::Context;
use crate::view::Window;
use std::ops::Range;

/// Memory for a window that does not fit beside the share: uninitialised where nothing was put yet.
#[derive(Debug)]
pub(super) struct Apart<T> {
    elements: Vec<T>,
    /// The share's elements of the window, while they are still to be put there: a device has them.
    missing: Range<usize>,
}

impl<T> Apart<T> {
    /// None.
    pub(crate) fn new() -> Self {
        Apart { elements: Vec::new(), missing: 0..0 }
    }

    pub(super) fn is_used(&self) -> bool {
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

/// The elements of `hull` that other ranks own: `(owner, elements)`.
pub(super) fn remote<'a>(
    place: &'a Layout,
    rank: usize,
    hull: &'a Range<usize>,
) -> impl Iterator<Item = (usize, Range<usize>)> + 'a {
    (0..place.ranks())
        .filter(move |&owner| owner != rank)
        .map(move |owner| (owner, overlap(hull, &place.share_of(owner))))
        .filter(|(_, range)| !range.is_empty())
}

/// Whether any rank touches elements of another.
pub(super) fn any_remote(place: &Layout, hulls: &[Range<usize>]) -> bool {
    hulls.iter().enumerate().any(|(rank, hull)| remote(place, rank, hull).next().is_some())
}

/// Fetches the elements of this rank's hull that other ranks own, and gives what they need of its share.
pub(super) fn fetch<T: Element>(
    context: &Context,
    place: &Layout,
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
pub(super) fn assemble<T: Element>(
    place: &Layout,
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

/// Appends the runs of elements that differ, each as its first index, its length and its elements.
pub(super) fn note_changes<T: Element>(first: usize, before: &[T], after: &[T], to: &mut Vec<u8>) {
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
pub(super) fn apply_changes<T: Element>(mut changes: &[u8], offset: usize, local: &mut LocalMut<'_, T>) {
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
