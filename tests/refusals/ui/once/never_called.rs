//! rustc warns of functions that nothing calls, as it does of functions without an attribute.

#![deny(unused)]

use forall::{distributed_sort, foreach, kary_reduce, traverse};

#[foreach]
fn never_called(x: &[f64], out: &mut [f64]) {
    for i in 0..x.len() {
        out[i] = x[i];
    }
}

#[kary_reduce]
fn never_called_either(x: &[f64]) -> f64 {
    let mut sum = 0.0;
    for i in 0..x.len() {
        sum += x[i];
    }
    sum
}

#[distributed_sort]
fn never_sorted(x: &mut [u32]) {
    x.sort();
}

#[traverse]
fn never_visited(node: u32, found: &mut Vec<u32>) {
    if node >= 8 {
        found.push(node);
        return;
    }
    never_visited(2 * node, found);
    never_visited(2 * node + 1, found);
}

pub struct Scale(pub f64);

impl Scale {
    #[foreach]
    fn apply(&self, x: &mut [f64]) {
        for i in 0..x.len() {
            x[i] *= self.0;
        }
    }
}

fn main() {}
