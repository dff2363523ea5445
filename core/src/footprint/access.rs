//! An access to an array.

use super::index::Index;
use smallvec::SmallVec;
use std::ops::{Deref, Range};

/// Strides through an array: the stride in elements, and the number of steps.
pub type Steps = SmallVec<[(i64, i64); 4]>;

/// Whether a gap of `between` untouched elements beside `width` touched ones is long enough to be excluded.
pub fn is_gap(between: i64, width: i64) -> bool {
    between > 64 && 4 * between > width
}

/// One access of the loop's body to an array.
#[derive(Debug, Clone)]
pub struct Access {
    /// The number of the array in the loop's list.
    pub slot: usize,
    /// Whether the access writes.
    pub writes: bool,
    /// The first element.
    pub first: Index,
    /// The last element, included, if it differs from the first, as for `x[a..b]`.
    other: Option<Box<Index>>,
    /// Whether the macro has proved that this access and others of the same kind never touch a common element, unless their indices wrap
    /// around. Examples are a square matrix that is filled from one triangle, and a triangle that is packed row by row.
    pub apart: bool,
}

/// The accesses of a range of iterations.
#[derive(Debug, Default)]
pub struct Accesses(SmallVec<[Access; 8]>);

/// Computes the accesses of a range of positions.
pub type Footprint<'f> = dyn Fn(Range<usize>, &mut Accesses) + Sync + 'f;

impl Accesses {
    /// Adds an access to a single element.
    pub fn element(&mut self, slot: usize, writes: bool, index: &Index) {
        self.0.push(Access { slot, writes, first: *index, other: None, apart: false });
    }

    /// Adds an access to a single element that is proved to meet no other such access.
    pub fn apart(&mut self, slot: usize, writes: bool, index: &Index) {
        self.0.push(Access { slot, writes, first: *index, other: None, apart: true });
    }

    /// Adds an access to the elements from `from` to `to`, `to` excluded.
    pub fn range(&mut self, slot: usize, writes: bool, from: Index, to: Index) {
        self.0.push(Access::range(slot, writes, from, to));
    }

    /// Adds an access to any elements.
    pub fn everything(&mut self, slot: usize, writes: bool) {
        self.element(slot, writes, &Index::UNKNOWN);
    }

    /// Adds an access to elements at most `width` away from the iteration's own, `here`: `#[halo(width)]`. For an array of several
    /// dimensions, the distance counts planes of `plane` elements.
    pub fn near(&mut self, slot: usize, here: Index, width: usize, plane: usize) {
        let number = |n: usize| Index::constant(i64::try_from(n).unwrap_or(i64::MAX));
        let (width, plane) = (number(width), number(plane));
        let end = here.plus(width).plus(number(1)).times(plane);
        self.range(slot, false, here.minus(width).times(plane), end);
    }
}

impl Deref for Accesses {
    type Target = [Access];

    fn deref(&self) -> &[Access] {
        &self.0
    }
}

impl Access {
    /// The last element.
    pub fn last(&self) -> &Index {
        self.other.as_deref().unwrap_or(&self.first)
    }

    /// An access to the elements from `from` to `to`, `to` excluded.
    pub(super) fn range(slot: usize, writes: bool, from: Index, to: Index) -> Access {
        let last = Box::new(to.minus(Index::constant(1)));
        Access { slot, writes, first: from, other: Some(last), apart: false }
    }

    /// Whether a property holds for the first or for the last element.
    fn either(&self, holds: impl Fn(&Index) -> bool) -> bool {
        holds(&self.first) || self.other.as_deref().is_some_and(holds)
    }

    /// The interval of the elements touched, both ends included.
    pub fn interval(&self) -> Option<(i64, i64)> {
        if self.never() {
            return Some((1, 0));
        }
        let (first, last) = self.first.interval()?;
        match &self.other {
            None => Some((first, last)),
            Some(other) => Some((first, other.interval()?.1)),
        }
    }

    /// Whether the access stays in its interval even without checks.
    pub fn unguarded(&self) -> bool {
        !self.either(|index| index.guarded) && (self.never() || !self.either(|index| index.assumed))
    }

    /// Whether the interval is proved.
    pub fn proved(&self) -> bool {
        !self.either(|index| index.assumed) || self.never()
    }

    /// Whether the access never happens.
    pub(super) fn never(&self) -> bool {
        self.either(Index::is_never)
    }

    /// The strides of the access over some positions, if it leaves gaps: each stride in elements and its number of steps, from the longest
    /// to the shortest. Then the interval of elements around each index, both ends included.
    pub fn steps(&self, positions: &Range<usize>) -> Option<(Steps, i64, i64)> {
        let (first, last) = (self.first.form()?, self.last().form()?);
        if first.a != last.a || first.terms() != last.terms() {
            return None;
        }
        // The position is one more counter.
        let count = i64::try_from(positions.len()).ok()?;
        let mut lo = first.lo + first.a * positions.start as i64;
        let mut hi = last.hi + first.a * positions.start as i64;
        let counters = first.terms().iter().map(|term| (term.coefficient, term.from, term.extent));
        let mut steps = Steps::new();
        for (step, from, end) in counters.chain([(first.a, 0, count)]) {
            let (low, high) = (step * from, step * (end - 1));
            lo += low.min(high);
            hi += low.min(high);
            if end - from > 1 && step != 0 {
                steps.push((step.abs(), end - from));
            }
        }
        steps.sort_unstable_by_key(|(step, _)| std::cmp::Reverse(*step));
        // The elements of all shorter strides must lie between two steps of the longer one.
        let mut apart = 0;
        for k in 0..steps.len() {
            let shorter: i64 = steps[k + 1..].iter().map(|(step, count)| step * (count - 1)).sum();
            let width = hi - lo + shorter + 1;
            if !is_gap(steps[k].0 - width, width) {
                break;
            }
            apart = k + 1;
        }
        hi += steps[apart..].iter().map(|(step, count)| step * (count - 1)).sum::<i64>();
        steps.truncate(apart);
        Some((steps, lo, hi))
    }

    /// The coefficient of the iteration, and the elements relative to `a * p` that one iteration can touch.
    pub fn affine(&self) -> Option<(i64, i64, i64)> {
        let first = self.first.form()?;
        let (lo, hi) = first.spread();
        match &self.other {
            None => Some((first.a, lo, hi)),
            Some(other) => {
                let last = other.form()?;
                (first.a == last.a).then(|| (first.a, lo, last.spread().1))
            }
        }
    }
}
