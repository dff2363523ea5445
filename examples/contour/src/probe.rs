//! Probing: what a mesh knows of any points, by the cells that they lie in.
//!
//! A grid of bins over the mesh says which cells may hold a point. Where a point lies in a cell is found by Newton's method on the cell's own
//! coordinates, as finite elements have them; flat cells are looked at triangle by triangle.

use forall::{DistVec, distributed_sort, foreach, foreach_tls};
use forall_examples::cells::{Cells, Field, dimensions, kind};
use smallvec::SmallVec;

/// The bins of a mesh, and the cells that reach into each.
#[derive(Debug)]
pub struct Bins {
    low: [f64; 3],
    /// The width of a bin.
    width: [f64; 3],
    count: [usize; 3],
    /// Where the cells of each bin begin.
    starts: Vec<u32>,
    cells: Vec<u32>,
    /// Cells that reach into too many bins.
    large: Vec<u32>,
    /// How far a point may lie beside a flat cell or a line, and still in it.
    tolerance: f64,
}

/// A cell that reaches into more bins is looked at for each point.
const MOST_BINS: usize = 512;

/// How far beyond the ends of its own coordinates a cell still holds a point.
const BEYOND: f64 = 1e-6;

/// What share each corner has in a point; few cells have more corners.
type Weights = SmallVec<[(u32, f64); 8]>;

/// The lowest and the highest bin that a cell reaches into.
fn reach(mesh: &Cells, bins: &Bins, cell: usize) -> Option<[[usize; 3]; 2]> {
    let mut corners = mesh.corners_of(cell).iter().map(|&corner| mesh.points[corner as usize]);
    let first = corners.next()?;
    let (low, high) = corners.fold((first, first), |(low, high), p| {
        ([0, 1, 2].map(|k| f32::min(low[k], p[k])), [0, 1, 2].map(|k| f32::max(high[k], p[k])))
    });
    let bin = |place: [f32; 3], by: f64| [0, 1, 2].map(|axis| bins.along(axis, f64::from(place[axis]) + by));
    Some([bin(low, -bins.tolerance), bin(high, bins.tolerance)])
}

/// How many bins a cell reaches into.
fn reached([low, high]: [[usize; 3]; 2]) -> usize {
    (0..3).map(|axis| high[axis] - low[axis] + 1).product()
}

/// Bins, and the cells that reach into them.
#[foreach_tls]
fn reaches(mesh: &Cells, bins: &Bins, out: &mut Vec<[u32; 2]>) {
    for cell in 0..mesh.len() {
        if let Some([low, high]) = reach(mesh, bins, cell).filter(|ends| reached(*ends) <= MOST_BINS) {
            for z in low[2]..high[2] + 1 {
                for y in low[1]..high[1] + 1 {
                    for x in low[0]..high[0] + 1 {
                        out.push([bins.number([x, y, z]) as u32, cell as u32]);
                    }
                }
            }
        }
    }
}

#[foreach_tls]
fn large_cells(mesh: &Cells, bins: &Bins, out: &mut Vec<u32>) {
    for cell in 0..mesh.len() {
        if reach(mesh, bins, cell).is_some_and(|ends| reached(ends) > MOST_BINS) {
            out.push(cell as u32);
        }
    }
}

#[distributed_sort]
fn sort(pairs: &mut [[u32; 2]]) {
    pairs.sort_unstable();
}

impl Bins {
    /// About as many bins as there are cells. All ranks call it together.
    pub fn new(mesh: &Cells) -> Self {
        let (mut low, mut high) = ([f64::INFINITY; 3], [f64::NEG_INFINITY; 3]);
        for &corner in &mesh.corners {
            let place = mesh.points[corner as usize].map(f64::from);
            low = [0, 1, 2].map(|axis| f64::min(low[axis], place[axis]));
            high = [0, 1, 2].map(|axis| f64::max(high[axis], place[axis]));
        }
        let size = [0, 1, 2].map(|axis| (high[axis] - low[axis]).max(0.0));
        let longest = size.iter().copied().fold(0.0, f64::max);
        // As many bins a side as make one a cell, of nearly the same width along each axis.
        let a_side = (mesh.len() as f64).cbrt().ceil().clamp(1.0, 256.0);
        let count = size.map(|size| if longest > 0.0 { (a_side * size / longest).ceil().max(1.0) as usize } else { 1 });
        let width = [0, 1, 2].map(|axis| if size[axis] > 0.0 { size[axis] / count[axis] as f64 } else { 1.0 });
        let (starts, cells, large) = (Vec::new(), Vec::new(), Vec::new());
        let mut bins = Bins { low, width, count, starts, cells, large, tolerance: 1e-6 * longest };
        if mesh.corners.is_empty() {
            (bins.low, bins.starts) = ([0.0; 3], vec![0; 2]);
            return bins;
        }
        let (mut pairs, mut large) = (DistVec::from_local(Vec::new()), DistVec::from_local(Vec::new()));
        reaches(mesh, &bins, &mut pairs);
        large_cells(mesh, &bins, &mut large);
        sort(&mut pairs);
        let pairs = pairs.to_all();
        let mut starts = vec![0; count.iter().product::<usize>() + 1];
        pairs.iter().for_each(|[bin, _]| starts[*bin as usize + 1] += 1);
        (1..starts.len()).for_each(|bin| starts[bin] += starts[bin - 1]);
        (bins.starts, bins.large) = (starts, large.to_all());
        bins.cells = pairs.into_iter().map(|[_, cell]| cell).collect();
        bins
    }

    /// The bin of a coordinate; the first or the last where it lies beyond.
    fn along(&self, axis: usize, coordinate: f64) -> usize {
        let at = ((coordinate - self.low[axis]) / self.width[axis]).floor();
        (at.max(0.0) as usize).min(self.count[axis] - 1)
    }

    fn number(&self, [x, y, z]: [usize; 3]) -> usize {
        x + self.count[0] * (y + self.count[1] * z)
    }

    /// The first cell that holds a point, and the shares of its corners.
    fn find(&self, mesh: &Cells, point: [f64; 3]) -> Option<Weights> {
        if point.iter().any(|x| !x.is_finite()) {
            return None;
        }
        let bin = self.number([0, 1, 2].map(|axis| self.along(axis, point[axis])));
        let near = &self.cells[self.starts[bin] as usize..self.starts[bin + 1] as usize];
        let (mut near, mut large) = (near.iter().peekable(), self.large.iter().peekable());
        // Both are in the order of the cells: so the first that holds it is the same whatever the bins are.
        loop {
            let cell = match (near.peek(), large.peek()) {
                (Some(a), Some(b)) if a < b => near.next(),
                (_, Some(_)) => large.next(),
                _ => near.next(),
            }?;
            if let Some(weights) = weights(mesh, *cell as usize, point, self.tolerance) {
                return Some(weights);
            }
        }
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

/// The shares of the corners of a cell with a volume at its own coordinates, of which all but a tetrahedron's go from 0 to 1.
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
fn probed(points: &Cells, mesh: &Cells, bins: &Bins, field: &Field, out: &mut [f32]) {
    let count = field.components;
    for i in 0..points.points.len() {
        let found = bins.find(mesh, points.points[i].map(f64::from));
        for k in 0..count {
            let value = found.as_ref().map_or(f64::NAN, |weights| {
                weights
                    .iter()
                    .map(|&(corner, share)| share * f64::from(field.values[corner as usize * count + k]))
                    .sum()
            });
            out[i * count + k] = value as f32;
        }
    }
}

/// The points of a mesh, each as a cell, with all that another mesh knows there: NaN outside of its cells. Where a point lies in several cells,
/// the first counts. All ranks call it together.
pub fn probe(points: &Cells, mesh: &Cells) -> Cells {
    let bins = Bins::new(mesh);
    let mut out = Cells { points: points.points.clone(), name: mesh.name.clone(), ..Cells::new() };
    for field in &mesh.fields {
        let mut values = DistVec::zeroed(field.components * points.points.len());
        probed(points, mesh, &bins, field, &mut values);
        let values = values.to_all();
        if field.name == mesh.name && field.components == 1 {
            out.values.clone_from(&values);
        }
        out.fields.push(Field { name: field.name.clone(), components: field.components, values });
    }
    (0..points.points.len()).for_each(|point| out.push(kind::VERTEX, &[point as u32]));
    out
}
