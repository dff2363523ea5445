//! The elements of each array that a rank's iterations may access, as precisely as footprints tell.
//!
//! A footprint gives an interval for each access. A rank fetches fewer elements in three cases. The intervals are distant from each other
//! (the first and the last plane of a grid), or an access has a stride (a column). Or only a few positions access distant elements (`x[(i +
//! 1) % n]`, at the last one).

use crate::data::{Elements, Layout};
use crate::footprint::{Access, Accesses, Footprint, Steps, is_gap};
use smallvec::SmallVec;
use std::ops::Range;

/// Sets of elements, one for each array of a loop.
pub(super) type ByArray = SmallVec<[Elements; 8]>;

/// The elements that these positions of the rank may access.
pub(super) fn touched(footprint: &Footprint<'_>, positions: Range<usize>, places: &[&Layout], rank: usize) -> ByArray {
    if positions.is_empty() {
        return places.iter().map(|_| Elements::default()).collect();
    }
    let view = View { footprint, places, rank, written: false };
    let all = view.at(positions.clone());
    match view.far(&all) {
        0 => all,
        far => view.closer(positions, all, far),
    }
}

/// The elements that these positions may write.
pub(super) fn written(footprint: &Footprint<'_>, positions: Range<usize>, places: &[&Layout], rank: usize) -> ByArray {
    if positions.is_empty() {
        return places.iter().map(|_| Elements::default()).collect();
    }
    View { footprint, places, rank, written: true }.at(positions)
}

/// The accesses of a loop from the view of a rank.
struct View<'v> {
    /// Whether only writes count.
    written: bool,
    footprint: &'v Footprint<'v>,
    places: &'v [&'v Layout],
    rank: usize,
}

impl View<'_> {
    fn at(&self, positions: Range<usize>) -> ByArray {
        let mut accesses = Accesses::default();
        (self.footprint)(positions.clone(), &mut accesses);
        let of_array = |(array, place): (usize, &&Layout)| {
            let relevant = |access: &&Access| access.slot == array && (access.writes || !self.written);
            let accesses = || accesses.iter().filter(relevant);
            let whole = (0, place.len as i64 - 1);
            if place.len == 0 {
                return Elements::default();
            }
            let clipped = |(first, last): (i64, i64)| {
                let (first, last) = (first.max(whole.0), last.min(whole.1));
                if first > last { 0..0 } else { first as usize..last as usize + 1 }
            };
            // Checked accesses need a window without gaps.
            if accesses().any(|access| !access.unguarded()) {
                let ends = accesses().map(|access| access.interval().unwrap_or(whole)).filter(|(lo, hi)| lo <= hi);
                let hull = ends.reduce(|one, two| (one.0.min(two.0), one.1.max(two.1)));
                return hull.map_or_else(Elements::default, |hull| clipped(hull).into());
            }
            let mut parts: Vec<Range<usize>> = Vec::new();
            for shape in shapes(accesses(), &positions) {
                shape.blocks(&mut |block| parts.push(clipped(block)));
            }
            let parts = Elements::of(parts);
            if self.written { parts } else { without_small_gaps(&parts) }
        };
        self.places.iter().enumerate().map(of_array).collect()
    }

    /// The number of remote elements, of arrays with so many of them that a closer analysis pays off.
    fn far(&self, touched: &[Elements]) -> usize {
        let of_array = |(elements, place): (&Elements, &&Layout)| {
            let far = elements.count() - elements.count_inside(place.share_of(self.rank));
            if place.everywhere || 4 * far * place.ranks() <= place.len { 0 } else { far }
        };
        touched.iter().zip(self.places).map(of_array).sum()
    }

    /// Bisects the positions, as long as one half has much fewer remote elements, or there are few positions.
    fn closer(&self, positions: Range<usize>, all: ByArray, far: usize) -> ByArray {
        if positions.len() < 2 {
            return all;
        }
        let middle = positions.start + positions.len() / 2;
        let halves = [positions.start..middle, middle..positions.end].map(|half| {
            let touched = self.at(half.clone());
            let far = self.far(&touched);
            (half, touched, far)
        });
        if halves.iter().all(|(_, _, part)| 4 * part >= far) && positions.len() > far / ELEMENTS_A_LOOK {
            return all;
        }
        let [one, two] = halves.map(|(half, touched, far)| match far {
            0 => touched,
            far => self.closer(half, touched, far),
        });
        one.iter().zip(&two).map(|(one, two)| without_small_gaps(&one.with(two))).collect()
    }
}

/// Evaluating the footprint takes about as long as fetching this number of elements.
const ELEMENTS_A_LOOK: usize = 64;

/// Fills small gaps.
fn without_small_gaps(elements: &Elements) -> Elements {
    let mut all: Vec<Range<usize>> = elements.ranges().collect();
    for k in 1..all.len() {
        let (before, after) = (all[k - 1].clone(), &mut all[k]);
        let width = before.len().min(after.len());
        if !is_gap((after.start - before.end) as i64, width as i64) {
            after.start = before.start;
        }
    }
    Elements::of(all)
}

/// The largest number of blocks of an access; more count as one interval.
const MOST_BLOCKS: i64 = 1 << 16;

/// Accesses with the same strides and counts.
struct Shape {
    steps: Steps,
    /// The elements accessed around each point, both ends included.
    around: SmallVec<[(i64, i64); 4]>,
    /// The interval of all elements.
    hull: (i64, i64),
}

/// The shapes of accesses. Accesses with the same strides are combined, because they may fill each other's gaps.
fn shapes<'a>(accesses: impl Iterator<Item = &'a Access>, positions: &Range<usize>) -> Vec<Shape> {
    let mut shapes: Vec<Shape> = Vec::new();
    for access in accesses {
        let (first, last) = access.interval().unwrap_or((i64::MIN, i64::MAX - 1));
        if first > last {
            continue;
        }
        let steps = if access.interval().is_some() { access.steps(positions) } else { None };
        let (steps, lo, hi) = steps.unwrap_or_else(|| (Steps::new(), first, last));
        match shapes.iter_mut().find(|shape| shape.steps == steps && !steps.is_empty()) {
            Some(shape) => {
                shape.around.push((lo, hi));
                shape.hull = (shape.hull.0.min(first), shape.hull.1.max(last));
            }
            None => shapes.push(Shape { steps, around: SmallVec::from_elem((lo, hi), 1), hull: (first, last) }),
        }
    }
    shapes.iter_mut().for_each(Shape::collapse);
    shapes
}

impl Shape {
    /// Removes the shortest strides, as long as the elements around a point reach the next point.
    fn collapse(&mut self) {
        loop {
            self.around.sort_unstable();
            self.around.dedup_by(|later, earlier| {
                let meet = later.0 <= earlier.1.saturating_add(1);
                if meet {
                    earlier.1 = earlier.1.max(later.1);
                }
                meet
            });
            let Some(&(step, count)) = self.steps.last() else { return };
            if self.around.iter().any(|(lo, hi)| hi - lo + 1 < step) {
                return;
            }
            self.around.iter_mut().for_each(|(_, hi)| *hi += step * (count - 1));
            self.steps.pop();
        }
    }

    /// The elements, both ends included, as one interval or as blocks with gaps.
    fn blocks(&self, found: &mut dyn FnMut((i64, i64))) {
        let Shape { steps, around, hull: (first, last) } = self;
        let mut clipped = |lo: i64, hi: i64| {
            // Both the interval and the blocks contain all elements.
            let (start, end) = (lo.max(*first), hi.min(*last));
            if start <= end {
                found((start, end));
            }
        };
        let blocks = steps.iter().try_fold(1_i64, |blocks, (_, count)| blocks.checked_mul(*count));
        if blocks.is_none_or(|blocks| blocks > MOST_BLOCKS) {
            let reach: i64 = steps.iter().map(|(step, count)| step * (count - 1)).sum();
            return around.iter().for_each(|(lo, hi)| clipped(*lo, hi + reach));
        }
        let mut counters: SmallVec<[i64; 4]> = SmallVec::from_elem(0, steps.len());
        loop {
            let at: i64 = counters.iter().zip(steps).map(|(counter, (step, _))| counter * step).sum();
            for (lo, hi) in around {
                clipped(at + lo, at + hi);
            }
            let Some(next) = (0..steps.len()).rev().find(|&k| counters[k] + 1 < steps[k].1) else { return };
            counters[next] += 1;
            counters[next + 1..].fill(0);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(steps: &[(i64, i64)], around: &[(i64, i64)]) -> Vec<(i64, i64)> {
        let (mut blocks, hull) = (Vec::new(), (i64::MIN, i64::MAX));
        let mut shape = Shape { steps: steps.into(), around: around.into(), hull };
        shape.collapse();
        shape.blocks(&mut |block| blocks.push(block));
        blocks.sort_unstable();
        blocks
    }

    #[test]
    fn what_one_access_leaves_out_and_others_touch_is_one_block() {
        // Rows of 10 elements, two at a time, of planes of 100, two at a time.
        let pairs = [(0, 8), (1, 9), (10, 18), (11, 19), (100, 119)];
        assert_eq!(found(&[(200, 7), (20, 5)], &pairs), [(0, 1399)]);
        assert_eq!(found(&[(200, 2), (20, 5)], &pairs[..4]), [(0, 99), (200, 299)]);
        // One of the rows is left out.
        assert_eq!(found(&[(20, 3)], &pairs[..2]), [(0, 9), (20, 29), (40, 49)]);
    }

    #[test]
    fn too_many_blocks_are_one_for_each_place() {
        let many = MOST_BLOCKS + 1;
        assert_eq!(
            found(&[(1000, many)], &[(0, 0), (500, 501)]),
            [(0, 1000 * (many - 1)), (500, 1000 * (many - 1) + 501)]
        );
    }
}
