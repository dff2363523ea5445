//! Contours of meshes of linear cells of any kind, and other filters, as plain loops.
//!
//! Each cell is looked at on its own: its case table says what crosses it ([`cases`]): triangles cross cells with a volume, segments flat ones,
//! points lines. The corners of what crosses are known by the mesh's edges that they lie on, so that neighbouring cells find the same ones:
//! the sorted edges, each once, are the points. A tree of the ranges of the values ([`tree`]) leaves out cells that no contour crosses,
//! whatever the isovalue is.
//!
//! | module | is |
//! |---|---|
//! | [`cases`] | what crosses a cell: tables derived from the faces of the kinds |
//! | [`contour`] | the mesh of a contour: its points once each, their values and normals, its measures |
//! | [`tree`] | the ranges of the values, and a traversal that leaves out what they exclude |
//! | [`cut`] | cuts by a plane, a sphere or a box: contours of distances |
//! | [`parts`] | cells by their values, surfaces, feature edges |
//! | [`probe`](mod@probe) | the values of a mesh at any points |
//! | [`picture`], [`tangle`] | pictures; a formula to measure with |
//!
//! ```sh
//! contour --input mesh.vtu --variable t --iso 350 --iso 400 --tree --normals --image contour.png
//! contour --input mesh.vtu --cut sphere:0,0,0,1 --output cut.ply
//! contour --input mesh.vtu --threshold 300:400 --boundary
//! contour --input scan.stl --edges 30
//! contour --input mesh.vtu --probe points.ply --output values.vtp
//! contour --field tangle --tetrahedra --iso 0.2 --repeat 9 --report seconds.json
//! ```
//!
//! All results have the same points and cells in the same order on any number of threads and ranks, with the tree and without. Every rank has the
//! whole mesh, and its share of the contour. Several isovalues are found in one pass over the cells (or the tree). The contours are written one
//! after the other, in the order of the isovalues, each with its cells in the order of the mesh's.
//!
//! All data of points are interpolated. The data of a cell hold for its contour, for its outer faces and their edges, and for the points that
//! lie in it.
//!
//! Where a polygon of more than three corners is crossed depends on how it is divided into triangles: its values say nothing of what is between
//! its corners. VTK prefers round triangles, and here a polygon is divided by `earcut`. Both contours begin and end at the same points
//! of the polygon's edges and have as many segments; they differ inside, in length by about 1e-4 on a mesh whose polygons are nearly flat.
//! Quads have no such choice.
//!
//! A value is inside where it is above the isovalue. A point whose value *is* the isovalue is outside: several points of the contour may lie
//! on it, with triangles of no area between them, and the surface stays closed and manifold. A cell with a corner whose value is
//! missing (NaN, or infinite) produces nothing.

pub mod cases;
pub mod contour;
pub mod cut;
pub mod parts;
pub mod picture;
pub mod probe;
pub mod tangle;
pub mod tree;

use bytemuck::{Pod, Zeroable};
use cases::Cases;
use forall::{DistVec, foreach_tls, kary_reduce};
use forall_examples::cells::{Cells, dimensions, kind};
use smallvec::SmallVec;

/// A point of a contour: the edge of the mesh that it lies on, from its lower to its higher point.
pub type Crossing = u64;

/// A triangle of a contour. A segment has its second point twice, a point of a contour all three times.
pub type Piece = [Crossing; 3];

/// The contour in one cell.
pub type Pieces = SmallVec<[Piece; 5]>;

/// The contour in a cell, the number of the cell, and the number of the isovalue.
#[derive(Debug, Clone, Copy, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct Found {
    /// The contours.
    pub piece: Piece,
    /// Where.
    pub cell: u32,
    /// Which of the isovalues is on it.
    pub value: u32,
}

/// The least and the greatest value of a cell's corners. The first is above the second where no contour can be: one of them has no value, or
/// the cell no extent.
#[inline]
pub fn range(mesh: &Cells, cell: usize) -> [f32; 2] {
    let (mut least, mut greatest, mut finite) = (f32::INFINITY, f32::NEG_INFINITY, true);
    for &corner in mesh.corners_of(cell) {
        let value = mesh.values[corner as usize];
        least = least.min(value);
        greatest = greatest.max(value);
        finite &= value.is_finite();
    }
    if finite && dimensions(mesh.kinds[cell]) > 0 { [least, greatest] } else { [f32::INFINITY, f32::NEG_INFINITY] }
}

/// Whether values lie on both sides of another one.
#[inline]
pub fn is_between(iso: f32, [least, greatest]: [f32; 2]) -> bool {
    least <= iso && iso < greatest
}

/// The contour in a cell whose values lie on both sides.
pub fn pieces(mesh: &Cells, cases: &Cases, cell: usize, iso: f32) -> Pieces {
    let (number, corners) = (mesh.kinds[cell], mesh.corners_of(cell));
    let mut found = Pieces::new();
    let mut add = |number: u8, corners: &[u32]| add_pieces(mesh, cases, number, corners, iso, &mut found);
    match number {
        kind::POLYLINE => corners.windows(2).for_each(|line| add(kind::LINE, line)),
        // Every second triangle of a strip turns the other way.
        kind::STRIP => corners.windows(3).enumerate().for_each(|(i, side)| {
            let [a, b, c] = [side[0], side[1], side[2]];
            add(kind::TRIANGLE, &if i % 2 == 0 { [a, b, c] } else { [b, a, c] });
        }),
        kind::POLYGON if corners.len() == 3 => add(kind::TRIANGLE, corners),
        kind::POLYGON => mesh.triangulated(corners).iter().for_each(|triangle| add(kind::TRIANGLE, triangle)),
        number => add(number, corners),
    }
    found
}

/// Adds what crosses a part of a cell, turned so that triangles have their front where values are lower.
fn add_pieces(mesh: &Cells, cases: &Cases, kind: u8, corners: &[u32], iso: f32, to: &mut Pieces) {
    let inside =
        corners.iter().enumerate().map(|(bit, &corner)| usize::from(mesh.values[corner as usize] > iso) << bit).sum();
    let pieces = cases.pieces(kind, inside);
    let is_inside_out = dimensions(kind) == 3 && !pieces.is_empty() && mesh.volume(cases.faces(kind), corners) < 0.0;
    for edges in pieces {
        let [a, b, c] = edges.map(|edge| {
            let [a, b] = edge.map(|corner| u64::from(corners[usize::from(corner)]));
            a.min(b) << 32 | a.max(b)
        });
        // A cell that has a corner twice has edges twice. What is left of a triangle between them joins what is on its sides.
        if dimensions(kind) == 3 && (a == b || b == c || c == a) {
            continue;
        }
        to.push(if is_inside_out { [a, c, b] } else { [a, b, c] });
    }
}

/// The contours of a mesh at all isovalues, cell by cell, in one pass.
#[foreach_tls]
pub fn pieces_of_all(mesh: &Cells, cases: &Cases, #[replicated] isos: &[f32], out: &mut Vec<Found>) {
    for cell in 0..mesh.len() {
        let range = range(mesh, cell);
        for value in 0..isos.len() {
            if is_between(isos[value], range) {
                for piece in pieces(mesh, cases, cell, isos[value]) {
                    out.push(Found { piece, cell: cell as u32, value: value as u32 });
                }
            }
        }
    }
}

/// The contour at one of the isovalues.
#[foreach_tls]
fn of_value(found: &[Found], value: u32, out: &mut Vec<Found>) {
    for i in 0..found.len() {
        if found[i].value == value {
            out.push(found[i]);
        }
    }
}

/// The contours at so many isovalues, each by itself, in the order of the cells. All ranks call it together.
pub fn by_value(found: DistVec<Found>, isos: usize) -> Vec<DistVec<Found>> {
    if isos == 1 {
        return vec![found];
    }
    let of = |value: usize| {
        let mut out = DistVec::from_local(Vec::new());
        of_value(&found, value as u32, &mut out);
        out
    };
    (0..isos).map(of).collect()
}

/// How many cells each contour crosses.
#[kary_reduce]
pub fn active_cells(mesh: &Cells, #[replicated] isos: &[f32], #[replicated] counts: &mut [u64]) {
    for cell in 0..mesh.len() {
        let range = range(mesh, cell);
        for value in 0..isos.len() {
            if is_between(isos[value], range) {
                counts[value] += 1;
            }
        }
    }
}
