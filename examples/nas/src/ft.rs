//! FT: a diffusion equation, by fast Fourier transforms in three dimensions. A point is at `(z * ny + y) * nx + x`.

use crate::random::{SEED, next, skip};
use crate::{Class, Outcome, error, timed};
use bytemuck::{Pod, Zeroable};
use forall::{DeviceData, DistVec, foreach, kary_reduce};
use std::f64::consts::PI;
use std::ops::{Add, Mul, Sub};

/// Steps in time.
const ITERATIONS: usize = 6;

/// A complex number.
#[derive(Debug, Clone, Copy, PartialEq, Pod, Zeroable, DeviceData)]
#[repr(C)]
pub struct Complex {
    /// The real part.
    pub re: f64,
    /// The imaginary part.
    pub im: f64,
}

impl Add for Complex {
    type Output = Complex;
    fn add(self, other: Complex) -> Complex {
        Complex { re: self.re + other.re, im: self.im + other.im }
    }
}

impl Sub for Complex {
    type Output = Complex;
    fn sub(self, other: Complex) -> Complex {
        Complex { re: self.re - other.re, im: self.im - other.im }
    }
}

impl Mul for Complex {
    type Output = Complex;
    fn mul(self, other: Complex) -> Complex {
        Complex { re: self.re * other.re - self.im * other.im, im: self.re * other.im + self.im * other.re }
    }
}

/// How many points there are in each direction.
#[derive(Debug, Clone, Copy)]
pub struct Size {
    /// Along a row.
    pub nx: usize,
    /// Rows of a plane.
    pub ny: usize,
    /// Planes.
    pub nz: usize,
}

/// The powers of the `n`-th root of one, whose sign is that of the transform.
pub fn roots(n: usize, sign: f64) -> Vec<Complex> {
    let root = |k: usize| {
        let angle = sign * 2.0 * PI * k as f64 / n as f64;
        Complex { re: angle.cos(), im: angle.sin() }
    };
    (0..n / 2).map(root).collect()
}

/// Transforms a line in place, by halves; `roots` may be those of a longer line.
pub fn transform(line: &mut [Complex], roots: &[Complex]) {
    let n = line.len();
    let bits = n.ilog2();
    for i in 0..n {
        let j = i.reverse_bits() >> (usize::BITS - bits);
        if i < j {
            line.swap(i, j);
        }
    }
    let mut half = 1;
    while half < n {
        let stride = roots.len() / half;
        for pair in line.chunks_exact_mut(2 * half) {
            let (low, high) = pair.split_at_mut(half);
            for ((low, high), root) in low.iter_mut().zip(high).zip(roots.iter().step_by(stride)) {
                let turned = *root * *high;
                (*low, *high) = (*low + turned, *low - turned);
            }
        }
        half *= 2;
    }
}

/// Transforms all rows.
#[foreach]
pub fn along_x(u: &mut [Complex], #[replicated] roots: &[Complex], Size { nx, ny, nz }: Size) {
    for row in 0..ny * nz {
        transform(&mut u[row * nx..(row + 1) * nx], roots);
    }
}

/// Transforms all columns of all planes.
#[foreach]
pub fn along_y(u: &mut [Complex], #[replicated] roots: &[Complex], Size { nx, ny, nz }: Size) {
    for z in 0..nz {
        for x in 0..nx {
            let mut line: Vec<Complex> = (0..ny).map(|y| u[(z * ny + y) * nx + x]).collect();
            transform(&mut line, roots);
            for y in 0..ny {
                u[(z * ny + y) * nx + x] = line[y];
            }
        }
    }
}

/// Transforms all lines across the planes.
#[foreach]
pub fn along_z(u: &mut [Complex], #[replicated] roots: &[Complex], Size { nx, ny, nz }: Size) {
    for y in 0..ny {
        for x in 0..nx {
            let mut line: Vec<Complex> = (0..nz).map(|z| u[(z * ny + y) * nx + x]).collect();
            transform(&mut line, roots);
            for z in 0..nz {
                u[(z * ny + y) * nx + x] = line[z];
            }
        }
    }
}

/// Random points.
#[foreach]
pub fn begin(u: &mut [Complex], Size { nx, ny, nz }: Size) {
    for z in 0..nz {
        let mut seed = skip(SEED, (2 * z * nx * ny) as u64);
        for i in z * nx * ny..(z + 1) * nx * ny {
            let re = next(&mut seed);
            u[i] = Complex { re, im: next(&mut seed) };
        }
    }
}

/// By how much each frequency fades in a step.
#[foreach]
pub fn fading(fade: &mut [f64], Size { nx, ny, nz }: Size) {
    const ALPHA: f64 = 1e-6;
    // Frequencies of the second half are negative.
    let square = |i: usize, n: usize| {
        let frequency = if i < n / 2 { i as f64 } else { i as f64 - n as f64 };
        frequency * frequency
    };
    for z in 0..nz {
        for y in 0..ny {
            for x in 0..nx {
                let all = square(x, nx) + square(y, ny) + square(z, nz);
                fade[(z * ny + y) * nx + x] = (-4.0 * ALPHA * PI * PI * all).exp();
            }
        }
    }
}

/// One step: `u` fades, and `w` becomes a copy of it.
#[foreach]
pub fn evolve(fade: &[f64], u: &mut [Complex], w: &mut [Complex]) {
    for i in 0..u.len() {
        u[i].re *= fade[i];
        u[i].im *= fade[i];
        w[i] = u[i];
    }
}

/// The sum of points that lie all over the place.
#[kary_reduce]
pub fn checksum(#[gather] u: &[Complex], Size { nx, ny, nz }: Size) -> (f64, f64) {
    let (mut re, mut im) = (0.0, 0.0);
    for j in 1..=1024 {
        let point = u[((5 * j % nz) * ny + 3 * j % ny) * nx + j % nx];
        re += point.re;
        im += point.im;
    }
    let points = (nx * ny * nz) as f64;
    (re / points, im / points)
}

/// The checksums of all steps.
fn solve(size: Size) -> Vec<(f64, f64)> {
    let Size { nx, ny, nz } = size;
    let points = nx * ny * nz;
    let (longest, zero) = (nx.max(ny).max(nz), || DistVec::zeroed(points).in_planes(nx * ny));
    let (forth, back) = (roots(longest, 1.0), roots(longest, -1.0));
    let (mut u, mut w) = (zero(), zero());
    let mut fade = DistVec::zeroed(points).in_planes(nx * ny);
    fading(&mut fade, size);
    begin(&mut u, size);
    along_x(&mut u, &forth, size);
    along_y(&mut u, &forth, size);
    along_z(&mut u, &forth, size);
    let step = |_| {
        evolve(&fade, &mut u, &mut w);
        along_z(&mut w, &back, size);
        along_y(&mut w, &back, size);
        along_x(&mut w, &back, size);
        checksum(&w, size)
    };
    (0..ITERATIONS).map(step).collect()
}

/// Runs the benchmark.
pub fn run(class: Class) -> Outcome {
    let size = class.choose(Size { nx: 64, ny: 64, nz: 64 }, Size { nx: 256, ny: 256, nz: 128 });
    let (sums, seconds) = timed(|| solve(size));
    let published = class.choose(
        [
            (5.546087004964e2, 4.845363331978e2),
            (5.546385409189e2, 4.865304269511e2),
            (5.546148406171e2, 4.883910722336e2),
            (5.545423607415e2, 4.901273169046e2),
            (5.544255039624e2, 4.917475857993e2),
            (5.542683411902e2, 4.932597244941e2),
        ],
        [
            (5.046735008193e2, 5.114047905510e2),
            (5.059412319734e2, 5.098809666433e2),
            (5.069376896287e2, 5.098144042213e2),
            (5.077892868474e2, 5.101336130759e2),
            (5.085233095391e2, 5.104914655194e2),
            (5.091487099959e2, 5.107917842803e2),
        ],
    );
    let errors = sums
        .iter()
        .zip(&published)
        .map(|(found, published)| error(found.0, published.0).max(error(found.1, published.1)));
    let (points, steps) = ((size.nx * size.ny * size.nz) as f64, ITERATIONS as f64);
    let operations = points * 1e-6 * (14.8157 + 7.19641 * points.ln() + (5.23518 + 7.21113 * points.ln()) * steps);
    Outcome { seconds, operations, error: errors.fold(0.0, f64::max), allowed: 1e-12 }
}
