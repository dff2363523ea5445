//! Contours of meshes of cells of any kind.
//!
//! Each cell is looked at on its own: its case table says which triangles cross it ([`cases`]). The corners of triangles are known by
//! the mesh's edges that they lie on, so that neighbouring cells find the same ones: the sorted edges, each once, are the points.
//! A tree of the ranges of the values ([`tree`]) leaves out cells that no contour crosses, whatever the isovalue is.

pub mod cases;
pub mod tree;

use cases::Cases;
use forall::{DistVec, distributed_sort, foreach, foreach_tls, kary_reduce};
use forall_examples::cells::Cells;
use forall_examples::mesh::Mesh;

/// Why a mesh has no contour.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub enum MeshError {
    /// A cell of another kind.
    #[error(
        "cell {cell} is of the kind {kind}: contours are of tetrahedra, voxels, hexahedra, wedges and pyramids (10 to 14)"
    )]
    Kind {
        /// Which.
        cell: usize,
        /// As VTK numbers it.
        kind: u8,
    },
    /// A cell with more or fewer corners than its kind.
    #[error("cell {cell} has {found} corners, and its kind {expected}")]
    Corners {
        /// Which.
        cell: usize,
        /// How many it has.
        found: usize,
        /// How many there should be.
        expected: usize,
    },
}

/// Fails where a cell is not understood.
///
/// # Errors
/// Names the first such cell.
pub fn check(mesh: &Cells, cases: &Cases) -> Result<(), MeshError> {
    for (cell, &kind) in mesh.kinds.iter().enumerate() {
        let (found, expected) = (mesh.corners_of(cell).len(), cases.corners(kind));
        if expected == 0 {
            return Err(MeshError::Kind { cell, kind });
        }
        if found != expected {
            return Err(MeshError::Corners { cell, found, expected });
        }
    }
    Ok(())
}

/// A corner of a triangle: the edge of the mesh that it lies on, from its lower to its higher point.
pub type Crossing = u64;

/// A triangle of a contour.
pub type Triangle = [Crossing; 3];

/// The corners of a cell that are above a value, as bits; none where a corner has no value.
pub fn inside(mesh: &Cells, cell: usize, iso: f32) -> usize {
    let mut inside = 0;
    for (bit, &corner) in mesh.corners_of(cell).iter().enumerate() {
        let value = mesh.values[corner as usize];
        if value.is_nan() {
            return 0;
        }
        inside |= usize::from(value > iso) << bit;
    }
    inside
}

/// The triangles of a contour, cell by cell.
#[foreach_tls]
pub fn triangles_of_all(mesh: &Cells, cases: &Cases, iso: f32, out: &mut Vec<Triangle>) {
    for cell in 0..mesh.len() {
        for edges in cases.triangles(mesh.kinds[cell], inside(mesh, cell, iso)) {
            out.push(triangle(mesh, cell, edges));
        }
    }
}

/// A triangle of a cell.
pub fn triangle(mesh: &Cells, cell: usize, edges: &[cases::Edge; 3]) -> Triangle {
    let corners = mesh.corners_of(cell);
    edges.map(|edge| {
        let [a, b] = edge.map(|corner| u64::from(corners[usize::from(corner)]));
        a.min(b) << 32 | a.max(b)
    })
}

/// How many cells a contour crosses.
#[kary_reduce]
pub fn active_cells(mesh: &Cells, iso: f32) -> u64 {
    let mut count = 0;
    for cell in 0..mesh.len() {
        let inside = inside(mesh, cell, iso);
        if inside != 0 && inside + 1 != 1 << mesh.corners_of(cell).len() {
            count += 1;
        }
    }
    count
}

#[foreach]
fn crossings(triangles: &[Triangle], out: &mut [Crossing]) {
    for i in 0..triangles.len() {
        for corner in 0..3 {
            out[3 * i + corner] = triangles[i][corner];
        }
    }
}

#[distributed_sort]
fn sort(crossings: &mut [Crossing]) {
    crossings.sort_unstable();
}

#[foreach_tls]
fn once_each(sorted: &[Crossing], out: &mut Vec<Crossing>) {
    for i in 0..sorted.len() {
        if i == 0 || sorted[i] != sorted[i - 1] {
            out.push(sorted[i]);
        }
    }
}

#[foreach]
fn places(crossings: &[Crossing], mesh: &Cells, iso: f32, out: &mut [[f32; 3]]) {
    for i in 0..crossings.len() {
        let [a, b] = [crossings[i] >> 32, crossings[i] & 0xffff_ffff].map(|point| point as usize);
        let (low, high) = (mesh.values[a], mesh.values[b]);
        let share = (iso - low) / (high - low);
        let (from, to) = (mesh.points[a], mesh.points[b]);
        out[i] = [0, 1, 2].map(|axis| from[axis] + share * (to[axis] - from[axis]));
    }
}

#[foreach]
fn numbered(numbers: &[usize], out: &mut [[u32; 3]]) {
    for i in 0..out.len() {
        out[i] = [numbers[3 * i] as u32, numbers[3 * i + 1] as u32, numbers[3 * i + 2] as u32];
    }
}

/// The mesh of a contour's triangles: each crossing is one point, in the order of the edges.
pub fn welded(mesh: &Cells, iso: f32, triangles: &DistVec<Triangle>) -> Mesh {
    let mut all = DistVec::zeroed(3 * triangles.len());
    crossings(triangles, &mut all);
    let mut sorted = all.clone();
    sort(&mut sorted);
    let mut unique = DistVec::from_local(Vec::new());
    once_each(&sorted, &mut unique);
    let mut points = DistVec::zeroed_like(&unique);
    places(&unique, mesh, iso, &mut points);
    let mut out = DistVec::zeroed(triangles.len());
    numbered(&unique.lower_bound(&all), &mut out);
    let normals = DistVec::zeroed_like(&points);
    Mesh { value: iso, points, normals, triangles: out }
}

/// The area of a mesh.
#[kary_reduce]
pub fn area(triangles: &[[u32; 3]], #[replicated] points: &[[f32; 3]]) -> f64 {
    let mut area = 0.0;
    for i in 0..triangles.len() {
        let [a, b, c] = triangles[i].map(|corner| points[corner as usize].map(f64::from));
        let (u, v) = ([b[0] - a[0], b[1] - a[1], b[2] - a[2]], [c[0] - a[0], c[1] - a[1], c[2] - a[2]]);
        let normal = [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]];
        area += 0.5 * (normal[0] * normal[0] + normal[1] * normal[1] + normal[2] * normal[2]).sqrt();
    }
    area
}
