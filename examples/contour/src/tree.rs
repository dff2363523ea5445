//! A tree of the ranges of values: neighbouring cells are below one node, and whole parts of the mesh are left out at once.

use crate::cases::Cases;
use crate::{Found, is_between, pieces, range};
use forall::{foreach, traverse};
use forall_examples::cells::Cells;

/// The least and the greatest value below each node.
#[derive(Debug, Clone, PartialEq)]
pub struct Ranges {
    /// The root is number 1, and below number `n` are `2 n` and `2 n + 1`; the second half are the leaves.
    nodes: Vec<[f32; 2]>,
    /// How many cells a leaf has.
    leaf: usize,
}

/// The mark of a node without cells.
const NOTHING: [f32; 2] = [f32::INFINITY, f32::NEG_INFINITY];

#[foreach]
fn ranges_of_leaves(mesh: &Cells, leaf: usize, out: &mut [[f32; 2]]) {
    for i in 0..out.len() {
        let mut range = NOTHING;
        for cell in leaf * i..(leaf * (i + 1)).min(mesh.len()) {
            for &corner in mesh.corners_of(cell) {
                let value = mesh.values[corner as usize];
                range = [range[0].min(value), range[1].max(value)];
            }
        }
        out[i] = range;
    }
}

#[foreach]
fn ranges_above(below: &[[f32; 2]], out: &mut [[f32; 2]]) {
    for i in 0..out.len() {
        let (left, right) = (below[2 * i], below[2 * i + 1]);
        out[i] = [left[0].min(right[0]), left[1].max(right[1])];
    }
}

impl Ranges {
    /// Of a mesh that every rank has, from the leaves up; `leaf` cells are below each of them.
    pub fn new(mesh: &Cells, leaf: usize) -> Self {
        let leaves = mesh.len().div_ceil(leaf).max(1).next_power_of_two();
        let mut level = forall::DistVec::filled(leaves, NOTHING);
        ranges_of_leaves(mesh, leaf, &mut level);
        let mut levels = vec![level];
        while let Some(below) = levels.last().filter(|level| level.len() > 1) {
            let mut above = forall::DistVec::filled(below.len() / 2, NOTHING);
            ranges_above(below, &mut above);
            levels.push(above);
        }
        let mut nodes = vec![NOTHING];
        levels.iter().rev().for_each(|level| nodes.extend(level.to_all()));
        Ranges { nodes, leaf }
    }

    /// How many nodes there are.
    pub fn len(&self) -> usize {
        self.nodes.len() - 1
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The cells of a leaf.
    fn cells(&self, mesh: &Cells, node: usize) -> std::ops::Range<usize> {
        let first = (node - self.nodes.len() / 2) * self.leaf;
        first.min(mesh.len())..(first + self.leaf).min(mesh.len())
    }

    /// The contours of the mesh at all isovalues, in the order of the cells.
    pub fn pieces(&self, mesh: &Cells, cases: &Cases, isos: &[f32], out: &mut impl forall::PushTarget<Found>) {
        pieces_below(self, 1, mesh, cases, isos, out);
    }
}

/// The contours in the cells below a node.
#[traverse]
fn pieces_below(
    ranges: &Ranges,
    node: usize,
    mesh: &Cells,
    cases: &Cases,
    #[replicated] isos: &[f32],
    out: &mut Vec<Found>,
) {
    if !isos.iter().any(|iso| is_between(*iso, ranges.nodes[node])) {
        return;
    }
    if 2 * node < ranges.nodes.len() {
        pieces_below(ranges, 2 * node, mesh, cases, isos, out);
        pieces_below(ranges, 2 * node + 1, mesh, cases, isos, out);
        return;
    }
    for cell in ranges.cells(mesh, node) {
        let range = range(mesh, cell);
        for (value, iso) in isos.iter().enumerate() {
            if is_between(*iso, range) {
                for piece in pieces(mesh, cases, cell, *iso) {
                    out.push(Found { piece, cell: cell as u32, value: value as u32 });
                }
            }
        }
    }
}
