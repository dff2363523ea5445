//! Loops on `f16` of the crate `half`: pictures and fields that are kept in half of the room.

use crate::support::{integers, made, unit};
use forall::{distributed_scan, foreach, foreach_tls, kary_reduce};
use half::{bf16, f16};

fn halves(n: usize, seed: u64) -> Vec<f16> {
    made(n, seed, |bits| f16::from_f64(200.0 * unit(bits) - 100.0))
}

/// Of two channels, one over the other.
#[foreach]
fn over(front: &[f16], alpha: &[f16], back: &mut [f16]) {
    for ((f, a), b) in front.iter().zip(alpha).zip(back) {
        *b = *f * *a + *b * (f16::ONE - *a);
    }
}

#[foreach]
fn smoothed(x: &[f16], out: &mut [f16]) {
    for i in 1..x.len() - 1 {
        out[i] = f16::from_f32(0.25 * x[i - 1].to_f32() + 0.5 * x[i].to_f32() + 0.25 * x[i + 1].to_f32());
    }
}

#[distributed_scan]
fn envelope(x: &[f16], out: &mut [f16]) -> f16 {
    let mut top = f16::NEG_INFINITY;
    for i in 0..x.len() {
        top = top.max(x[i]);
        out[i] = top;
    }
    top
}

/// Few enough to be exact in any order.
#[kary_reduce]
fn balance(x: &[i64]) -> f16 {
    let mut sum = f16::ZERO;
    for v in x {
        sum += if *v > 0 { f16::ONE } else { f16::NEG_ONE };
    }
    sum
}

#[foreach_tls]
fn clipped(x: &[f16], level: f16, out: &mut Vec<f16>) {
    for v in x {
        if *v > level {
            out.push(*v - level);
        }
    }
}

#[kary_reduce]
fn brightest(x: &[bf16]) -> (bf16, usize) {
    let (mut best, mut at) = (bf16::NEG_INFINITY, usize::MAX);
    for i in 0..x.len() {
        if x[i] > best {
            best = x[i];
            at = i;
        }
    }
    (best, at)
}

cases! {
    over(n) {
        let (front, back) = (halves(n, 1), halves(n, 2));
        let alpha = made(n, 3, |bits| f16::from_f64(unit(bits)));
        check!(over(&front, &alpha, &mut back); shares front, alpha; writes back);
    }
    smoothed(n) {
        if n < 2 {
            return;
        }
        let (x, out) = (halves(n, 1), vec![f16::ZERO; n]);
        check!(smoothed(&x, &mut out); shares x; writes out);
    }
    envelope(n) {
        let (x, out) = (halves(n, 1), vec![f16::ZERO; n]);
        check!(envelope(&x, &mut out); shares x; writes out);
    }
    balance(n) {
        let x = integers(n.min(2000), 1);
        check!(balance(&x); shares x);
    }
    clipped(n) {
        let (x, out) = (halves(n, 1), Vec::new());
        check!(clipped(&x, f16::from_f32(33.3), &mut out); shares x; writes out);
    }
    brightest(n) {
        let x = made(n, 1, |bits| bf16::from_f64(unit(bits)));
        check!(brightest(&x); shares x);
    }
}
