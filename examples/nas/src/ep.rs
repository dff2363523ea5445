//! EP: pairs of Gaussian deviates, counted by how far they lie from the origin.

use crate::random::{next, skip};
use crate::{Class, Outcome, error, timed};
use forall::kary_reduce;

/// The series begins here.
const SEED: u64 = 271_828_183;

/// Pairs of numbers, a power of two: each iteration takes this many.
const BATCH: u64 = 1 << 16;

/// The sums of the deviates in both directions, and how many lie in each square ring around the origin.
#[kary_reduce]
pub fn gaussian_deviates(batches: u64) -> (f64, f64, [u64; 10]) {
    let (mut sx, mut sy) = (0.0, 0.0);
    let mut rings = [0; 10];
    for batch in 0..batches {
        let mut seed = skip(SEED, 2 * BATCH * batch);
        for _ in 0..BATCH {
            let x = 2.0 * next(&mut seed) - 1.0;
            let y = 2.0 * next(&mut seed) - 1.0;
            let t = x * x + y * y;
            if t <= 1.0 {
                let scale = (-2.0 * t.ln() / t).sqrt();
                let (gx, gy) = (x * scale, y * scale);
                rings[gx.abs().max(gy.abs()) as usize] += 1;
                sx += gx;
                sy += gy;
            }
        }
    }
    (sx, sy, rings)
}

/// Runs the benchmark.
pub fn run(class: Class) -> Outcome {
    let pairs = class.choose(1 << 24, 1_u64 << 28);
    let ((sx, sy, rings), seconds) = timed(|| gaussian_deviates(pairs / BATCH));
    let published =
        class.choose([-3.24783465203474e3, -6.958407078382297e3], [-4.295875165629892e3, -1.580732573678431e4]);
    let counted = rings.iter().sum::<u64>() == class.choose(13_176_389, 210_832_767);
    let error = error(sx, published[0]).max(error(sy, published[1]));
    let error = if counted { error } else { 1.0 };
    Outcome { seconds, operations: pairs as f64 * 2e-6, error, allowed: 1e-8 }
}
