//! STREAM: add, copy, dot, mul and triad.

use crate::support::*;
use forall::{foreach, kary_reduce};

#[foreach]
fn stream_copy(a: &[f64], c: &mut [f64]) {
    for i in 0..a.len() {
        c[i] = a[i];
    }
}

#[foreach]
fn stream_mul(b: &mut [f64], c: &[f64], alpha: f64) {
    for (b, c) in b.iter_mut().zip(c.iter()) {
        *b = alpha * c;
    }
}

#[foreach]
fn stream_add(a: &[f64], b: &[f64], c: &mut [f64]) {
    for (i, out) in c.iter_mut().enumerate() {
        *out = a[i] + b[i];
    }
}

#[foreach]
fn stream_triad(a: &mut [f64], b: &[f64], c: &[f64], alpha: f64) {
    for ((a, b), c) in a.iter_mut().zip(b).zip(c) {
        *a = b + alpha * c;
    }
}

#[kary_reduce]
fn stream_dot(a: &[f64], b: &[f64]) -> f64 {
    let mut dot = 0.0;
    for (x, y) in a.iter().zip(b.iter()) {
        dot += x * y;
    }
    dot
}

/// All four in one function, as one repetition of the benchmark does.
#[foreach]
fn stream_all(a: &mut [f32], b: &mut [f32], c: &mut [f32], scalar: f32) {
    let n = a.len();
    for j in 0..n {
        c[j] = a[j];
    }
    for j in 0..n {
        b[j] = scalar * c[j];
    }
    for j in 0..n {
        c[j] = a[j] + b[j];
    }
    for j in 0..n {
        a[j] = b[j] + scalar * c[j];
    }
}

cases! {
    stream_copy(n) {
        let (a, c) = (reals(n, 1), vec![0.0; n]);
        check!(stream_copy(&a, &mut c); shares a; writes c);
    }
    stream_mul(n) {
        let (b, c) = (vec![0.0; n], reals(n, 1));
        check!(stream_mul(&mut b, &c, 0.3); shares c; writes b);
    }
    stream_add(n) {
        let (a, b, c) = (reals(n, 1), reals(n, 2), vec![0.0; n]);
        check!(stream_add(&a, &b, &mut c); shares a, b; writes c);
    }
    stream_triad(n) {
        let (a, b, c) = (vec![0.0; n], reals(n, 1), reals(n, 2));
        check!(stream_triad(&mut a, &b, &c, 0.3); shares b, c; writes a);
    }
    stream_dot(n) {
        let (a, b) = (reals(n, 1), reals(n, 2));
        check!(stream_dot(&a, &b) within 1e-11; shares a, b);
    }
    stream_all(n) {
        let (a, b, c) = (singles(n, 1), singles(n, 2), singles(n, 3));
        check!(stream_all(&mut a, &mut b, &mut c, 0.4); writes a, b, c);
    }
}
