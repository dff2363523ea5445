//! RAJAPerf's group "Lcals": the Livermore loops.

use crate::support::*;
use forall::{distributed_scan, foreach, kary_reduce};

/// Difference predictors: fourteen planes of one array, written and read at places that never meet.
#[foreach]
fn diff_predict(px: &mut [f64], cx: &[f64], offset: usize) {
    for i in 0..offset {
        let ar = cx[i + offset * 4];
        let br = ar - px[i + offset * 4];
        px[i + offset * 4] = ar;
        let cr = br - px[i + offset * 5];
        px[i + offset * 5] = br;
        let ar = cr - px[i + offset * 6];
        px[i + offset * 6] = cr;
        let br = ar - px[i + offset * 7];
        px[i + offset * 7] = ar;
        px[i + offset * 9] = br - px[i + offset * 8];
        px[i + offset * 8] = br;
    }
}

/// Equation of state fragment.
#[foreach]
fn eos(x: &mut [f64], y: &[f64], z: &[f64], u: &[f64], q: f64, r: f64, t: f64) {
    for i in 0..x.len() {
        x[i] = u[i]
            + r * (z[i] + r * y[i])
            + t * (u[i + 3] + r * (u[i + 2] + r * u[i + 1]) + t * (u[i + 6] + q * (u[i + 5] + q * u[i + 4])));
    }
}

#[foreach]
fn first_diff(x: &mut [f64], y: &[f64]) {
    for i in 0..x.len() {
        x[i] = y[i + 1] - y[i];
    }
}

/// The least element and the first place where it is.
#[kary_reduce]
fn first_min(x: &[f64]) -> (f64, usize) {
    let mut loc = 0;
    let mut min = x[0];
    for i in 1..x.len() {
        if x[i] < min {
            min = x[i];
            loc = i;
        }
    }
    (min, loc)
}

#[foreach]
fn first_sum(x: &mut [f64], y: &[f64]) {
    x[0] = y[0];
    for i in 1..y.len() {
        x[i] = y[i - 1] + y[i];
    }
}

/// General linear recurrence: what is stored is not what is carried.
#[distributed_scan]
fn gen_lin_recur(b5: &mut [f64], mut stb5: f64, sa: &[f64], sb: &[f64]) -> f64 {
    for k in 0..sa.len() {
        b5[k] = sa[k] + stb5 * sb[k];
        stb5 = sa[k] + stb5 * (sb[k] - 1.0);
    }
    stb5
}

/// The plain first-order recurrence that the kernel above is made of.
#[distributed_scan]
fn lin_recur(w: &mut [f64], a: &[f64], x: &[f64]) {
    let mut y = 0.25;
    for i in 0..w.len() {
        y = a[i] * y + x[i];
        w[i] = y;
    }
}

#[foreach]
fn hydro_1d(x: &mut [f64], y: &[f64], z: &[f64], q: f64, r: f64, t: f64) {
    for i in 0..x.len() {
        x[i] = q + y[i] * (r * z[i + 10] + t * z[i + 11]);
    }
}

/// Two-dimensional explicit hydrodynamics: three loops over the same grid.
#[foreach]
fn hydro_2d(
    za: &mut [f64],
    zb: &mut [f64],
    zu: &mut [f64],
    zv: &mut [f64],
    zp: &[f64],
    zq: &[f64],
    zr: &[f64],
    zm: &[f64],
    jn: usize,
    kn: usize,
) {
    let s = 0.0041;
    for k in 1..kn - 1 {
        for j in 1..jn - 1 {
            let at = j + k * jn;
            za[at] = (zp[at - 1 + jn] + zq[at - 1 + jn] - zp[at - 1] - zq[at - 1]) * (zr[at] + zr[at - 1])
                / (zm[at - 1] + zm[at - 1 + jn]);
            zb[at] = (zp[at - 1] + zq[at - 1] - zp[at] - zq[at]) * (zr[at] + zr[at - jn]) / (zm[at] + zm[at - 1]);
        }
    }
    for k in 1..kn - 1 {
        for j in 1..jn - 1 {
            let at = j + k * jn;
            zu[at] += s * (za[at] * (zr[at] - zr[at + 1]) - zb[at] * (zr[at] - zr[at - jn]));
            zv[at] += s * (za[at] * (zp[at] - zp[at + 1]) - zb[at] * (zp[at] - zp[at + jn]));
        }
    }
}

/// Integrate predictors: plane 0 from the planes beyond it.
#[foreach]
fn int_predict(px: &mut [f64], offset: usize, dm: &[f64; 7], c0: f64) {
    for i in 0..offset {
        px[i] = dm[6] * px[i + offset * 12]
            + dm[5] * px[i + offset * 11]
            + dm[4] * px[i + offset * 10]
            + dm[3] * px[i + offset * 9]
            + dm[2] * px[i + offset * 8]
            + dm[1] * px[i + offset * 7]
            + dm[0] * px[i + offset * 6]
            + c0 * (px[i + offset * 4] + px[i + offset * 5])
            + px[i + offset * 2];
    }
}

#[foreach]
fn planckian(x: &[f64], y: &mut [f64], u: &[f64], v: &[f64], w: &mut [f64]) {
    for i in 0..x.len() {
        y[i] = u[i] / v[i];
        w[i] = x[i] / (y[i].exp() - 1.0);
    }
}

/// One sweep of tridiagonal elimination, out of place.
#[foreach]
fn tridiag_elim(xout: &mut [f64], xin: &[f64], y: &[f64], z: &[f64]) {
    for i in 1..xin.len() {
        xout[i] = z[i] * (y[i] - xin[i - 1]);
    }
}

/// The original Livermore loop 5: in place, and so a recurrence.
#[distributed_scan]
fn tridiag_in_place(x: &mut [f64], y: &[f64], z: &[f64]) {
    for i in 1..x.len() {
        x[i] = z[i] * (y[i] - x[i - 1]);
    }
}

/// Livermore loop 3.
#[kary_reduce]
fn inner_product(z: &[f64], x: &[f64]) -> f64 {
    let mut q = 0.0;
    for k in 0..z.len() {
        q = q + z[k] * x[k];
    }
    q
}

/// Livermore loop 11, in place.
#[distributed_scan]
fn first_sum_in_place(x: &mut [i64]) {
    for k in 1..x.len() {
        x[k] += x[k - 1];
    }
}

cases! {
    diff_predict(n) {
        let offset = n / 10;
        let (px, cx) = (reals(offset * 10, 1), reals(offset * 5, 2));
        check!(diff_predict(&mut px, &cx, offset); shares cx; writes px);
    }
    eos(n) {
        let (x, y, z, u) = (vec![0.0; n], reals(n, 1), reals(n, 2), reals(n + 7, 3));
        check!(eos(&mut x, &y, &z, &u, 0.5, 0.25, 0.125); shares y, z, u; writes x);
    }
    first_diff(n) {
        let (x, y) = (vec![0.0; n], reals(n + 1, 1));
        check!(first_diff(&mut x, &y); shares y; writes x);
    }
    first_min(n) {
        // Halves of few values, so that the least is at many places.
        let x = made(n.max(1), 1, |bits| (bits % 50) as f64 / 2.0);
        check!(first_min(&x); shares x);
    }
    first_sum(n) {
        let n = n.max(1);
        let (x, y) = (vec![0.0; n], reals(n, 1));
        check!(first_sum(&mut x, &y); shares y; writes x);
    }
    gen_lin_recur(n) {
        let (b5, sa, sb) = (vec![0.0; n], reals(n, 1), positives(n, 2));
        check!(gen_lin_recur(&mut b5, 0.5, &sa, &sb) within 1e-10; shares sa, sb; writes b5);
    }
    lin_recur(n) {
        let (w, a, x) = (vec![0.0; n], reals(n, 1), reals(n, 2));
        check!(lin_recur(&mut w, &a, &x) within 1e-10; shares a, x; writes w);
    }
    hydro_1d(n) {
        let (x, y, z) = (vec![0.0; n], reals(n, 1), reals(n + 12, 2));
        check!(hydro_1d(&mut x, &y, &z, 0.5, 0.25, 0.125); shares y, z; writes x);
    }
    hydro_2d(n) {
        let jn = square(n).max(2);
        let kn = jn + 1;
        let size = jn * kn;
        let (za, zb, zu, zv) = (vec![0.0; size], vec![0.0; size], reals(size, 1), reals(size, 2));
        let (zp, zq, zr, zm) = (reals(size, 3), reals(size, 4), reals(size, 5), positives(size, 6));
        check!(hydro_2d(&mut za, &mut zb, &mut zu, &mut zv, &zp, &zq, &zr, &zm, jn, kn);
            shares zp, zq, zr, zm; writes za, zb, zu, zv);
    }
    int_predict(n) {
        let offset = n / 13;
        let px = reals(offset * 13, 1);
        check!(int_predict(&mut px, offset, &[0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7], 1.5); writes px);
    }
    planckian(n) {
        let (x, y, u, v, w) = (reals(n, 1), vec![0.0; n], positives(n, 2), positives(n, 3), vec![0.0; n]);
        check!(planckian(&x, &mut y, &u, &v, &mut w); shares x, u, v; writes y, w);
    }
    tridiag_elim(n) {
        let (xout, xin, y, z) = (vec![0.0; n], reals(n, 1), reals(n, 2), reals(n, 3));
        check!(tridiag_elim(&mut xout, &xin, &y, &z); shares xin, y, z; writes xout);
    }
    tridiag_in_place(n) {
        let (x, y, z) = (reals(n, 1), reals(n, 2), reals(n, 3));
        check!(tridiag_in_place(&mut x, &y, &z) within 1e-10; shares y, z; writes x);
    }
    inner_product(n) {
        let (z, x) = (reals(n, 1), reals(n, 2));
        check!(inner_product(&z, &x) within 1e-11; shares z, x);
    }
    first_sum_in_place(n) {
        let x = integers(n, 1);
        check!(first_sum_in_place(&mut x); writes x);
    }
}
