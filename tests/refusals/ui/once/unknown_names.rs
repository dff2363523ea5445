//! rustc reports each unknown name once.

use forall::{foreach, kary_reduce};

#[foreach]
fn value(x: &[f64], out: &mut [f64]) {
    for i in 0..x.len() {
        out[i] = x[i] * factr;
    }
}

#[foreach]
fn in_the_signature(x: &[Flot], out: &mut [f64]) {
    for i in 0..x.len() {
        out[i] = 1.0;
    }
}

#[kary_reduce]
fn function_and_path(x: &[f64]) -> f64 {
    let mut sum = 0.0;
    let scale = nothing(2.0);
    for i in 0..x.len() {
        sum += x[i] * scale + nowhere::factor(x[i]);
    }
    sum
}

fn main() {}
