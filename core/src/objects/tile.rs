//! Tiles: boxes that divide an object.

use super::area::Ranges;
use std::fmt;
use std::ops::Range;

/// A box of an object, and the task that works on it.
///
/// ```
/// use forall_core::objects::Object;
///
/// let plane = Object::<f32, 2>::zeroed([5, 6]);
/// let last = plane.tiles([2, 4]).last().unwrap();
/// assert_eq!((last.number(), last.rows(), last.columns()), (5, 4..5, 4..6));
/// assert_eq!(last.grown([1, 1]), [3..5, 3..6]);
/// ```
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Tile<const D: usize> {
    number: usize,
    ranges: [Range<usize>; D],
    /// The object's.
    shape: [usize; D],
}

impl<const D: usize> Tile<D> {
    /// A box of any object of this shape.
    ///
    /// # Panics
    /// If the box is outside of the shape.
    #[track_caller]
    pub fn new(number: usize, ranges: impl Ranges<D>, shape: [usize; D]) -> Self {
        let ranges = ranges.ranges();
        let inside = ranges.iter().zip(shape).all(|(range, length)| range.start <= range.end && range.end <= length);
        assert!(inside, "the tile {ranges:?} is outside of the shape {shape:?}");
        Tile { number, ranges, shape }
    }

    /// The number of the tile, from 0.
    pub fn number(&self) -> usize {
        self.number
    }

    /// The indices along each axis.
    pub fn ranges(&self) -> [Range<usize>; D] {
        self.ranges.clone()
    }

    /// Along each axis the first index, the end, and the length of the object.
    #[doc(hidden)]
    pub fn bounds(&self) -> [(usize, usize, usize); D] {
        std::array::from_fn(|axis| (self.ranges[axis].start, self.ranges[axis].end, self.shape[axis]))
    }

    /// The number of elements.
    pub fn len(&self) -> usize {
        self.ranges.iter().map(Range::len).product()
    }

    /// Whether there are no elements.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The indices of the tile and of a margin of this width on both sides along each axis, as far as they are in the object.
    pub fn grown(&self, margin: [usize; D]) -> [Range<usize>; D] {
        std::array::from_fn(|axis| {
            let Range { start, end } = self.ranges[axis];
            start.saturating_sub(margin[axis])..end.saturating_add(margin[axis]).min(self.shape[axis])
        })
    }

    /// The indices of the tile that are at least this far from both ends of the object along each axis.
    pub fn inside(&self, margin: [usize; D]) -> [Range<usize>; D] {
        std::array::from_fn(|axis| {
            let Range { start, end } = self.ranges[axis];
            let start = start.max(margin[axis]).min(end);
            start..end.min(self.shape[axis].saturating_sub(margin[axis])).max(start)
        })
    }
}

impl Tile<1> {
    /// The indices.
    pub fn indices(&self) -> Range<usize> {
        self.ranges[0].clone()
    }
}

impl Tile<2> {
    /// The indices along the first axis.
    pub fn rows(&self) -> Range<usize> {
        self.ranges[0].clone()
    }

    /// The indices along the second axis.
    pub fn columns(&self) -> Range<usize> {
        self.ranges[1].clone()
    }
}

impl Tile<3> {
    /// The indices along the first axis.
    pub fn planes(&self) -> Range<usize> {
        self.ranges[0].clone()
    }

    /// The indices along the second axis.
    pub fn rows(&self) -> Range<usize> {
        self.ranges[1].clone()
    }

    /// The indices along the third axis.
    pub fn columns(&self) -> Range<usize> {
        self.ranges[2].clone()
    }
}

impl<const D: usize> Ranges<D> for &Tile<D> {
    fn ranges(self) -> [Range<usize>; D] {
        self.ranges.clone()
    }
}

/// Shows the number and the ranges.
impl<const D: usize> fmt::Debug for Tile<D> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Tile").field("number", &self.number).field("ranges", &self.ranges).finish()
    }
}

/// The most parts of a loop that become tasks.
const PARTS: usize = 256;

/// Ranges of so many iterations. They depend on the number alone.
#[doc(hidden)]
pub fn parts(iterations: usize) -> Vec<Tile<1>> {
    match iterations {
        0 => Vec::new(),
        _ => Tiles::new([iterations], [iterations.div_ceil(PARTS)]).collect(),
    }
}

/// A range for each of so many iterations.
#[doc(hidden)]
pub fn each(iterations: usize) -> Vec<Tile<1>> {
    Tiles::new([iterations], [1]).collect()
}

/// The tiles of an object, in row-major order. The last ones along an axis are smaller if the tiles do not divide it.
#[derive(Debug, Clone)]
pub struct Tiles<const D: usize> {
    shape: [usize; D],
    tile: [usize; D],
    left: Range<usize>,
}

impl<const D: usize> Tiles<D> {
    /// The tiles of an object.
    ///
    /// # Panics
    /// If a tile has no indices along an axis.
    #[track_caller]
    pub(super) fn new(shape: [usize; D], tile: [usize; D]) -> Self {
        assert!(!tile.contains(&0), "a tile has at least one index along each axis, and {tile:?} has none along one");
        let count = std::iter::zip(shape, tile).map(|(length, tile)| length.div_ceil(tile)).product();
        Tiles { shape, tile, left: 0..count }
    }

    /// The tile of a number, whether it is left or not.
    #[doc(hidden)]
    pub fn tile(&self, number: usize) -> Tile<D> {
        let (mut ranges, mut rest) = (self.shape.map(|_| 0..0), number);
        for axis in (0..D).rev() {
            let (length, tile) = (self.shape[axis], self.tile[axis]);
            let tiles = length.div_ceil(tile);
            let start = rest % tiles * tile;
            ranges[axis] = start..start.saturating_add(tile).min(length);
            rest /= tiles;
        }
        Tile { number, ranges, shape: self.shape }
    }
}

impl<const D: usize> Iterator for Tiles<D> {
    type Item = Tile<D>;

    fn next(&mut self) -> Option<Tile<D>> {
        self.left.next().map(|number| self.tile(number))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.left.size_hint()
    }

    fn nth(&mut self, n: usize) -> Option<Tile<D>> {
        self.left.nth(n).map(|number| self.tile(number))
    }
}

impl<const D: usize> DoubleEndedIterator for Tiles<D> {
    fn next_back(&mut self) -> Option<Tile<D>> {
        self.left.next_back().map(|number| self.tile(number))
    }
}

impl<const D: usize> ExactSizeIterator for Tiles<D> {}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::objects::area::Area;
    use crate::objects::map::Areas;

    #[test]
    fn tiles_are_a_partition_if_they_do_not_divide_the_shape() {
        for (shape, tile) in
            [([5, 6, 7], [2, 3, 4]), ([1, 1, 1], [9, 9, 9]), ([4, 4, 4], [1, 4, 2]), ([3, 0, 2], [1, 1, 1])]
        {
            let tiles: Vec<Tile<3>> = Tiles::new(shape, tile).collect();
            assert_eq!(tiles.len(), Tiles::new(shape, tile).len());
            assert_eq!(
                Areas::of(tiles.iter().map(|tile| Area::of(&tile.ranges()))).count(),
                shape.iter().product::<usize>()
            );
            assert_eq!(tiles.iter().map(Tile::len).sum::<usize>(), shape.iter().product::<usize>());
            assert!(tiles.iter().enumerate().all(|(number, tile)| tile.number() == number));
        }
        let tiles: Vec<Tile<1>> = Tiles::new([10], [4]).rev().collect();
        assert_eq!(tiles.iter().map(Tile::indices).collect::<Vec<_>>(), [8..10, 4..8, 0..4]);
        let [[grown], [inside], [nothing]] = [tiles[0].grown([3]), tiles[2].inside([1]), tiles[0].inside([3])];
        assert_eq!([grown, inside, nothing], [5..10, 1..4, 8..8]);
    }

    #[test]
    #[should_panic(expected = "a tile has at least one index along each axis, and [2, 0] has none along one")]
    fn a_tile_without_indices_is_an_error() {
        Tiles::new([4, 4], [2, 0]);
    }
}
