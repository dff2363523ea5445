//! rustc reports each wrong type once.

use forall::{foreach, kary_reduce};

#[foreach]
fn operand(x: &[f64], out: &mut [f64]) {
    for i in 0..x.len() {
        out[i] = x[i] + 1;
    }
}

#[foreach]
fn variable(x: &[f64], out: &mut [f64]) {
    for i in 0..x.len() {
        let half: f32 = x[i];
        out[i] = half;
    }
}

#[foreach]
fn argument(x: &[f64], out: &mut [f64]) {
    fn negative(x: f32) -> f64 {
        -f64::from(x)
    }
    for i in 0..x.len() {
        out[i] = negative(x[i]);
    }
}

#[foreach]
fn method_and_field(x: &[[f64; 2]], out: &mut [f64]) {
    for i in 0..x.len() {
        out[i] = x[i].first + x[i][0].sqr();
    }
}

#[kary_reduce]
fn returned(x: &[f64]) -> f64 {
    let mut sum = 0.0;
    for i in 0..x.len() {
        sum += x[i] as f32;
    }
    sum
}

fn main() {}
