//! Probing: what a mesh knows of any points, by the cells that they lie in.
//!
//! A locator of the boxes around the cells says which of them may hold a point. Where a point lies in a cell is found by Newton's method on the cell's own
//! coordinates, as finite elements have them; flat cells are looked at triangle by triangle.

use forall::{DistVec, foreach};
use forall_examples::cells::{Cells, Field, dimensions, kind};
use locators::{Boxes, Extent};
use smallvec::SmallVec;

/// How far beyond the ends of its own coordinates a cell still holds a point.
const BEYOND: f64 = 1e-6;

/// The shares of the corners in a point; few cells have more corners.
type Weights = SmallVec<[(u32, f64); 8]>;

/// The cells of a mesh by their places.
#[derive(Debug)]
struct Places {
    boxes: Boxes,
    /// How far a point may lie beside a flat cell or a line, and still in it.
    tolerance: f64,
}

/// The boxes around the cells, wider by so much on each side.
#[foreach]
fn extents(mesh: &Cells, tolerance: f64, out: &mut [Extent]) {
    for cell in 0..out.len() {
        let [low, high] = bounds(mesh, mesh.corners_of(cell));
        out[cell] = [low.map(|x| (x - tolerance) as f32), high.map(|x| (x + tolerance) as f32)];
    }
}

/// The lowest and the highest corner of a box around points; of none, the highest is below the lowest.
fn bounds(mesh: &Cells, points: &[u32]) -> [[f64; 3]; 2] {
    let (mut low, mut high) = ([f64::INFINITY; 3], [f64::NEG_INFINITY; 3]);
    for &point in points {
        let place = mesh.points[point as usize].map(f64::from);
        low = [0, 1, 2].map(|axis| f64::min(low[axis], place[axis]));
        high = [0, 1, 2].map(|axis| f64::max(high[axis], place[axis]));
    }
    [low, high]
}

impl Places {
    /// All ranks call it together.
    fn new(mesh: &Cells) -> Self {
        let [low, high] = bounds(mesh, &mesh.corners);
        let longest = (0..3).map(|axis| high[axis] - low[axis]).fold(0.0, f64::max);
        let tolerance = 1e-6 * longest;
        let mut boxes = DistVec::zeroed(mesh.len());
        extents(mesh, tolerance, &mut boxes);
        Places { boxes: Boxes::new(&boxes), tolerance }
    }

    /// The first cell that holds a point, and the shares of its corners.
    fn find(&self, mesh: &Cells, point: [f32; 3]) -> Option<(usize, Weights)> {
        if point.iter().any(|x| !x.is_finite()) {
            return None;
        }
        let at = point.map(f64::from);
        self.boxes.near(point).find_map(|cell| Some((cell, weights(mesh, cell, at, self.tolerance)?)))
    }
}

/// The shares of a cell's corners in a point, if it lies in the cell.
fn weights(mesh: &Cells, cell: usize, point: [f64; 3], tolerance: f64) -> Option<Weights> {
    let (kind, corners) = (mesh.kinds[cell], mesh.corners_of(cell));
    let place = |corner: u32| mesh.points[corner as usize].map(f64::from);
    match kind {
        _ if dimensions(kind) == 3 => {
            in_volume(kind, &corners.iter().map(|&corner| place(corner)).collect::<SmallVec<[_; 8]>>(), point)
                .map(|weights| corners.iter().copied().zip(weights).collect())
        }
        _ if dimensions(kind) == 0 => {
            let is_here = |corner: &u32| length(minus(place(*corner), point)) <= tolerance;
            corners.iter().find(|corner| is_here(corner)).map(|&corner| Weights::from_iter([(corner, 1.0)]))
        }
        _ if dimensions(kind) == 1 => corners.windows(2).find_map(|line| {
            let [a, b] = [place(line[0]), place(line[1])];
            let along = minus(b, a);
            let part = (dot(minus(point, a), along) / dot(along, along)).clamp(0.0, 1.0);
            let at = [0, 1, 2].map(|axis| a[axis] + part * along[axis]);
            (length(minus(point, at)) <= tolerance)
                .then(|| Weights::from_iter([(line[0], 1.0 - part), (line[1], part)]))
        }),
        _ => {
            let triangles = match kind {
                kind::STRIP => corners.windows(3).map(|side| [side[0], side[1], side[2]]).collect(),
                kind::PIXEL => mesh.triangulated(&[corners[0], corners[1], corners[3], corners[2]]),
                _ => mesh.triangulated(corners),
            };
            triangles.into_iter().find_map(|triangle| {
                let shares = in_triangle(triangle.map(place), point, tolerance)?;
                Some(triangle.into_iter().zip(shares).collect())
            })
        }
    }
}

fn minus(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

fn dot(a: [f64; 3], b: [f64; 3]) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

fn cross(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

fn length(a: [f64; 3]) -> f64 {
    dot(a, a).sqrt()
}

/// The shares of a triangle's corners in a point that lies in it.
fn in_triangle([a, b, c]: [[f64; 3]; 3], point: [f64; 3], tolerance: f64) -> Option<[f64; 3]> {
    let (u, v, from) = (minus(b, a), minus(c, a), minus(point, a));
    let normal = cross(u, v);
    let area = dot(normal, normal);
    let beside = dot(from, normal) / area.sqrt();
    let (y, z) = (dot(cross(from, v), normal) / area, dot(cross(u, from), normal) / area);
    // Whatever is no number is not within bounds.
    let is_in = beside.abs() <= tolerance && [1.0 - y - z, y, z].iter().all(|share| *share >= -BEYOND);
    is_in.then_some([1.0 - y - z, y, z])
}

/// The shares of the corners of a cell with a volume at its own coordinates, which go from 0 to 1 for all cells but tetrahedra.
fn shares(kind: u8, [r, s, t]: [f64; 3]) -> SmallVec<[f64; 8]> {
    let (u, v, w) = (1.0 - r, 1.0 - s, 1.0 - t);
    match kind {
        kind::TETRAHEDRON => SmallVec::from_slice(&[1.0 - r - s - t, r, s, t]),
        kind::VOXEL => SmallVec::from_slice(&[
            u * v * w,
            r * v * w,
            u * s * w,
            r * s * w,
            u * v * t,
            r * v * t,
            u * s * t,
            r * s * t,
        ]),
        kind::HEXAHEDRON => SmallVec::from_slice(&[
            u * v * w,
            r * v * w,
            r * s * w,
            u * s * w,
            u * v * t,
            r * v * t,
            r * s * t,
            u * s * t,
        ]),
        kind::WEDGE => SmallVec::from_slice(&[(1.0 - r - s) * w, r * w, s * w, (1.0 - r - s) * t, r * t, s * t]),
        _ => SmallVec::from_slice(&[u * v * w, r * v * w, r * s * w, u * s * w, t]),
    }
}

/// The shares of the corners of a cell with a volume in a point, if it lies in the cell.
fn in_volume(kind: u8, corners: &[[f64; 3]], point: [f64; 3]) -> Option<SmallVec<[f64; 8]>> {
    let at = |own: [f64; 3]| {
        let mut place = [0.0; 3];
        for (share, corner) in shares(kind, own).iter().zip(corners) {
            place = [0, 1, 2].map(|axis| place[axis] + share * corner[axis]);
        }
        place
    };
    // The top of a pyramid is at many of its own coordinates.
    if let Some(here) = corners.iter().position(|corner| *corner == point) {
        return Some((0..corners.len()).map(|corner| f64::from(u8::from(corner == here))).collect());
    }
    let mut own = match kind {
        kind::TETRAHEDRON | kind::WEDGE => [0.25; 3],
        kind::PYRAMID => [0.5, 0.5, 0.25],
        _ => [0.5; 3],
    };
    // Newton's method doubles the digits in each step; a tetrahedron takes one.
    for _ in 0..30 {
        let off = minus(point, at(own));
        // Shares are linear in each coordinate, so that differences are derivatives.
        let along = [0, 1, 2].map(|axis| {
            let (mut low, mut high) = (own, own);
            (low[axis], high[axis]) = (own[axis] - 0.5, own[axis] + 0.5);
            minus(at(high), at(low))
        });
        let volume = dot(along[0], cross(along[1], along[2]));
        let step = [cross(along[1], along[2]), cross(along[2], along[0]), cross(along[0], along[1])]
            .map(|a| dot(off, a) / volume);
        own = [0, 1, 2].map(|axis| own[axis] + step[axis].clamp(-2.0, 2.0));
        if own.iter().any(|x| !x.is_finite() || x.abs() > 1e3) {
            return None;
        }
        if step.iter().all(|step| step.abs() < 1e-12) {
            break;
        }
    }
    let [r, s, t] = own;
    let room = match kind {
        kind::TETRAHEDRON => r.min(s).min(t).min(1.0 - r - s - t),
        kind::WEDGE => r.min(s).min(1.0 - r - s).min(t).min(1.0 - t),
        _ => r.min(s).min(t).min(1.0 - r).min(1.0 - s).min(1.0 - t),
    };
    (room >= -BEYOND).then(|| shares(kind, own))
}

/// The values of a field at points, NaN outside of all cells.
#[foreach]
fn probed(points: &Cells, mesh: &Cells, places: &Places, field: &Field, out: &mut [f32]) {
    let count = field.components;
    for i in 0..points.points.len() {
        let found = places.find(mesh, points.points[i]);
        for k in 0..count {
            let value = found.as_ref().map_or(f64::NAN, |(_, weights)| {
                weights
                    .iter()
                    .map(|&(corner, share)| share * f64::from(field.values[corner as usize * count + k]))
                    .sum()
            });
            out[i * count + k] = value as f32;
        }
    }
}

/// The values of a field of cells at points, NaN outside of all cells.
#[foreach]
fn probed_cells(points: &Cells, mesh: &Cells, places: &Places, field: &Field, out: &mut [f32]) {
    let count = field.components;
    for i in 0..points.points.len() {
        let found = places.find(mesh, points.points[i]);
        for k in 0..count {
            out[i * count + k] = found.as_ref().map_or(f32::NAN, |(cell, _)| field.values[cell * count + k]);
        }
    }
}

/// The points of a mesh, each as a cell, with all that another mesh knows there of its points, and of the cells that they lie in: NaN outside of its
/// cells. Where a point lies in several cells, the first counts. All ranks call it together.
pub fn probe(points: &Cells, mesh: &Cells) -> Cells {
    let places = Places::new(mesh);
    let mut out = Cells { points: points.points.clone(), name: mesh.name.clone(), ..Cells::new() };
    let empty = |field: &Field| DistVec::zeroed(field.components * points.points.len());
    for field in &mesh.fields {
        let mut values = empty(field);
        probed(points, mesh, &places, field, &mut values);
        let values = values.to_all();
        if field.name == mesh.name && field.components == 1 {
            out.values.clone_from(&values);
        }
        out.fields.push(Field { name: field.name.clone(), components: field.components, values });
    }
    for field in &mesh.cell_fields {
        let mut values = empty(field);
        probed_cells(points, mesh, &places, field, &mut values);
        // What is known of points comes first.
        if mesh.fields.iter().all(|of_points| of_points.name != field.name) {
            out.fields.push(Field { name: field.name.clone(), components: field.components, values: values.to_all() });
        }
    }
    (0..points.points.len()).for_each(|point| out.push(kind::VERTEX, &[point as u32]));
    out
}
