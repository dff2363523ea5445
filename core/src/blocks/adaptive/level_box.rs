//! Boxes of cells at a level of refinement.

use crate::blocks::decomposition::{Cells, axes};
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// A box of cells of one level of an [`AdaptiveMesh`](super::AdaptiveMesh), the slowest axis first.
///
/// Indices are those of cells of this level: a level that is finer by the ratio `r` has the cells `r * i .. r * (i + 1)` in place of the cell `i`.
/// They are negative in ghost cells below a periodic domain.
///
/// ```
/// use forall_core::blocks::LevelBox;
///
/// let fine = LevelBox::new(1, [4..8, 6..16]);
/// assert_eq!((fine.shape(), fine.len()), ([4, 10], 40));
/// assert_eq!(fine.coarsened(0, [2, 4]), LevelBox::new(0, [2..4, 1..4]));
/// assert_eq!(fine.coarsened(0, [2, 2]).refined(1, [2, 2]), fine);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct LevelBox<const D: usize> {
    /// The level, from 0 on; the coarsest first.
    pub level: usize,
    /// The first cell.
    #[serde(with = "axes")]
    pub low: [i64; D],
    /// The first cell behind the box, along each axis.
    #[serde(with = "axes")]
    pub high: [i64; D],
}

impl<const D: usize> LevelBox<D> {
    /// The cells in these ranges.
    pub fn new(level: usize, axes: [Range<i64>; D]) -> Self {
        LevelBox { level, low: axes.clone().map(|range| range.start), high: axes.map(|range| range.end) }
    }

    /// The cells of a part of a grid.
    pub fn of_cells(level: usize, cells: &Cells<D>) -> Self {
        let cells = &cells.axes;
        Self::new(level, std::array::from_fn(|axis| cells[axis].start as i64..cells[axis].end as i64))
    }

    /// A box of one cell.
    pub fn cell(level: usize, at: [i64; D]) -> Self {
        LevelBox { level, low: at, high: at.map(|at| at + 1) }
    }

    /// The range of cells along an axis.
    ///
    /// # Panics
    /// If there is no such axis.
    pub fn range(&self, axis: usize) -> Range<i64> {
        self.low[axis]..self.high[axis]
    }

    /// The number of cells along each axis.
    pub fn shape(&self) -> [usize; D] {
        std::array::from_fn(|axis| usize::try_from(self.high[axis] - self.low[axis]).unwrap_or(0))
    }

    /// The number of cells.
    pub fn len(&self) -> usize {
        self.shape().iter().product()
    }

    /// Whether there are no cells.
    pub fn is_empty(&self) -> bool {
        (0..D).any(|axis| self.high[axis] <= self.low[axis])
    }

    /// Whether the box contains a cell of its level.
    pub fn contains(&self, cell: [i64; D]) -> bool {
        (0..D).all(|axis| self.range(axis).contains(&cell[axis]))
    }

    /// The position of a cell in order, the fastest axis last.
    ///
    /// # Panics
    /// In debug builds, if the box does not contain the cell.
    pub fn index(&self, cell: [i64; D]) -> usize {
        debug_assert!(self.contains(cell), "the cell {cell:?} is not in {self:?}");
        let shape = self.shape();
        (0..D).fold(0, |index, axis| index * shape[axis] + (cell[axis] - self.low[axis]) as usize)
    }

    /// All cells in order, the fastest axis last.
    pub fn iter(&self) -> impl Iterator<Item = [i64; D]> + use<D> {
        let (low, shape) = (self.low, self.shape());
        (0..self.len()).map(move |mut index| {
            let mut cell = low;
            for axis in (0..D).rev() {
                cell[axis] += (index % shape[axis]) as i64;
                index /= shape[axis];
            }
            cell
        })
    }

    /// The cells that are in both.
    ///
    /// # Panics
    /// If the levels differ.
    #[must_use]
    #[track_caller]
    pub fn common(&self, other: &Self) -> Self {
        assert_eq!(self.level, other.level, "boxes of two levels have no common cells; coarsen or refine one of them");
        let low = std::array::from_fn(|axis| self.low[axis].max(other.low[axis]));
        LevelBox {
            level: self.level,
            low,
            high: std::array::from_fn(|axis| self.high[axis].min(other.high[axis]).max(low[axis])),
        }
    }

    /// The cells of this box outside of the other one, as boxes without common cells.
    ///
    /// # Panics
    /// If the levels differ.
    #[must_use]
    #[track_caller]
    pub fn minus(&self, other: &Self) -> Vec<Self> {
        let common = self.common(other);
        if common.is_empty() {
            return vec![*self].into_iter().filter(|cells| !cells.is_empty()).collect();
        }
        let (mut rest, mut parts) = (*self, Vec::new());
        for axis in 0..D {
            let (mut before, mut behind) = (rest, rest);
            before.high[axis] = common.low[axis];
            behind.low[axis] = common.high[axis];
            parts.extend([before, behind].into_iter().filter(|part| !part.is_empty()));
            (rest.low[axis], rest.high[axis]) = (common.low[axis], common.high[axis]);
        }
        parts
    }

    /// The same box, larger by some cells before and behind it along each axis.
    #[must_use]
    pub fn grown(&self, cells: [[usize; 2]; D]) -> Self {
        LevelBox {
            level: self.level,
            low: std::array::from_fn(|axis| self.low[axis].saturating_sub_unsigned(cells[axis][0] as u64)),
            high: std::array::from_fn(|axis| self.high[axis].saturating_add_unsigned(cells[axis][1] as u64)),
        }
    }

    /// The same box, moved by some cells along each axis.
    #[must_use]
    pub fn shifted(&self, by: [i64; D]) -> Self {
        LevelBox {
            level: self.level,
            low: std::array::from_fn(|axis| self.low[axis] + by[axis]),
            high: std::array::from_fn(|axis| self.high[axis] + by[axis]),
        }
    }

    /// The cells of a finer level in this box. The ratio is that between the two levels.
    #[must_use]
    pub fn refined(&self, level: usize, ratio: [usize; D]) -> Self {
        let scaled = |cells: [i64; D]| std::array::from_fn(|axis| cells[axis] * ratio[axis] as i64);
        LevelBox { level, low: scaled(self.low), high: scaled(self.high) }
    }

    /// The cells of a coarser level that cover this box. The ratio is that between the two levels.
    ///
    /// # Panics
    /// If a ratio is 0.
    #[must_use]
    pub fn coarsened(&self, level: usize, ratio: [usize; D]) -> Self {
        let (low, high) = (self.low, self.high);
        LevelBox {
            level,
            low: std::array::from_fn(|axis| low[axis].div_euclid(ratio[axis] as i64)),
            high: std::array::from_fn(|axis| -(-high[axis]).div_euclid(ratio[axis] as i64)),
        }
    }

    /// The least box around two of one level.
    pub(super) fn hull(&self, other: &Self) -> Self {
        LevelBox {
            level: self.level,
            low: std::array::from_fn(|axis| self.low[axis].min(other.low[axis])),
            high: std::array::from_fn(|axis| self.high[axis].max(other.high[axis])),
        }
    }

    /// Whether two boxes of one level have common cells or touch, also at a corner.
    pub(super) fn touches(&self, other: &Self) -> bool {
        (0..D).all(|axis| self.low[axis] <= other.high[axis] && other.low[axis] <= self.high[axis])
    }
}

/// The cells of some boxes outside of another one.
pub(super) fn without<const D: usize>(boxes: Vec<LevelBox<D>>, other: &LevelBox<D>) -> Vec<LevelBox<D>> {
    boxes.iter().flat_map(|cells| cells.minus(other)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn differences_have_each_cell_once() {
        let one = LevelBox::new(2, [-3..4, 0..5, 2..4]);
        let others =
            [[-5..-1, 1..3, 0..9], [0..1, 0..1, 2..3], [-9..9, -9..9, -9..9], [7..9, 0..5, 2..4], [1..1, 0..5, 2..4]];
        for other in others.map(|axes| LevelBox::new(2, axes)) {
            let parts = one.minus(&other);
            for cell in one.iter() {
                let times = parts.iter().filter(|part| part.contains(cell)).count();
                assert_eq!(times, usize::from(!other.contains(cell)), "{cell:?} {other:?}");
            }
            assert_eq!(parts.iter().map(LevelBox::len).sum::<usize>() + one.common(&other).len(), one.len());
        }
    }

    #[test]
    fn cells_have_an_order() {
        let cells = LevelBox::new(0, [-2..1, 5..9]);
        assert!(cells.iter().enumerate().all(|(at, cell)| cells.index(cell) == at));
        assert_eq!(cells.iter().count(), 12);
        assert!(LevelBox { high: [1, 1], ..cells }.is_empty());
        assert_eq!(LevelBox { high: [-9, 9], ..cells }.len(), 0);
        let covers = LevelBox::new(1, [-3..4, 0..1]).coarsened(0, [2, 2]);
        assert_eq!(covers, LevelBox::new(0, [-2..2, 0..1]));
    }
}
