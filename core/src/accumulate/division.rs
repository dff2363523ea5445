//! Which rank puts which bins of a histogram together.

use super::accumulator::Shares;
use crate::large_pages::ask_for_large_pages;
use crate::runtime::Rank;
use std::ops::Range;

/// Parts of fewer bytes are not worth their messages.
const WORTH_A_PART: usize = 1 << 13;

/// How the bins that every rank has are put together: whole, or in parts, of which each rank puts one together and tells it the others.
#[derive(Debug, Clone, Copy)]
pub(super) struct Division {
    bins: usize,
    /// Of all of them; nothing, where they are never parted.
    bytes: usize,
}

impl Division {
    /// Of these bins.
    pub fn of<T>(bins: &[T], parted: bool) -> Self {
        Division { bins: bins.len(), bytes: if parted { size_of_val(bins) } else { 0 } }
    }

    /// How those of so many ranks are put together.
    pub fn shares(&self, ranks: usize) -> Shares {
        if self.bytes / ranks >= WORTH_A_PART { Shares::Gathered } else { Shares::Whole }
    }

    /// The bins that a rank puts together.
    pub fn part(&self, rank: Rank) -> Range<usize> {
        let cut = |number: usize| number * (self.bins / rank.ranks) + number.min(self.bins % rank.ranks);
        match self.shares(rank.ranks) {
            Shares::Whole => 0..self.bins,
            _ => cut(rank.rank)..cut(rank.rank + 1),
        }
    }

    /// Whether a rank has something to tell the others.
    pub fn is_told(&self, rank: Rank) -> bool {
        self.shares(rank.ranks) != Shares::Whole
    }

    /// All bins, from a rank's own part and what the others have told; `decode` appends so many. Nothing where they have told nothing.
    pub fn all<T: Clone>(
        &self,
        rank: Rank,
        own: &[T],
        parts: &mut [&[u8]],
        decode: impl Fn(usize, &mut &[u8], &mut Vec<T>),
    ) -> Option<Vec<T>> {
        self.is_told(rank).then(|| {
            let mut all = Vec::with_capacity(self.bins);
            ask_for_large_pages(&mut all);
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
    fn every_bin_is_of_one_rank_where_parts_are_worth_it() {
        for (bins, parted) in [(0, true), (1, true), (7 * 1024, true), (7 * 1024 + 3, true), (1 << 20, false)] {
            let division = Division::of(&vec![0_u64; bins], parted);
            for ranks in [1, 2, 7] {
                let part = |rank| division.part(Rank { rank, ranks });
                let worth = parted && bins * 8 / ranks >= WORTH_A_PART;
                assert_eq!(division.is_told(Rank { rank: 0, ranks }), worth, "{bins} bins, {ranks} ranks");
                match worth {
                    true => assert!((0..ranks).flat_map(part).eq(0..bins), "{bins} bins, {ranks} ranks"),
                    false => assert!((0..ranks).all(|rank| part(rank) == (0..bins))),
                }
            }
        }
    }
}
