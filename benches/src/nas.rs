//! The loops of the NAS benchmarks in three ways: annotated, plain, and by hand with rayon.

use nas::ft::{Complex, Size};
use rayon::prelude::*;

/// The annotated loops of `examples/nas`.
#[derive(Debug)]
pub struct Annotated;

/// The same loops without their attributes.
#[derive(Debug)]
pub struct Plain;

/// The same by hand.
#[derive(Debug)]
pub struct Rayon;

/// Declares the loops of a benchmark, and what the annotated and the plain ones are.
macro_rules! loops {
    ($(#[$doc:meta])* $benchmark:ident of $module:ident {
        $($(#[$of:meta])* fn $name:ident($($argument:ident: $ty:ty),*) $(-> $result:ty)?;)*
    }) => {
        $(#[$doc])*
        pub trait $benchmark {
            $($(#[$of])* fn $name($($argument: $ty),*) $(-> $result)?;)*
        }

        impl $benchmark for Annotated {
            $(fn $name($($argument: $ty),*) $(-> $result)? {
                nas::$module::$name($($argument),*)
            })*
        }

        impl $benchmark for Plain {
            $(fn $name($($argument: $ty),*) $(-> $result)? {
                nas::$module::$name::sequential($($argument),*)
            })*
        }
    };
}

loops! {
    /// Conjugate gradients.
    Cg of cg {
        /// `y` becomes the product of the matrix and `x`.
        fn multiply(rows: &[usize], column: &[u32], a: &[f64], x: &[f64], y: &mut [f64]);
        /// The scalar product.
        fn dot(x: &[f64], y: &[f64]) -> f64;
        /// The square of the distance.
        fn distance(x: &[f64], y: &[f64]) -> f64;
        /// From nothing: `z = 0`, `r = x`, `p = r`.
        fn begin(x: &[f64], z: &mut [f64], r: &mut [f64], p: &mut [f64]) -> f64;
        /// Moves along the direction `p`.
        fn advance(alpha: f64, p: &[f64], q: &[f64], z: &mut [f64], r: &mut [f64]) -> f64;
        /// The next direction.
        fn turn(beta: f64, r: &[f64], p: &mut [f64]);
        /// `x = scale * z`.
        fn scale(scale: f64, z: &[f64], x: &mut [f64]);
    }
}

impl Cg for Rayon {
    fn multiply(rows: &[usize], column: &[u32], a: &[f64], x: &[f64], y: &mut [f64]) {
        y.par_iter_mut().zip(rows.par_windows(2)).for_each(|(y, row)| {
            let (a, column) = (&a[row[0]..row[1]], &column[row[0]..row[1]]);
            *y = a.iter().zip(column).map(|(a, c)| a * x[*c as usize]).sum();
        });
    }
    fn dot(x: &[f64], y: &[f64]) -> f64 {
        x.par_iter().zip(y).map(|(x, y)| x * y).sum()
    }
    fn distance(x: &[f64], y: &[f64]) -> f64 {
        x.par_iter().zip(y).map(|(x, y)| (x - y) * (x - y)).sum()
    }
    fn begin(x: &[f64], z: &mut [f64], r: &mut [f64], p: &mut [f64]) -> f64 {
        let all = x.par_iter().zip(z).zip(r).zip(p);
        all.map(|(((x, z), r), p)| {
            (*z, *r, *p) = (0.0, *x, *x);
            x * x
        })
        .sum()
    }
    fn advance(alpha: f64, p: &[f64], q: &[f64], z: &mut [f64], r: &mut [f64]) -> f64 {
        let all = p.par_iter().zip(q).zip(z).zip(r);
        all.map(|(((p, q), z), r)| {
            *z += alpha * p;
            *r -= alpha * q;
            *r * *r
        })
        .sum()
    }
    fn turn(beta: f64, r: &[f64], p: &mut [f64]) {
        p.par_iter_mut().zip(r).for_each(|(p, r)| *p = r + beta * *p);
    }
    fn scale(scale: f64, z: &[f64], x: &mut [f64]) {
        x.par_iter_mut().zip(z).for_each(|(x, z)| *x = scale * z);
    }
}

loops! {
    /// Multigrid.
    Mg of mg {
        /// Copies the points beside a side to the layer beyond the opposite one.
        fn wrap(u: &mut [f64], n: usize);
        /// `r = v - A u`.
        fn residual(a: [f64; 4], u: &[f64], v: &[f64], r: &mut [f64], n: usize);
        /// `u += C r`.
        fn smooth(c: [f64; 4], r: &[f64], u: &mut [f64], n: usize);
        /// To a coarser grid.
        fn restrict(fine: &[f64], coarse: &mut [f64], n: usize);
        /// To a finer one.
        fn interpolate(coarse: &[f64], fine: &mut [f64], n: usize);
        /// All points become zero.
        fn clear(u: &mut [f64]);
        /// The root of the mean square.
        fn norm(r: &[f64], n: usize) -> f64;
    }
}

/// The sums across faces and edges of a row.
fn around(u: &[f64], n: usize, [z, y]: [usize; 2], faces: &mut [f64], edges: &mut [f64]) {
    let row = |z: usize, y: usize| &u[(z * n + y) * n..(z * n + y + 1) * n];
    let (south, north, below, above) = (row(z, y - 1), row(z, y + 1), row(z - 1, y), row(z + 1, y));
    let corners = [row(z - 1, y - 1), row(z - 1, y + 1), row(z + 1, y - 1), row(z + 1, y + 1)];
    for x in 0..n {
        faces[x] = south[x] + north[x] + below[x] + above[x];
        edges[x] = corners[0][x] + corners[1][x] + corners[2][x] + corners[3][x];
    }
}

impl Mg for Rayon {
    fn wrap(u: &mut [f64], n: usize) {
        let plane = n * n;
        u[plane..(n - 1) * plane].par_chunks_mut(plane).for_each(|u| {
            for row in u.chunks_mut(n).skip(1).take(n - 2) {
                row[0] = row[n - 2];
                row[n - 1] = row[1];
            }
            u.copy_within((n - 2) * n..(n - 1) * n, 0);
            u.copy_within(n..2 * n, (n - 1) * n);
        });
        u.copy_within((n - 2) * plane..(n - 1) * plane, 0);
        u.copy_within(plane..2 * plane, (n - 1) * plane);
    }
    fn residual(a: [f64; 4], u: &[f64], v: &[f64], r: &mut [f64], n: usize) {
        let planes = r.par_chunks_mut(n * n).enumerate().skip(1).take(n - 2);
        planes.for_each_init(
            || (vec![0.0; n], vec![0.0; n]),
            |(faces, edges), (z, r)| {
                for y in 1..n - 1 {
                    around(u, n, [z, y], faces, edges);
                    let at = (z * n + y) * n;
                    let (u, v, r) = (&u[at..at + n], &v[at..at + n], &mut r[y * n..(y + 1) * n]);
                    for x in 1..n - 1 {
                        r[x] = v[x]
                            - a[0] * u[x]
                            - a[2] * (edges[x] + faces[x - 1] + faces[x + 1])
                            - a[3] * (edges[x - 1] + edges[x + 1]);
                    }
                }
            },
        );
    }
    fn smooth(c: [f64; 4], r: &[f64], u: &mut [f64], n: usize) {
        let planes = u.par_chunks_mut(n * n).enumerate().skip(1).take(n - 2);
        planes.for_each_init(
            || (vec![0.0; n], vec![0.0; n]),
            |(faces, edges), (z, u)| {
                for y in 1..n - 1 {
                    around(r, n, [z, y], faces, edges);
                    let at = (z * n + y) * n;
                    let (r, u) = (&r[at..at + n], &mut u[y * n..(y + 1) * n]);
                    for x in 1..n - 1 {
                        u[x] += c[0] * r[x]
                            + c[1] * (r[x - 1] + r[x + 1] + faces[x])
                            + c[2] * (edges[x] + faces[x - 1] + faces[x + 1]);
                    }
                }
            },
        );
    }
    fn restrict(fine: &[f64], coarse: &mut [f64], n: usize) {
        let m = 2 * n - 2;
        coarse.par_chunks_mut(n * n).enumerate().skip(1).take(n - 2).for_each(|(z, coarse)| {
            for y in 1..n - 1 {
                let row = |dz: usize, dy: usize| &fine[((2 * z - 1 + dz) * m + 2 * y - 1 + dy) * m..][..m];
                let rows = [0, 1, 2].map(|dz| [0, 1, 2].map(|dy| row(dz, dy)));
                for x in 1..n - 1 {
                    let (mut faces, mut edges, mut corners) = (0.0, 0.0, 0.0);
                    let at = |dz: usize, dy: usize, dx: usize| rows[dz][dy][2 * x - 1 + dx];
                    for (a, b) in [(0, 0), (0, 2), (2, 0), (2, 2)] {
                        corners += at(a, b, 0) + at(a, b, 2);
                        edges += at(a, b, 1) + at(a, 1, b) + at(1, a, b);
                    }
                    for a in [0, 2] {
                        faces += at(a, 1, 1) + at(1, a, 1) + at(1, 1, a);
                    }
                    coarse[y * n + x] = 0.5 * at(1, 1, 1) + 0.25 * faces + 0.125 * edges + 0.0625 * corners;
                }
            }
        });
    }
    fn interpolate(coarse: &[f64], fine: &mut [f64], n: usize) {
        let m = 2 * n - 2;
        let pairs = fine.par_chunks_mut(2 * m * m).enumerate().take(n - 1);
        pairs.for_each_init(
            || [(); 3].map(|()| vec![0.0; n]),
            |[z1, z2, z3], (z, fine)| {
                let (below, above) = fine.split_at_mut(m * m);
                for y in 0..n - 1 {
                    let row = |dz: usize, dy: usize| &coarse[((z + dz) * n + y + dy) * n..][..n];
                    let (here, north, up, both) = (row(0, 0), row(0, 1), row(1, 0), row(1, 1));
                    for x in 0..n {
                        z1[x] = north[x] + here[x];
                        z2[x] = up[x] + here[x];
                        z3[x] = both[x] + up[x] + z1[x];
                    }
                    let (one, two) = below[2 * y * m..(2 * y + 2) * m].split_at_mut(m);
                    let (three, four) = above[2 * y * m..(2 * y + 2) * m].split_at_mut(m);
                    for x in 0..n - 1 {
                        one[2 * x] += here[x];
                        one[2 * x + 1] += 0.5 * (here[x + 1] + here[x]);
                        two[2 * x] += 0.5 * z1[x];
                        two[2 * x + 1] += 0.25 * (z1[x] + z1[x + 1]);
                        three[2 * x] += 0.5 * z2[x];
                        three[2 * x + 1] += 0.25 * (z2[x] + z2[x + 1]);
                        four[2 * x] += 0.25 * z3[x];
                        four[2 * x + 1] += 0.125 * (z3[x] + z3[x + 1]);
                    }
                }
            },
        );
    }
    fn clear(u: &mut [f64]) {
        u.par_iter_mut().for_each(|u| *u = 0.0);
    }
    fn norm(r: &[f64], n: usize) -> f64 {
        let planes = r.par_chunks(n * n).skip(1).take(n - 2);
        let of_plane = |r: &[f64]| {
            let rows = r.chunks(n).skip(1).take(n - 2);
            rows.flat_map(|row| &row[1..n - 1]).map(|r| r * r).sum::<f64>()
        };
        (planes.map(of_plane).sum::<f64>() / ((n - 2) * (n - 2) * (n - 2)) as f64).sqrt()
    }
}

loops! {
    /// The ranks of keys.
    Is of is {
        /// How many keys are at most as large as each value.
        fn rank_keys(keys: &mut [u32], up_to: &mut [u32], iteration: u32);
    }
}

impl Is for Rayon {
    fn rank_keys(keys: &mut [u32], up_to: &mut [u32], iteration: u32) {
        keys[iteration as usize] = iteration;
        keys[(iteration + 10) as usize] = up_to.len() as u32 - iteration;
        let share = keys.len().div_ceil(rayon::current_num_threads());
        let counts: Vec<Vec<u32>> = keys
            .par_chunks(share)
            .map(|keys| {
                let mut counts = vec![0; up_to.len()];
                for &key in keys {
                    counts[key as usize] += 1;
                }
                counts
            })
            .collect();
        let mut sum = 0;
        for (key, up_to) in up_to.iter_mut().enumerate() {
            sum += counts.iter().map(|counts| counts[key]).sum::<u32>();
            *up_to = sum;
        }
    }
}

loops! {
    /// Fourier transforms.
    Ft of ft {
        /// All rows.
        fn along_x(u: &mut [Complex], roots: &[Complex], size: Size);
        /// All columns of all planes.
        fn along_y(u: &mut [Complex], roots: &[Complex], size: Size);
        /// All lines across the planes.
        fn along_z(u: &mut [Complex], roots: &[Complex], size: Size);
        /// One step.
        fn evolve(fade: &[f64], u: &mut [Complex], w: &mut [Complex]);
        /// The sum of points that lie all over the place.
        fn checksum(u: &[Complex], size: Size) -> (f64, f64);
    }
}

impl Ft for Rayon {
    fn along_x(u: &mut [Complex], roots: &[Complex], size: Size) {
        u.par_chunks_mut(size.nx).for_each(|row| nas::ft::transform(row, roots));
    }
    fn along_y(u: &mut [Complex], roots: &[Complex], Size { nx, ny, .. }: Size) {
        u.par_chunks_mut(nx * ny).for_each_init(Vec::new, |line, plane| {
            for x in 0..nx {
                line.clear();
                line.extend((0..ny).map(|y| plane[y * nx + x]));
                nas::ft::transform(line, roots);
                for y in 0..ny {
                    plane[y * nx + x] = line[y];
                }
            }
        });
    }
    fn along_z(u: &mut [Complex], roots: &[Complex], Size { nx, ny, nz }: Size) {
        // A row of each plane for each `y`.
        let mut rows: Vec<Vec<&mut [Complex]>> = (0..ny).map(|_| Vec::with_capacity(nz)).collect();
        for (k, row) in u.chunks_mut(nx).enumerate() {
            rows[k % ny].push(row);
        }
        rows.par_iter_mut().for_each_init(Vec::new, |line, rows| {
            for x in 0..nx {
                line.clear();
                line.extend(rows.iter().map(|row| row[x]));
                nas::ft::transform(line, roots);
                for (row, value) in rows.iter_mut().zip(&*line) {
                    row[x] = *value;
                }
            }
        });
    }
    fn evolve(fade: &[f64], u: &mut [Complex], w: &mut [Complex]) {
        u.par_iter_mut().zip(w).zip(fade).for_each(|((u, w), fade)| {
            u.re *= fade;
            u.im *= fade;
            *w = *u;
        });
    }
    fn checksum(u: &[Complex], size: Size) -> (f64, f64) {
        nas::ft::checksum::sequential(u, size)
    }
}
