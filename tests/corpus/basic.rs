//! RAJAPerf's group "Basic".

use crate::support::*;
use forall::{foreach, foreach_tls, kary_reduce};

#[foreach]
fn daxpy(a: f64, x: &[f64], y: &mut [f64]) {
    for i in 0..x.len() {
        y[i] += a * x[i];
    }
}

/// Roots of many quadratic polynomials; the branch divides the iterations.
#[foreach]
fn if_quad(a: &[f64], b: &[f64], c: &[f64], x1: &mut [f64], x2: &mut [f64]) {
    for i in 0..a.len() {
        let s = b[i] * b[i] - 4.0 * a[i] * c[i];
        if s >= 0.0 {
            let s = s.sqrt();
            x2[i] = (-b[i] + s) / (2.0 * a[i]);
            x1[i] = (-b[i] - s) / (2.0 * a[i]);
        } else {
            x2[i] = 0.0;
            x1[i] = 0.0;
        }
    }
}

/// The places of the negative elements.
#[foreach_tls]
fn index_list(x: &[f64], list: &mut Vec<usize>) {
    for i in 0..x.len() {
        if x[i] < 0.0 {
            list.push(i);
        }
    }
}

#[foreach]
fn init3(out1: &mut [f64], out2: &mut [f64], out3: &mut [f64], in1: &[f64], in2: &[f64]) {
    for i in 0..in1.len() {
        let value = -in1[i] - in2[i];
        out1[i] = value;
        out2[i] = value;
        out3[i] = value;
    }
}

#[foreach]
fn init_view1d(a: &mut [f64], v: f64) {
    for i in 0..a.len() {
        a[i] = (i + 1) as f64 * v;
    }
}

#[foreach]
fn init_view1d_offset(a: &mut [f64], v: f64) {
    let n = a.len();
    for i in 1..=n {
        a[i - 1] = i as f64 * v;
    }
}

#[foreach]
fn mul_add_sub(out1: &mut [f64], out2: &mut [f64], out3: &mut [f64], in1: &[f64], in2: &[f64]) {
    let n = in1.len();
    for i in 0..n {
        out1[i] = in1[i] * in2[i];
        out2[i] = in1[i] + in2[i];
        out3[i] = in1[i] - in2[i];
    }
}

#[foreach]
fn nested_init(array: &mut [f64], ni: usize, nj: usize, nk: usize) {
    for k in 0..nk {
        for j in 0..nj {
            for i in 0..ni {
                array[i + ni * (j + nj * k)] = 0.00000001 * i as f64 * j as f64 * k as f64;
            }
        }
    }
}

#[kary_reduce]
fn pi_reduce(n: usize) -> f64 {
    let dx = 1.0 / n.max(1) as f64;
    let mut pi = 0.0;
    for i in 0..n {
        let x = (i as f64 + 0.5) * dx;
        pi += dx / (1.0 + x * x);
    }
    4.0 * pi
}

#[kary_reduce]
fn reduce3_int(vec: &[i32]) -> (i64, i32, i32) {
    let mut vsum: i64 = 0;
    let mut vmin = i32::MAX;
    let mut vmax = i32::MIN;
    for i in 0..vec.len() {
        vsum += vec[i] as i64;
        vmin = vmin.min(vec[i]);
        vmax = vmax.max(vec[i]);
    }
    (vsum, vmin, vmax)
}

/// Centre and corners of a cloud of points.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Cloud {
    xcenter: f64,
    xmin: f64,
    xmax: f64,
    ycenter: f64,
    ymin: f64,
    ymax: f64,
}
same_fields!(Cloud { xcenter, xmin, xmax, ycenter, ymin, ymax });

#[kary_reduce(k = 8)]
fn reduce_struct(x: &[f64], y: &[f64]) -> Cloud {
    let (mut xsum, mut xmin, mut xmax) = (0.0, f64::MAX, f64::MIN);
    let (mut ysum, mut ymin, mut ymax) = (0.0, f64::MAX, f64::MIN);
    for i in 0..x.len() {
        xsum += x[i];
        xmin = f64::min(xmin, x[i]);
        xmax = f64::max(xmax, x[i]);
        ysum += y[i];
        ymin = f64::min(ymin, y[i]);
        ymax = f64::max(ymax, y[i]);
    }
    let points = x.len() as f64;
    Cloud { xcenter: xsum / points, xmin, xmax, ycenter: ysum / points, ymin, ymax }
}

fn trap_int_func(x: f64, y: f64, xp: f64, yp: f64) -> f64 {
    let denom = (x - xp) * (x - xp) + (y - yp) * (y - yp);
    1.0 / denom.sqrt()
}

#[kary_reduce]
fn trap_int(x0: f64, h: f64, y: f64, xp: f64, yp: f64, n: usize) -> f64 {
    let mut sumx = 0.5 * (trap_int_func(x0, y, xp, yp) + trap_int_func(x0 + n as f64 * h, y, xp, yp));
    for i in 0..n {
        let x = x0 + i as f64 * h;
        sumx += trap_int_func(x, y, xp, yp);
    }
    sumx * h
}

/// RAJAPerf's MULTI_REDUCE: one sum for each bin.
#[kary_reduce]
fn multi_reduce(bins: &[u32], data: &[f64], num_bins: usize) -> Vec<f64> {
    let mut values = vec![0.0; num_bins];
    for i in 0..bins.len() {
        values[bins[i] as usize] += data[i];
    }
    values
}

#[foreach]
fn copy4(
    x0: &[f64],
    x1: &[f64],
    x2: &[f64],
    x3: &[f64],
    y0: &mut [f64],
    y1: &mut [f64],
    y2: &mut [f64],
    y3: &mut [f64],
) {
    for i in 0..y0.len() {
        y0[i] = x0[i];
        y1[i] = x1[i];
        y2[i] = x2[i];
        y3[i] = x3[i];
    }
}

/// A product of matrices, with the loop over rows outside.
#[foreach]
fn mat_mat(n: usize, a: &[f64], #[replicated] b: &[f64], c: &mut [f64]) {
    for row in 0..n {
        for col in 0..n {
            let mut cell = 0.0;
            for k in 0..n {
                cell += a[row * n + k] * b[k * n + col];
            }
            c[row * n + col] = cell;
        }
    }
}

/// How many elements are negative, by `continue`.
#[kary_reduce]
fn count_negative(x: &[f64]) -> usize {
    let mut count = 0;
    for v in x {
        if *v >= 0.0 {
            continue;
        }
        count += 1;
    }
    count
}

cases! {
    daxpy(n) {
        let (x, y) = (reals(n, 1), reals(n, 2));
        check!(daxpy(2.5, &x, &mut y); shares x; writes y);
    }
    if_quad(n) {
        let (a, b, c) = (positives(n, 1), reals(n, 2), reals(n, 3));
        let (x1, x2) = (vec![0.0; n], vec![0.0; n]);
        check!(if_quad(&a, &b, &c, &mut x1, &mut x2); shares a, b, c; writes x1, x2);
    }
    index_list(n) {
        let (x, list) = (reals(n, 1), Vec::<usize>::new());
        check!(index_list(&x, &mut list); shares x; writes list);
    }
    init3(n) {
        let (in1, in2) = (reals(n, 1), reals(n, 2));
        let (out1, out2, out3) = (vec![0.0; n], vec![0.0; n], vec![0.0; n]);
        check!(init3(&mut out1, &mut out2, &mut out3, &in1, &in2); shares in1, in2; writes out1, out2, out3);
    }
    init_view1d(n) {
        let a = vec![0.0; n];
        check!(init_view1d(&mut a, 0.00000123); writes a);
    }
    init_view1d_offset(n) {
        let a = vec![0.0; n];
        check!(init_view1d_offset(&mut a, 0.00000123); writes a);
    }
    mul_add_sub(n) {
        let (in1, in2) = (reals(n, 1), reals(n, 2));
        let (out1, out2, out3) = (vec![0.0; n], vec![0.0; n], vec![0.0; n]);
        check!(mul_add_sub(&mut out1, &mut out2, &mut out3, &in1, &in2); shares in1, in2; writes out1, out2, out3);
    }
    nested_init(n) {
        let side = cube(n);
        let (ni, nj, nk) = (side, side + 1, side + 2);
        let array = vec![1.0; ni * nj * nk];
        check!(nested_init(&mut array, ni, nj, nk); writes array);
    }
    pi_reduce(n) {
        check!(pi_reduce(n) within 1e-12);
    }
    reduce3_int(n) {
        let vec = integers32(n, 1);
        check!(reduce3_int(&vec); shares vec);
    }
    reduce_struct(n) {
        let (x, y) = (reals(n, 1), reals(n, 2));
        check!(reduce_struct(&x, &y) within 1e-12; shares x, y);
    }
    trap_int(n) {
        check!(trap_int(0.1, 0.001, 0.3, 2.0, 4.0, n) within 1e-12);
    }
    multi_reduce(n) {
        let (bins, data) = (naturals(n, 1, 10), reals(n, 2));
        check!(multi_reduce(&bins, &data, 10) within 1e-11; shares bins, data);
    }
    copy4(n) {
        let (x0, x1, x2, x3) = (reals(n, 1), reals(n, 2), reals(n, 3), reals(n, 4));
        let (y0, y1, y2, y3) = (vec![0.0; n], vec![0.0; n], vec![0.0; n], vec![0.0; n]);
        check!(copy4(&x0, &x1, &x2, &x3, &mut y0, &mut y1, &mut y2, &mut y3);
            shares x0, x1, x2, x3; writes y0, y1, y2, y3);
    }
    mat_mat(n) {
        let n = square(n);
        let (a, b, c) = (reals(n * n, 1), reals(n * n, 2), vec![0.0; n * n]);
        check!(mat_mat(n, &a, &b, &mut c); shares a; writes c);
    }
    count_negative(n) {
        let x = reals(n, 1);
        check!(count_negative(&x); shares x);
    }
}
