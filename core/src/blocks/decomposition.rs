//! A grid cut into blocks.

use super::link::Link;
use super::parts::Parts;
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// A grid of `D` dimensions, from 1 to 4, cut into parts that are nearly equal and nearly cubes. The slowest axis is the first.
///
/// ```
/// use forall_core::blocks::Decomposition;
///
/// let parts = Decomposition::new([10, 20, 20], 8).ghost(1);
/// assert_eq!(parts.divisions(), [2, 2, 2]);
/// let part = parts.part(1);
/// assert_eq!(part.own.axes, [0..5, 0..10, 10..20]);
/// assert_eq!(part.with_ghost.axes, [0..6, 0..11, 9..20]);
/// assert_eq!(parts.links(1).len(), 7);
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Decomposition<const D: usize> {
    #[serde(with = "axes")]
    shape: [usize; D],
    #[serde(with = "axes")]
    divisions: [usize; D],
    #[serde(with = "axes")]
    periodic: [bool; D],
    /// The layers below and above along each axis.
    #[serde(with = "axes")]
    ghost: [[usize; 2]; D],
}

/// Arrays of any length, for serde.
pub(super) mod axes {
    use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error};

    pub(in crate::blocks) fn serialize<T: Serialize, S: Serializer, const D: usize>(
        axes: &[T; D],
        to: S,
    ) -> Result<S::Ok, S::Error> {
        axes.as_slice().serialize(to)
    }

    pub(in crate::blocks) fn deserialize<'de, T: Deserialize<'de>, S: Deserializer<'de>, const D: usize>(
        from: S,
    ) -> Result<[T; D], S::Error> {
        let axes = Vec::deserialize(from)?;
        axes.try_into().map_err(|axes: Vec<T>| S::Error::invalid_length(axes.len(), &"as many as there are dimensions"))
    }
}

/// A range of cells along each axis.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Cells<const D: usize> {
    /// The slowest axis first.
    #[serde(with = "axes")]
    pub axes: [Range<usize>; D],
}

/// One part of a grid.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Part<const D: usize> {
    /// The number of the part, and of its block.
    pub number: usize,
    /// The cells that belong to this part alone.
    pub own: Cells<D>,
    /// The same cells with the [ghost cells](Decomposition::ghost) around them, as far as they are inside the grid.
    pub with_ghost: Cells<D>,
}

impl<const D: usize> Cells<D> {
    /// The number of cells.
    pub fn len(&self) -> usize {
        self.axes.iter().map(Range::len).product()
    }

    /// Whether there are no cells.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The number of cells along each axis.
    pub fn shape(&self) -> [usize; D] {
        std::array::from_fn(|axis| self.axes[axis].len())
    }

    /// Whether the range contains a cell.
    pub fn contains(&self, cell: [usize; D]) -> bool {
        self.axes.iter().zip(cell).all(|(range, at)| range.contains(&at))
    }

    /// The position of a cell in order, the fastest axis last.
    ///
    /// # Panics
    /// In debug builds, if the range does not contain the cell.
    pub fn index(&self, cell: [usize; D]) -> usize {
        debug_assert!(self.contains(cell), "the cell {cell:?} is not in {:?}", self.axes);
        self.axes.iter().zip(cell).fold(0, |index, (range, at)| index * range.len() + at - range.start)
    }

    /// The cells that are in both.
    #[must_use]
    pub fn common(&self, other: &Self) -> Self {
        let common = |axis: usize| {
            let (one, two) = (&self.axes[axis], &other.axes[axis]);
            let start = one.start.max(two.start);
            start..one.end.min(two.end).max(start)
        };
        Cells { axes: std::array::from_fn(common) }
    }

    /// All cells in order, the fastest axis last.
    pub fn iter(&self) -> impl Iterator<Item = [usize; D]> + use<D> {
        let (axes, len) = (self.axes.clone(), self.len());
        (0..len).map(move |mut index| {
            let mut cell = [0; D];
            for (at, range) in cell.iter_mut().zip(&axes).rev() {
                *at = range.start + index % range.len();
                index /= range.len();
            }
            cell
        })
    }
}

impl<const D: usize> Decomposition<D> {
    const DIMENSIONS: () = assert!(D >= 1 && D <= 4, "a decomposition has one to four dimensions");

    /// A grid of `shape` cells in `blocks` parts. If there are more parts than cells along an axis, some parts are empty.
    ///
    /// # Panics
    /// If there is no part.
    #[track_caller]
    pub fn new(shape: [usize; D], blocks: usize) -> Self {
        assert!(blocks > 0, "there is at least one block");
        // The largest factor goes to the axis whose parts are the longest so far.
        let mut divisions = [1; D];
        for factor in factors(blocks) {
            let parts = |axis: &usize| shape[*axis] as f64 / divisions[*axis] as f64;
            // Among equal axes the slowest.
            let longest = (0..D).rev().max_by(|one, two| parts(one).total_cmp(&parts(two)));
            divisions[longest.unwrap_or(0)] *= factor;
        }
        Self::divided(shape, divisions)
    }

    /// A grid of `shape` cells with this number of parts along each axis.
    ///
    /// # Panics
    /// If there is no part along an axis.
    #[track_caller]
    pub fn divided(shape: [usize; D], divisions: [usize; D]) -> Self {
        let () = Self::DIMENSIONS;
        assert!(
            divisions.iter().all(|parts| *parts > 0),
            "there is at least one part along each axis, not {divisions:?}"
        );
        Decomposition { shape, divisions, periodic: [false; D], ghost: [[0; 2]; D] }
    }

    /// Sets the number of layers of neighbouring cells, on each side, in a part's [`with_ghost`](Part::with_ghost).
    #[must_use]
    pub fn ghost(self, cells: usize) -> Self {
        self.ghosts([[cells; 2]; D])
    }

    /// The same for each side: the number of layers before the part and behind it, along each axis.
    ///
    /// ```
    /// use forall_core::blocks::Decomposition;
    ///
    /// // Differences to the cell before need one layer before, along the second axis.
    /// let parts = Decomposition::new([10, 10], 4).ghosts([[0, 0], [1, 0]]);
    /// assert_eq!(parts.part(3).with_ghost.axes, [5..10, 4..10]);
    /// ```
    #[must_use]
    pub fn ghosts(self, cells: [[usize; 2]; D]) -> Self {
        Decomposition { ghost: cells, ..self }
    }

    /// Sets the axes along which the last part and the first one are neighbours.
    #[must_use]
    pub fn periodic(self, axes: [bool; D]) -> Self {
        Decomposition { periodic: axes, ..self }
    }

    pub(super) fn ghost_layers(&self) -> [[usize; 2]; D] {
        self.ghost
    }

    pub(super) fn periodic_axes(&self) -> [bool; D] {
        self.periodic
    }

    /// The number of parts.
    pub fn len(&self) -> usize {
        self.divisions.iter().product()
    }

    /// There is always a part.
    pub fn is_empty(&self) -> bool {
        false
    }

    /// The whole grid.
    pub fn shape(&self) -> [usize; D] {
        self.shape
    }

    /// The number of parts along each axis.
    pub fn divisions(&self) -> [usize; D] {
        self.divisions
    }

    /// The position of a part among the parts, along each axis.
    fn place(&self, number: usize) -> [usize; D] {
        let (mut place, mut rest) = ([0; D], number);
        for (at, parts) in place.iter_mut().zip(self.divisions).rev() {
            *at = rest % parts;
            rest /= parts;
        }
        place
    }

    fn number(&self, place: [usize; D]) -> usize {
        place.iter().zip(self.divisions).fold(0, |number, (at, parts)| number * parts + at)
    }

    /// The cells of a part along an axis.
    fn range(&self, axis: usize, at: usize) -> Range<usize> {
        let cut = |at: usize| (self.shape[axis] as u128 * at as u128 / self.divisions[axis] as u128) as usize;
        cut(at)..cut(at + 1)
    }

    /// A part.
    ///
    /// # Panics
    /// If there is no such part.
    #[track_caller]
    pub fn part(&self, number: usize) -> Part<D> {
        assert!(number < self.len(), "there is no part {number}: there are {}, from 0 on", self.len());
        let place = self.place(number);
        let own = Cells { axes: std::array::from_fn(|axis| self.range(axis, place[axis])) };
        let wider = |axis: usize| {
            let Range { start, end } = own.axes[axis].clone();
            let [before, behind] = self.ghost[axis];
            start.saturating_sub(before)..end.saturating_add(behind).min(self.shape[axis])
        };
        let with_ghost = Cells { axes: std::array::from_fn(wider) };
        Part { number, own, with_ghost }
    }

    /// The part that a cell belongs to.
    ///
    /// # Panics
    /// If the cell lies outside of the grid.
    #[track_caller]
    pub fn owner(&self, cell: [usize; D]) -> usize {
        let along = |axis: usize| {
            let (at, len, parts) = (cell[axis], self.shape[axis], self.divisions[axis]);
            assert!(at < len, "the cell {cell:?} lies outside of the grid {:?}", self.shape);
            // The last part that begins at or before the cell.
            let mut part = (at as u128 * parts as u128 / len as u128) as usize;
            while self.range(axis, part).end <= at {
                part += 1;
            }
            part
        };
        self.number(std::array::from_fn(along))
    }

    /// A part's neighbours by their direction, also those across edges and corners. If there are few parts and the grid is periodic, a part
    /// may be a neighbour in several directions, and of itself.
    ///
    /// # Panics
    /// If there is no such part.
    #[track_caller]
    pub fn links(&self, number: usize) -> Vec<Link> {
        assert!(number < self.len(), "there is no part {number}: there are {}, from 0 on", self.len());
        let place = self.place(number);
        let around = Cells { axes: [const { 0..3 }; D] };
        let link = |steps: [usize; D]| {
            let (mut to, mut direction) = ([0; D], [0; 4]);
            for axis in 0..D {
                let (parts, step) = (self.divisions[axis], steps[axis] as i8 - 1);
                let next = match (place[axis], step) {
                    (at, 0) => at,
                    (0, -1) => self.periodic[axis].then_some(parts - 1)?,
                    (at, -1) => at - 1,
                    (at, _) if at + 1 < parts => at + 1,
                    _ => self.periodic[axis].then_some(0)?,
                };
                (to[axis], direction[axis]) = (next, step);
            }
            (direction != [0; 4]).then(|| Link { to: self.number(to), direction })
        };
        around.iter().filter_map(link).collect()
    }
}

impl<const D: usize> Parts for Decomposition<D> {
    type Part = Part<D>;

    fn count(&self) -> usize {
        self.len()
    }

    fn numbered(&self, number: usize) -> (Part<D>, Vec<Link>) {
        (self.part(number), self.links(number))
    }
}

/// The prime factors of a number, the largest first.
fn factors(mut number: usize) -> Vec<usize> {
    let (mut factors, mut factor) = (Vec::new(), 2);
    while factor * factor <= number {
        while number.is_multiple_of(factor) {
            factors.push(factor);
            number /= factor;
        }
        factor += 1;
    }
    if number > 1 {
        factors.push(number);
    }
    factors.reverse();
    factors
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each cell belongs to one part, and `owner` finds it.
    #[test]
    fn parts_cover_the_grid_once() {
        for shape in [[1, 1, 1], [7, 5, 3], [2, 9, 1], [16, 16, 16], [3, 0, 4]] {
            for blocks in [1, 2, 3, 4, 7, 8, 12, 30] {
                let parts = Decomposition::new(shape, blocks).ghost(2);
                assert_eq!(parts.len(), blocks);
                let mut cells = 0;
                for number in 0..blocks {
                    let part = parts.part(number);
                    assert_eq!(part.own.iter().count(), part.own.len());
                    for (at, cell) in part.own.iter().enumerate() {
                        assert_eq!((parts.owner(cell), part.own.index(cell)), (number, at));
                        assert!(part.with_ghost.contains(cell));
                        cells += 1;
                    }
                }
                assert_eq!(cells, shape.iter().product::<usize>(), "{shape:?} in {blocks}");
            }
        }
    }

    #[test]
    fn parts_are_nearly_cubes() {
        assert_eq!(Decomposition::new([100, 100, 100], 64).divisions(), [4, 4, 4]);
        assert_eq!(Decomposition::new([100, 100], 6).divisions(), [3, 2]);
        assert_eq!(Decomposition::new([10, 1000], 8).divisions(), [1, 8]);
        assert_eq!(Decomposition::new([50], 7).divisions(), [7]);
    }

    /// If a part has a link, the other one has the link back.
    #[test]
    fn links_lead_back() {
        for periodic in [[false; 3], [true; 3], [true, false, true]] {
            for blocks in [1, 2, 6, 12, 27] {
                let parts = Decomposition::new([9, 9, 9], blocks).periodic(periodic);
                for number in 0..blocks {
                    for link in parts.links(number) {
                        let back = Link { to: number, direction: link.back() };
                        assert!(parts.links(link.to).contains(&back), "{number} to {link:?} of {blocks}");
                    }
                }
            }
        }
        let middle = Decomposition::divided([9, 9, 9], [3, 3, 3]);
        assert_eq!((middle.links(13).len(), middle.links(0).len()), (26, 7));
        assert_eq!(Decomposition::new([5], 1).periodic([true]).links(0).len(), 2);
    }

    #[test]
    fn four_dimensions() {
        let parts = Decomposition::divided([4, 6, 8, 9], [2, 2, 2, 3]).ghost(1).periodic([true; 4]);
        assert_eq!((parts.len(), parts.links(0).len()), (24, 80));
        assert_eq!(parts.part(23).with_ghost.axes, [1..4, 2..6, 3..8, 5..9]);
        assert_eq!(parts.owner([3, 5, 7, 8]), 23);
        let last = Link { to: 2, direction: [0, 0, 0, -1] };
        assert!(parts.links(0).contains(&last), "{:?}", parts.links(0));
    }

    #[test]
    fn parts_in_common() {
        let parts = Decomposition::new([10, 10], 4).ghost(1);
        let (one, two) = (parts.part(0), parts.part(1));
        assert_eq!(one.with_ghost.common(&two.own).axes, [0..5, 5..6]);
        assert!(one.own.common(&two.own).is_empty());
        let sides = Decomposition::new([10, 10], 4).ghosts([[1, 2], [0, 9]]);
        assert_eq!(sides.part(0).with_ghost.axes, [0..7, 0..10]);
        assert_eq!(sides.part(2).with_ghost.axes, [4..10, 0..10]);
        let written = postcard::to_stdvec(&sides).expect("a decomposition is written");
        assert_eq!(postcard::from_bytes::<Decomposition<2>>(&written).expect("and read"), sides);
    }
}
