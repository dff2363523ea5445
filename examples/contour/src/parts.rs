//! Parts of a mesh: the cells whose values are in a range, its boundary, and the edges where it bends or ends.

use crate::cases::Cases;
use forall::{DistVec, distributed_sort, foreach_tls, kary_reduce};
use forall_examples::cells::{Cells, dimensions, kind};

/// The cells whose corners all have a value from `low` to `high`.
#[foreach_tls]
fn cells_between(mesh: &Cells, low: f32, high: f32, out: &mut Vec<u32>) {
    for cell in 0..mesh.len() {
        let corners = mesh.corners_of(cell);
        let is_kept =
            corners.iter().all(|&corner| low <= mesh.values[corner as usize] && mesh.values[corner as usize] <= high);
        if is_kept && !corners.is_empty() {
            out.push(cell as u32);
        }
    }
}

/// The mesh of the cells whose corners all have a value from `low` to `high`. All ranks call it together.
pub fn threshold(mesh: &Cells, low: f32, high: f32) -> Cells {
    let mut found = DistVec::from_local(Vec::new());
    cells_between(mesh, low, high, &mut found);
    let (mut out, kept) = (without_cells(mesh), found.to_all());
    for &cell in &kept {
        out.push(mesh.kinds[cell as usize], mesh.corners_of(cell as usize));
    }
    out.cell_fields = mesh.fields_of_cells(&kept);
    out.compacted()
}

/// The points of a mesh.
fn without_cells(mesh: &Cells) -> Cells {
    Cells { corners: Vec::new(), first: vec![0], kinds: Vec::new(), cell_fields: Vec::new(), ..mesh.clone() }
}

/// A face of a cell: its corners in rising order, the last place free where it has three; then the cell, and which face of it.
type Face = [u32; 6];

/// No corner.
const NONE: u32 = u32::MAX;

/// The corners of a face of a cell, each once: two or fewer where the cell has collapsed there.
fn corners_of_face(mesh: &Cells, cases: &Cases, cell: usize, side: usize) -> Vec<u32> {
    let corners = mesh.corners_of(cell);
    let mut face: Vec<u32> =
        cases.faces(mesh.kinds[cell])[side].iter().map(|&corner| corners[usize::from(corner)]).collect();
    face.dedup();
    if face.len() > 1 && face.first() == face.last() {
        face.pop();
    }
    face
}

#[foreach_tls]
fn faces(mesh: &Cells, cases: &Cases, out: &mut Vec<Face>) {
    for cell in 0..mesh.len() {
        if dimensions(mesh.kinds[cell]) == 3 {
            for side in 0..cases.faces(mesh.kinds[cell]).len() {
                let mut face = corners_of_face(mesh, cases, cell, side);
                face.sort_unstable();
                if face.len() > 2 {
                    out.push([
                        face[0],
                        face[1],
                        face[2],
                        face.get(3).copied().unwrap_or(NONE),
                        cell as u32,
                        side as u32,
                    ]);
                }
            }
        }
    }
}

#[distributed_sort]
fn sort_faces(faces: &mut [Face]) {
    faces.sort_unstable();
}

/// Whether two faces have the same corners.
fn is_same_face(a: Face, b: Face) -> bool {
    a[..4] == b[..4]
}

/// The cells and the numbers of the faces that one cell has alone.
#[foreach_tls]
fn outer(sorted: &[Face], out: &mut Vec<[u32; 2]>) {
    for i in 0..sorted.len() {
        let before = i > 0 && is_same_face(sorted[i - 1], sorted[i]);
        let after = i + 1 < sorted.len() && is_same_face(sorted[i], sorted[i + 1]);
        if !before && !after {
            out.push([sorted[i][4], sorted[i][5]]);
        }
    }
}

#[distributed_sort]
fn sort_pairs(pairs: &mut [[u32; 2]]) {
    pairs.sort_unstable();
}

/// The surface of a mesh: the faces that only one cell with a volume has, their front outside, in the order of the cells; then its flat cells. All
/// ranks call it together.
pub fn boundary(mesh: &Cells, cases: &Cases) -> Cells {
    let mut all = DistVec::from_local(Vec::new());
    faces(mesh, cases, &mut all);
    sort_faces(&mut all);
    let mut found = DistVec::from_local(Vec::new());
    outer(&all, &mut found);
    sort_pairs(&mut found);
    let (mut out, mut of) = (without_cells(mesh), Vec::new());
    for [cell, side] in found.to_all() {
        of.push(cell);
        let cell = cell as usize;
        let mut face = corners_of_face(mesh, cases, cell, side as usize);
        if mesh.volume(cases.faces(mesh.kinds[cell]), mesh.corners_of(cell)) < 0.0 {
            face.reverse();
        }
        out.push(if face.len() == 3 { kind::TRIANGLE } else { kind::QUAD }, &face);
    }
    for cell in (0..mesh.len()).filter(|&cell| dimensions(mesh.kinds[cell]) == 2) {
        of.push(cell as u32);
        out.push(mesh.kinds[cell], mesh.corners_of(cell));
    }
    out.cell_fields = mesh.fields_of_cells(&of);
    out.compacted()
}

/// The corners of a flat cell, around it.
fn around(mesh: &Cells, cell: usize) -> Vec<u32> {
    let mut corners = mesh.corners_of(cell).to_vec();
    match mesh.kinds[cell] {
        kind::PIXEL => corners.swap(2, 3),
        // Up along one side of the strip, and down along the other.
        kind::STRIP => {
            let side = |odd| corners.iter().enumerate().filter(move |(i, _)| i % 2 == odd).map(|(_, corner)| *corner);
            corners = side(1).chain(side(0).collect::<Vec<_>>().into_iter().rev()).collect();
        }
        _ => {}
    }
    corners
}

/// The normal of a flat cell, by its corners: twice its area long.
fn normal_of(mesh: &Cells, cell: usize) -> [f64; 3] {
    let corners = around(mesh, cell);
    let place = |k: usize| mesh.points[corners[k % corners.len()] as usize].map(f64::from);
    let mut normal = [0.0; 3];
    for k in 0..corners.len() {
        let (a, b) = (place(k), place(k + 1));
        normal[0] += (a[1] - b[1]) * (a[2] + b[2]);
        normal[1] += (a[2] - b[2]) * (a[0] + b[0]);
        normal[2] += (a[0] - b[0]) * (a[1] + b[1]);
    }
    normal
}

/// An edge of a flat cell, from its lower to its higher point; then the cell, and whether it walks along the edge that way.
type Edge = [u32; 4];

#[foreach_tls]
fn edges(surface: &Cells, out: &mut Vec<Edge>) {
    for cell in 0..surface.len() {
        if dimensions(surface.kinds[cell]) == 2 {
            let corners = around(surface, cell);
            for side in 0..corners.len() {
                let (from, to) = (corners[side], corners[(side + 1) % corners.len()]);
                if from != to {
                    out.push([from.min(to), from.max(to), cell as u32, u32::from(from < to)]);
                }
            }
        }
    }
}

#[distributed_sort]
fn sort_edges(edges: &mut [Edge]) {
    edges.sort_unstable();
}

fn is_same_edge(a: Edge, b: Edge) -> bool {
    a[..2] == b[..2]
}

/// Whether two cells meet at an angle whose cosine is below one.
fn bends(surface: &Cells, a: Edge, b: Edge, cosine: f64) -> bool {
    let (u, v) = (normal_of(surface, a[2] as usize), normal_of(surface, b[2] as usize));
    let dot = |u: [f64; 3], v: [f64; 3]| u[0] * v[0] + u[1] * v[1] + u[2] * v[2];
    // Cells that walk along their edge the same way have their fronts on different sides.
    let turned = if a[3] == b[3] { -1.0 } else { 1.0 };
    let length = (dot(u, u) * dot(v, v)).sqrt();
    length > 0.0 && turned * dot(u, v) < cosine * length
}

/// The edges that one cell has alone, or three or more have, or where two meet at an angle whose cosine is below one; and the first of the cells.
#[foreach_tls]
fn bent_or_open(sorted: &[Edge], surface: &Cells, cosine: f64, out: &mut Vec<[u32; 3]>) {
    for i in 0..sorted.len() {
        if i == 0 || !is_same_edge(sorted[i - 1], sorted[i]) {
            let two = i + 1 < sorted.len() && is_same_edge(sorted[i], sorted[i + 1]);
            let three = i + 2 < sorted.len() && is_same_edge(sorted[i], sorted[i + 2]);
            if !two || three || bends(surface, sorted[i], sorted[i + 1], cosine) {
                out.push([sorted[i][0], sorted[i][1], sorted[i][2]]);
            }
        }
    }
}

/// The edges of a mesh's [boundary], as lines in the order of their points: those where it ends, where more than two of its cells
/// meet, and where two meet at more than `angle` degrees. Each has the data of the first cell at it. All ranks call it together.
pub fn feature_edges(mesh: &Cells, cases: &Cases, angle: f64) -> Cells {
    let surface = boundary(mesh, cases);
    let mut all = DistVec::from_local(Vec::new());
    edges(&surface, &mut all);
    sort_edges(&mut all);
    let mut found = DistVec::from_local(Vec::new());
    bent_or_open(&all, &surface, angle.to_radians().cos(), &mut found);
    let (mut out, mut of) = (without_cells(&surface), Vec::new());
    for [from, to, cell] in found.to_all() {
        out.push(kind::LINE, &[from, to]);
        of.push(cell);
    }
    out.cell_fields = surface.fields_of_cells(&of);
    out.compacted()
}

/// The area of a mesh's flat cells.
#[kary_reduce]
pub fn area(mesh: &Cells) -> f64 {
    let mut area = 0.0;
    for cell in 0..mesh.len() {
        if dimensions(mesh.kinds[cell]) == 2 {
            let normal = normal_of(mesh, cell);
            area += 0.5 * (normal[0] * normal[0] + normal[1] * normal[1] + normal[2] * normal[2]).sqrt();
        }
    }
    area
}

/// The triangles of a mesh's flat cells, as numbers of points.
pub fn triangles(mesh: &Cells) -> Vec<[u32; 3]> {
    let mut all = Vec::new();
    for cell in (0..mesh.len()).filter(|&cell| dimensions(mesh.kinds[cell]) == 2) {
        let corners = mesh.corners_of(cell);
        match (mesh.kinds[cell], corners) {
            (kind::TRIANGLE, &[a, b, c]) => all.push([a, b, c]),
            (kind::STRIP, corners) => all.extend(corners.windows(3).enumerate().map(|(i, side)| match i % 2 {
                0 => [side[0], side[1], side[2]],
                _ => [side[1], side[0], side[2]],
            })),
            _ => all.extend(mesh.triangulated(&around(mesh, cell))),
        }
    }
    all
}
