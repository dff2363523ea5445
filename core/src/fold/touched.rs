//! What a rank's iterations can touch of each array, as closely as their footprints tell.
//!
//! A footprint over a range of positions gives an interval for each access. What a rank fetches is less where accesses are
//! apart from each other (the first and the last plane of a grid), where an access goes in steps that leave elements out (a
//! column), and where only a few positions reach far (`x[(i + 1) % n]`, at the last one).

use crate::data::{Elements, Layout};
use crate::footprint::{Access, Accesses, Footprint, is_gap};
use smallvec::SmallVec;
use std::ops::Range;

/// Elements of each array of a loop.
pub(super) type ByArray = SmallVec<[Elements; 8]>;

/// The elements that these positions, which are the rank's, can touch.
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

/// The elements that these positions can write.
pub(super) fn written(footprint: &Footprint<'_>, positions: Range<usize>, places: &[&Layout], rank: usize) -> ByArray {
    if positions.is_empty() {
        return places.iter().map(|_| Elements::default()).collect();
    }
    View { footprint, places, rank, written: true }.at(positions)
}

/// How a rank looks at a loop.
struct View<'v> {
    /// Whether only for what it writes.
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
            let asked = |access: &&Access| access.slot == array && (access.writes || !self.written);
            let accesses = || accesses.iter().filter(asked);
            let whole = (0, place.len as i64 - 1);
            if place.len == 0 {
                return Elements::default();
            }
            let clipped = |(first, last): (i64, i64)| {
                let (first, last) = (first.max(whole.0), last.min(whole.1));
                if first > last { 0..0 } else { first as usize..last as usize + 1 }
            };
            // Where an access is only checked, it must find all elements from the first to the last one.
            if accesses().any(|access| !access.unguarded()) {
                let ends = accesses().map(|access| access.interval().unwrap_or(whole)).filter(|(lo, hi)| lo <= hi);
                let hull = ends.reduce(|one, two| (one.0.min(two.0), one.1.max(two.1)));
                return hull.map_or_else(Elements::default, |hull| clipped(hull).into());
            }
            let mut parts: Vec<Range<usize>> = Vec::new();
            accesses().for_each(|access| blocks(access, &positions, &mut |block| parts.push(clipped(block))));
            let parts = Elements::of(parts);
            if self.written { parts } else { without_small_gaps(&parts) }
        };
        self.places.iter().enumerate().map(of_array).collect()
    }

    /// How many of the elements are so many of other ranks' that a closer look is worth its while.
    fn far(&self, touched: &[Elements]) -> usize {
        let of_array = |(elements, place): (&Elements, &&Layout)| {
            let far = elements.count() - elements.count_inside(place.share_of(self.rank));
            if place.everywhere || 4 * far * place.ranks() <= place.len { 0 } else { far }
        };
        touched.iter().zip(self.places).map(of_array).sum()
    }

    /// The same elements of the same positions, looked at in halves as long as one of these has nearly none of those that are
    /// far, or the positions are few.
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

/// A look at a position takes about as long as to fetch so many elements.
const ELEMENTS_A_LOOK: usize = 64;

/// The elements, and those between them where they are few.
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

/// How many blocks of elements an access may have: more count as one.
const MOST_BLOCKS: i64 = 1 << 16;

/// The elements of an access, both ends included: as an interval, or in blocks where its steps leave others out.
fn blocks(access: &Access, positions: &Range<usize>, found: &mut dyn FnMut((i64, i64))) {
    let Some((first, last)) = access.interval() else { return found((i64::MIN, i64::MAX - 1)) };
    if first > last {
        return;
    }
    let Some((steps, lo, hi)) = access.steps(positions) else { return found((first, last)) };
    let blocks = steps.iter().try_fold(1_i64, |blocks, (_, count)| blocks.checked_mul(*count));
    if steps.is_empty() || blocks.is_none_or(|blocks| blocks > MOST_BLOCKS) {
        return found((first, last));
    }
    let mut counters: SmallVec<[i64; 4]> = SmallVec::from_elem(0, steps.len());
    loop {
        let at: i64 = counters.iter().zip(&steps).map(|(counter, (step, _))| counter * step).sum();
        // Both the interval and the blocks hold all elements.
        let (start, end) = ((at + lo).max(first), (at + hi).min(last));
        if start <= end {
            found((start, end));
        }
        let Some(next) = (0..steps.len()).rev().find(|&k| counters[k] + 1 < steps[k].1) else { return };
        counters[next] += 1;
        counters[next + 1..].fill(0);
    }
}
