//! Sorting long elements by a number of each: numbers are sorted with the places that they are of, and then each element moves once.
//!
//! Where each place has its element from is a permutation, which chains of places follow: a place gets its element, then the place
//! which that has left gets its own. So no room is needed for another copy of all. A chain waits for memory at each step: workers
//! follow many at once, which begin at places whose elements have been copied beside. What no chain reaches are short rings, as
//! where two elements change places.
//!
//! Over ranks, chains begin at places whose elements have gone to another rank, and end with those that have come.

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

/// Elements that can be read and set by their places.
pub trait Movable: Sync {
    /// What is at one place.
    type Row: Element;

    /// How many places there are.
    fn len(&self) -> usize;

    /// Has a place brought near, which will be read and set soon.
    fn bring(&self, at: usize);

    /// What is at a place.
    ///
    /// # Safety
    /// Nobody sets it meanwhile.
    unsafe fn row(&self, at: usize) -> Self::Row;

    /// Sets what is at a place.
    ///
    /// # Safety
    /// Nobody else reads or sets it meanwhile.
    unsafe fn set(&self, at: usize, row: Self::Row);
}

impl<M: Movable> Movable for &M {
    type Row = M::Row;

    fn len(&self) -> usize {
        (**self).len()
    }

    #[inline(always)]
    fn bring(&self, at: usize) {
        (**self).bring(at);
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

/// Elements of at least so many bytes are long: shorter ones move along with their numbers, or into other room.
pub(super) const LONG: usize = 32;

/// So many places are in a chain, about.
const CHAIN: usize = 128;

/// So many chains does a worker follow at once.
const LANES: usize = 16;

/// Sorts all ranks' rows by numbers.
pub(super) fn sort_by_number<M: Movable, K>(
    workers: Workers<'_>,
    over: Option<(&dyn Comm, &Cuts)>,
    rows: &M,
    numbers: &Numbers<K>,
    key: &(impl Fn(&M::Row) -> K + Sync),
) {
    // Places are numbered with those of rows that come from elsewhere, and of those that are copied beside.
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

/// Makes of sorted shares those of the sorted whole. The rows are where they were; `tags` tell where, in their order. `word` gives
/// that of a row.
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

    // What goes to other ranks is all but the part that stays.
    let stays = goes(me, me);
    let gone = values(workers, &[&tags[..stays.start], &tags[stays.end..]].concat());
    // SAFETY: nobody sets rows meanwhile.
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

    // As many come, in runs of the order of ranks, among which this rank's own is one.
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
    // SAFETY: the runs are all of the room, and their bytes are those of such rows.
    let received = unsafe { received.filled() };

    let words = workers.filled(received.len(), |at| word(&received[at]));
    let mut runs = runs(workers, &tags, stays, before, words);
    G::merge_into(workers, &mut tags, &mut runs, ends);
    drop(runs);
    arrange(workers, rows, values(workers, &tags), gone, &received);
}

/// Where the sorted whole is to be cut: see [`splitters::places`].
fn places<G: Tag>(workers: Workers<'_>, comm: &dyn Comm, cuts: &Cuts, tags: &[G]) -> Vec<Vec<usize>> {
    let words = workers.filled(tags.len(), |at| tags[at].word());
    splitters::places(comm, &words, cuts, &G::Word::cmp)
}

/// The tags that stay, and before and behind them those of what has come, with these words, which is numbered behind the places.
fn runs<G: Tag>(workers: Workers<'_>, tags: &[G], stays: Range<usize>, before: usize, come: Vec<G::Word>) -> Vec<G> {
    workers.filled(tags.len(), |at| {
        if (before..before + stays.len()).contains(&at) {
            return tags[stays.start + at - before];
        }
        let number = if at < before { at } else { at - stays.len() };
        G::new(come[number], (tags.len() + number) as u64)
    })
}

/// Brings rows to where they belong. For each place, `from` says where its row is: at a place, or in `beside`, whose rows are numbered
/// behind the places. The places that no row comes from are `starts`.
fn arrange<M: Movable, P: Word>(
    workers: Workers<'_>,
    rows: &M,
    mut from: Vec<P>,
    mut starts: Vec<P>,
    beside: &[M::Row],
) {
    let len = from.len();
    let mut copied = Vec::new();
    let chains = (len / CHAIN).min(1 << 16);
    for end in (0..chains).map(|chain| chain * (len / chains)) {
        let source = from[end];
        if (source.bits() as usize) < len && source.bits() as usize != end {
            starts.push(source);
            from[end] = P::of((len + beside.len() + copied.len()) as u64);
            // SAFETY: nobody sets rows meanwhile.
            copied.push(unsafe { rows.row(source.bits() as usize) });
        }
    }
    let moves = Moves { rows, from: Places::new(from.as_mut_ptr()), len, beside, copied: &copied };
    let pieces = if starts.len() <= 2 * LANES { 1 } else { 4 * workers.count() };
    // SAFETY: each chain has places of its own, since no two places have their row from the same one.
    workers.share_out(pieces, &|piece| unsafe { moves.follow(&starts[part(starts.len(), pieces, piece)]) });

    let rings = rings(&from);
    let moves = Moves { rows, from: Places::new(from.as_mut_ptr()), len, beside, copied: &copied };
    let pieces = if rings.len() < 1 << 12 { 1 } else { 4 * workers.count() };
    workers.share_out(pieces, &|piece| {
        // SAFETY: as above, of rings.
        rings[part(rings.len(), pieces, piece)].iter().for_each(|first| unsafe { moves.turn(*first) });
    });
}

/// A place of each ring: what is left when chains have been followed.
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

/// A row that is to move.
#[derive(Clone, Copy)]
struct Step {
    to: usize,
    source: usize,
}

/// Rows that move, and where each place has its own from.
struct Moves<'m, M: Movable, P> {
    rows: &'m M,
    from: Places<P>,
    len: usize,
    beside: &'m [M::Row],
    copied: &'m [M::Row],
}

impl<M: Movable, P: Word> Moves<'_, M, P> {
    /// Follows the chains from these places on, whose rows are needed no more. All places of a chain have their own row then.
    ///
    /// # Safety
    /// There are such places, and nobody else uses those of the chains.
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

    /// The step to a place, whose row is brought near.
    ///
    /// # Safety
    /// There is such a place, and nobody else uses it.
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
                self.rows.bring(source);
                self.from.bring(source);
            }
            Some(row) => Places::new(std::ptr::from_ref(row).cast_mut()).bring(0),
        }
        Step { to, source }
    }

    /// Moves the rows of a ring, of which this is a place.
    ///
    /// # Safety
    /// There is such a place, and nobody else uses those of the ring.
    unsafe fn turn(&self, first: P) {
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
    /// Nobody sets the row meanwhile.
    #[inline(always)]
    unsafe fn row(&self, source: usize) -> M::Row {
        match self.outside(source) {
            // SAFETY: the caller's promise.
            None => unsafe { self.rows.row(source) },
            Some(row) => *row,
        }
    }

    /// A row that is at no place.
    #[inline(always)]
    fn outside(&self, source: usize) -> Option<&M::Row> {
        let number = source.checked_sub(self.len)?;
        Some(self.beside.get(number).unwrap_or_else(|| &self.copied[number - self.beside.len()]))
    }
}
