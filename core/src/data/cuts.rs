//! The cuts of a distributed vector.

use std::fmt;
use std::ops::Range;
use std::rc::Rc;

use crate::runtime;

/// The length of the chunks that a loop of `n` iterations is cut into: a power of two from 1024 to 65,536, about a
/// thousandth of `n`.
///
/// It depends only on `n`, and not on threads or ranks. Chunks merge in a fixed tree, so a reduction gives the same bits on any number of
/// threads and ranks.
///
/// ```
/// use forall_core::data::chunk_len;
///
/// assert_eq!(chunk_len(0), 1024);
/// assert_eq!(chunk_len(3_000_000), 4096);
/// assert_eq!(chunk_len(usize::MAX), 65_536);
/// ```
pub fn chunk_len(n: usize) -> usize {
    // Clamped on both sides of the rounding: the first clamp keeps the next power of two from overflowing.
    (n / 1024).clamp(1024, 65_536).next_power_of_two()
}

/// The boundaries of the shares of a distributed vector, the same on all ranks. Cheap to clone.
///
/// ```
/// use forall_core::data::Cuts;
///
/// let cuts = Cuts::from_lengths(&[3, 0, 2]);
/// assert_eq!(cuts.ranks(), 3);
/// assert_eq!(cuts.total(), 5);
/// assert_eq!(cuts.range(2), 3..5);
/// assert_eq!(cuts.owner(3), Some(2));
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct Cuts {
    /// The start of each share, and the total at the end.
    starts: Rc<[usize]>,
}

impl Cuts {
    /// The default cut of `n` elements over `ranks` ranks: shares of nearly equal lengths.
    ///
    /// From `n >= 16 * chunk_len(n) * ranks` on, shares begin at multiples of [`chunk_len`]`(n)` and hold equally many
    /// chunks, or one more; the last chunk may be short. A reduction over such a vector gives the same bits on any
    /// number of ranks. Shorter vectors are cut evenly by elements, since each element may stand for much work: the
    /// first `n % ranks` shares have one element more than the others.
    ///
    /// ```
    /// use forall_core::data::Cuts;
    ///
    /// let cuts = Cuts::even(10, 3);
    /// assert_eq!([cuts.range(0), cuts.range(1), cuts.range(2)], [0..4, 4..7, 7..10]);
    ///
    /// let cuts = Cuts::even(100_000, 3);
    /// assert_eq!([cuts.range(0), cuts.range(1), cuts.range(2)], [0..33_792, 33_792..67_584, 67_584..100_000]);
    /// ```
    ///
    /// # Panics
    /// If `ranks` is zero.
    #[track_caller]
    pub fn even(n: usize, ranks: usize) -> Self {
        let chunk = chunk_len(n);
        // Rounding down twice, this is `n >= 16 * chunk * ranks` without the overflow.
        let long_enough = n / ranks / chunk >= 16;
        Self::at_multiples(n, if long_enough { chunk } else { 1 }, ranks)
    }

    /// The cut of `n` elements along planes of `plane` elements: each share begins at a multiple of `plane`, and no two
    /// shares differ by more than one plane. Ranks may own nothing.
    ///
    /// ```
    /// use forall_core::data::Cuts;
    ///
    /// let (nz, ny, nx) = (5, 4, 3);
    /// let cuts = Cuts::in_planes(nz * ny * nx, ny * nx, 2);
    /// assert_eq!([cuts.range(0), cuts.range(1)], [0..36, 36..60]);
    /// ```
    ///
    /// # Panics
    /// If `plane` or `ranks` is zero.
    #[track_caller]
    pub fn in_planes(n: usize, plane: usize, ranks: usize) -> Self {
        assert!(plane > 0, "a plane has at least one element");
        Self::at_multiples(n, plane, ranks)
    }

    /// Shares that begin at multiples of `unit`; the first ones have one unit more if the units do not divide evenly.
    #[track_caller]
    fn at_multiples(n: usize, unit: usize, ranks: usize) -> Self {
        assert!(ranks > 0, "there is at least one rank");
        let units = n.div_ceil(unit);
        let (each, more) = (units / ranks, units % ranks);
        // `units * unit` may pass `n`, and for a huge `n` also `usize::MAX`.
        let start = |rank: usize| (rank * each + rank.min(more)).saturating_mul(unit).min(n);
        Self { starts: (0..=ranks).map(start).collect() }
    }

    /// The cut into shares of the given lengths, one for each rank.
    ///
    /// ```
    /// use forall_core::data::Cuts;
    ///
    /// assert_eq!(Cuts::from_lengths(&[4, 3, 3]), Cuts::even(10, 3));
    /// ```
    ///
    /// # Panics
    /// If there is no length, or the lengths add up to more than `usize::MAX`.
    #[track_caller]
    pub fn from_lengths(lengths: &[usize]) -> Self {
        assert!(!lengths.is_empty(), "there is at least one rank");
        let mut end = 0usize;
        let mut starts = Vec::with_capacity(lengths.len() + 1);
        starts.push(0);
        for &length in lengths {
            end = end.checked_add(length).expect("the lengths of all shares add up to a usize");
            starts.push(end);
        }
        Self { starts: starts.into() }
    }

    /// The cut that gives everything to rank 0.
    pub(super) fn at_root(n: usize, ranks: usize) -> Self {
        Self { starts: (0..=ranks).map(|rank| if rank == 0 { 0 } else { n }).collect() }
    }

    /// The elements that `rank` owns.
    ///
    /// ```
    /// # use forall_core::data::Cuts;
    /// assert_eq!(Cuts::even(10, 3).range(1), 4..7);
    /// ```
    ///
    /// # Panics
    /// If there is no such rank.
    pub fn range(&self, rank: usize) -> Range<usize> {
        self.starts[rank]..self.starts[rank + 1]
    }

    /// The number of elements in all shares.
    ///
    /// ```
    /// # use forall_core::data::Cuts;
    /// assert_eq!(Cuts::from_lengths(&[1, 2]).total(), 3);
    /// ```
    pub fn total(&self) -> usize {
        self.starts[self.ranks()]
    }

    /// The number of shares.
    ///
    /// ```
    /// # use forall_core::data::Cuts;
    /// assert_eq!(Cuts::from_lengths(&[1, 2]).ranks(), 2);
    /// ```
    pub fn ranks(&self) -> usize {
        self.starts.len() - 1
    }

    /// The rank that owns element `i`; `None` at and after the end. Cost: O(log ranks).
    ///
    /// ```
    /// # use forall_core::data::Cuts;
    /// let cuts = Cuts::from_lengths(&[2, 0, 1]);
    /// assert_eq!([cuts.owner(1), cuts.owner(2), cuts.owner(3)], [Some(0), Some(2), None]);
    /// ```
    pub fn owner(&self, i: usize) -> Option<usize> {
        // The last share that begins at or before `i`; earlier shares that begin there are empty.
        (i < self.total()).then(|| self.starts.partition_point(|&start| start <= i) - 1)
    }
}

impl fmt::Debug for Cuts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries((0..self.ranks()).map(|rank| self.range(rank))).finish()
    }
}

/// This rank's part of `n` iterations or elements, as [`Cuts::even`] cuts them. Needs no communication.
///
/// ```
/// // On one rank, all of it.
/// assert_eq!(forall_core::data::share(10), 0..10);
/// ```
pub fn share(n: usize) -> Range<usize> {
    let this = runtime::this_rank();
    Cuts::even(n, this.ranks).range(this.rank)
}

#[cfg(test)]
mod tests {
    use super::*;

    const RANKS: [usize; 6] = [1, 2, 3, 4, 7, 64];

    /// All invariants that any cut has.
    fn check(cuts: &Cuts, n: usize, ranks: usize) {
        assert_eq!((cuts.total(), cuts.ranks()), (n, ranks));
        let mut at = 0;
        for rank in 0..ranks {
            let range = cuts.range(rank);
            assert_eq!(range.start, at);
            at = range.end;
            for i in range.clone().take(1).chain(range.clone().last()) {
                assert_eq!(cuts.owner(i), Some(rank), "{cuts:?}");
            }
        }
        assert_eq!(at, n);
        assert_eq!(cuts.owner(n), None);
    }

    #[test]
    fn even_cuts_are_even_by_elements_when_short() {
        for ranks in RANKS {
            for n in [0, 1, 2, 7, 1023, 1024, 1025, 10_007] {
                let cuts = Cuts::even(n, ranks);
                check(&cuts, n, ranks);
                if n < 16 * 1024 * ranks {
                    let lengths = (0..ranks).map(|rank| cuts.range(rank).len());
                    assert!(lengths.clone().max().unwrap() - lengths.min().unwrap() <= 1);
                }
            }
        }
    }

    #[test]
    fn even_cuts_fall_on_chunk_boundaries_when_long() {
        for ranks in RANKS {
            for n in [16 * 1024 * ranks, 5_000_011, 1 << 26, (1 << 26) + 1, (1 << 40) - 1] {
                let (cuts, chunk) = (Cuts::even(n, ranks), chunk_len(n));
                check(&cuts, n, ranks);
                if n >= 16 * chunk * ranks {
                    for rank in 0..ranks {
                        assert_eq!(cuts.range(rank).start % chunk, 0);
                        assert!(cuts.range(rank).len().abs_diff(n / ranks) < 2 * chunk);
                    }
                }
            }
        }
    }

    #[test]
    fn the_threshold_is_sixteen_chunks_a_rank() {
        let n = 16 * 1024 * 3;
        assert_eq!(Cuts::even(n - 1, 3).range(0), 0..n / 3);
        assert_eq!(Cuts::even(n - 2, 3).range(1), n / 3..2 * n / 3 - 1);
        assert_eq!(Cuts::even(n + 2, 3).range(0), 0..17 * 1024);
    }

    #[test]
    fn planes_stay_whole() {
        for ranks in RANKS {
            for planes in [0, 1, 2, 5, 7, 100] {
                let cuts = Cuts::in_planes(planes * 12, 12, ranks);
                check(&cuts, planes * 12, ranks);
                assert!((0..ranks).all(|rank| cuts.range(rank).start.is_multiple_of(12)));
            }
        }
        check(&Cuts::in_planes(25, 12, 4), 25, 4);
        check(&Cuts::in_planes(usize::MAX, 1 << 40, 3), usize::MAX, 3);
    }

    #[test]
    fn any_lengths() {
        check(&Cuts::from_lengths(&[0, 0, 5, 0, 1, 0]), 6, 6);
        check(&Cuts::from_lengths(&[0]), 0, 1);
        check(&Cuts::at_root(9, 4), 9, 4);
        assert_eq!(Cuts::at_root(9, 4).range(0), 0..9);
    }

    #[test]
    fn chunks_are_powers_of_two_in_bounds() {
        for n in [0, 1, 1024, 1 << 20, (1 << 20) + 1024, 1 << 26, (1 << 26) + 1, usize::MAX] {
            let chunk = chunk_len(n);
            assert!(chunk.is_power_of_two() && (1024..=65_536).contains(&chunk));
        }
        assert_eq!([chunk_len(1 << 20), chunk_len((1 << 20) + 1024), chunk_len(1 << 26)], [1024, 2048, 65_536]);
    }
}
