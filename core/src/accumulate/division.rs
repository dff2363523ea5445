//! The division of a histogram's bins among the ranks that merge them.

use super::accumulator::Shares;
use crate::large_pages::request_large_pages;
use crate::runtime::Rank;
use std::ops::Range;

/// Parts of fewer bytes are not worth their messages.
const WORTH_A_PART: usize = 1 << 13;

/// How replicated bins merge: as a whole, or divided into parts, one for each rank, that are exchanged afterwards.
#[derive(Debug, Clone, Copy)]
pub(super) struct Division {
    bins: usize,
    /// The size of all bins, or 0 if they are never divided.
    bytes: usize,
}

impl Division {
    /// The division of these bins.
    pub fn of<T>(bins: &[T], parted: bool) -> Self {
        Division { bins: bins.len(), bytes: if parted { size_of_val(bins) } else { 0 } }
    }

    /// How the bins of this number of ranks merge.
    pub fn shares(&self, ranks: usize) -> Shares {
        if self.bytes / ranks >= WORTH_A_PART { Shares::Gathered } else { Shares::Whole }
    }

    /// The bins that a rank merges.
    pub fn part(&self, rank: Rank) -> Range<usize> {
        let cut = |number: usize| number * (self.bins / rank.ranks) + number.min(self.bins % rank.ranks);
        match self.shares(rank.ranks) {
            Shares::Whole => 0..self.bins,
            _ => cut(rank.rank)..cut(rank.rank + 1),
        }
    }

    /// Whether the ranks exchange their parts.
    pub fn is_divided(&self, rank: Rank) -> bool {
        self.shares(rank.ranks) != Shares::Whole
    }

    /// All bins, from a rank's own part and the parts of the others; `decode` appends a number of bins. `None` if bins are not divided.
    pub fn all<T: Clone>(
        &self,
        rank: Rank,
        own: &[T],
        parts: &mut [&[u8]],
        decode: impl Fn(usize, &mut &[u8], &mut Vec<T>),
    ) -> Option<Vec<T>> {
        self.is_divided(rank).then(|| {
            let mut all = Vec::with_capacity(self.bins);
            request_large_pages(&mut all);
            for (number, from) in parts.iter_mut().enumerate() {
                match number == rank.rank {
                    true => all.extend_from_slice(own),
                    false => decode(self.part(Rank { rank: number, ..rank }).len(), from, &mut all),
                }
            }
            all
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_bin_belongs_to_one_rank_if_parts_are_worth_it() {
        for (bins, parted) in [(0, true), (1, true), (7 * 1024, true), (7 * 1024 + 3, true), (1 << 20, false)] {
            let division = Division::of(&vec![0_u64; bins], parted);
            for ranks in [1, 2, 7] {
                let part = |rank| division.part(Rank { rank, ranks });
                let worth = parted && bins * 8 / ranks >= WORTH_A_PART;
                assert_eq!(division.is_divided(Rank { rank: 0, ranks }), worth, "{bins} bins, {ranks} ranks");
                match worth {
                    true => assert!((0..ranks).flat_map(part).eq(0..bins), "{bins} bins, {ranks} ranks"),
                    false => assert!((0..ranks).all(|rank| part(rank) == (0..bins))),
                }
            }
        }
    }
}
