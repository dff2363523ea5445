//! Blocks that move between ranks, so that all ranks have about equally much work.
//!
//! The blocks of a rank have consecutive numbers, before and after: so the order of pushes and sums stays that of the sequential program. A
//! division of a row of weights into consecutive parts whose heaviest one is as light as possible is a "chains-on-chains" problem: Pinar and
//! Aykanat, "Fast optimal load balancing algorithms for 1D partitioning", J. Parallel Distrib. Comput. 64, 2004. A binary search finds the
//! least bound that a greedy division keeps.

use super::block::Block;
use super::collection::BlockData;
use super::link::Link;
use super::set::Blocks;
use crate::comm::{Comm, collective};
use crate::data::{Cuts, together};
use crate::runtime::Value;

/// About as many bytes as a rank sends at a time.
const PARCEL: usize = 1 << 26;

impl<B: BlockData> Blocks<B> {
    /// Moves blocks between ranks, so that the greatest sum of weights of a rank is as small as possible. Returns how many blocks have moved.
    /// Collective.
    ///
    /// The blocks of a rank have consecutive numbers, also afterwards. Links and messages move with their blocks; spilled blocks are copied
    /// from the store and do not become resident. A rank may end without blocks. On one rank, nothing moves. No result of a loop depends on
    /// where its blocks are.
    ///
    /// ```
    /// use forall_core::blocks::Blocks;
    ///
    /// let mut blocks = Blocks::from_fn(4, |number| vec![0_u8; 100 * number]);
    /// let moved = blocks.balance_by(|block| block.len());
    /// assert_eq!((moved, blocks.rank_of(3)), (0, Some(0)));
    /// ```
    ///
    /// Cost: the weights of all blocks on all ranks, and the bytes of the blocks that move, at most about 64 MiB at a time for each rank.
    ///
    /// # Panics
    /// If a block cannot be read from the store or written to it, or serde cannot write or read it.
    #[track_caller]
    pub fn balance_by(&mut self, mut weight: impl FnMut(&Block<'_, B>) -> usize) -> usize {
        if self.cuts().ranks() == 1 {
            return 0;
        }
        let own: Vec<u64> = self.iter().map(|block| weight(&block) as u64).collect();
        let values = [Value::same("the number of blocks", self.len() as u64)];
        together("Blocks::balance_by", &values, |comm, _| {
            let weights = collective::allgather_varied(comm, &own).0;
            self.move_to(comm, by_weights(&weights, comm.ranks()))
        })
    }

    /// The rank of a block; `None` if there is no such block. All ranks know it of all blocks, so it needs no communication.
    ///
    /// ```
    /// use forall_core::blocks::Blocks;
    ///
    /// let blocks = Blocks::from_fn(4, |number| number);
    /// assert_eq!((blocks.rank_of(2), blocks.rank_of(4)), (Some(0), None));
    /// ```
    pub fn rank_of(&self, number: usize) -> Option<usize> {
        self.cuts().owner(number)
    }

    /// `f(0)`, `f(1)`, .. for as many blocks as there are weights, each with its links. Each rank makes its own blocks, which have consecutive
    /// numbers, and the greatest sum of weights of a rank is as small as possible. All ranks give the same weights. Needs no communication.
    ///
    /// ```
    /// use forall_core::blocks::Blocks;
    ///
    /// let blocks = Blocks::by_weights(&[5, 1, 1, 3], |number| (number, Vec::new()));
    /// assert_eq!(blocks.to_all(), [0, 1, 2, 3]);
    /// ```
    ///
    /// # Panics
    /// As [`Blocks::linked`].
    #[track_caller]
    pub fn by_weights(weights: &[usize], f: impl FnMut(usize) -> (B, Vec<Link>)) -> Self {
        let weights: Vec<u64> = weights.iter().map(|weight| *weight as u64).collect();
        Self::linked_in(|ranks| by_weights(&weights, ranks), f)
    }

    /// Moves blocks to where these cuts have them.
    fn move_to(&mut self, comm: &dyn Comm, cuts: Cuts) -> usize {
        let (mine, moved) = (cuts.range(comm.rank()), moved(self.cuts(), &cuts));
        if moved == 0 {
            return 0;
        }
        let leaving: Vec<usize> = self.range().filter(|number| !mine.contains(number)).collect();
        let mut numbers: Vec<usize> = self.range().collect();
        let mut next = leaving.iter().peekable();
        loop {
            let mut parcels: Vec<Vec<u8>> = vec![Vec::new(); comm.ranks()];
            let mut size = 0;
            while size < PARCEL
                && let Some(number) = next.next()
            {
                let packed = self.packed(*number);
                size += packed.len();
                let to = cuts.owner(*number).expect("all blocks have a rank");
                parcels[to].extend_from_slice(&(packed.len() as u64).to_le_bytes());
                parcels[to].extend_from_slice(&packed);
            }
            for parcel in collective::all_to_all(comm, &parcels) {
                let mut rest = &parcel[..];
                while let Some((length, behind)) = rest.split_first_chunk() {
                    let (packed, others) = behind.split_at(u64::from_le_bytes(*length) as usize);
                    numbers.push(self.unpack(packed));
                    rest = others;
                }
            }
            let more = collective::allgather(comm, &[u8::from(next.peek().is_some())]);
            if more.iter().all(|more| *more == 0) {
                break;
            }
        }
        self.arrange(&numbers, cuts);
        moved
    }
}

/// The number of blocks that are on another rank by these cuts than by those.
fn moved(before: &Cuts, after: &Cuts) -> usize {
    (0..before.total()).filter(|number| before.owner(*number) != after.owner(*number)).count()
}

/// The number of parts for the weights from each one on, if no part is heavier than the bound.
fn parts_from(weights: &[u64], bound: u128) -> Vec<usize> {
    let mut parts = vec![0; weights.len() + 1];
    let (mut end, mut sum) = (weights.len(), 0);
    for begin in (0..weights.len()).rev() {
        sum += u128::from(weights[begin]);
        while sum > bound {
            end -= 1;
            sum -= u128::from(weights[end]);
        }
        parts[begin] = 1 + parts[end];
    }
    parts
}

/// Consecutive parts whose heaviest one is as light as possible. Among such divisions, each part is about as heavy as the mean of what is left.
fn by_weights(weights: &[u64], ranks: usize) -> Cuts {
    let total: u128 = weights.iter().copied().map(u128::from).sum();
    if total == 0 {
        return Cuts::even(weights.len(), ranks);
    }
    // The least bound that as many parts keep.
    let (mut low, mut high) = (u128::from(weights.iter().copied().max().unwrap_or(0)), total);
    while low < high {
        let middle = low + (high - low) / 2;
        if parts_from(weights, middle)[0] <= ranks { high = middle } else { low = middle + 1 }
    }
    let (bound, parts) = (low, parts_from(weights, low));
    let (mut at, mut left, mut lengths) = (0, total, Vec::with_capacity(ranks));
    for others in (0..ranks).rev() {
        let (begin, mut sum) = (at, 0_u128);
        while let Some(weight) = weights.get(at).copied().map(u128::from) {
            // Others must take what is left, and half of the next weight may go over the mean.
            let must = parts[at] > others;
            let may = (2 * sum + weight) * (others as u128 + 1) <= 2 * left;
            if sum + weight > bound || !(must || may || at == begin) {
                break;
            }
            (sum, at) = (sum + weight, at + 1);
        }
        left -= sum;
        lengths.push(at - begin);
    }
    Cuts::from_lengths(&lengths)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn heaviest(weights: &[u64], cuts: &Cuts) -> u64 {
        (0..cuts.ranks()).map(|rank| weights[cuts.range(rank)].iter().sum()).max().unwrap_or(0)
    }

    /// The heaviest part of the best division.
    fn best(weights: &[u64], ranks: usize) -> u64 {
        if ranks == 1 {
            return weights.iter().sum();
        }
        let ends = 0..=weights.len();
        ends.map(|end| weights[..end].iter().sum::<u64>().max(best(&weights[end..], ranks - 1))).min().unwrap_or(0)
    }

    #[test]
    fn the_heaviest_part_is_as_light_as_possible() {
        let mut state = 1_u64;
        let mut below = |n: u64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) % n
        };
        for round in 0..400 {
            let (n, most) = (below(10) as usize, 1 + below(9));
            let weights: Vec<u64> =
                (0..n).map(|_| if round % 3 == 0 { below(2) * below(100) } else { below(most) }).collect();
            for ranks in [1, 2, 3, 4] {
                let cuts = by_weights(&weights, ranks);
                assert_eq!((cuts.total(), cuts.ranks()), (n, ranks));
                assert_eq!(heaviest(&weights, &cuts), best(&weights, ranks), "{weights:?} on {ranks} ranks");
            }
        }
    }

    #[test]
    fn parts_are_about_equally_heavy() {
        let lengths = |weights: &[u64], ranks: usize| {
            let cuts = by_weights(weights, ranks);
            (0..ranks).map(|rank| cuts.range(rank).len()).collect::<Vec<_>>()
        };
        assert_eq!(lengths(&[1; 12], 4), [3, 3, 3, 3]);
        assert_eq!(lengths(&[1, 1, 1, 1, 1, 1, 1, 1, 100], 3), [8, 1, 0]);
        assert_eq!(lengths(&[0; 5], 2), [3, 2]);
        assert_eq!(lengths(&[], 3), [0, 0, 0]);
        assert_eq!(lengths(&[u64::MAX; 3], 2).iter().sum::<usize>(), 3);
    }
}
