//! Faces between fine and coarse cells.

use super::level_box::{LevelBox, without};
use super::mesh::{AdaptiveMesh, Near, Patch};
use crate::blocks::decomposition::axes;
use crate::blocks::mail::Receiver;
use serde::{Deserialize, Serialize};

/// Faces between cells of a block of an [`AdaptiveMesh`] and coarser cells of another block.
///
/// The flux through a coarse face is the sum of those through the fine ones. If the coarse block uses it in place of its own flux, the sum over all
/// cells stays the same (refluxing; Berger and Colella, 1989).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Border<const D: usize> {
    /// The number of the fine block.
    pub from: usize,
    /// The number of the coarse block.
    pub to: usize,
    /// The axis across the faces.
    pub axis: usize,
    /// Whether the coarse cells are behind the fine ones along this axis, and not before them.
    pub behind: bool,
    /// The fine cells along the faces, in indices of the fine block: one layer.
    pub inner: LevelBox<D>,
    /// The coarse cells along the faces, in indices of the coarse block: one layer.
    pub outer: LevelBox<D>,
    /// How far the fine cells are shifted to the place of the coarse ones, in fine cells: 0, or a multiple of the domain.
    #[serde(with = "axes")]
    pub shift: [i64; D],
    /// The number of fine cells in place of a coarse one, along each axis.
    #[serde(with = "axes")]
    pub ratio: [usize; D],
}

impl<const D: usize> Border<D> {
    /// The coarse cell at the face of a fine one.
    pub fn outer_of(&self, inner: [i64; D]) -> [i64; D] {
        let mut cell = LevelBox::cell(self.inner.level, inner).shifted(self.shift);
        let step = if self.behind { 1 } else { -1 };
        (cell.low[self.axis], cell.high[self.axis]) = (cell.low[self.axis] + step, cell.high[self.axis] + step);
        cell.coarsened(self.outer.level, self.ratio).low
    }

    /// The number of fine faces on a coarse one.
    pub fn faces(&self) -> usize {
        (0..D).filter(|axis| *axis != self.axis).map(|axis| self.ratio[axis]).product()
    }
}

impl<const D: usize> Receiver for Border<D> {
    fn block(&self) -> usize {
        self.to
    }
}

impl<const D: usize> AdaptiveMesh<D> {
    /// The faces of a block at which the mesh becomes coarser. Each such face of an uncovered cell occurs once.
    ///
    /// ```
    /// use forall_core::blocks::{AdaptiveMesh, LevelBox};
    ///
    /// let mesh = AdaptiveMesh::new([8], &[[2]], vec![LevelBox::new(0, [0..8]), LevelBox::new(1, [4..8])])?;
    /// let sides: Vec<_> = mesh.borders_from(1).iter().map(|side| (side.behind, side.inner.low, side.outer.low)).collect();
    /// assert_eq!(sides, [(false, [4], [1]), (true, [7], [4])]);
    /// # Ok::<(), forall_core::blocks::MeshError>(())
    /// ```
    ///
    /// # Panics
    /// If there is no such box.
    #[track_caller]
    pub fn borders_from(&self, number: usize) -> Vec<Border<D>> {
        let patch = self.patch(number);
        let sides = (0..D).flat_map(|axis| [(axis, false), (axis, true)]);
        sides.flat_map(|(axis, behind)| self.borders_at(&patch, axis, behind)).collect()
    }

    /// The faces of a block at which the mesh becomes finer: the same borders as those of the [fine blocks](AdaptiveMesh::borders_from).
    ///
    /// # Panics
    /// If there is no such box.
    #[track_caller]
    pub fn borders_of(&self, number: usize) -> Vec<Border<D>> {
        let patch = self.patch(number);
        let mut finer: Vec<usize> = self.neighbours(&patch).iter().map(|near| near.number).collect();
        finer.retain(|other| self.boxes()[*other].level > patch.level);
        finer.dedup();
        finer.iter().flat_map(|other| self.borders_from(*other)).filter(|border| border.to == number).collect()
    }

    /// The borders on one side of a block.
    fn borders_at(&self, patch: &Patch<D>, axis: usize, behind: bool) -> Vec<Border<D>> {
        let (level, mut inner) = (patch.level, patch.own);
        let mut step = [0; D];
        if behind {
            inner.low[axis] = inner.high[axis] - 1;
            step[axis] = 1;
        } else {
            inner.high[axis] = inner.low[axis] + 1;
            step[axis] = -1;
        }
        let mut uncovered = vec![inner];
        if level + 1 < self.levels() {
            uncovered = self.outside_of(uncovered, level + 1);
        }
        let mut outer: Vec<LevelBox<D>> = uncovered.iter().map(|cells| cells.shifted(step)).collect();
        outer = self.outside_of(outer, level);
        let back = step.map(|step| -step);
        let mut borders = Vec::new();
        for coarser in (0..level).rev() {
            for near in self.near(&inner.shifted(step), coarser) {
                let seen = self.seen(&near, level);
                let faces = outer.iter().map(|cells| cells.common(&seen)).filter(|cells| !cells.is_empty());
                borders.extend(faces.map(|cells| self.border(patch.number, &near, (axis, behind), cells, back)));
                outer = without(outer, &seen);
            }
        }
        borders
    }

    fn border(
        &self,
        from: usize,
        to: &Near<D>,
        (axis, behind): (usize, bool),
        cells: LevelBox<D>,
        back: [i64; D],
    ) -> Border<D> {
        let level = self.boxes()[to.number].level;
        let shift = self.shift(cells.level, to.wrap.map(|domains| -domains));
        let outer = self.at_level(&cells.shifted(shift), level);
        let ratio = self.ratio(level, cells.level);
        Border { from, to: to.number, axis, behind, inner: cells.shifted(back), outer, shift, ratio }
    }
}
