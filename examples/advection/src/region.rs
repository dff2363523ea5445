//! One block: the cells of a box, and the fluxes through their faces.

use crate::flow::{cloud, flux, sides};
use forall::blocks::{AdaptiveMesh, Border, LevelBox, Message, Overlap, Patch};
use serde::{Deserialize, Serialize};

/// The cells of one box of a mesh.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Region {
    /// The box, and its ghost cells.
    pub patch: Patch<2>,
    /// The density in each cell, also in the ghost cells.
    pub density: Vec<f64>,
    /// The fluxes through the faces across each axis. The face before a cell has the index of the cell.
    pub fluxes: [Vec<f64>; 2],
    /// Whether finer cells cover a cell.
    pub is_covered: Vec<bool>,
    /// The ghost cells of neighbours that this block fills.
    pub ghosts: Vec<Overlap<2>>,
    /// The coarser cells that this block covers.
    pub covers: Vec<Overlap<2>>,
    /// The faces to coarser cells.
    pub borders: Vec<Border<2>>,
    /// The lengths of a cell.
    pub sides: [f64; 2],
}

/// Values of some cells, in their order.
pub type Values = (LevelBox<2>, Vec<f64>);

/// Fluxes through faces across an axis.
pub type Fluxes = (usize, Vec<([i64; 2], f64)>);

impl Region {
    /// The cloud in a box before the first step. Level 0 of the mesh has this shape.
    pub fn new(mesh: &AdaptiveMesh<2>, shape: [usize; 2], patch: &Patch<2>) -> Self {
        let sides = sides(shape, patch);
        let middle = |cell: [i64; 2]| std::array::from_fn(|axis| (cell[axis] as f64 + 0.5) * sides[axis]);
        let finer = mesh.covers_of(patch.number);
        let is_covered = |cell: [i64; 2]| finer.iter().any(|part| part.target.contains(cell));
        let mut region = Region {
            patch: *patch,
            density: patch.with_ghost.iter().map(|cell| cloud(middle(cell))).collect(),
            fluxes: Default::default(),
            is_covered: patch.own.iter().map(is_covered).collect(),
            ghosts: mesh.ghosts_from(patch.number),
            covers: mesh.covers_from(patch.number),
            borders: mesh.borders_from(patch.number),
            sides,
        };
        region.fluxes = [0, 1].map(|axis| vec![0.0; region.faces(axis).len()]);
        region
    }

    /// The faces across an axis, each as the cell behind it.
    pub fn faces(&self, axis: usize) -> LevelBox<2> {
        let mut layers = [[0; 2]; 2];
        layers[axis][1] = 1;
        self.patch.own.grown(layers)
    }

    /// The density in a cell.
    pub fn at(&self, cell: [i64; 2]) -> f64 {
        self.density[self.patch.with_ghost.index(cell)]
    }

    /// The values of an overlap's target: those of the cells in the same place, or their mean.
    pub fn values(&self, part: &Overlap<2>) -> Values {
        let value = |cell: [i64; 2]| {
            let source = part.source_of(cell);
            source.iter().map(|cell| self.at(cell)).sum::<f64>() / source.len() as f64
        };
        (part.target, part.target.iter().map(value).collect())
    }

    /// Sets the values that another block has sent.
    pub fn set(&mut self, message: &Message) {
        let (target, values): Values = message.read();
        for (cell, value) in target.iter().zip(values) {
            let index = self.patch.with_ghost.index(cell);
            self.density[index] = value;
        }
    }

    /// Computes the fluxes through all faces.
    pub fn compute_fluxes(&mut self) {
        for axis in 0..2 {
            let step = |cell: [i64; 2]| std::array::from_fn(|along| cell[along] - i64::from(along == axis));
            let through = |cell: [i64; 2]| flux(self.sides, axis, cell, self.at(step(cell)), self.at(cell));
            self.fluxes[axis] = self.faces(axis).iter().map(through).collect();
        }
    }

    /// The fluxes through the faces to a coarser block, as faces of that block.
    pub fn border_fluxes(&self, border: &Border<2>) -> Fluxes {
        let axis = border.axis;
        let through = |inner: [i64; 2]| {
            let (mut own, mut outer) = (inner, border.outer_of(inner));
            // A face is named by the cell behind it.
            if border.behind {
                own[axis] += 1;
            } else {
                outer[axis] += 1;
            }
            (outer, self.fluxes[axis][self.faces(axis).index(own)])
        };
        (axis, border.inner.iter().map(through).collect())
    }

    /// Replaces fluxes by those that finer blocks have sent.
    pub fn replace_fluxes(&mut self, finer: &[Fluxes]) {
        let faces = [0, 1].map(|axis| self.faces(axis));
        for (axis, fluxes) in finer {
            fluxes.iter().for_each(|(face, _)| self.fluxes[*axis][faces[*axis].index(*face)] = 0.0);
        }
        for (axis, fluxes) in finer {
            fluxes.iter().for_each(|(face, flux)| self.fluxes[*axis][faces[*axis].index(*face)] += flux);
        }
    }

    /// Moves the cloud by the fluxes, for an interval of time.
    pub fn advance(&mut self, time: f64) {
        let faces = [0, 1].map(|axis| self.faces(axis));
        let area = self.sides[0] * self.sides[1];
        for cell in self.patch.own.iter() {
            let mut change = 0.0;
            for axis in 0..2 {
                let mut behind = cell;
                behind[axis] += 1;
                let [before, behind] = [cell, behind].map(|face| self.fluxes[axis][faces[axis].index(face)]);
                change += before - behind;
            }
            let index = self.patch.with_ghost.index(cell);
            self.density[index] += change * time / area;
        }
    }

    /// The mass in the cells that no finer ones cover.
    pub fn mass(&self) -> f64 {
        let cells = self.patch.own.iter().zip(&self.is_covered).filter(|(_, is_covered)| !**is_covered);
        cells.map(|(cell, _)| self.at(cell)).sum::<f64>() * self.sides[0] * self.sides[1]
    }
}
