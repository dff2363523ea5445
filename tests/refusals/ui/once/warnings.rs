//! rustc warns once of statements that nothing reaches, and of variables that nothing uses.

#![deny(warnings)]

use forall::{foreach, kary_reduce};

#[foreach]
pub fn unreachable(x: &[f64], out: &mut [f64]) {
    for i in 0..x.len() {
        out[i] = x[i];
    }
    return;
    out[0] = 1.0;
}

#[kary_reduce]
pub fn variables(x: &[f64], unused: f64) -> f64 {
    let mut sum = 0.0;
    for i in 0..x.len() {
        let value = x[i];
        sum += x[i];
    }
    sum
}

fn main() {}
