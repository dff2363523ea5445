//! Boxes: ranges of indices along each axis.

use crate::footprint::Index;
use serde::{Deserialize, Serialize};
use smallvec::SmallVec;
use std::ops::Range;

/// A range of indices along each axis: `[0..4, 2..6]`, and for one dimension also `0..4`.
pub trait Ranges<const D: usize> {
    /// The ranges, the slowest axis first.
    fn ranges(self) -> [Range<usize>; D];
}

impl<const D: usize> Ranges<D> for [Range<usize>; D] {
    fn ranges(self) -> [Range<usize>; D] {
        self
    }
}

impl Ranges<1> for Range<usize> {
    fn ranges(self) -> [Range<usize>; 1] {
        [self]
    }
}

/// The box of a task, and whether all computed indices of its accesses are in it.
#[doc(hidden)]
#[derive(Debug, Clone)]
pub struct Boxed<const D: usize> {
    ranges: [Range<usize>; D],
    proved: bool,
}

impl<const D: usize> Boxed<D> {
    /// A box that the user declares: nothing is known of the indices.
    pub(super) fn declared(ranges: [Range<usize>; D]) -> Self {
        Boxed { ranges, proved: false }
    }

    pub(super) fn is_proved(&self) -> bool {
        self.proved
    }
}

impl<const D: usize> Ranges<D> for Boxed<D> {
    fn ranges(self) -> [Range<usize>; D] {
        self.ranges
    }
}

/// The least box with all indices that accesses may have, as far as they are in the object. Along an axis of unknown index it has all indices.
#[doc(hidden)]
pub fn hull<const D: usize>(shape: [usize; D], accesses: &[[Index; D]]) -> Boxed<D> {
    let (whole, mut hull, mut proved) = (Area::whole(shape), Area::of(&shape.map(|_| 0..0)), true);
    for along in accesses {
        if along.iter().any(Index::is_never) {
            continue;
        }
        let mut inside = true;
        let ranges: [Range<usize>; D] = std::array::from_fn(|axis| {
            let (first, last) = along[axis].interval().unwrap_or((-1, i64::MAX - 1));
            inside &= first >= 0 && last < i64::try_from(shape[axis]).unwrap_or(0) && along[axis].is_proved();
            clamped(first, shape[axis])..clamped(last.saturating_add(1), shape[axis])
        });
        proved &= inside;
        hull = hull.hull(&whole.common(&Area::of(&ranges)));
    }
    Boxed { ranges: hull.ranges(), proved }
}

fn clamped(index: i64, length: usize) -> usize {
    usize::try_from(index).unwrap_or(0).min(length)
}

/// A box of indices. Boxes of one and two dimensions have leading axes of length one, so that the protocol is compiled once.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub(crate) struct Area {
    pub start: [usize; 3],
    pub end: [usize; 3],
}

/// The part of a box outside another one: at most two boxes for each axis.
pub(crate) type Rest = SmallVec<[Area; 6]>;

impl Area {
    /// The box of these ranges. A range that ends before it starts is empty.
    pub fn of<const D: usize>(ranges: &[Range<usize>; D]) -> Area {
        let (mut start, mut end) = ([0; 3], [1; 3]);
        for (axis, range) in ranges.iter().enumerate() {
            start[3 - D + axis] = range.start;
            end[3 - D + axis] = range.end.max(range.start);
        }
        Area { start, end }
    }

    /// All indices of an array.
    pub fn whole<const D: usize>(shape: [usize; D]) -> Area {
        Area::of(&shape.map(|length| 0..length))
    }

    /// The ranges along the last `D` axes.
    pub fn ranges<const D: usize>(&self) -> [Range<usize>; D] {
        std::array::from_fn(|axis| self.start[3 - D + axis]..self.end[3 - D + axis])
    }

    /// The number of indices along each axis.
    pub fn extents(&self) -> [usize; 3] {
        std::array::from_fn(|axis| self.end[axis] - self.start[axis])
    }

    /// The number of indices.
    pub fn len(&self) -> usize {
        self.extents().iter().product()
    }

    pub fn is_empty(&self) -> bool {
        self.extents().contains(&0)
    }

    /// The intersection. It may be empty.
    pub fn common(&self, other: &Area) -> Area {
        let start: [usize; 3] = std::array::from_fn(|axis| self.start[axis].max(other.start[axis]));
        Area { start, end: std::array::from_fn(|axis| self.end[axis].min(other.end[axis]).max(start[axis])) }
    }

    /// Whether both have a common index.
    pub fn meets(&self, other: &Area) -> bool {
        !self.common(other).is_empty()
    }

    /// Whether all indices of the other box are in this one.
    pub fn contains(&self, other: &Area) -> bool {
        other.is_empty() || self.common(other) == *other
    }

    /// The least box that contains both.
    pub fn hull(&self, other: &Area) -> Area {
        match (self.is_empty(), other.is_empty()) {
            (true, _) => *other,
            (_, true) => *self,
            _ => Area {
                start: std::array::from_fn(|axis| self.start[axis].min(other.start[axis])),
                end: std::array::from_fn(|axis| self.end[axis].max(other.end[axis])),
            },
        }
    }

    /// The part of this box outside the other one, as disjoint boxes. Cuts along the slowest axis first, so that rows stay long.
    pub fn without(&self, other: &Area) -> Rest {
        let mut rest = Rest::new();
        if self.is_empty() {
            return rest;
        }
        let common = self.common(other);
        if common.is_empty() {
            rest.push(*self);
            return rest;
        }
        let mut left = *self;
        for axis in 0..3 {
            let (mut before, mut after) = (left, left);
            before.end[axis] = common.start[axis];
            after.start[axis] = common.end[axis];
            rest.extend([before, after].into_iter().filter(|part| !part.is_empty()));
            (left.start[axis], left.end[axis]) = (common.start[axis], common.end[axis]);
        }
        rest
    }

    /// The union of two boxes that are adjacent along one axis and equal along the others.
    pub fn joined(&self, other: &Area) -> Option<Area> {
        let mut differ =
            (0..3).filter(|&axis| (self.start[axis], self.end[axis]) != (other.start[axis], other.end[axis]));
        let (axis, None) = (differ.next()?, differ.next()) else { return None };
        (self.end[axis] == other.start[axis] || other.end[axis] == self.start[axis]).then(|| self.hull(other))
    }

    /// The position of an index of this box, in row-major order.
    pub fn position(&self, index: [usize; 3]) -> usize {
        let [_, ny, nx] = self.extents();
        ((index[0] - self.start[0]) * ny + index[1] - self.start[1]) * nx + index[2] - self.start[2]
    }

    /// The positions of the rows of `part`, a box inside this one.
    pub fn rows(&self, part: &Area) -> impl Iterator<Item = Range<usize>> + use<> {
        let (outer, part) = (*self, *part);
        let length = part.end[2] - part.start[2];
        let planes = if part.is_empty() { 0..0 } else { part.start[0]..part.end[0] };
        planes.flat_map(move |z| {
            (part.start[1]..part.end[1]).map(move |y| {
                let start = outer.position([z, y, part.start[2]]);
                start..start + length
            })
        })
    }
}

/// Copies the elements of `part` from an array with the indices `of` to one with the indices `to_of`. Both contain `part`.
pub(crate) fn copy<T: Copy>(from: &[T], of: &Area, to: &mut [T], to_of: &Area, part: &Area) {
    for (source, target) in of.rows(part).zip(to_of.rows(part)) {
        to[target].copy_from_slice(&from[source]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn flat(y: Range<usize>, x: Range<usize>) -> Area {
        Area::of(&[y, x])
    }

    #[test]
    fn boxes_intersect_and_join() {
        let (one, two) = (flat(0..4, 2..6), flat(2..8, 0..3));
        assert_eq!(one.common(&two), flat(2..4, 2..3));
        assert!(one.meets(&two) && !one.meets(&flat(4..5, 2..6)));
        assert_eq!(one.hull(&two), flat(0..8, 0..6));
        assert_eq!(one.hull(&flat(9..9, 3..4)), one);
        assert_eq!(one.joined(&flat(4..5, 2..6)), Some(flat(0..5, 2..6)));
        assert_eq!(one.joined(&flat(4..5, 2..5)), None);
        assert_eq!(one.joined(&flat(5..6, 2..6)), None);
        assert_eq!(one.ranges::<2>(), [0..4, 2..6]);
        assert!(one.contains(&flat(1..1, 9..9)) && one.contains(&flat(1..2, 3..6)) && !one.contains(&two));
    }

    #[test]
    fn a_difference_and_the_intersection_are_a_partition() {
        let ranges = [0..0, 0..1, 0..3, 1..2, 1..4, 2..4];
        let all: Vec<Area> = ranges
            .iter()
            .flat_map(|z| ranges.iter().map(move |y| (z, y)))
            .map(|(z, y)| Area::of(&[z.clone(), y.clone(), 1..3]))
            .collect();
        for one in &all {
            for two in &all {
                let rest = one.without(two);
                let total: usize = rest.iter().map(Area::len).sum();
                assert_eq!(total + one.common(two).len(), one.len(), "{one:?} without {two:?}");
                for (number, part) in rest.iter().enumerate() {
                    assert!(one.contains(part) && !part.meets(two) && !part.is_empty());
                    assert!(rest[..number].iter().all(|other| !other.meets(part)));
                }
            }
        }
    }

    #[test]
    fn elements_are_copied_by_rows() {
        let (of, to) = (flat(0..3, 0..4), flat(1..4, 1..3));
        let from: Vec<usize> = (0..12).collect();
        let mut values = vec![99; 6];
        copy(&from, &of, &mut values, &to, &of.common(&to));
        assert_eq!(values, [5, 6, 9, 10, 99, 99]);
        assert_eq!(of.rows(&flat(2..2, 0..4)).count(), 0);
    }
}
