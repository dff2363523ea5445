//! Where tasks run: a pure function of what all ranks know, so that they decide alike without messages and without a master.

use super::area::Area;
use super::unions::Unions;
use crate::settings::{Criteria, Placement};
use std::collections::HashMap;
use std::rc::Rc;

/// The tasks of a region.
pub(super) struct Problem<'p> {
    pub ranks: usize,
    /// The expected cost of each task.
    pub costs: &'p [u64],
    /// For each task and rank, the bytes of the task's input that the rank holds.
    pub input: &'p [Vec<u64>],
    /// For each task, its boxes, each with the number of its object.
    pub boxes: &'p [Vec<(usize, Area)>],
    /// Where the tasks of the last call of the same region ran.
    pub earlier: Option<&'p [usize]>,
}

/// The rank of each task, and the reason in words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Placed {
    pub ranks: Vec<usize>,
    pub reason: &'static str,
}

/// Where the tasks of earlier regions ran, the unions of their boxes, and the reasons that have been shown, by the names of the regions.
#[derive(Default)]
pub(super) struct Earlier {
    pub ranks: HashMap<&'static str, Vec<usize>>,
    pub unions: HashMap<&'static str, Rc<Unions>>,
    pub shown: HashMap<&'static str, &'static str>,
}

/// More tasks are not compared with each other: they are placed in their order.
const COMPARED: usize = 4096;

/// Places the tasks by the criteria, in this order:
///
/// 1. `earlier`: where the tasks of the last call of the same region ran;
/// 2. `load`: no rank gets more than its equal part of the cost;
/// 3. `input`: the rank that holds most of the task's input;
/// 4. `intersection`: of tasks whose input is nowhere yet, the ones whose boxes overlap go to one rank.
pub(super) fn place(problem: &Problem<'_>, placement: Placement) -> Placed {
    let count = problem.costs.len();
    if let Some(placed) = place_by_number(count, problem.ranks, problem.earlier, placement) {
        return placed;
    }
    let criteria = criteria(placement);
    let mut placing = Placing::new(problem, criteria);
    let by_input = criteria.input && placing.by_input();
    let rest = placing.ranks.contains(&None);
    match criteria.intersection && count <= COMPARED {
        true => placing.by_intersection(),
        false => placing.in_order(),
    }
    let reason = match (by_input, rest, criteria.intersection) {
        (true, false, _) => "where most of their input is",
        (true, true, _) => "where most of their input is, and otherwise beside tasks that use the same boxes",
        (false, _, true) => "beside tasks that use the same boxes, because their input is nowhere yet",
        (false, _, false) => "in their order",
    };
    Placed { ranks: placing.ranks.into_iter().map(|rank| rank.unwrap_or(0)).collect(), reason }
}

/// The criteria of a placement that has some.
fn criteria(placement: Placement) -> Criteria {
    match placement {
        Placement::By(criteria) => criteria,
        Placement::RoundRobin | Placement::Stealing => Criteria::ALL,
    }
}

/// Places the tasks if neither their boxes nor their input matter.
pub(super) fn place_by_number(
    count: usize,
    ranks: usize,
    earlier: Option<&[usize]>,
    placement: Placement,
) -> Option<Placed> {
    if placement == Placement::RoundRobin {
        let ranks = (0..count).map(|task| task % ranks).collect();
        return Some(Placed { ranks, reason: "one after the other (FORALL_PLACEMENT=round-robin)" });
    }
    let fits = |earlier: &&[usize]| earlier.len() == count && earlier.iter().all(|rank| *rank < ranks);
    let earlier = earlier.filter(|_| criteria(placement).earlier).filter(fits)?;
    Some(Placed { ranks: earlier.to_vec(), reason: "where they ran in the last call" })
}

/// Places the tasks in their order: each rank gets an equal part of the cost.
pub(super) fn in_parts(costs: &[u64], ranks: usize) -> Placed {
    let total = costs.iter().map(|cost| u128::from(*cost)).sum::<u128>().max(1);
    let mut before = 0;
    let rank = |cost: &u64| {
        let middle = 2 * before + u128::from(*cost);
        before += u128::from(*cost);
        usize::try_from(middle * ranks as u128 / (2 * total)).unwrap_or(0).min(ranks - 1)
    };
    Placed { ranks: costs.iter().map(rank).collect(), reason: "in their order, in which their results are combined" }
}

/// A placement under way.
struct Placing<'p> {
    problem: &'p Problem<'p>,
    ranks: Vec<Option<usize>>,
    loads: Vec<u64>,
    /// The largest cost of a rank.
    most: u64,
}

impl<'p> Placing<'p> {
    fn new(problem: &'p Problem<'p>, criteria: Criteria) -> Self {
        let total = problem.costs.iter().fold(0_u64, |total, cost| total.saturating_add(*cost));
        let most = match criteria.load {
            true => total.div_ceil(problem.ranks as u64).max(problem.costs.iter().copied().max().unwrap_or(0)),
            false => u64::MAX,
        };
        Placing { problem, ranks: vec![None; problem.costs.len()], loads: vec![0; problem.ranks], most }
    }

    fn give(&mut self, task: usize, rank: usize) {
        self.ranks[task] = Some(rank);
        self.loads[rank] = self.loads[rank].saturating_add(self.problem.costs[task]);
    }

    fn has_room(&self, task: usize, rank: usize) -> bool {
        self.loads[rank].saturating_add(self.problem.costs[task]) <= self.most
    }

    /// The rank with the least load.
    fn idle(&self) -> usize {
        (0..self.problem.ranks).min_by_key(|rank| self.loads[*rank]).unwrap_or(0)
    }

    /// Places the tasks that have input somewhere, the ones with the most input first. Returns whether there are any.
    fn by_input(&mut self) -> bool {
        let input = self.problem.input;
        let best = |task: usize| input[task].iter().copied().max().unwrap_or(0);
        let mut tasks: Vec<usize> = (0..self.ranks.len()).filter(|task| best(*task) > 0).collect();
        tasks.sort_by_key(|task| (u64::MAX - best(*task), *task));
        for task in &tasks {
            let with_room = (0..self.problem.ranks).filter(|rank| self.has_room(*task, *rank));
            // Among equal ranks the one with the least load, and then the first.
            let rank = with_room.min_by_key(|rank| (u64::MAX - input[*task][*rank], self.loads[*rank], *rank));
            self.give(*task, rank.unwrap_or_else(|| self.idle()));
        }
        !tasks.is_empty()
    }

    /// Fills one rank after the other with the other tasks, each time with the task that shares most with the tasks of the rank.
    fn by_intersection(&mut self) {
        let mut left: Vec<usize> = (0..self.ranks.len()).filter(|task| self.ranks[*task].is_none()).collect();
        for rank in 0..self.problem.ranks {
            // The elements that each remaining task shares with the tasks of the rank.
            let mut shared: Vec<usize> = vec![0; left.len()];
            for task in 0..self.ranks.len() {
                if self.ranks[task] == Some(rank) {
                    left.iter().zip(&mut shared).for_each(|(other, shared)| *shared += self.common(task, *other));
                }
            }
            while let Some(at) = (0..left.len()).min_by_key(|at| (usize::MAX - shared[*at], left[*at])) {
                if !self.has_room(left[at], rank) {
                    break;
                }
                let task = left.remove(at);
                shared.remove(at);
                self.give(task, rank);
                left.iter().zip(&mut shared).for_each(|(other, shared)| *shared += self.common(task, *other));
            }
        }
        for task in left {
            self.give(task, self.idle());
        }
    }

    /// The number of common elements of the boxes of two tasks.
    fn common(&self, one: usize, two: usize) -> usize {
        let [one, two] = [one, two].map(|task| &self.problem.boxes[task]);
        let with = |(object, area): &(usize, Area)| -> usize {
            let same = two.iter().filter(|(other, _)| other == object);
            same.map(|(_, other)| area.common(other).len()).sum()
        };
        one.iter().map(with).sum()
    }

    /// Fills one rank after the other with the other tasks, in their order.
    fn in_order(&mut self) {
        let mut rank = 0;
        for task in 0..self.ranks.len() {
            if self.ranks[task].is_some() {
                continue;
            }
            while rank < self.problem.ranks && !self.has_room(task, rank) {
                rank += 1;
            }
            self.give(task, if rank < self.problem.ranks { rank } else { self.idle() });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::objects::tile::Tiles;

    /// A plane of 8 x 8 tiles with a margin.
    fn tiles() -> Vec<Vec<(usize, Area)>> {
        Tiles::new([64, 64], [8, 8])
            .map(|tile| vec![(0, Area::of(&tile.grown([1, 1]))), (1, Area::of(&tile.ranges()))])
            .collect()
    }

    fn placed(
        ranks: usize,
        input: &dyn Fn(usize, usize) -> u64,
        earlier: Option<&[usize]>,
        placement: Placement,
    ) -> Placed {
        let boxes = tiles();
        let input: Vec<Vec<u64>> = (0..64).map(|task| (0..ranks).map(|rank| input(task, rank)).collect()).collect();
        place(&Problem { ranks, costs: &[1; 64], input: &input, boxes: &boxes, earlier }, placement)
    }

    fn loads(placed: &Placed, ranks: usize) -> Vec<usize> {
        (0..ranks).map(|rank| placed.ranks.iter().filter(|at| **at == rank).count()).collect()
    }

    const ALL: Criteria = Criteria::ALL;

    #[test]
    fn each_criterion_counts_in_its_order() {
        // All input is on rank 2: equal load comes first.
        let on_two = |_: usize, rank: usize| u64::from(rank == 2);
        assert_eq!(loads(&placed(4, &on_two, None, Placement::By(ALL)), 4), [16; 4]);
        let unbalanced = Placement::By(Criteria { load: false, ..ALL });
        assert_eq!(loads(&placed(4, &on_two, None, unbalanced), 4), [0, 0, 64, 0]);
        // Each task's input is on one rank.
        let spread = |task: usize, rank: usize| u64::from(task % 4 == rank);
        let by_input = placed(4, &spread, None, Placement::By(ALL));
        assert!(by_input.ranks.iter().enumerate().all(|(task, rank)| task % 4 == *rank), "{by_input:?}");
        let elsewhere = Placement::By(Criteria { input: false, ..ALL });
        assert_ne!(placed(4, &spread, None, elsewhere).ranks, by_input.ranks);
        // The last call comes before all others.
        let earlier: Vec<usize> = (0..64).map(|task| task / 20).collect();
        assert_eq!(placed(4, &spread, Some(&earlier), Placement::By(ALL)).ranks, earlier);
        let anew = Placement::By(Criteria { earlier: false, ..ALL });
        assert_eq!(placed(4, &spread, Some(&earlier), anew).ranks, by_input.ranks);
        // A mapping of fewer ranks or tasks does not fit.
        assert_eq!(
            placed(3, &|_, _| 0, Some(&earlier), Placement::By(ALL)),
            placed(3, &|_, _| 0, None, Placement::By(ALL))
        );
    }

    #[test]
    fn tasks_without_input_go_beside_those_that_use_the_same_boxes() {
        for ranks in 1..8 {
            let boxes = tiles();
            let placed_here = placed(ranks, &|_, _| 0, None, Placement::By(ALL));
            assert!(loads(&placed_here, ranks).iter().all(|load| *load <= 64_usize.div_ceil(ranks)));
            // The margins that lie on other ranks are fewer than one after the other.
            let cut = |placed: &Placed| -> usize {
                let pairs = (0..64).flat_map(|one| (0..64).map(move |two| (one, two)));
                let apart = pairs.filter(|(one, two)| placed.ranks[*one] != placed.ranks[*two]);
                apart.map(|(one, two)| boxes[one][0].1.common(&boxes[two][0].1).len()).sum()
            };
            let robin = placed(ranks, &|_, _| 0, None, Placement::RoundRobin);
            assert!(ranks == 1 || 2 * cut(&placed_here) < cut(&robin), "{ranks} ranks");
            let in_order = placed(ranks, &|_, _| 0, None, Placement::By(Criteria { intersection: false, ..ALL }));
            assert!(
                in_order.ranks.is_sorted()
                    && loads(&in_order, ranks).iter().all(|load| *load <= 64_usize.div_ceil(ranks))
            );
        }
    }

    #[test]
    fn unequal_tasks_are_balanced() {
        let costs: Vec<u64> = (1..=50).collect();
        let (input, boxes) = (vec![vec![0; 4]; 50], vec![Vec::new(); 50]);
        let placed = place(
            &Problem { ranks: 4, costs: &costs, input: &input, boxes: &boxes, earlier: None },
            Placement::By(ALL),
        );
        let mut loads = [0; 4];
        placed.ranks.iter().zip(&costs).for_each(|(rank, cost)| loads[*rank] += cost);
        let total: u64 = costs.iter().sum();
        assert!(loads.iter().all(|load| *load <= total / 4 + 50), "{loads:?}");
        assert!(
            place(&Problem { ranks: 4, costs: &[], input: &[], boxes: &[], earlier: None }, Placement::By(ALL))
                .ranks
                .is_empty()
        );
    }
}
