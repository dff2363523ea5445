//! Meshes that refine the parts of a grid.

use super::error::MeshError;
use super::level_box::LevelBox;
use super::mesh::AdaptiveMesh;
use crate::blocks::decomposition::Decomposition;
use crate::blocks::kd_tree::Bounds;
use std::collections::HashMap;

impl<const D: usize> AdaptiveMesh<D> {
    /// Refines the parts of a grid where a function says so. The parts are the boxes of level 0. `is_fine` gets the bounds of a box, in units of cells
    /// of level 0, and its level. If it holds, the box is cut into as many boxes of the next level as the ratio says, with about as many cells as
    /// itself in each. There is a ratio for each finer level. Ghost cells and periodic axes are those of the grid.
    ///
    /// Levels of neighbours differ by at most one: a box is also refined if a neighbour has boxes that are finer by two levels. The boxes have the order
    /// of their levels, and then of the boxes that they refine. All ranks give equal functions.
    ///
    /// ```
    /// use forall_core::blocks::{AdaptiveMesh, Decomposition};
    ///
    /// let parts = Decomposition::new([16, 16], 4).ghost(1);
    /// let mesh = AdaptiveMesh::refined(&parts, &[[2, 2], [2, 2]], |bounds, _| bounds.covers([15.0, 15.0]))?;
    /// let levels: Vec<usize> = mesh.boxes().iter().map(|cells| cells.level).collect();
    /// assert_eq!(levels, [0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2]);
    /// assert!(mesh.boxes().iter().all(|cells| cells.shape() == [8, 8]));
    /// # Ok::<(), forall_core::blocks::MeshError>(())
    /// ```
    ///
    /// # Errors
    /// If a ratio is 0, or the finest level has more than 2^60 cells along an axis.
    ///
    /// # Panics
    /// As [`AdaptiveMesh::ghost`].
    #[track_caller]
    pub fn refined(
        parts: &Decomposition<D>,
        ratios: &[[usize; D]],
        mut is_fine: impl FnMut(&Bounds<D>, usize) -> bool,
    ) -> Result<Self, MeshError> {
        let own = (0..parts.len()).map(|number| LevelBox::of_cells(0, &parts.part(number).own));
        let coarse: Vec<LevelBox<D>> = own.filter(|cells| !cells.is_empty()).collect();
        let mut answers: HashMap<LevelBox<D>, bool> = HashMap::new();
        let empty = Self::unchecked(parts.shape(), ratios, Vec::new())?;
        loop {
            let mut boxes = coarse.clone();
            let mut next = 0;
            while let Some(cells) = boxes.get(next).copied() {
                next += 1;
                let Some(ratio) = ratios.get(cells.level) else { continue };
                let answer = answers.entry(cells).or_insert_with(|| is_fine(&empty.bounds(&cells), cells.level));
                if *answer {
                    boxes.extend(cut(&cells, *ratio));
                }
            }
            let mesh = Self::unchecked(parts.shape(), ratios, boxes)?
                .ghosts(parts.ghost_layers())
                .periodic(parts.periodic_axes());
            if !mesh.keep_levels_close(&mut answers) {
                return Ok(mesh);
            }
        }
    }

    /// The box in units of cells of level 0.
    ///
    /// # Panics
    /// If there is no such level.
    #[track_caller]
    pub fn bounds(&self, cells: &LevelBox<D>) -> Bounds<D> {
        let refinement = self.refinement(cells.level);
        let scaled = |at: [i64; D]| std::array::from_fn(|axis| at[axis] as f64 / refinement[axis] as f64);
        Bounds { low: scaled(cells.low), high: scaled(cells.high) }
    }

    /// Refines the boxes beside refined ones of the next level. Returns whether there are any.
    fn keep_levels_close(&self, answers: &mut HashMap<LevelBox<D>, bool>) -> bool {
        let mut changed = false;
        for cells in self.boxes() {
            if cells.level == 0 || answers.get(cells) != Some(&true) {
                continue;
            }
            for near in self.near(cells, cells.level - 1) {
                changed |= answers.insert(self.boxes()[near.number], true) == Some(false);
            }
        }
        changed
    }
}

/// The boxes that refine a box.
fn cut<const D: usize>(cells: &LevelBox<D>, ratio: [usize; D]) -> impl Iterator<Item = LevelBox<D>> + use<D> {
    let cells = *cells;
    let shape = cells.shape();
    let parts: [i64; D] = std::array::from_fn(|axis| ratio[axis].min(shape[axis]) as i64);
    let places = LevelBox::new(0, parts.map(|parts| 0..parts));
    let side = move |axis: usize, at: i64| {
        let length = shape[axis] as i128;
        cells.low[axis] + (length * i128::from(at) / i128::from(parts[axis])) as i64
    };
    let part = move |place: [i64; D]| {
        let axes = std::array::from_fn(|axis| side(axis, place[axis])..side(axis, place[axis] + 1));
        LevelBox::new(cells.level, axes).refined(cells.level + 1, ratio)
    };
    places.iter().map(part)
}
