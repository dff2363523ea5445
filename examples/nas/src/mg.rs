//! MG: a Poisson equation on a cube whose opposite sides meet, by V-cycles over grids.
//!
//! A grid of `m` points along each side is stored with one more layer on each of its six sides: what lies beyond the opposite
//! one. A point is at `(z * n + y) * n + x` with `n = m + 2`.

use crate::random::{SEED, next};
use crate::{Class, Outcome, error, timed};
use forall::{DistVec, foreach, kary_reduce};
use std::collections::HashMap;

/// How a point, its neighbours across a face, an edge and a corner count in the equation,
const EQUATION: [f64; 4] = [-8.0 / 3.0, 0.0, 1.0 / 6.0, 1.0 / 12.0];

/// and in the smoother.
const SMOOTHER: [f64; 4] = [-3.0 / 8.0, 1.0 / 32.0, -1.0 / 64.0, 0.0];

/// V-cycles.
const ITERATIONS: usize = 4;

/// Copies the points beside a side to the layer beyond the opposite one.
#[foreach]
pub fn wrap(u: &mut [f64], n: usize) {
    for z in 1..n - 1 {
        for y in 1..n - 1 {
            let row = (z * n + y) * n;
            u[row] = u[row + n - 2];
            u[row + n - 1] = u[row + 1];
        }
        for x in 0..n {
            u[z * n * n + x] = u[(z * n + n - 2) * n + x];
            u[(z * n + n - 1) * n + x] = u[(z * n + 1) * n + x];
        }
    }
    for i in 0..n * n {
        u[i] = u[(n - 2) * n * n + i];
        u[(n - 1) * n * n + i] = u[n * n + i];
    }
}

/// The residual of the equation: `r = v - A u`.
#[foreach]
pub fn residual(a: [f64; 4], u: &[f64], v: &[f64], r: &mut [f64], n: usize) {
    let (mut faces, mut edges) = (vec![0.0; n], vec![0.0; n]);
    for z in 1..n - 1 {
        for y in 1..n - 1 {
            let at = |z: usize, y: usize, x: usize| (z * n + y) * n + x;
            for x in 0..n {
                faces[x] = u[at(z, y - 1, x)] + u[at(z, y + 1, x)] + u[at(z - 1, y, x)] + u[at(z + 1, y, x)];
                edges[x] =
                    u[at(z - 1, y - 1, x)] + u[at(z - 1, y + 1, x)] + u[at(z + 1, y - 1, x)] + u[at(z + 1, y + 1, x)];
            }
            for x in 1..n - 1 {
                r[at(z, y, x)] = v[at(z, y, x)]
                    - a[0] * u[at(z, y, x)]
                    - a[2] * (edges[x] + faces[x - 1] + faces[x + 1])
                    - a[3] * (edges[x - 1] + edges[x + 1]);
            }
        }
    }
}

/// Takes away most of a residual's rough part: `u += C r`.
#[foreach]
pub fn smooth(c: [f64; 4], r: &[f64], u: &mut [f64], n: usize) {
    let (mut faces, mut edges) = (vec![0.0; n], vec![0.0; n]);
    for z in 1..n - 1 {
        for y in 1..n - 1 {
            let at = |z: usize, y: usize, x: usize| (z * n + y) * n + x;
            for x in 0..n {
                faces[x] = r[at(z, y - 1, x)] + r[at(z, y + 1, x)] + r[at(z - 1, y, x)] + r[at(z + 1, y, x)];
                edges[x] =
                    r[at(z - 1, y - 1, x)] + r[at(z - 1, y + 1, x)] + r[at(z + 1, y - 1, x)] + r[at(z + 1, y + 1, x)];
            }
            for x in 1..n - 1 {
                u[at(z, y, x)] += c[0] * r[at(z, y, x)]
                    + c[1] * (r[at(z, y, x - 1)] + r[at(z, y, x + 1)] + faces[x])
                    + c[2] * (edges[x] + faces[x - 1] + faces[x + 1]);
            }
        }
    }
}

/// The means of a fine grid's points around each point of a coarse one, of `n` points along each side with its layers.
#[foreach]
pub fn restrict(fine: &[f64], coarse: &mut [f64], n: usize) {
    let m = 2 * n - 2;
    for z in 1..n - 1 {
        for y in 1..n - 1 {
            for x in 1..n - 1 {
                let (mut faces, mut edges, mut corners) = (0.0, 0.0, 0.0);
                let at = |dz: usize, dy: usize, dx: usize| ((2 * z - 1 + dz) * m + 2 * y - 1 + dy) * m + 2 * x - 1 + dx;
                for (a, b) in [(0, 0), (0, 2), (2, 0), (2, 2)] {
                    corners += fine[at(a, b, 0)] + fine[at(a, b, 2)];
                    edges += fine[at(a, b, 1)] + fine[at(a, 1, b)] + fine[at(1, a, b)];
                }
                for a in [0, 2] {
                    faces += fine[at(a, 1, 1)] + fine[at(1, a, 1)] + fine[at(1, 1, a)];
                }
                coarse[(z * n + y) * n + x] = 0.5 * fine[at(1, 1, 1)] + 0.25 * faces + 0.125 * edges + 0.0625 * corners;
            }
        }
    }
}

/// Adds what a coarse grid of `n` points along each side, with its layers, says of the fine grid's points.
#[foreach]
pub fn interpolate(coarse: &[f64], fine: &mut [f64], n: usize) {
    let m = 2 * n - 2;
    let (mut z1, mut z2, mut z3) = (vec![0.0; n], vec![0.0; n], vec![0.0; n]);
    for z in 0..n - 1 {
        for y in 0..n - 1 {
            let from = (z * n + y) * n;
            for x in 0..n {
                z1[x] = coarse[from + n + x] + coarse[from + x];
                z2[x] = coarse[from + n * n + x] + coarse[from + x];
                z3[x] = coarse[from + n * n + n + x] + coarse[from + n * n + x] + z1[x];
            }
            let to = (2 * z * m + 2 * y) * m;
            for x in 0..n - 1 {
                fine[to + 2 * x] += coarse[from + x];
                fine[to + 2 * x + 1] += 0.5 * (coarse[from + x + 1] + coarse[from + x]);
                fine[to + m + 2 * x] += 0.5 * z1[x];
                fine[to + m + 2 * x + 1] += 0.25 * (z1[x] + z1[x + 1]);
                fine[to + m * m + 2 * x] += 0.5 * z2[x];
                fine[to + m * m + 2 * x + 1] += 0.25 * (z2[x] + z2[x + 1]);
                fine[to + m * m + m + 2 * x] += 0.25 * z3[x];
                fine[to + m * m + m + 2 * x + 1] += 0.125 * (z3[x] + z3[x + 1]);
            }
        }
    }
}

/// All points become zero.
#[foreach]
pub fn clear(u: &mut [f64]) {
    for u in u.iter_mut() {
        *u = 0.0;
    }
}

/// The root of the mean square of the points without their layers.
#[kary_reduce]
pub fn norm(r: &[f64], n: usize) -> f64 {
    let mut sum = 0.0;
    for z in 1..n - 1 {
        for y in 1..n - 1 {
            for x in 1..n - 1 {
                sum += r[(z * n + y) * n + x] * r[(z * n + y) * n + x];
            }
        }
    }
    (sum / ((n - 2) * (n - 2) * (n - 2)) as f64).sqrt()
}

/// A grid: what is looked for, what its equation gives, and what is left.
#[derive(Debug)]
struct Grid {
    n: usize,
    u: DistVec<f64>,
    v: DistVec<f64>,
    r: DistVec<f64>,
}

impl Grid {
    fn new(points: usize) -> Grid {
        let n = points + 2;
        let zero = || DistVec::zeroed(n * n * n).in_planes(n * n);
        Grid { n, u: zero(), v: zero(), r: zero() }
    }

    fn residual(&mut self) {
        residual(EQUATION, &self.u, &self.v, &mut self.r, self.n);
        wrap(&mut self.r, self.n);
    }

    fn smooth(&mut self) {
        smooth(SMOOTHER, &self.r, &mut self.u, self.n);
        wrap(&mut self.u, self.n);
    }
}

/// One V-cycle over grids; the first is the coarsest. The finest one's residual is known.
fn cycle(grids: &mut [Grid]) {
    let finest = grids.len() - 1;
    for level in (0..finest).rev() {
        let (coarse, fine) = grids.split_at_mut(level + 1);
        let (coarse, fine) = (&mut coarse[level], &fine[0]);
        restrict(if level + 1 == finest { &fine.r } else { &fine.v }, &mut coarse.v, coarse.n);
        wrap(&mut coarse.v, coarse.n);
        clear(&mut coarse.u);
    }
    let coarsest = &mut grids[0];
    smooth(SMOOTHER, &coarsest.v, &mut coarsest.u, coarsest.n);
    wrap(&mut coarsest.u, coarsest.n);
    for level in 1..=finest {
        let (coarse, fine) = grids.split_at_mut(level);
        let (coarse, fine) = (&coarse[level - 1], &mut fine[0]);
        interpolate(&coarse.u, &mut fine.u, coarse.n);
        fine.residual();
        fine.smooth();
    }
}

/// Where the ten largest and the ten smallest of random numbers are: charges of 1 and -1.
fn charges(points: usize) -> HashMap<usize, f64> {
    const CHARGES: usize = 10;
    let (mut seed, mut least, mut most) = (SEED, Vec::new(), Vec::new());
    for i in 0..points * points * points {
        let value = next(&mut seed);
        // In order, the first in front of others that are equal.
        let least_at = least.partition_point(|&(other, _)| other <= value);
        let most_at = most.partition_point(|&(other, _)| other >= value);
        least.insert(least_at, (value, i));
        most.insert(most_at, (value, i));
        least.truncate(CHARGES);
        most.truncate(CHARGES);
    }
    let with = |of: Vec<(f64, usize)>, charge| of.into_iter().map(move |(_, i)| (i, charge));
    with(least, -1.0).chain(with(most, 1.0)).collect()
}

/// Runs the benchmark.
pub fn run(class: Class) -> Outcome {
    let points: usize = class.choose(32, 256);
    let mut grids: Vec<Grid> = (1..=points.ilog2()).map(|level| Grid::new(1 << level)).collect();
    let charges = charges(points);
    let finest = grids.len() - 1;
    let n = points + 2;
    // The point inside that a point is, or that a point of a layer stands for.
    let inside = |at: usize| (at + points - 1) % points;
    grids[finest].v = DistVec::from_fn_in_planes(n * n * n, n * n, |i| {
        let (z, y, x) = (inside(i / (n * n)), inside(i / n % n), inside(i % n));
        charges.get(&((z * points + y) * points + x)).copied().unwrap_or(0.0)
    });
    let solve = |grids: &mut [Grid], iterations: usize| {
        grids[finest].residual();
        for _ in 0..iterations {
            cycle(grids);
            grids[finest].residual();
        }
        norm(&grids[finest].r, n)
    };
    // Once before, which does not count.
    solve(&mut grids, 1);
    clear(&mut grids[finest].u);
    let (found, seconds) = timed(|| solve(&mut grids, ITERATIONS));
    let published = class.choose(0.5307707005734e-4, 0.2433365309069e-5);
    let operations = 58.0 * ITERATIONS as f64 * (points * points * points) as f64 * 1e-6;
    Outcome { seconds, operations, error: error(found, published), allowed: 1e-8 }
}
