//! Exact splitters: the number of each rank's sorted elements before each cut.
//!
//! Elements are ordered by the comparison, then by rank, then by index. In each round, every rank proposes regularly spaced candidates for
//! each cut, and counts its own elements before each candidate. The sums show between which two candidates the cut is. After some rounds an
//! element is exactly at the cut.
//!
//! Ranks decide only by these sums and never by a local comparison. So they decide alike, even if the comparison is no total order.

use crate::comm::{Comm, collective};
use crate::data::Cuts;
use crate::element::{Element, bytes_of, from_bytes};
use std::cmp::Ordering;
use std::ops::Range;

/// The largest number of rounds; more would be needed only if the comparison is no total order.
const ROUNDS: usize = 80;

/// The search for one cut.
struct Cut {
    /// The number of elements of all ranks before the cut.
    target: usize,
    /// The range of this rank's elements that may be at the cut.
    own: Range<usize>,
    /// The range for all ranks together.
    all: Range<usize>,
    found: Option<usize>,
}

impl Cut {
    /// Candidates among these elements.
    fn candidates(&self, most: usize) -> impl Iterator<Item = usize> + '_ {
        let count = if self.found.is_some() { 0 } else { self.own.len().min(most) };
        (0..count).map(move |k| self.own.start + (2 * k + 1) * self.own.len() / (2 * count))
    }

    /// Evaluates a candidate: the number of elements before it on this rank and on all ranks, and whether this rank owns it.
    fn look(&mut self, here: usize, all: usize, own: bool) {
        match all.cmp(&self.target) {
            Ordering::Equal => self.found = Some(here),
            Ordering::Less if all + 1 > self.all.start => {
                self.all.start = all + 1;
                self.own.start = here + usize::from(own);
            }
            Ordering::Greater if all < self.all.end => {
                self.all.end = all;
                self.own.end = here;
            }
            _ => {}
        }
    }

    /// Whether the search is over.
    fn settle(&mut self) -> bool {
        // If the comparison is no total order, counts may contradict each other.
        self.own.end = self.own.end.max(self.own.start);
        if self.found.is_none() && self.all.start >= self.target {
            self.found = Some(self.own.start);
        } else if self.found.is_none() && self.all.end <= self.target {
            self.found = Some(self.own.end);
        }
        self.found.is_some()
    }
}

/// For each rank, the positions at which its sorted elements are cut so that the parts form the shares of `cuts`; one position for each rank,
/// and the end. The same on all ranks.
pub(super) fn places<T: Element>(
    comm: &dyn Comm,
    sorted: &[T],
    cuts: &Cuts,
    compare: &dyn Fn(&T, &T) -> Ordering,
) -> Vec<Vec<usize>> {
    let ranks = comm.ranks();
    let total = cuts.total();
    let mut looked_for: Vec<Cut> = (1..ranks)
        .map(|rank| Cut { target: cuts.range(rank).start, own: 0..sorted.len(), all: 0..total, found: None })
        .collect();
    // Few rounds are enough, and the message of a round is short.
    let most = (1024 / ranks).clamp(4, 64);
    for _ in 0..ROUNDS {
        if looked_for.iter_mut().map(Cut::settle).fold(true, |all, found| all & found) {
            break;
        }
        round(comm, sorted, &mut looked_for, most, compare);
    }
    let mut own = vec![0];
    own.extend(looked_for.iter().map(|cut| cut.found.unwrap_or(cut.own.start)));
    own.push(sorted.len());
    let all = collective::allgather(comm, &own);
    let mut places: Vec<Vec<usize>> = all.chunks_exact(ranks + 1).map(<[usize]>::to_vec).collect();
    for rank in 1..ranks {
        mend(&mut places, rank, cuts.range(rank).start);
    }
    places
}

/// Repairs the positions of a cut: if the comparison is no total order, they may be before the previous cut or have the wrong sum.
fn mend(places: &mut [Vec<usize>], cut: usize, target: usize) {
    for place in places.iter_mut() {
        let end = place[place.len() - 1];
        place[cut] = place[cut].clamp(place[cut - 1], end);
    }
    let mut sum: usize = places.iter().map(|place| place[cut]).sum();
    for place in places {
        let (least, end) = (place[cut - 1], place[place.len() - 1]);
        let moved = if sum < target {
            (place[cut] + (target - sum)).min(end)
        } else {
            place[cut].saturating_sub(sum - target).max(least)
        };
        sum = sum - place[cut] + moved;
        place[cut] = moved;
    }
}

/// One round: the candidates of all ranks, and their counts.
fn round<T: Element>(
    comm: &dyn Comm,
    sorted: &[T],
    cuts: &mut [Cut],
    most: usize,
    compare: &dyn Fn(&T, &T) -> Ordering,
) {
    let (rank, ranks) = (comm.rank(), comm.ranks());
    let own: Vec<Vec<usize>> = cuts.iter().map(|cut| cut.candidates(most).collect()).collect();
    let counts: Vec<u32> = own.iter().map(|places| places.len() as u32).collect();
    let counts = collective::allgather(comm, &counts);
    let elements: Vec<T> = own.iter().flatten().map(|&place| sorted[place]).collect();
    let (elements, _) = collective::allgather_varied(comm, &elements);

    // For each candidate, in the order of ranks and cuts: the number of this rank's elements before it.
    let mut candidates = elements.iter();
    let mut before = Vec::with_capacity(elements.len());
    for from in 0..ranks {
        for (number, cut) in cuts.iter().enumerate() {
            let own_places = own[number].iter().copied();
            let count = counts[from * cuts.len() + number] as usize;
            let part = &sorted[cut.own.clone()];
            let counted = candidates.by_ref().take(count).map(|candidate| {
                let here = match from.cmp(&rank) {
                    Ordering::Less => part.partition_point(|e| compare(e, candidate) == Ordering::Less),
                    _ => part.partition_point(|e| compare(e, candidate) != Ordering::Greater),
                };
                (cut.own.start + here) as u64
            });
            match from == rank {
                true => {
                    before.extend(own_places.map(|place| place as u64));
                    candidates.by_ref().take(count).for_each(drop);
                }
                false => before.extend(counted),
            }
        }
    }
    let sums = sums(comm, before.clone());
    let mut candidates = before.into_iter().zip(sums);
    for from in 0..ranks {
        for (number, cut) in cuts.iter_mut().enumerate() {
            let count = counts[from * own.len() + number] as usize;
            for (here, all) in candidates.by_ref().take(count) {
                cut.look(here as usize, all as usize, from == rank);
            }
        }
    }
}

/// The sums over all ranks.
fn sums(comm: &dyn Comm, of: Vec<u64>) -> Vec<u64> {
    let encode = |sums: &Vec<u64>| bytes_of(sums).to_vec();
    let add = |one: Vec<u64>, other: Vec<u64>| one.iter().zip(other).map(|(a, b)| a + b).collect();
    collective::reduce_all(comm, 2, of, encode, from_bytes, add)
}
