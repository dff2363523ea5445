// What a function computes is seen where its body is, and only that function counts.
use forall::{foreach, kary_reduce};

fn half(i: usize) -> usize {
    i / 2
}

mod grid {
    pub fn at(x: usize, y: usize) -> usize {
        y * 8 + x
    }
}

#[foreach]
fn outside(x: &[f64], out: &mut [f64]) {
    for y in 0..x.len() / 8 {
        out[grid::at(0, y)] = x[half(y)];
    }
}

#[kary_reduce]
fn read_only(x: &[f64]) -> f64 {
    let mut sum = 0.0;
    for i in 0..x.len() {
        sum += x[half(i)];
    }
    sum
}

#[foreach]
fn several_on_one(x: &[f64], out: &mut [f64]) {
    fn at(i: usize) -> usize {
        i / 2
    }
    for i in 0..x.len() {
        out[at(i)] = x[i];
    }
}

#[foreach]
fn another_in_the_loop(x: &[f64], out: &mut [f64]) {
    fn at(i: usize) -> usize {
        i
    }
    for i in 0..x.len() {
        out[at(i)] = x[at(i)];
        fn at(_: usize) -> usize {
            0
        }
    }
}

#[foreach]
fn two_closures(x: &[f64], out: &mut [f64]) {
    let at = |i: usize| i / 2;
    for i in 0..x.len() {
        out[at(i)] = x[i];
    }
    let at = |i: usize| i;
    for i in 0..x.len() {
        out[at(i)] += x[i];
    }
}

#[foreach]
fn with_a_branch(x: &[f64], out: &mut [f64]) {
    fn at(i: usize) -> usize {
        if i > 7 {
            return 7;
        }
        i
    }
    for i in 0..x.len() {
        out[at(i)] = x[i];
    }
}

#[foreach]
fn that_calls_on(x: &[f64], out: &mut [f64]) {
    fn at(i: usize) -> usize {
        half(i) + 1
    }
    for i in 0..x.len() {
        out[at(i)] = x[i];
    }
}

#[foreach]
fn another_in_a_block(x: &[f64], out: &mut [f64]) {
    fn at(i: usize) -> usize {
        i
    }
    out[at(0)] = 0.0;
    {
        use crate::half as at;
        for i in 0..x.len() {
            out[at(i)] = x[i];
        }
    }
}

fn main() {}
