//! The loops as one writes them with rayon.

use rayon::prelude::*;

/// `y += a x`.
pub fn saxpy(a: f32, x: &[f32], y: &mut [f32]) {
    y.par_iter_mut().zip(x).for_each(|(y, x)| *y += a * x);
}

/// The mean of the six neighbours, plane by plane.
pub fn stencil(x: &[f32], nx: usize, ny: usize, nz: usize, out: &mut [f32]) {
    out.par_chunks_mut(nx * ny).enumerate().skip(1).take(nz.saturating_sub(2)).for_each(|(iz, out)| {
        for iy in 1..ny - 1 {
            let row = |y: usize, z: usize| &x[(z * ny + y) * nx..][..nx];
            let (here, south, north) = (row(iy, iz), row(iy - 1, iz), row(iy + 1, iz));
            let (below, above) = (row(iy, iz - 1), row(iy, iz + 1));
            let out = &mut out[iy * nx..][..nx];
            for ix in 1..nx - 1 {
                out[ix] = (here[ix - 1] + here[ix + 1] + south[ix] + north[ix] + below[ix] + above[ix]) / 6.0;
            }
        }
    });
}

/// The scalar product.
pub fn dot_f32(x: &[f32], y: &[f32]) -> f32 {
    x.par_iter().zip(y).map(|(x, y)| x * y).sum()
}

/// The scalar product.
pub fn dot_f64(x: &[f64], y: &[f64]) -> f64 {
    x.par_iter().zip(y).map(|(x, y)| x * y).sum()
}

/// The largest element and its first place.
pub fn argmax(x: &[f32]) -> (f32, usize) {
    let later = |a: (f32, usize), b: (f32, usize)| if b.0 > a.0 || (b.0 == a.0 && b.1 < a.1) { b } else { a };
    x.par_iter().enumerate().map(|(i, x)| (*x, i)).reduce(|| (f32::NEG_INFINITY, 0), later)
}

/// The least element and its first place.
pub fn argmin(x: &[i64]) -> (i64, usize) {
    let earlier = |a: (i64, usize), b: (i64, usize)| if b < a { b } else { a };
    x.par_iter().enumerate().map(|(i, x)| (*x, i)).reduce(|| (i64::MAX, 0), earlier)
}

/// How often each byte occurs.
pub fn histogram(x: &[u8]) -> [u32; 256] {
    let count = |x: &[u8]| {
        let mut counts = [0; 256];
        for x in x {
            counts[*x as usize] += 1;
        }
        counts
    };
    let add = |mut a: [u32; 256], b: [u32; 256]| {
        for (a, b) in a.iter_mut().zip(b) {
            *a += b;
        }
        a
    };
    x.par_chunks(1 << 16).map(count).reduce(|| [0; 256], add)
}
