//! Isosurfaces: the surface on which a volume of samples takes one value, as an indexed triangle mesh.
//!
//! The algorithm is that of flying edges (Schroeder, Maynard, Geveci 2015), on bits. Each loop below is a plain
//! sequential loop over the rows of the volume, `r = z * ny + y`, and is of one of four kinds:
//!
//! 1. [`classify`] (foreach) reduces every row to bits: which points are inside, that is, above the isovalue, and
//!    which are not missing.
//! 2. [`whole_cells`] (foreach) finds the cells with eight valid corners. Others produce nothing.
//! 3. [`crossings`] (foreach) finds the edges with ends on different sides that belong to a whole cell, and counts
//!    them. Each carries one point of the mesh. A row owns the edges that start on it and run along x, y or z.
//! 4. [`start_rows`] (scan) turns the counts into the number of the first point of each row.
//! 5. [`place_points`] (push) interpolates the points, and their normals from the gradient of the field.
//! 6. [`join_triangles`] (push) looks up each cell's triangles in the [case table](cases) and numbers their corners.
//!
//! No point is made twice and none is looked up: since points are pushed row by row, the number of an edge's point is
//! the row's start plus the edges before it. Triangles turn their front, and normals point, to the side of lower
//! values.

#![allow(clippy::needless_range_loop, reason = "the annotated loops count, so that every access shows its index")]
#![allow(clippy::too_many_arguments, reason = "one argument for each array that a loop reads or writes")]

pub mod bits;
pub mod cases;
pub mod land;
pub mod measure;
pub mod picture;
pub mod station;
pub mod tangle;

use bits::{bit, next, previous, sides};
use bytemuck::{Pod, Zeroable};
use cases::CASES;
use forall::DistVec;
use forall_examples::grid::Grid;
use forall_examples::mesh::Mesh;
use station::{Station, slope, slope_beside_missing, stations};

/// Points in a word of bits.
pub const WORD: usize = 64;

/// Which of 64 points of a row start a crossed edge along x, y and z.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Pod, Zeroable, forall::DeviceData)]
#[repr(C)]
pub struct Edges {
    x: u64,
    y: u64,
    z: u64,
}

/// The bits of each row: points that are above the isovalue, and points that are not missing (NaN).
///
/// A row of `nx` points fills `nx.div_ceil(64)` words.
#[forall::foreach]
pub fn classify(field: &[f32], nx: usize, rows: usize, iso: f32, inside: &mut [u64], valid: &mut [u64]) {
    let words = nx.div_ceil(WORD);
    for r in 0..rows {
        let values = &field[r * nx..(r + 1) * nx];
        let inside = &mut inside[r * words..(r + 1) * words];
        let valid = &mut valid[r * words..(r + 1) * words];
        for ((values, inside), valid) in values.chunks(WORD).zip(inside).zip(valid) {
            (*inside, *valid) = sides(values, iso);
        }
    }
}

/// The bits of the cells whose eight corners are valid. A cell belongs to its lowest corner.
#[forall::foreach]
pub fn whole_cells(valid: &[u64], words: usize, ny: usize, nz: usize, whole: &mut [u64]) {
    for r in 0..ny * nz {
        let cells = &mut whole[r * words..(r + 1) * words];
        if r % ny + 1 < ny && r / ny + 1 < nz {
            let here = &valid[r * words..(r + 1) * words];
            let north = &valid[(r + 1) * words..(r + 2) * words];
            let above = &valid[(r + ny) * words..(r + ny + 1) * words];
            let beyond = &valid[(r + ny + 1) * words..(r + ny + 2) * words];
            let mut following = 0;
            for w in (0..words).rev() {
                let points = here[w] & north[w] & above[w] & beyond[w];
                cells[w] = points & next(points, following);
                following = points;
            }
        } else {
            cells.fill(0);
        }
    }
}

/// The crossed edges of each row that belong to a whole cell, and how many there are along x, y and z.
#[forall::foreach]
pub fn crossings(
    inside: &[u64],
    whole: &[u64],
    words: usize,
    ny: usize,
    nz: usize,
    edges: &mut [Edges],
    counts: &mut [[u32; 3]],
) {
    for r in 0..ny * nz {
        let (has_south, has_north) = (r % ny > 0, r % ny + 1 < ny);
        let (has_below, has_above) = (r / ny > 0, r / ny + 1 < nz);
        // Beyond a border there are no cells, so it does not matter what stands in for the missing row.
        let here = &inside[r * words..(r + 1) * words];
        let north = if has_north { &inside[(r + 1) * words..(r + 2) * words] } else { here };
        let above = if has_above { &inside[(r + ny) * words..(r + ny + 1) * words] } else { here };
        // The four rows of cells around this row of points.
        let cells = &whole[r * words..(r + 1) * words];
        let south = if has_south { &whole[(r - 1) * words..r * words] } else { cells };
        let below = if has_below { &whole[(r - ny) * words..(r - ny + 1) * words] } else { cells };
        let corner = match (has_south, has_below) {
            (true, true) => &whole[(r - ny - 1) * words..(r - ny) * words],
            (true, false) => south,
            _ => below,
        };
        let edges = &mut edges[r * words..(r + 1) * words];
        let mut count = [0; 3];
        let (mut beside_y, mut beside_z) = (0, 0);
        for w in 0..words {
            let following = if w + 1 < words { here[w + 1] } else { 0 };
            let along_y = cells[w] | below[w];
            let along_z = cells[w] | south[w];
            let found = Edges {
                x: (here[w] ^ next(here[w], following)) & (along_y | along_z | corner[w]),
                y: (here[w] ^ north[w]) & (along_y | previous(along_y, beside_y)),
                z: (here[w] ^ above[w]) & (along_z | previous(along_z, beside_z)),
            };
            (beside_y, beside_z) = (along_y, along_z);
            edges[w] = found;
            if found.x | found.y | found.z != 0 {
                count[0] += found.x.count_ones();
                count[1] += found.y.count_ones();
                count[2] += found.z.count_ones();
            }
        }
        counts[r] = count;
    }
}

/// The numbers of each row's first points on edges along x, y and z; returns the number of points.
///
/// Numbers wrap when there are more than `u32` can count, so the caller checks the total first.
#[forall::distributed_scan]
pub fn start_rows(counts: &[[u32; 3]], starts: &mut [[u32; 3]]) -> u64 {
    let mut points = 0u64;
    for r in 0..counts.len() {
        let [x, y, z] = counts[r];
        let first = points as u32;
        starts[r] = [first, first.wrapping_add(x), first.wrapping_add(x).wrapping_add(y)];
        points += u64::from(x) + u64::from(y) + u64::from(z);
    }
    points
}

/// The gradient and the value at point `i` of a row, given the values to the south, to the north, below and above.
#[forall::device]
#[inline(always)]
fn sample(row: &[f32], i: usize, beside: [f32; 4], x: &Station, y: &Station, z: &Station) -> [f32; 4] {
    let (west, here, east) = (row[i.saturating_sub(1)], row[i], row[(i + 1).min(row.len() - 1)]);
    let [south, north, below, above] = beside;
    let gradient = [slope(x, west, here, east), slope(y, south, here, north), slope(z, below, here, above)];
    let [along_x, along_y, along_z] = if (gradient[0] + gradient[1] + gradient[2]).is_nan() {
        [
            slope_beside_missing(x, west, here, east),
            slope_beside_missing(y, south, here, north),
            slope_beside_missing(z, below, here, above),
        ]
    } else {
        gradient
    };
    [along_x, along_y, along_z, here]
}

/// How far along an edge the isovalue lies, and the normal there, from the samples at both ends.
#[forall::device]
#[inline(always)]
fn cross(iso: f32, from: [f32; 4], to: [f32; 4]) -> (f32, [f32; 3]) {
    let t = (iso - from[3]) / (to[3] - from[3]);
    // One value may be infinite; the point then lies at the other end.
    let t = if t.is_nan() { 0.5 } else { t };
    let [x, y, z] = [0, 1, 2].map(|axis| from[axis] + t * (to[axis] - from[axis]));
    let length = (x * x + y * y + z * z).sqrt();
    let scale = if length > 0.0 && length.is_finite() { -1.0 / length } else { 0.0 };
    (t, [x * scale, y * scale, z * scale])
}

/// The points of the mesh, one on every crossed edge, and their normals: row by row, in each first those along x, then
/// y, then z.
#[forall::foreach_tls]
pub fn place_points(
    field: &[f32],
    edges: &[Edges],
    counts: &[[u32; 3]],
    iso: f32,
    #[replicated] xs: &[Station],
    #[replicated] ys: &[Station],
    #[replicated] zs: &[Station],
    points: &mut Vec<[f32; 3]>,
    normals: &mut Vec<[f32; 3]>,
) {
    let (nx, ny, nz) = (xs.len(), ys.len(), zs.len());
    let words = nx.div_ceil(WORD);
    for r in 0..ny * nz {
        if counts[r] == [0, 0, 0] {
            continue;
        }
        let (y, z) = (r % ny, r / ny);
        let edges = &edges[r * words..(r + 1) * words];
        let here = &field[r * nx..(r + 1) * nx];
        let south = if y > 0 { &field[(r - 1) * nx..r * nx] } else { here };
        let north = if y + 1 < ny { &field[(r + 1) * nx..(r + 2) * nx] } else { here };
        let below = if z > 0 { &field[(r - ny) * nx..(r - ny + 1) * nx] } else { here };
        let above = if z + 1 < nz { &field[(r + ny) * nx..(r + ny + 1) * nx] } else { here };
        let (sy, sz) = (&ys[y], &zs[z]);

        for axis in 0..3 {
            if counts[r][axis] == 0 {
                continue;
            }
            // The row in which these edges end, and its neighbours.
            let (end, end_south, end_north, end_below, end_above) = match axis {
                0 => (here, south, north, below, above),
                1 => {
                    let farther = if y + 2 < ny { &field[(r + 2) * nx..(r + 3) * nx] } else { north };
                    let north_below = if z > 0 { &field[(r - ny + 1) * nx..(r - ny + 2) * nx] } else { north };
                    let north_above = if z + 1 < nz { &field[(r + ny + 1) * nx..(r + ny + 2) * nx] } else { north };
                    (north, here, farther, north_below, north_above)
                }
                _ => {
                    let higher = if z + 2 < nz { &field[(r + 2 * ny) * nx..(r + 2 * ny + 1) * nx] } else { above };
                    let above_south = if y > 0 { &field[(r + ny - 1) * nx..(r + ny) * nx] } else { above };
                    let above_north = if y + 1 < ny { &field[(r + ny + 1) * nx..(r + ny + 2) * nx] } else { above };
                    (above, above_south, above_north, here, higher)
                }
            };
            let east = usize::from(axis == 0);
            let (ty, tz) = (&ys[y + usize::from(axis == 1)], &zs[z + usize::from(axis == 2)]);
            for w in 0..words {
                let mut left = [edges[w].x, edges[w].y, edges[w].z][axis];
                while left != 0 {
                    let i = w * WORD + left.trailing_zeros() as usize;
                    left &= left - 1;
                    let k = i + east;
                    let from = sample(here, i, [south[i], north[i], below[i], above[i]], &xs[i], sy, sz);
                    let beside = [end_south[k], end_north[k], end_below[k], end_above[k]];
                    let to = sample(end, k, beside, &xs[k], ty, tz);
                    let (t, normal) = cross(iso, from, to);
                    let [x, y, z] = [(&xs[i], &xs[k]), (sy, ty), (sz, tz)].map(|(a, b)| a.at + t * (b.at - a.at));
                    points.push([x, y, z]);
                    normals.push(normal);
                }
            }
        }
    }
}

/// The triangles of the mesh, row of cells by row of cells. `mirrored` says that the axes form a left-handed frame, in
/// which triangles must be turned over to keep their front on the side of lower values.
#[forall::foreach_tls]
pub fn join_triangles(
    inside: &[u64],
    whole: &[u64],
    edges: &[Edges],
    counts: &[[u32; 3]],
    starts: &[[u32; 3]],
    words: usize,
    ny: usize,
    nz: usize,
    mirrored: bool,
    triangles: &mut Vec<[u32; 3]>,
) {
    for r in 0..ny * nz {
        if r % ny + 1 == ny || r / ny + 1 == nz {
            continue;
        }
        let (n0, n1, n2, n3) = (counts[r], counts[r + 1], counts[r + ny], counts[r + ny + 1]);
        if n0[0] | n0[1] | n0[2] | n1[0] | n1[2] | n2[0] | n2[1] | n3[0] == 0 {
            continue;
        }
        // The four rows of points around this row of cells: here, to the north, above, and both.
        let p0 = &inside[r * words..(r + 1) * words];
        let p1 = &inside[(r + 1) * words..(r + 2) * words];
        let p2 = &inside[(r + ny) * words..(r + ny + 1) * words];
        let p3 = &inside[(r + ny + 1) * words..(r + ny + 2) * words];
        let e0 = &edges[r * words..(r + 1) * words];
        let e1 = &edges[(r + 1) * words..(r + 2) * words];
        let e2 = &edges[(r + ny) * words..(r + ny + 1) * words];
        let e3 = &edges[(r + ny + 1) * words..(r + ny + 2) * words];
        let cells = &whole[r * words..(r + 1) * words];

        // The numbers of the next points: on the four edges along x, then y, then z that start the cell.
        let (s0, s1, s2, s3) = (starts[r], starts[r + 1], starts[r + ny], starts[r + ny + 1]);
        let [mut x0, mut y0, mut z0] = s0;
        let [mut x1, mut z1] = [s1[0], s1[2]];
        let [mut x2, mut y2] = [s2[0], s2[1]];
        let mut x3 = s3[0];
        for w in 0..words {
            let (e0, e1, e2, e3) = (e0[w], e1[w], e2[w], e3[w]);
            let mut left = e0.x | e1.x | e2.x | e3.x | e0.y | e2.y | e0.z | e1.z;
            if left == 0 {
                continue;
            }
            let (a0, a1, a2, a3) = (p0[w], p1[w], p2[w], p3[w]);
            let (b0, b1, b2, b3) = if w + 1 < words {
                (next(a0, p0[w + 1]), next(a1, p1[w + 1]), next(a2, p2[w + 1]), next(a3, p3[w + 1]))
            } else {
                (next(a0, 0), next(a1, 0), next(a2, 0), next(a3, 0))
            };
            // Every place where an edge is crossed is visited, so that the numbers keep pace; and every cell that the
            // surface meets is among them, because it has a crossed edge on its near side or along x.
            while left != 0 {
                let k = left.trailing_zeros();
                left &= left - 1;
                let [cy0, cy2, cz0, cz1] = [bit(e0.y, k), bit(e2.y, k), bit(e0.z, k), bit(e1.z, k)];
                if bit(cells[w], k) == 1 {
                    let near = bit(a0, k) | bit(a1, k) << 2 | bit(a2, k) << 4 | bit(a3, k) << 6;
                    let far = bit(b0, k) << 1 | bit(b1, k) << 3 | bit(b2, k) << 5 | bit(b3, k) << 7;
                    let case = &CASES[(near | far) as usize];
                    let ids = [x0, x1, x2, x3, y0, y0 + cy0, y2, y2 + cy2, z0, z0 + cz0, z1, z1 + cz1, 0, 0, 0, 0];
                    for t in 0..case.triangles as usize {
                        let [a, b, c] = [0, 1, 2].map(|corner| ids[(case.edges[3 * t + corner] & 15) as usize]);
                        triangles.push(if mirrored { [a, c, b] } else { [a, b, c] });
                    }
                }
                (x0, x1, x2, x3) = (x0 + bit(e0.x, k), x1 + bit(e1.x, k), x2 + bit(e2.x, k), x3 + bit(e3.x, k));
                (y0, y2, z0, z1) = (y0 + cy0, y2 + cy2, z0 + cz0, z1 + cz1);
            }
        }
    }
}

/// How many cells the surface meets: whole cells with corners on both sides.
#[forall::kary_reduce]
pub fn count_active(inside: &[u64], whole: &[u64], words: usize, ny: usize, nz: usize) -> u64 {
    let mut active = 0;
    for r in 0..ny * nz {
        if r % ny + 1 < ny && r / ny + 1 < nz {
            let p0 = &inside[r * words..(r + 1) * words];
            let p1 = &inside[(r + 1) * words..(r + 2) * words];
            let p2 = &inside[(r + ny) * words..(r + ny + 1) * words];
            let p3 = &inside[(r + ny + 1) * words..(r + ny + 2) * words];
            let cells = &whole[r * words..(r + 1) * words];
            let (mut some_after, mut all_after) = (0, 0);
            let mut count = 0;
            for w in (0..words).rev() {
                let some = p0[w] | p1[w] | p2[w] | p3[w];
                let all = p0[w] & p1[w] & p2[w] & p3[w];
                let mixed = (some | next(some, some_after)) & !(all & next(all, all_after));
                count += u64::from((cells[w] & mixed).count_ones());
                (some_after, all_after) = (some, all);
            }
            active += count;
        }
    }
    active
}

/// Why there is no surface.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ExtractError {
    /// Point numbers are 32-bit.
    #[error("the surface has {0} points, more than the {max} that a mesh can number; extract a part of the volume", max = u32::MAX)]
    TooManyPoints(u64),
}

/// Extracts surfaces from fields on one grid; keeps its working arrays from one surface to the next.
#[derive(Debug)]
pub struct Extractor {
    stations: [Vec<Station>; 3],
    mirrored: bool,
    words: usize,
    inside: DistVec<u64>,
    valid: DistVec<u64>,
    whole: DistVec<u64>,
    edges: DistVec<Edges>,
    counts: DistVec<[u32; 3]>,
    starts: DistVec<[u32; 3]>,
}

impl Extractor {
    /// An extractor for fields on this grid. It takes 6 bits of memory for each point of the grid.
    pub fn new(grid: &Grid) -> Self {
        let [nx, ny, nz] = grid.shape();
        let (rows, words) = (ny * nz, nx.div_ceil(WORD));
        // Cut along planes, as the field is, so that what a plane's rows need lies beside them.
        let bits = || DistVec::from_fn_in_planes(rows * words, ny * words, |_| 0);
        let numbers = || DistVec::from_fn_in_planes(rows, ny, |_| [0; 3]);
        Extractor {
            stations: [0, 1, 2].map(|axis| stations(&grid.axes[axis])),
            mirrored: grid.is_mirrored(),
            words,
            inside: bits(),
            valid: bits(),
            whole: bits(),
            edges: DistVec::from_fn_in_planes(rows * words, ny * words, |_| Edges::default()),
            counts: numbers(),
            starts: numbers(),
        }
    }

    /// The surface on which `field` takes the value `iso`.
    ///
    /// The field is linearised, x fastest: `field[(z * ny + y) * nx + x]`. Missing values are NaN; cells beside them
    /// produce nothing.
    ///
    /// # Errors
    /// When the mesh has more points than `u32` can number.
    ///
    /// # Panics
    /// When the field has fewer values than the grid has points.
    pub fn extract(&mut self, field: &DistVec<f32>, iso: f32) -> Result<Mesh, ExtractError> {
        let Extractor { stations: [xs, ys, zs], mirrored, words, inside, valid, whole, edges, counts, starts } = self;
        let (nx, ny, nz, words) = (xs.len(), ys.len(), zs.len(), *words);
        classify(field, nx, ny * nz, iso, inside, valid);
        whole_cells(valid, words, ny, nz, whole);
        crossings(inside, whole, words, ny, nz, edges, counts);
        let total = start_rows(counts, starts);
        if total > u64::from(u32::MAX) {
            return Err(ExtractError::TooManyPoints(total));
        }
        let mut mesh = Mesh { value: iso, ..Mesh::default() };
        place_points(field, edges, counts, iso, xs, ys, zs, &mut mesh.points, &mut mesh.normals);
        join_triangles(inside, whole, edges, counts, starts, words, ny, nz, *mirrored, &mut mesh.triangles);
        Ok(mesh)
    }

    /// How many cells the surface extracted last meets.
    pub fn active_cells(&self) -> u64 {
        let [_, ys, zs] = &self.stations;
        count_active(&self.inside, &self.whole, self.words, ys.len(), zs.len())
    }
}
