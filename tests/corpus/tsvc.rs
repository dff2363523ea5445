//! The test suite for vectorising compilers (TSVC): what of it is parallel, under the names that it has there.

use crate::support::*;
use forall::{distributed_scan, foreach, kary_reduce};

#[foreach]
fn s111(a: &mut [f64], b: &[f64]) {
    for i in (1..a.len()).step_by(2) {
        a[i] = a[i - 1] + b[i];
    }
}

#[foreach]
fn s113(a: &mut [f64], b: &[f64]) {
    for i in 1..a.len() {
        a[i] = a[0] + b[i];
    }
}

#[foreach]
fn s115(a: &mut [f64], aa: &[f64]) {
    let n = a.len();
    #[sequential]
    for j in 0..n {
        for i in j + 1..n {
            a[i] -= aa[j * n + i] * a[j];
        }
    }
}

#[foreach]
fn s1115(aa: &mut [f64], bb: &[f64], cc: &[f64], n: usize) {
    for i in 0..n {
        for j in 0..n {
            aa[i * n + j] = aa[i * n + j] * cc[j * n + i] + bb[i * n + j];
        }
    }
}

#[foreach]
fn s122(a: &mut [f64], b: &[f64], n1: usize, n3: usize) {
    let j = 1;
    let mut k = 0;
    for i in (n1 - 1..a.len()).step_by(n3) {
        k += j;
        a[i] += b[b.len() - k];
    }
}

#[foreach]
fn s132(aa: &mut [f64], b: &[f64], c: &[f64], m: usize, n: usize) {
    let (j, k) = (m, m + 1);
    for i in 1..n {
        aa[j * n + i] = aa[k * n + i - 1] + b[i] * c[1];
    }
}

fn s152s(a: &mut f64, b: f64, c: f64) {
    *a += b * c;
}

#[foreach]
fn s152(a: &mut [f64], b: &mut [f64], c: &[f64], d: &[f64], e: &[f64]) {
    for i in 0..a.len() {
        b[i] = d[i] * e[i];
        s152s(&mut a[i], b[i], c[i]);
    }
}

#[foreach]
fn s1161(a: &mut [f64], b: &mut [f64], c: &[f64], d: &[f64], e: &[f64]) {
    for i in 0..a.len() - 1 {
        if c[i] < 0.0 {
            b[i] = a[i] + d[i] * d[i];
            continue;
        }
        a[i] = c[i] + d[i] * e[i];
    }
}

#[foreach]
fn s173(a: &mut [f64], b: &[f64]) {
    let k = a.len() / 2;
    for i in 0..a.len() / 2 {
        a[i + k] = a[i] + b[i];
    }
}

#[foreach]
fn s176(a: &mut [f64], b: &[f64], c: &[f64]) {
    let m = a.len() / 2;
    #[sequential]
    for j in 0..a.len() / 2 {
        for i in 0..m {
            a[i] += b[i + m - j - 1] * c[j];
        }
    }
}

#[foreach]
fn s231(aa: &mut [f64], bb: &[f64], n: usize) {
    for i in 0..n {
        for j in 1..n {
            aa[j * n + i] = aa[(j - 1) * n + i] + bb[j * n + i];
        }
    }
}

#[foreach]
fn s232(aa: &mut [f64], bb: &[f64], n: usize) {
    for j in 1..n {
        for i in 1..=j {
            aa[j * n + i] = aa[j * n + i - 1] * aa[j * n + i - 1] + bb[j * n + i];
        }
    }
}

#[foreach]
fn s1232(aa: &mut [f64], bb: &[f64], cc: &[f64], n: usize) {
    for j in 0..n {
        for i in j..n {
            aa[i * n + j] = bb[i * n + j] + cc[i * n + j];
        }
    }
}

#[foreach]
fn s235(a: &mut [f64], aa: &mut [f64], b: &[f64], bb: &[f64], c: &[f64]) {
    let n = a.len();
    for i in 0..n {
        a[i] += b[i] * c[i];
        for j in 1..n {
            aa[j * n + i] = aa[(j - 1) * n + i] + bb[j * n + i] * a[i];
        }
    }
}

#[distributed_scan]
fn s242(a: &mut [f64], b: &[f64], c: &[f64], d: &[f64], s1: f64, s2: f64) {
    for i in 1..a.len() {
        a[i] = a[i - 1] + s1 + s2 + b[i] + c[i] + d[i];
    }
}

#[foreach]
fn s251(a: &mut [f64], b: &[f64], c: &[f64], d: &[f64]) {
    let mut s;
    for i in 0..a.len() {
        s = b[i] + c[i] * d[i];
        a[i] = s * s;
    }
}

#[foreach]
fn s276(a: &mut [f64], b: &[f64], c: &[f64], d: &[f64]) {
    let mid = a.len() / 2;
    for i in 0..a.len() {
        if i + 1 < mid {
            a[i] += b[i] * c[i];
        } else {
            a[i] += b[i] * d[i];
        }
    }
}

#[foreach]
fn s2101(aa: &mut [f64], bb: &[f64], cc: &[f64], n: usize) {
    for i in 0..n {
        aa[i * n + i] += bb[i * n + i] * cc[i * n + i];
    }
}

#[foreach]
fn s2102(aa: &mut [f64], n: usize) {
    for i in 0..n {
        for j in 0..n {
            aa[j * n + i] = 0.0;
        }
        aa[i * n + i] = 1.0;
    }
}

#[kary_reduce]
fn s315(a: &mut [f64]) -> f64 {
    let n = a.len();
    for i in 0..n {
        a[i] = ((i * 7) % n.max(1)) as f64;
    }
    let mut x = a[0];
    let mut index = 0;
    for i in 0..n {
        if a[i] > x {
            x = a[i];
            index = i;
        }
    }
    x + index as f64
}

#[kary_reduce]
fn s319(a: &mut [f64], b: &mut [f64], c: &[f64], d: &[f64], e: &[f64]) -> f64 {
    let mut sum = 0.0;
    for i in 0..a.len() {
        a[i] = c[i] + d[i];
        sum += a[i];
        b[i] = c[i] + e[i];
        sum += b[i];
    }
    sum
}

#[kary_reduce]
fn s3110(aa: &[f64], n: usize) -> (f64, usize, usize) {
    let mut max = aa[0];
    let mut xindex = 0;
    let mut yindex = 0;
    for i in 0..n {
        for j in 0..n {
            if aa[i * n + j] > max {
                max = aa[i * n + j];
                xindex = i;
                yindex = j;
            }
        }
    }
    (max, xindex, yindex)
}

#[distributed_scan]
fn s321(a: &mut [f64], b: &[f64]) {
    for i in 1..a.len() {
        a[i] += a[i - 1] * b[i];
    }
}

#[distributed_scan]
fn s342_original(a: &mut [f64], #[gather] b: &[f64]) {
    let mut j = -1isize;
    for i in 0..a.len() {
        if a[i] > 0.0 {
            j += 1;
            a[i] = b[j as usize];
        }
    }
}

#[kary_reduce]
fn s352(a: &[f64], b: &[f64]) -> f64 {
    let mut dot = 0.0;
    for i in (0..a.len() - 4).step_by(5) {
        dot = dot + a[i] * b[i] + a[i + 1] * b[i + 1] + a[i + 2] * b[i + 2] + a[i + 3] * b[i + 3] + a[i + 4] * b[i + 4];
    }
    dot
}

#[foreach]
fn s442(a: &mut [f64], b: &[f64], c: &[f64], d: &[f64], e: &[f64], indx: &[i32]) {
    for i in 0..a.len() {
        match indx[i] {
            1 => a[i] += b[i] * b[i],
            2 => a[i] += c[i] * c[i],
            3 => a[i] += d[i] * d[i],
            4 => a[i] += e[i] * e[i],
            _ => {}
        }
    }
}

#[distributed_scan]
fn s453(a: &mut [f64], b: &[f64]) {
    let mut s = 0.;
    for i in 0..a.len() {
        s += 2.;
        a[i] = s * b[i];
    }
}

#[foreach]
fn s4114(a: &mut [f64], b: &[f64], #[gather] c: &[f64], d: &[f64], ip: &[usize], n1: usize) {
    let n = c.len();
    for i in n1 - 1..a.len() {
        let k = ip[i];
        a[i] = b[i] + c[n - k - 1] * d[i];
    }
}

#[kary_reduce]
fn s4116(a: &[f64], #[gather] aa: &[f64], ip: &[usize], j: usize, inc: usize, n: usize) -> f64 {
    let mut sum = 0.;
    for i in 0..n - 1 {
        let off = inc + i;
        sum += a[off] * aa[(j - 1) * n + ip[i]];
    }
    sum
}

#[foreach]
fn vbor(x: &mut [f64], a: &[f64], b: &[f64], c: &[f64], d: &[f64], e: &[f64]) {
    for i in 0..x.len() {
        let a1 = a[i];
        let b1 = b[i];
        let c1 = c[i];
        let d1 = d[i];
        let e1 = e[i];
        let f1 = a1;
        let a1 = a1 * b1 * c1 + a1 * b1 * d1 + a1 * b1 * e1 + a1 * b1 * f1;
        let b1 = b1 * c1 * d1 + b1 * c1 * e1 + b1 * c1 * f1;
        x[i] = a1 * b1 * c1 * d1;
    }
}

cases! {

    assignments(n) {
        let (a, b, c, d, e) = (reals(n, 1), reals(n, 2), reals(n, 3), reals(n, 4), reals(n, 5));
        check!(s111(&mut a, &b); shares b; writes a);
        check!(s113(&mut a, &b); shares b; writes a);
        check!(s152(&mut a, &mut b, &c, &d, &e); shares c, d, e; writes a, b);
        check!(s173(&mut a, &b); shares b; writes a);
        check!(s251(&mut a, &b, &c, &d); shares b, c, d; writes a);
        check!(s276(&mut a, &b, &c, &d); shares b, c, d; writes a);
        check!(vbor(&mut a, &b, &b, &c, &d, &e); shares b, c, d, e; writes a);
        let kind = made(n, 7, |b| (b % 5) as i32);
        check!(s442(&mut a, &b, &c, &d, &e, &kind); shares b, c, d, e, kind; writes a);
    }
    branches(n) {
        let n = n + 1;
        let (a, b, c, d, e) = (reals(n, 1), reals(n, 2), reals(n, 3), reals(n, 4), reals(n, 5));
        check!(s1161(&mut a, &mut b, &c, &d, &e); shares c, d, e; writes a, b);
    }
    matrices(n) {
        let m = square(n).min(25);
        let (a, b, c) = (reals(m * m, 1), reals(m * m, 2), reals(m * m, 3));
        check!(s1115(&mut a, &b, &c, m); shares b, c; writes a);
        check!(s231(&mut a, &b, m); shares b; writes a);
        check!(s232(&mut a, &b, m); shares b; writes a);
        check!(s1232(&mut a, &b, &c, m); shares b, c; writes a);
        check!(s2101(&mut a, &b, &c, m); shares b, c; writes a);
        check!(s2102(&mut a, m); writes a);
        let (x, y, z) = (reals(m, 4), reals(m, 5), reals(m, 6));
        check!(s115(&mut x, &a); shares a; writes x);
        check!(s176(&mut x, &y, &z); shares y; vectors z; writes x);
        check!(s235(&mut x, &mut a, &y, &b, &z); shares y, b, z; writes x, a);
    }
    rows(n) {
        let m = square(n).max(3);
        let (aa, b, c) = (reals(m * m, 1), reals(m, 2), reals(m, 3));
        check!(s132(&mut aa, &b, &c, 1, m); shares b; vectors c; writes aa);
    }
    reductions(n) {
        let (a, b, c, d, e) = (reals(n, 1), reals(n, 2), reals(n, 3), reals(n, 4), reals(n, 5));
        check!(s319(&mut a, &mut b, &c, &d, &e) within 1e-9; shares c, d, e; writes a, b);
        let a = reals(n + 5, 1);
        check!(s352(&a, &a) within 1e-9; shares a);
        check!(s315(&mut a); writes a);
        let m = square(n).max(1);
        let aa = reals(m * m, 1);
        check!(s3110(&aa, m); shares aa);
    }
    recurrences(n) {
        let (a, b, c, d) = (reals(n, 1), reals(n, 2), reals(n, 3), reals(n, 4));
        check!(s242(&mut a, &b, &c, &d, 0.5, 0.25) within 1e-9; shares b, c, d; writes a);
        check!(s321(&mut a, &b) within 1e-9; shares b; writes a);
        check!(s453(&mut a, &b) within 1e-9; shares b; writes a);
    }
    indirect(n) {
        let (a, b, c, d) = (reals(n, 1), reals(n, 2), reals(n, 3), reals(n, 4));
        check!(s122(&mut a, &b, 1, 2); shares b; writes a);
        check!(s342_original(&mut a, &b); shares b; writes a);
        let at = indices(n, 6, n);
        if n > 0 {
            check!(s4114(&mut a, &b, &c, &d, &at, 1); shares b, c, d, at; writes a);
        }
        let m = square(n).max(1);
        let (a, aa, at) = (reals(m + 2, 1), reals(m * m, 2), indices(m, 7, m));
        check!(s4116(&a, &aa, &at, 1, 1, m) within 1e-9; shares a, aa, at);
    }
}
