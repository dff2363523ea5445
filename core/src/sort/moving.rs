//! Sorting long elements by a numeric key: the keys are sorted together with indices, and then each element moves once.
//!
//! The sorted indices are a permutation, which is applied in place by following its chains: an index receives its element, then the index
//! that became free receives its own. No second copy of all elements is needed. Each step of a chain waits for memory, so a worker follows
//! many chains at once. Chains begin at indices whose elements were copied to a buffer. The remaining cycles are short.
//!
//! On several ranks, chains begin at indices whose elements were sent to another rank, and end with received elements.

use super::buffer::ReceiveBuffer;
use super::number::{Numbers, Word};
use super::on_device;
use super::radix::{Long, Short, Tag, bytes_of_place};
use super::splitters;
use super::workers::{Places, Workers, part};
use crate::comm::Comm;
use crate::data::Cuts;
use crate::element::{Element, bytes_of};
use std::ops::Range;

/// Elements that can be read and written by index.
pub trait Movable: Sync {
    /// The type of an element.
    type Row: Element;

    /// The number of elements.
    fn len(&self) -> usize;

    /// Prefetches an element.
    fn prefetch(&self, at: usize);

    /// Reads an element.
    ///
    /// # Safety
    /// The index is valid, and nobody writes the element concurrently.
    unsafe fn row(&self, at: usize) -> Self::Row;

    /// Writes an element.
    ///
    /// # Safety
    /// The index is valid, and nobody else accesses the element concurrently.
    unsafe fn set(&self, at: usize, row: Self::Row);
}

impl<M: Movable> Movable for &M {
    type Row = M::Row;

    fn len(&self) -> usize {
        (**self).len()
    }

    #[inline(always)]
    fn prefetch(&self, at: usize) {
        (**self).prefetch(at);
    }

    #[inline(always)]
    unsafe fn row(&self, at: usize) -> M::Row {
        // SAFETY: the caller's promise.
        unsafe { (**self).row(at) }
    }

    #[inline(always)]
    unsafe fn set(&self, at: usize, row: M::Row) {
        // SAFETY: the caller's promise.
        unsafe { (**self).set(at, row) }
    }
}

/// The least size of a long element. Shorter ones move together with their keys, or to another buffer.
pub(super) const LONG: usize = 32;

/// The average length of a chain.
const CHAIN: usize = 128;

/// The number of chains that a worker follows at once.
const LANES: usize = 16;

/// Sorts the rows of all ranks by numeric keys.
pub(super) fn sort_by_number<M: Movable, K>(
    workers: Workers<'_>,
    over: Option<(&dyn Comm, &Cuts)>,
    rows: &M,
    numbers: &Numbers<K>,
    key: &(impl Fn(&M::Row) -> K + Sync),
) {
    // Received and copied rows are numbered after the local ones.
    let few = rows.len().checked_mul(3).is_some_and(|places| bytes_of_place(places) <= 4);
    match Numbers::<K>::SHORT && few {
        true => sort::<M, Short>(workers, over, rows, &|row| numbers.word(&key(row))),
        false => sort::<M, Long>(workers, over, rows, &|row| numbers.word(&key(row))),
    }
}

fn sort<M: Movable, G: Tag>(
    workers: Workers<'_>,
    over: Option<(&dyn Comm, &Cuts)>,
    rows: &M,
    word: &(impl Fn(&M::Row) -> G::Word + Sync),
) {
    // SAFETY: nobody sets a row before all words are known.
    let word_at = |place: usize| word(&unsafe { rows.row(place) });
    let tag = |place: usize| G::new(word_at(place), place as u64);
    let tags = match on_device::places(workers, rows.len(), &|| workers.filled(rows.len(), word_at)) {
        Some(places) => workers.filled(places.len(), |at| tag(places[at] as usize)),
        None => {
            let mut tags = workers.filled(rows.len(), tag);
            G::sort(workers, &mut tags);
            tags
        }
    };
    match over {
        None => arrange::<M, G::Word>(workers, rows, values(workers, &tags), Vec::new(), &[]),
        Some((comm, cuts)) => sort_over_ranks(workers, comm, cuts, rows, tags, word),
    }
}

/// The values of tags.
fn values<G: Tag>(workers: Workers<'_>, tags: &[G]) -> Vec<G::Word> {
    workers.filled(tags.len(), |at| G::Word::of(tags[at].value()))
}

/// Merges sorted shares over all ranks. The rows are still in place; `tags` has their indices in sorted order. `word` computes the word of
/// a row.
fn sort_over_ranks<M: Movable, G: Tag>(
    workers: Workers<'_>,
    comm: &dyn Comm,
    cuts: &Cuts,
    rows: &M,
    mut tags: Vec<G>,
    word: &(dyn Fn(&M::Row) -> G::Word + Sync),
) {
    let (me, ranks, len) = (comm.rank(), comm.ranks(), tags.len());
    let places = places(workers, comm, cuts, &tags);
    let goes = |from: usize, to: usize| places[from][to]..places[from][to + 1];

    // All rows go to other ranks, except for the part that stays.
    let stays = goes(me, me);
    let gone = values(workers, &[&tags[..stays.start], &tags[stays.end..]].concat());
    // SAFETY: no row is set at this time.
    let packed = workers.filled(gone.len(), |at| unsafe { rows.row(gone[at].bits() as usize) });
    let mut sends: Vec<(usize, &[u8])> = Vec::new();
    let mut rest = &packed[..];
    for to in (0..ranks).filter(|to| *to != me) {
        let (part, after) = rest.split_at(goes(me, to).len());
        rest = after;
        if !part.is_empty() {
            sends.push((to, bytes_of(part)));
        }
    }

    // The same number of rows arrives, as runs in rank order, including this rank's own run.
    let size = size_of::<M::Row>();
    let mut received = ReceiveBuffer::<M::Row>::of(gone.len());
    let (mut receives, mut room) = (Vec::new(), received.bytes());
    let (mut ends, mut before) = (vec![0], 0);
    for from in 0..ranks {
        let count = goes(from, me).len();
        before += if from < me { count } else { 0 };
        ends.push(ends[from] + count);
        if from == me || count == 0 {
            continue;
        }
        let (run, after) = room.split_at_mut(count * size);
        room = after;
        receives.push((from, run));
    }
    assert!(room.is_empty() && ends[ranks] == len, "a share keeps its length");
    comm.exchange(&sends, &mut receives);
    drop(packed);
    // SAFETY: the runs fill the buffer, and their bytes are those of such rows.
    let received = unsafe { received.filled() };

    let words = workers.filled(received.len(), |at| word(&received[at]));
    let mut runs = runs(workers, &tags, stays, before, words);
    G::merge_into(workers, &mut tags, &mut runs, ends);
    drop(runs);
    arrange(workers, rows, values(workers, &tags), gone, &received);
}

/// The splitters: see [`splitters::places`].
fn places<G: Tag>(workers: Workers<'_>, comm: &dyn Comm, cuts: &Cuts, tags: &[G]) -> Vec<Vec<usize>> {
    let words = workers.filled(tags.len(), |at| tags[at].word());
    splitters::places(comm, &words, cuts, &G::Word::cmp)
}

/// The tags of the new share: those of the rows that stay, and before and after them those of received rows. Received rows are numbered
/// after the local ones.
fn runs<G: Tag>(
    workers: Workers<'_>,
    tags: &[G],
    stays: Range<usize>,
    before: usize,
    received: Vec<G::Word>,
) -> Vec<G> {
    workers.filled(tags.len(), |at| {
        if (before..before + stays.len()).contains(&at) {
            return tags[stays.start + at - before];
        }
        let number = if at < before { at } else { at - stays.len() };
        G::new(received[number], (tags.len() + number) as u64)
    })
}

/// Moves rows to their destinations. For each index, `from` is the source: an index, or a row of `received_rows`, numbered after the local rows.
/// `starts` are the indices that are no source.
fn arrange<M: Movable, P: Word>(
    workers: Workers<'_>,
    rows: &M,
    mut from: Vec<P>,
    mut starts: Vec<P>,
    received_rows: &[M::Row],
) {
    let len = from.len();
    let mut copied = Vec::new();
    let chains = (len / CHAIN).min(1 << 16);
    for end in (0..chains).map(|chain| chain * (len / chains)) {
        let source = from[end];
        if (source.bits() as usize) < len && source.bits() as usize != end {
            starts.push(source);
            from[end] = P::of((len + received_rows.len() + copied.len()) as u64);
            // SAFETY: no row is set at this time.
            copied.push(unsafe { rows.row(source.bits() as usize) });
        }
    }
    let moves = Moves { rows, from: Places::new(from.as_mut_ptr()), len, received_rows, copied: &copied };
    let pieces = if starts.len() <= 2 * LANES { 1 } else { 4 * workers.count() };
    // SAFETY: each chain has places of its own, since no two places have their row from the same one.
    workers.share_out(pieces, &|piece| unsafe { moves.follow(&starts[part(starts.len(), pieces, piece)]) });

    let rings = rings(&from);
    let moves = Moves { rows, from: Places::new(from.as_mut_ptr()), len, received_rows, copied: &copied };
    let pieces = if rings.len() < 1 << 12 { 1 } else { 4 * workers.count() };
    workers.share_out(pieces, &|piece| {
        // SAFETY: as above, of rings.
        rings[part(rings.len(), pieces, piece)].iter().for_each(|first| unsafe { moves.rotate(*first) });
    });
}

/// An index of each remaining cycle.
fn rings<P: Word>(from: &[P]) -> Vec<P> {
    let (mut firsts, mut seen) = (Vec::new(), Vec::new());
    for first in 0..from.len() {
        let mut at = from[first].bits() as usize;
        if at == first || seen.get(first) == Some(&true) {
            continue;
        }
        seen.resize(from.len(), false);
        firsts.push(P::of(first as u64));
        while at != first {
            seen[at] = true;
            at = from[at].bits() as usize;
        }
    }
    firsts
}

/// A row that moves.
#[derive(Clone, Copy)]
struct Step {
    to: usize,
    source: usize,
}

/// Rows that move, and the source of each index.
struct Moves<'m, M: Movable, P> {
    rows: &'m M,
    from: Places<P>,
    len: usize,
    received_rows: &'m [M::Row],
    copied: &'m [M::Row],
}

impl<M: Movable, P: Word> Moves<'_, M, P> {
    /// Follows the chains from these indices, whose rows have been copied. Afterwards all indices of the chains have their final rows.
    ///
    /// # Safety
    /// The indices are valid, and nobody else accesses the rows of these chains.
    unsafe fn follow(&self, starts: &[P]) {
        // SAFETY: the caller's promise: these are places of chains.
        let mut starts = starts.iter().map(|start| unsafe { self.step(start.bits() as usize) });
        let mut lanes: Vec<Step> = starts.by_ref().take(LANES).collect();
        while !lanes.is_empty() {
            let mut lane = 0;
            while lane < lanes.len() {
                let Step { to, source } = lanes[lane];
                // SAFETY: as above; a place that a row of a chain comes from is one of the chain.
                let next = unsafe {
                    self.rows.set(to, self.row(source));
                    if source < self.len { Some(self.step(source)) } else { starts.next() }
                };
                match next {
                    Some(next) => {
                        lanes[lane] = next;
                        lane += 1;
                    }
                    None => drop(lanes.swap_remove(lane)),
                }
            }
        }
    }

    /// The step to an index; prefetches its row.
    ///
    /// # Safety
    /// The index is valid, and nobody else accesses its row.
    #[inline(always)]
    unsafe fn step(&self, to: usize) -> Step {
        // SAFETY: the caller's promise.
        let source = unsafe {
            let source = self.from.get(to).bits() as usize;
            self.from.set(to, P::of(to as u64));
            source
        };
        match self.outside(source) {
            None => {
                self.rows.prefetch(source);
                self.from.prefetch(source);
            }
            Some(row) => Places::new(std::ptr::from_ref(row).cast_mut()).prefetch(0),
        }
        Step { to, source }
    }

    /// Moves the rows of the cycle with this index.
    ///
    /// # Safety
    /// The index is valid, and nobody else accesses the rows of this cycle.
    unsafe fn rotate(&self, first: P) {
        let first = first.bits() as usize;
        // SAFETY: the caller's promise.
        unsafe {
            let (row, mut at) = (self.rows.row(first), first);
            loop {
                let source = self.from.get(at).bits() as usize;
                if source == first {
                    return self.rows.set(at, row);
                }
                self.rows.set(at, self.rows.row(source));
                at = source;
            }
        }
    }

    /// # Safety
    /// Nobody writes the row concurrently.
    #[inline(always)]
    unsafe fn row(&self, source: usize) -> M::Row {
        match self.outside(source) {
            // SAFETY: the caller's promise.
            None => unsafe { self.rows.row(source) },
            Some(row) => *row,
        }
    }

    /// A row that has been received or copied.
    #[inline(always)]
    fn outside(&self, source: usize) -> Option<&M::Row> {
        let number = source.checked_sub(self.len)?;
        Some(self.received_rows.get(number).unwrap_or_else(|| &self.copied[number - self.received_rows.len()]))
    }
}
