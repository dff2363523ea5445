//! PolyBench, with linearised matrices.

use crate::support::*;
use forall::{distributed_scan, foreach, kary_reduce};

#[foreach]
fn gemm(ni: usize, nj: usize, nk: usize, alpha: f64, beta: f64, c: &mut [f64], a: &[f64], #[replicated] b: &[f64]) {
    for i in 0..ni {
        for j in 0..nj {
            c[i * nj + j] *= beta;
        }
        for k in 0..nk {
            for j in 0..nj {
                c[i * nj + j] += alpha * a[i * nk + k] * b[k * nj + j];
            }
        }
    }
}

/// D := alpha A B C + beta D.
#[foreach]
fn two_mm(
    ni: usize,
    nj: usize,
    nk: usize,
    nl: usize,
    alpha: f64,
    beta: f64,
    tmp: &mut [f64],
    a: &[f64],
    #[replicated] b: &[f64],
    #[replicated] c: &[f64],
    d: &mut [f64],
) {
    for i in 0..ni {
        for j in 0..nj {
            tmp[i * nj + j] = 0.0;
            for k in 0..nk {
                tmp[i * nj + j] += alpha * a[i * nk + k] * b[k * nj + j];
            }
        }
    }
    for i in 0..ni {
        for j in 0..nl {
            d[i * nl + j] *= beta;
            for k in 0..nj {
                d[i * nl + j] += tmp[i * nj + k] * c[k * nl + j];
            }
        }
    }
}

/// The last product of 3mm reads all rows of the middle one, which is a footprint over the whole array.
#[foreach]
fn three_mm(n: usize, a: &[f64], b: &[f64], c: &[f64], d: &[f64], e: &mut [f64], f: &mut [f64], g: &mut [f64]) {
    for i in 0..n {
        for j in 0..n {
            e[i * n + j] = 0.0;
            for k in 0..n {
                e[i * n + j] += a[i * n + k] * b[k * n + j];
            }
        }
    }
    for i in 0..n {
        for j in 0..n {
            f[i * n + j] = 0.0;
            for k in 0..n {
                f[i * n + j] += c[i * n + k] * d[k * n + j];
            }
        }
    }
    for i in 0..n {
        for j in 0..n {
            g[i * n + j] = 0.0;
            for k in 0..n {
                g[i * n + j] += e[i * n + k] * f[k * n + j];
            }
        }
    }
}

/// y := A' (A x): a product by rows, then one that adds rows into `y`.
#[kary_reduce]
fn atax(m: usize, n: usize, a: &[f64], #[replicated] x: &[f64]) -> Vec<f64> {
    let mut y = vec![0.0; n];
    for i in 0..m {
        let mut tmp = 0.0;
        for j in 0..n {
            tmp += a[i * n + j] * x[j];
        }
        for j in 0..n {
            y[j] += a[i * n + j] * tmp;
        }
    }
    y
}

/// Maps `q` and reduces into `s` in one loop.
#[kary_reduce]
fn bicg(m: usize, n: usize, a: &[f64], s: &mut [f64; 24], q: &mut [f64], #[replicated] p: &[f64], r: &[f64]) {
    for i in 0..n {
        q[i] = 0.0;
        for j in 0..m {
            s[j] = s[j] + r[i] * a[i * m + j];
            q[i] = q[i] + a[i * m + j] * p[j];
        }
    }
}

#[foreach]
fn mvt(n: usize, x1: &mut [f64], x2: &mut [f64], #[replicated] y1: &[f64], #[replicated] y2: &[f64], a: &[f64]) {
    for i in 0..n {
        for j in 0..n {
            x1[i] = x1[i] + a[i * n + j] * y1[j];
        }
    }
    for i in 0..n {
        for j in 0..n {
            x2[i] = x2[i] + a[j * n + i] * y2[j];
        }
    }
}

#[foreach]
fn gemver(
    n: usize,
    alpha: f64,
    beta: f64,
    a: &mut [f64],
    u1: &[f64],
    #[replicated] v1: &[f64],
    u2: &[f64],
    #[replicated] v2: &[f64],
    w: &mut [f64],
    x: &mut [f64],
    #[replicated] y: &[f64],
    z: &[f64],
) {
    for i in 0..n {
        for j in 0..n {
            a[i * n + j] = a[i * n + j] + u1[i] * v1[j] + u2[i] * v2[j];
        }
    }
    for i in 0..n {
        for j in 0..n {
            x[i] = x[i] + beta * a[j * n + i] * y[j];
        }
    }
    for i in 0..n {
        x[i] = x[i] + z[i];
    }
    for i in 0..n {
        for j in 0..n {
            w[i] = w[i] + alpha * a[i * n + j] * x[j];
        }
    }
}

#[foreach]
fn gesummv(n: usize, alpha: f64, beta: f64, a: &[f64], b: &[f64], #[replicated] x: &[f64], y: &mut [f64]) {
    for i in 0..n {
        let mut tmp = 0.0;
        let mut sum = 0.0;
        for j in 0..n {
            tmp = a[i * n + j] * x[j] + tmp;
            sum = b[i * n + j] * x[j] + sum;
        }
        y[i] = alpha * tmp + beta * sum;
    }
}

/// The lower triangle only: the inner bound depends on the row.
#[foreach]
fn syrk(n: usize, m: usize, alpha: f64, beta: f64, c: &mut [f64], a: &[f64]) {
    for i in 0..n {
        for j in 0..=i {
            c[i * n + j] *= beta;
        }
        for k in 0..m {
            for j in 0..=i {
                c[i * n + j] += alpha * a[i * m + k] * a[j * m + k];
            }
        }
    }
}

/// B := alpha A' B by columns of A below the diagonal; column by column of B, so that nothing is carried between rows.
#[foreach]
fn trmm_out_of_place(m: usize, n: usize, alpha: f64, #[replicated] a: &[f64], b: &[f64], out: &mut [f64]) {
    for i in 0..m {
        for j in 0..n {
            let mut sum = b[i * n + j];
            for k in (i + 1)..m {
                sum += a[k * m + i] * b[k * n + j];
            }
            out[i * n + j] = alpha * sum;
        }
    }
}

/// One time step each, with the buffers named in turn.
#[foreach]
fn jacobi_1d_step(n: usize, a: &mut [f64], b: &mut [f64]) {
    for i in 1..n - 1 {
        b[i] = 0.33333 * (a[i - 1] + a[i] + a[i + 1]);
    }
    for i in 1..n - 1 {
        a[i] = 0.33333 * (b[i - 1] + b[i] + b[i + 1]);
    }
}

/// The whole kernel as PolyBench has it: time steps around two parallel loops.
#[foreach]
fn jacobi_1d(tsteps: usize, n: usize, a: &mut [f64], b: &mut [f64]) {
    for _t in 0..tsteps {
        for i in 1..n - 1 {
            b[i] = 0.33333 * (a[i - 1] + a[i] + a[i + 1]);
        }
        for i in 1..n - 1 {
            a[i] = 0.33333 * (b[i - 1] + b[i] + b[i + 1]);
        }
    }
}

#[foreach]
fn jacobi_2d(tsteps: usize, n: usize, a: &mut [f64], b: &mut [f64]) {
    for _t in 0..tsteps {
        for i in 1..n - 1 {
            for j in 1..n - 1 {
                b[i * n + j] = 0.2
                    * (a[i * n + j] + a[i * n + j - 1] + a[i * n + (1 + j)] + a[(1 + i) * n + j] + a[(i - 1) * n + j]);
            }
        }
        for i in 1..n - 1 {
            for j in 1..n - 1 {
                a[i * n + j] = 0.2
                    * (b[i * n + j] + b[i * n + j - 1] + b[i * n + (1 + j)] + b[(1 + i) * n + j] + b[(i - 1) * n + j]);
            }
        }
    }
}

#[foreach]
fn heat_3d_step(n: usize, a: &[f64], b: &mut [f64]) {
    let at = |i: usize, j: usize, k: usize| (i * n + j) * n + k;
    for i in 1..n - 1 {
        for j in 1..n - 1 {
            for k in 1..n - 1 {
                b[(i * n + j) * n + k] = 0.125 * (a[at(i + 1, j, k)] - 2.0 * a[at(i, j, k)] + a[at(i - 1, j, k)])
                    + 0.125 * (a[at(i, j + 1, k)] - 2.0 * a[at(i, j, k)] + a[at(i, j - 1, k)])
                    + 0.125 * (a[at(i, j, k + 1)] - 2.0 * a[at(i, j, k)] + a[at(i, j, k - 1)])
                    + a[at(i, j, k)];
            }
        }
    }
}

/// The same with the indices written out.
#[foreach]
fn heat_3d(n: usize, a: &[f64], b: &mut [f64]) {
    for i in 1..n - 1 {
        for j in 1..n - 1 {
            for k in 1..n - 1 {
                b[(i * n + j) * n + k] = 0.125
                    * (a[((i + 1) * n + j) * n + k] - 2.0 * a[(i * n + j) * n + k] + a[((i - 1) * n + j) * n + k])
                    + 0.125 * (a[(i * n + j + 1) * n + k] - 2.0 * a[(i * n + j) * n + k] + a[(i * n + j - 1) * n + k])
                    + 0.125 * (a[(i * n + j) * n + k + 1] - 2.0 * a[(i * n + j) * n + k] + a[(i * n + j) * n + k - 1])
                    + a[(i * n + j) * n + k];
            }
        }
    }
}

#[foreach]
fn fdtd_2d(nx: usize, ny: usize, ex: &mut [f64], ey: &mut [f64], hz: &mut [f64], fict: f64) {
    for j in 0..ny {
        ey[j] = fict;
    }
    for i in 1..nx {
        for j in 0..ny {
            ey[i * ny + j] = ey[i * ny + j] - 0.5 * (hz[i * ny + j] - hz[(i - 1) * ny + j]);
        }
    }
    for i in 0..nx {
        for j in 1..ny {
            ex[i * ny + j] = ex[i * ny + j] - 0.5 * (hz[i * ny + j] - hz[i * ny + j - 1]);
        }
    }
    for i in 0..nx - 1 {
        for j in 0..ny - 1 {
            hz[i * ny + j] =
                hz[i * ny + j] - 0.7 * (ex[i * ny + j + 1] - ex[i * ny + j] + ey[(i + 1) * ny + j] - ey[i * ny + j]);
        }
    }
}

/// Column means, centred data, and the symmetric product.
#[foreach]
fn covariance(m: usize, n: usize, data: &mut [f64], cov: &mut [f64], mean: &mut [f64]) {
    let float_n = n as f64;
    for j in 0..m {
        mean[j] = 0.0;
        for i in 0..n {
            mean[j] += data[i * m + j];
        }
        mean[j] /= float_n;
    }
    for i in 0..n {
        for j in 0..m {
            data[i * m + j] -= mean[j];
        }
    }
    for i in 0..m {
        for j in 0..m {
            let mut sum = 0.0;
            for k in 0..n {
                sum += data[k * m + i] * data[k * m + j];
            }
            cov[i * m + j] = sum / (float_n - 1.0);
        }
    }
}

#[foreach]
fn correlation_scale(m: usize, n: usize, data: &mut [f64], #[replicated] mean: &[f64], #[replicated] stddev: &[f64]) {
    let float_n = n as f64;
    for i in 0..n {
        for j in 0..m {
            data[i * m + j] -= mean[j];
            data[i * m + j] /= float_n.sqrt() * stddev[j];
        }
    }
}

/// Standard deviations of the columns, where small ones count as one.
#[foreach]
fn correlation_stddev(m: usize, n: usize, data: &[f64], mean: &[f64], stddev: &mut [f64]) {
    let eps = 0.1;
    for j in 0..m {
        let mut s = 0.0;
        for i in 0..n {
            let d = data[i * m + j] - mean[j];
            s += d * d;
        }
        s = (s / n as f64).sqrt();
        stddev[j] = if s <= eps { 1.0 } else { s };
    }
}

/// Multi-resolution analysis kernel: a scratch row for each iteration.
#[foreach]
fn doitgen(nr: usize, nq: usize, np: usize, a: &mut [f64], #[replicated] c4: &[f64]) {
    let mut sum = vec![0.0; np];
    for r in 0..nr {
        for q in 0..nq {
            for p in 0..np {
                sum[p] = 0.0;
                for s in 0..np {
                    sum[p] += a[(r * nq + q) * np + s] * c4[s * np + p];
                }
            }
            for p in 0..np {
                a[(r * nq + q) * np + p] = sum[p];
            }
        }
    }
}

/// The row sweeps of ADI: recurrences inside each row, rows independent.
#[foreach]
fn adi_rows(n: usize, u: &mut [f64], p: &mut [f64], q: &mut [f64], v: &[f64]) {
    let (a, b, c) = (-0.25, 1.5, -0.25);
    for i in 1..n - 1 {
        u[i * n] = 1.0;
        p[i * n] = 0.0;
        q[i * n] = u[i * n];
        for j in 1..n - 1 {
            p[i * n + j] = -c / (a * p[i * n + j - 1] + b);
            q[i * n + j] = (0.25 * v[(i - 1) * n + j] + 0.5 * v[i * n + j] + 0.25 * v[(i + 1) * n + j]
                - a * q[i * n + j - 1])
                / (a * p[i * n + j - 1] + b);
        }
        u[i * n + n - 1] = 1.0;
        for j in (1..n - 1).rev() {
            u[i * n + j] = p[i * n + j] * u[i * n + j + 1] + q[i * n + j];
        }
    }
}

/// The horizontal pass of the Deriche filter: a recursive filter along each row.
#[foreach]
fn deriche_rows(w: usize, h: usize, img: &[f32], y1: &mut [f32]) {
    let (a1, a2, b1, b2) = (0.2f32, 0.1f32, 0.5f32, -0.06f32);
    for i in 0..h {
        let mut ym1 = 0.0f32;
        let mut ym2 = 0.0f32;
        let mut xm1 = 0.0f32;
        for j in 0..w {
            y1[i * w + j] = a1 * img[i * w + j] + a2 * xm1 + b1 * ym1 + b2 * ym2;
            xm1 = img[i * w + j];
            ym2 = ym1;
            ym1 = y1[i * w + j];
        }
    }
}

/// Triangular matrix times vector: all of the row before the diagonal.
#[foreach]
fn lower_times_vector(n: usize, l: &[f64], x: &[f64], out: &mut [f64]) {
    for i in 0..n {
        let mut sum = 0.0;
        for j in 0..=i {
            sum += l[i * n + j] * x[j];
        }
        out[i] = sum;
    }
}

/// Frobenius norm: a reduction over a nest.
#[kary_reduce]
fn frobenius(n: usize, m: usize, a: &[f64]) -> f64 {
    let mut sum = 0.0;
    for i in 0..n {
        for j in 0..m {
            sum += a[i * m + j] * a[i * m + j];
        }
    }
    sum.sqrt()
}

/// Trace and largest off-diagonal element, from the rows.
#[kary_reduce]
fn trace_and_off(n: usize, a: &[f64]) -> (f64, f64) {
    let mut trace = 0.0;
    let mut off = 0.0f64;
    for i in 0..n {
        trace += a[i * n + i];
        for j in 0..n {
            if i != j {
                off = off.max(a[i * n + j].abs());
            }
        }
    }
    (trace, off)
}

/// Cumulative sum of row sums: a scan whose input is itself a sum over an inner loop.
#[distributed_scan]
fn cumulative_rows(n: usize, m: usize, a: &[f64], total: &mut [f64]) {
    let mut running = 0.0;
    for i in 0..n {
        let mut row = 0.0;
        for j in 0..m {
            row += a[i * m + j];
        }
        running += row;
        total[i] = running;
    }
}

#[foreach]
fn covariance_of_a_triangle(n: usize, m: usize, data: &[f64], cov: &mut [f64]) {
    for i in 0..m {
        for j in i..m {
            cov[i * m + j] = 0.0;
            for k in 0..n {
                cov[i * m + j] += data[k * m + i] * data[k * m + j];
            }
            cov[i * m + j] /= n as f64 - 1.0;
            cov[j * m + i] = cov[i * m + j];
        }
    }
}
#[foreach]
fn correlation_of_a_triangle(n: usize, m: usize, data: &[f64], corr: &mut [f64]) {
    for i in 0..m - 1 {
        corr[i * m + i] = 1.0;
        for j in i + 1..m {
            let mut sum = 0.0;
            for k in 0..n {
                sum += data[k * m + i] * data[k * m + j];
            }
            corr[i * m + j] = sum;
            corr[j * m + i] = sum;
        }
    }
    corr[(m - 1) * m + m - 1] = 1.0;
}
cases! {
    gemm(n) {
        let ni = square(n);
        let (nj, nk) = (ni + 1, ni + 2);
        let (c, a, b) = (reals(ni * nj, 1), reals(ni * nk, 2), reals(nk * nj, 3));
        check!(gemm(ni, nj, nk, 1.5, 1.2, &mut c, &a, &b); shares a; writes c);
    }
    two_mm(n) {
        let ni = square(n);
        let (nj, nk, nl) = (ni + 2, ni + 1, ni / 2 + 1);
        let (a, b, c) = (reals(ni * nk, 1), reals(nk * nj, 2), reals(nj * nl, 3));
        let (tmp, d) = (vec![9.0; ni * nj], reals(ni * nl, 4));
        check!(two_mm(ni, nj, nk, nl, 1.5, 1.2, &mut tmp, &a, &b, &c, &mut d); shares a; writes tmp, d);
    }
    three_mm(n) {
        let n = square(n).min(40);
        let (a, b, c, d) = (reals(n * n, 1), reals(n * n, 2), reals(n * n, 3), reals(n * n, 4));
        let (e, f, g) = (vec![0.0; n * n], vec![0.0; n * n], vec![0.0; n * n]);
        check!(three_mm(n, &a, &b, &c, &d, &mut e, &mut f, &mut g); shares a, c; vectors b, d; writes e, f, g);
    }
    atax(n) {
        let m = square(n);
        let n = m + 3;
        let (a, x) = (reals(m * n, 1), reals(n, 2));
        check!(atax(m, n, &a, &x) within 1e-10; shares a);
    }
    bicg(n) {
        let m = 24;
        let n = n / m;
        let (a, s, q, p, r) = (reals(n * m, 1), [0.0; 24], vec![1.0; n], reals(m, 2), reals(n, 3));
        check!(bicg(m, n, &a, &mut s, &mut q, &p, &r) within 1e-11; shares a, r; writes q; keeps s);
    }
    mvt(n) {
        let n = square(n);
        let (x1, x2, y1, y2, a) = (reals(n, 1), reals(n, 2), reals(n, 3), reals(n, 4), reals(n * n, 5));
        check!(mvt(n, &mut x1, &mut x2, &y1, &y2, &a); shares a; writes x1, x2);
    }
    gemver(n) {
        let n = square(n);
        let (a, u1, v1, u2, v2) = (reals(n * n, 1), reals(n, 2), reals(n, 3), reals(n, 4), reals(n, 5));
        let (w, x, y, z) = (vec![0.0; n], vec![0.0; n], reals(n, 6), reals(n, 7));
        check!(gemver(n, 1.5, 1.2, &mut a, &u1, &v1, &u2, &v2, &mut w, &mut x, &y, &z);
            shares u1, u2, z; writes a, w, x);
    }
    gesummv(n) {
        let n = square(n);
        let (a, b, x, y) = (reals(n * n, 1), reals(n * n, 2), reals(n, 3), vec![0.0; n]);
        check!(gesummv(n, 1.5, 1.2, &a, &b, &x, &mut y); shares a, b; writes y);
    }
    syrk(n) {
        let n = square(n).min(60);
        let m = n / 2 + 1;
        let (c, a) = (reals(n * n, 1), reals(n * m, 2));
        check!(syrk(n, m, 1.5, 1.2, &mut c, &a); shares a; writes c);
    }
    trmm_out_of_place(n) {
        let m = square(n).min(60);
        let n = m + 2;
        let (a, b, out) = (reals(m * m, 1), reals(m * n, 2), vec![0.0; m * n]);
        check!(trmm_out_of_place(m, n, 1.5, &a, &b, &mut out); shares b; writes out);
    }
    jacobi_1d_step(n) {
        let n = n.max(2);
        let (a, b) = (reals(n, 1), reals(n, 2));
        check!(jacobi_1d_step(n, &mut a, &mut b); writes a, b);
    }
    jacobi_1d(n) {
        let n = n.max(2);
        let (a, b) = (reals(n, 1), reals(n, 2));
        check!(jacobi_1d(5, n, &mut a, &mut b); writes a, b);
    }
    jacobi_2d(n) {
        let n = square(n).max(2);
        let (a, b) = (reals(n * n, 1), reals(n * n, 2));
        check!(jacobi_2d(3, n, &mut a, &mut b); writes a, b);
    }
    heat_3d_step(n) {
        let n = cube(n).max(2);
        let (a, b) = (reals(n * n * n, 1), vec![0.0; n * n * n]);
        check!(heat_3d_step(n, &a, &mut b); shares a; writes b);
    }
    heat_3d(n) {
        let n = cube(n).max(2);
        let (a, b) = (reals(n * n * n, 1), vec![0.0; n * n * n]);
        check!(heat_3d(n, &a, &mut b); shares a; writes b);
    }
    fdtd_2d(n) {
        let nx = square(n).max(1);
        let ny = nx + 1;
        let (ex, ey, hz) = (reals(nx * ny, 1), reals(nx * ny, 2), reals(nx * ny, 3));
        check!(fdtd_2d(nx, ny, &mut ex, &mut ey, &mut hz, 0.5); writes ex, ey, hz);
    }
    covariance(n) {
        let m = square(n).min(40);
        let n = m + 5;
        let (data, cov, mean) = (reals(n * m, 1), vec![0.0; m * m], vec![0.0; m]);
        check!(covariance(m, n, &mut data, &mut cov, &mut mean); writes data, cov, mean);
    }
    correlation_scale(n) {
        let m = square(n);
        let n = m + 5;
        let (data, mean, stddev) = (reals(n * m, 1), reals(m, 2), positives(m, 3));
        check!(correlation_scale(m, n, &mut data, &mean, &stddev); writes data);
    }
    correlation_stddev(n) {
        let m = square(n);
        let n = m + 5;
        let (data, mean, stddev) = (reals(n * m, 1), reals(m, 2), vec![0.0; m]);
        check!(correlation_stddev(m, n, &data, &mean, &mut stddev); shares data, mean; writes stddev);
    }
    doitgen(n) {
        let nr = cube(n);
        let (nq, np) = (nr + 1, nr + 2);
        let (a, c4) = (reals(nr * nq * np, 1), reals(np * np, 2));
        check!(doitgen(nr, nq, np, &mut a, &c4); writes a);
    }
    adi_rows(n) {
        let n = square(n).max(3);
        let (u, p, q, v) = (reals(n * n, 1), vec![0.0; n * n], vec![0.0; n * n], reals(n * n, 2));
        check!(adi_rows(n, &mut u, &mut p, &mut q, &v); shares v; writes u, p, q);
    }
    deriche_rows(n) {
        let w = square(n);
        let h = w + 2;
        let (img, y1) = (singles(w * h, 1), vec![0.0; w * h]);
        check!(deriche_rows(w, h, &img, &mut y1); shares img; writes y1);
    }
    lower_times_vector(n) {
        let n = square(n);
        let (l, x, out) = (reals(n * n, 1), reals(n, 2), vec![0.0; n]);
        check!(lower_times_vector(n, &l, &x, &mut out); shares l, x; writes out);
    }
    frobenius(n) {
        let m = square(n);
        let n = m + 1;
        let a = reals(n * m, 1);
        check!(frobenius(n, m, &a) within 1e-12; shares a);
    }
    trace_and_off(n) {
        let n = square(n);
        let a = reals(n * n, 1);
        check!(trace_and_off(n, &a) within 1e-12; shares a);
    }
    cumulative_rows(n) {
        let m = square(n);
        let n = m + 1;
        let (a, total) = (reals(n * m, 1), vec![0.0; n]);
        check!(cumulative_rows(n, m, &a, &mut total) within 1e-11; shares a; writes total);
    }
    covariance_of_a_triangle(size) {
        let (m, n) = (square(size) + 1, 5);
        let (data, cov) = (reals(n * m, 1), reals(m * m, 2));
        check!(covariance_of_a_triangle(n, m, &data, &mut cov); shares data; writes cov);
    }
    correlation_of_a_triangle(size) {
        let (m, n) = (square(size) + 1, 5);
        let (data, corr) = (reals(n * m, 1), reals(m * m, 2));
        check!(correlation_of_a_triangle(n, m, &data, &mut corr); shares data; writes corr);
    }
}
