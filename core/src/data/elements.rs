//! Sets of elements of an array, as ranges.

use super::layout::overlap;
use smallvec::SmallVec;
use std::ops::Range;

/// A set of elements of one array: disjoint ranges, in order, with gaps between them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Elements(SmallVec<[Range<usize>; 2]>);

impl Elements {
    /// The union of ranges, which may overlap and be in any order.
    pub(crate) fn of(ranges: impl IntoIterator<Item = Range<usize>>) -> Self {
        let mut all: SmallVec<[Range<usize>; 2]> = ranges.into_iter().filter(|range| !range.is_empty()).collect();
        all.sort_unstable_by_key(|range| range.start);
        let mut joined: SmallVec<[Range<usize>; 2]> = SmallVec::new();
        for range in all {
            match joined.last_mut() {
                Some(last) if range.start <= last.end => last.end = last.end.max(range.end),
                _ => joined.push(range),
            }
        }
        Elements(joined)
    }

    /// The union.
    pub(crate) fn with(&self, other: &Elements) -> Elements {
        Elements::of(self.ranges().chain(other.ranges()))
    }

    /// The intersection.
    pub(crate) fn common(&self, other: &Elements) -> Elements {
        Elements::of(self.ranges().flat_map(|range| other.inside(range)))
    }

    /// Whether these sets are pairwise disjoint.
    pub(crate) fn are_disjoint(all: &[Elements]) -> bool {
        let count = all.iter().map(Elements::count).sum::<usize>();
        Elements::of(all.iter().flat_map(Elements::ranges)).count() == count
    }

    /// The number of elements.
    pub(crate) fn count(&self) -> usize {
        self.0.iter().map(Range::len).sum()
    }

    /// The ranges, in order.
    pub(crate) fn ranges(&self) -> impl DoubleEndedIterator<Item = Range<usize>> + ExactSizeIterator + '_ {
        self.0.iter().cloned()
    }

    /// The range from the first to the last element.
    pub(crate) fn hull(&self) -> Range<usize> {
        match (self.0.first(), self.0.last()) {
            (Some(first), Some(last)) => first.start..last.end,
            _ => 0..0,
        }
    }

    /// The intersection with a range, in order.
    pub(crate) fn inside(&self, range: Range<usize>) -> impl Iterator<Item = Range<usize>> + '_ {
        let first = self.0.partition_point(|part| part.end <= range.start);
        let near = self.0[first..].iter();
        near.map(move |part| overlap(part, &range)).take_while(|part| !part.is_empty())
    }

    /// The number of elements in a range.
    pub(crate) fn count_inside(&self, range: Range<usize>) -> usize {
        self.inside(range).map(|part| part.len()).sum()
    }

    /// Whether the set contains this range.
    pub(crate) fn hold(&self, range: &Range<usize>) -> bool {
        let at = self.0.partition_point(|part| part.end < range.end);
        range.is_empty() || self.0.get(at).is_some_and(|part| part.start <= range.start)
    }
}

impl From<Range<usize>> for Elements {
    fn from(range: Range<usize>) -> Self {
        Elements::of([range])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_joined_where_they_meet() {
        let all = Elements::of([7..9, 0..2, 4..4, 2..3, 8..12, 20..21]);
        assert_eq!(all.ranges().collect::<Vec<_>>(), [0..3, 7..12, 20..21]);
        assert_eq!((all.count(), all.hull()), (9, 0..21));
        assert_eq!(Elements::of([]).hull(), 0..0);
        assert_eq!(Elements::from(3..3), Elements::default());
        assert_eq!(all.common(&Elements::of([1..8, 10..11])).ranges().collect::<Vec<_>>(), [1..3, 7..8, 10..11]);
        assert!(Elements::are_disjoint(&[all.clone(), (3..7).into(), Elements::default()]));
        assert!(!Elements::are_disjoint(&[all.clone(), (3..8).into()]));
        assert_eq!(all.with(&(3..7).into()).ranges().collect::<Vec<_>>(), [0..12, 20..21]);
    }

    #[test]
    fn those_in_a_range_are_found() {
        let all = Elements::of([0..3, 7..12, 20..21]);
        assert_eq!(all.inside(2..20).collect::<Vec<_>>(), [2..3, 7..12]);
        assert_eq!(all.inside(3..7).count(), 0);
        assert_eq!((all.count_inside(0..30), all.count_inside(11..21)), (9, 2));
        assert!(all.hold(&(8..12)) && all.hold(&(5..5)) && all.hold(&(0..3)));
        assert!(!all.hold(&(2..8)) && !all.hold(&(3..4)) && !all.hold(&(20..22)));
    }
}
