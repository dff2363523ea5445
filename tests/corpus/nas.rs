//! The NAS parallel benchmarks.

use crate::support::*;
use forall::{distributed_scan, foreach, kary_reduce};

const S: u64 = 271_828_183;
const A: u64 = 1_220_703_125;
const MASK: u64 = (1 << 46) - 1;

/// The seed of the pseudo-random sequence after `skip` steps.
fn skip_ahead(mut skip: u64) -> u64 {
    let (mut power, mut seed) = (A, S);
    while skip > 0 {
        if skip & 1 == 1 {
            seed = seed.wrapping_mul(power) & MASK;
        }
        power = power.wrapping_mul(power) & MASK;
        skip >>= 1;
    }
    seed
}

/// EP: pairs of Gaussian deviates counted by square annulus; no slice at all.
#[kary_reduce]
fn embarrassingly_parallel(pairs: usize) -> (f64, f64, [u64; 10]) {
    let mut sx = 0.0;
    let mut sy = 0.0;
    let mut q = [0u64; 10];
    for i in 0..pairs {
        let mut seed = skip_ahead(2 * i as u64);
        seed = seed.wrapping_mul(A) & MASK;
        let x1 = 2.0 * (seed as f64 / (1u64 << 46) as f64) - 1.0;
        seed = seed.wrapping_mul(A) & MASK;
        let x2 = 2.0 * (seed as f64 / (1u64 << 46) as f64) - 1.0;
        let t1 = x1 * x1 + x2 * x2;
        if t1 <= 1.0 {
            let t2 = (-2.0 * t1.ln() / t1).sqrt();
            let t3 = x1 * t2;
            let t4 = x2 * t2;
            let l = t3.abs().max(t4.abs()) as usize;
            q[l] += 1;
            sx += t3;
            sy += t4;
        }
    }
    (sx, sy, q)
}

/// IS: how many keys there are of each value.
#[kary_reduce]
fn is_count_keys(keys: &[u32], max_key: usize) -> Vec<u32> {
    let mut key_count = vec![0; max_key];
    for i in 0..keys.len() {
        key_count[keys[i] as usize] += 1;
    }
    key_count
}

/// IS: the rank of the first key of each value.
#[distributed_scan]
fn is_rank_keys(key_count: &[u32], key_rank: &mut [u32]) {
    let mut before = 0;
    for k in 0..key_count.len() {
        key_rank[k] = before;
        before += key_count[k];
    }
}

/// IS: full verification, which counts neighbours that are out of order.
#[kary_reduce]
fn is_verify(keys: &[u32]) -> usize {
    let mut wrong = 0;
    for i in 1..keys.len() {
        if keys[i - 1] > keys[i] {
            wrong += 1;
        }
    }
    wrong
}

/// CG: sparse matrix times vector in compressed rows.
#[foreach]
fn cg_matvec(row_start: &[usize], #[gather] column: &[u32], #[gather] a: &[f64], #[gather] p: &[f64], q: &mut [f64]) {
    for i in 0..q.len() {
        let mut sum = 0.0;
        for k in row_start[i]..row_start[i + 1] {
            sum += a[k] * p[column[k] as usize];
        }
        q[i] = sum;
    }
}

/// CG with everything but the result on all ranks.
#[foreach]
fn cg_matvec_replicated(
    #[replicated] row_start: &[usize],
    #[replicated] column: &[u32],
    #[replicated] a: &[f64],
    #[replicated] p: &[f64],
    q: &mut [f64],
) {
    for (i, q) in q.iter_mut().enumerate() {
        let mut sum = 0.0;
        let mut k = row_start[i];
        while k < row_start[i + 1] {
            sum += a[k] * p[column[k] as usize];
            k += 1;
        }
        *q = sum;
    }
}

/// CG: two vectors move along the search direction, and the new residual's norm comes back.
#[foreach]
fn cg_update(z: &mut [f64], r: &mut [f64], p: &[f64], q: &[f64], alpha: f64) -> f64 {
    let mut rho = 0.0;
    for j in 0..z.len() {
        z[j] = z[j] + alpha * p[j];
        r[j] = r[j] - alpha * q[j];
        rho += r[j] * r[j];
    }
    rho
}

/// CG: norms and products of two vectors at once.
#[kary_reduce]
fn cg_norms(x: &[f64], z: &[f64]) -> (f64, f64) {
    let mut norm_temp1 = 0.0;
    let mut norm_temp2 = 0.0;
    for j in 0..x.len() {
        norm_temp1 = norm_temp1 + x[j] * z[j];
        norm_temp2 = norm_temp2 + z[j] * z[j];
    }
    (norm_temp1, 1.0 / norm_temp2.sqrt())
}

/// MG: the residual r = v - A u, with the partial sums of a row in scratch arrays.
#[foreach]
fn mg_resid(u: &[f64], v: &[f64], r: &mut [f64], n1: usize, n2: usize, n3: usize, a: &[f64; 4]) {
    let mut u1 = vec![0.0; n1];
    let mut u2 = vec![0.0; n1];
    for i3 in 1..n3 - 1 {
        for i2 in 1..n2 - 1 {
            for i1 in 0..n1 {
                u1[i1] = u[(i3 * n2 + i2 - 1) * n1 + i1]
                    + u[(i3 * n2 + i2 + 1) * n1 + i1]
                    + u[((i3 - 1) * n2 + i2) * n1 + i1]
                    + u[((i3 + 1) * n2 + i2) * n1 + i1];
                u2[i1] = u[((i3 - 1) * n2 + i2 - 1) * n1 + i1]
                    + u[((i3 - 1) * n2 + i2 + 1) * n1 + i1]
                    + u[((i3 + 1) * n2 + i2 - 1) * n1 + i1]
                    + u[((i3 + 1) * n2 + i2 + 1) * n1 + i1];
            }
            for i1 in 1..n1 - 1 {
                r[(i3 * n2 + i2) * n1 + i1] = v[(i3 * n2 + i2) * n1 + i1]
                    - a[0] * u[(i3 * n2 + i2) * n1 + i1]
                    - a[2] * (u2[i1] + u1[i1 - 1] + u1[i1 + 1])
                    - a[3] * (u2[i1 - 1] + u2[i1 + 1]);
            }
        }
    }
}

/// MG: restriction of a fine grid to a coarse one, with half the points on each axis.
#[foreach]
fn mg_rprj3(r: &[f64], s: &mut [f64], m1: usize, m2: usize, m3: usize) {
    let (n1, n2) = (2 * m1 + 1, 2 * m2 + 1);
    for j3 in 0..m3 {
        let i3 = 2 * j3 + 1;
        for j2 in 0..m2 {
            let i2 = 2 * j2 + 1;
            for j1 in 0..m1 {
                let i1 = 2 * j1 + 1;
                let at = (i3 * n2 + i2) * n1 + i1;
                let x = r[at - 1] + r[at + 1];
                let y = r[at - n1] + r[at + n1];
                let z = r[at - n1 * n2] + r[at + n1 * n2];
                s[(j3 * m2 + j2) * m1 + j1] = 0.5 * r[at] + 0.25 * (x + y + z);
            }
        }
    }
}

/// MG: prolongation on a line, which writes two elements each iteration.
#[foreach]
fn mg_interp_line(z: &[f64], u: &mut [f64], m: usize) {
    for i in 0..m - 1 {
        u[2 * i] = u[2 * i] + z[i];
        u[2 * i + 1] = u[2 * i + 1] + 0.5 * (z[i + 1] + z[i]);
    }
}

/// MG: L2 norm and largest absolute value of a residual.
#[kary_reduce]
fn mg_norm2u3(r: &[f64], n1: usize, n2: usize, n3: usize) -> (f64, f64) {
    let dn = (n1 * n2 * n3) as f64;
    let mut s = 0.0;
    let mut rnmu = 0.0;
    for i3 in 0..n3 {
        for i2 in 0..n2 {
            for i1 in 0..n1 {
                let value = r[i1 + n1 * (i2 + n2 * i3)];
                s += value * value;
                let a = value.abs();
                if a > rnmu {
                    rnmu = a;
                }
            }
        }
    }
    ((s / dn.max(1.0)).sqrt(), rnmu)
}

/// A complex number of FT.
#[derive(Clone, Copy, Debug, PartialEq, bytemuck::Pod, bytemuck::Zeroable, forall::DeviceData)]
#[repr(C)]
struct Complex {
    re: f64,
    im: f64,
}
same_fields!(Complex { re, im });

/// FT: evolution in Fourier space, point by point.
#[foreach]
fn ft_evolve(u0: &mut [Complex], u1: &mut [Complex], twiddle: &[f64]) {
    for i in 0..u0.len() {
        u0[i].re *= twiddle[i];
        u0[i].im *= twiddle[i];
        u1[i] = u0[i];
    }
}

/// FT: the checksum over points scattered by a stride.
#[kary_reduce]
fn ft_checksum(u1: &[Complex], n: usize) -> (f64, f64) {
    let mut re = 0.0;
    let mut im = 0.0;
    for j in (0..n).step_by(17) {
        re += u1[j].re;
        im += u1[j].im;
    }
    (re, im)
}

/// One butterfly stage on separate halves.
#[foreach]
fn ft_butterfly(x: &mut [Complex], half: usize) {
    for i in 0..half {
        let a = x[i];
        let b = x[i + half];
        x[i] = Complex { re: a.re + b.re, im: a.im + b.im };
        x[i + half] = Complex { re: a.re - b.re, im: a.im - b.im };
    }
}

/// Rows of few and many entries, as compressed rows.
fn compressed_rows(n: usize) -> (Vec<usize>, Vec<u32>, Vec<f64>) {
    let mut row_start = vec![0];
    for degree in naturals(n, 5, 7) {
        row_start.push(row_start[row_start.len() - 1] + degree as usize);
    }
    let entries = row_start[n];
    (row_start, naturals(entries, 6, n), reals(entries, 7))
}

cases! {
    embarrassingly_parallel(n) {
        check!(embarrassingly_parallel(n) within 1e-11);
    }
    is_count_keys(n) {
        let keys = naturals(n, 1, 100);
        check!(is_count_keys(&keys, 100); shares keys);
    }
    is_rank_keys(n) {
        let (key_count, key_rank) = (naturals(n, 1, 100), vec![0; n]);
        check!(is_rank_keys(&key_count, &mut key_rank); shares key_count; writes key_rank);
    }
    is_verify(n) {
        let keys = naturals(n, 1, 100);
        check!(is_verify(&keys); shares keys);
    }
    cg_matvec(n) {
        let (row_start, column, a) = compressed_rows(n);
        let (p, q) = (reals(n, 1), vec![0.0; n]);
        check!(cg_matvec(&row_start, &column, &a, &p, &mut q); shares row_start, column, a, p; writes q);
    }
    cg_matvec_replicated(n) {
        let (row_start, column, a) = compressed_rows(n);
        let (p, q) = (reals(n, 1), vec![0.0; n]);
        check!(cg_matvec_replicated(&row_start, &column, &a, &p, &mut q); writes q);
    }
    cg_update(n) {
        let (z, r, p, q) = (reals(n, 1), reals(n, 2), reals(n, 3), reals(n, 4));
        check!(cg_update(&mut z, &mut r, &p, &q, 0.3) within 1e-12; shares p, q; writes z, r);
    }
    cg_norms(n) {
        let (x, z) = (reals(n, 1), reals(n, 2));
        check!(cg_norms(&x, &z) within 1e-11; shares x, z);
    }
    mg_resid(n) {
        let side = cube(n).max(2);
        let (n1, n2, n3) = (side + 2, side + 1, side);
        let size = n1 * n2 * n3;
        let (u, v, r) = (reals(size, 1), reals(size, 2), vec![0.0; size]);
        check!(mg_resid(&u, &v, &mut r, n1, n2, n3, &[-2.6, 0.0, 0.16, 0.08]); shares u, v; writes r);
    }
    mg_rprj3(n) {
        let m1 = cube(n) / 2;
        let (m2, m3) = (m1 + 1, m1 + 2);
        let r = reals((2 * m1 + 1) * (2 * m2 + 1) * (2 * m3 + 1), 1);
        let s = vec![0.0; m1 * m2 * m3];
        check!(mg_rprj3(&r, &mut s, m1, m2, m3); shares r; writes s);
    }
    mg_interp_line(n) {
        let m = n / 2 + 1;
        let (z, u) = (reals(m, 1), reals(2 * m, 2));
        check!(mg_interp_line(&z, &mut u, m); shares z; writes u);
    }
    mg_norm2u3(n) {
        let n1 = cube(n);
        let (n2, n3) = (n1 + 1, n1 + 2);
        let r = reals(n1 * n2 * n3, 1);
        check!(mg_norm2u3(&r, n1, n2, n3) within 1e-12; shares r);
    }
    ft_evolve(n) {
        let u0 = made(n, 1, |bits| Complex { re: unit(bits), im: unit(bits.rotate_left(32)) });
        let (u1, twiddle) = (vec![Complex { re: 0.0, im: 0.0 }; n], reals(n, 2));
        check!(ft_evolve(&mut u0, &mut u1, &twiddle); shares twiddle; writes u0, u1);
    }
    ft_checksum(n) {
        let u1 = made(n, 1, |bits| Complex { re: unit(bits), im: unit(bits.rotate_left(32)) });
        check!(ft_checksum(&u1, n) within 1e-12; shares u1);
    }
    ft_butterfly(n) {
        let half = n / 2;
        let x = made(half * 2, 1, |bits| Complex { re: unit(bits), im: unit(bits.rotate_left(32)) });
        check!(ft_butterfly(&mut x, half); writes x);
    }
}
