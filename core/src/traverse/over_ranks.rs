//! Division of the calls of a traversal among the ranks, which all have the whole tree.

use super::calls::{Calls, Others, Pending, Rules};
use crate::accumulate::Accumulator;
use std::ops::Range;
use std::sync::atomic::AtomicUsize;

/// The number of calls for each rank; several, because subtrees differ in size.
pub(super) const FOR_EACH_RANK: usize = 64;

/// The largest number of levels that all ranks make, because a tree may have only one node on each level.
const LEVELS: usize = 32;

/// Makes the calls near the root, level by level, until enough calls are pending. Returns the pending work in order, the same on all ranks.
pub(super) fn below_the_root<N, A: Accumulator>(
    first: N,
    enough: usize,
    rules: &Rules<'_, N, A>,
    others: &dyn Others<N, A>,
) -> Vec<Pending<N, A>> {
    let idle = AtomicUsize::new(0);
    let mut all = vec![Pending::Call { depth: 0, arguments: first }];
    for _ in 0..LEVELS {
        if !(1..enough).contains(&calls(&all)) {
            break;
        }
        let mut below = Vec::new();
        for pending in all {
            match pending {
                Pending::Call { depth, arguments } => {
                    let (collected, mut put_off) = Calls::new(rules, &idle, others, 0).put_off(depth, arguments);
                    below.push(Pending::Collected(collected));
                    below.append(&mut put_off);
                }
                collected => below.push(collected),
            }
        }
        all = below;
    }
    all
}

/// The part of a rank: an equal number of calls, and the results before each of them. The last rank also has the results after the last
/// call.
pub(super) fn part_of_rank<N, A: Accumulator>(
    mut all: Vec<Pending<N, A>>,
    rank: usize,
    ranks: usize,
) -> Vec<Pending<N, A>> {
    let Range { start, end } = range_of_rank(&all, rank, ranks);
    all.truncate(end);
    all.drain(..start);
    all
}

fn range_of_rank<N, A: Accumulator>(all: &[Pending<N, A>], rank: usize, ranks: usize) -> Range<usize> {
    let count = calls(all);
    let places = all.iter().enumerate().filter(|(_, pending)| is_call(pending));
    let after: Vec<usize> = std::iter::once(0).chain(places.map(|(place, _)| place + 1)).collect();
    let start = after[count * rank / ranks];
    let end = if rank + 1 == ranks { all.len() } else { after[count * (rank + 1) / ranks] };
    start..end
}

fn is_call<N, A: Accumulator>(pending: &Pending<N, A>) -> bool {
    matches!(pending, Pending::Call { .. })
}

fn calls<N, A: Accumulator>(all: &[Pending<N, A>]) -> usize {
    all.iter().filter(|pending| is_call(pending)).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_share_the_calls_and_nothing_is_lost() {
        let shapes: [&[bool]; 6] = [
            &[],
            &[true],
            &[false],
            &[false, true, false],
            &[true; 9],
            &[false, true, true, false, false, true, false],
        ];
        for shape in shapes {
            let pending = |call: &bool| match call {
                true => Pending::Call { depth: 0, arguments: () },
                false => Pending::Collected(((), ())),
            };
            let all: Vec<Pending<(), ()>> = shape.iter().map(pending).collect();
            for ranks in 1..6 {
                let mut end = 0;
                for rank in 0..ranks {
                    let range = range_of_rank(&all, rank, ranks);
                    assert_eq!(range.start, end);
                    assert!(calls(&all[range.clone()]) <= calls(&all).div_ceil(ranks));
                    end = range.end;
                }
                assert_eq!(end, all.len());
            }
        }
    }
}
