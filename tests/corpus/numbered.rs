//! Counters: moved by the same number in each iteration, or under a condition.

use crate::support::*;
use forall::{distributed_scan, foreach};

/// Rows of five elements, the last two swapped.
#[foreach]
fn rows(x: &[f64], out: &mut [f64]) -> usize {
    let mut k = 0;
    for y in 0..x.len() / 5 {
        for j in 0..3 {
            out[k] = 2.0 * x[5 * y + j];
            k += 1;
        }
        out[k] = x[k + 1];
        out[k + 1] = x[k];
        k += 2;
    }
    k
}

#[foreach]
fn from_the_end(x: &[u32], out: &mut [u32]) {
    let mut k = out.len();
    for v in x {
        k -= 1;
        out[k] = *v;
    }
}

/// Positive numbers from the front, the others from the end.
#[distributed_scan]
fn parted(x: &[i64], out: &mut [i64]) -> usize {
    let (mut front, mut end) = (0, out.len());
    for v in x {
        if *v > 0 {
            out[front] = *v;
            front += 1;
        } else {
            end -= 1;
            out[end] = *v;
        }
    }
    front
}

cases! {
    rows(n) {
        let (x, out) = (reals(n, 1), vec![0.0; n]);
        check!(rows(&x, &mut out); shares x; writes out);
    }
    from_the_end(n) {
        let (x, out) = (naturals(n, 1, 1000), vec![0; n]);
        check!(from_the_end(&x, &mut out); shares x; writes out);
    }
    parted(n) {
        let (x, out) = (integers(n, 1), vec![0; n]);
        check!(parted(&x, &mut out); shares x; writes out);
    }
}
