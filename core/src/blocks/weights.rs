//! Consecutive parts of about equal weights.
//!
//! A division of a row of weights into consecutive parts whose heaviest one is as light as possible is a "chains-on-chains" problem: Pinar and
//! Aykanat, "Fast optimal load balancing algorithms for 1D partitioning", J. Parallel Distrib. Comput. 64, 2004. A binary search finds the
//! least bound that a greedy division keeps.

use crate::data::Cuts;

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
pub(super) fn by_weights(weights: &[u64], ranks: usize) -> Cuts {
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
