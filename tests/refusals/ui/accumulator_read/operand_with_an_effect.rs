//! The operand of a running value takes something from a stack, and is computed twice or in another order.

use forall::{distributed_scan, kary_reduce};

#[distributed_scan]
fn factor(x: &[i64], out: &mut [i64]) {
    let mut s = 0i64;
    for i in 0..x.len() {
        let mut stack = vec![7, -1];
        s = (s + x[i]) * stack.pop().unwrap();
        out[i] = s;
    }
}

#[kary_reduce]
fn around(x: &[i64]) -> i64 {
    let mut s = 0;
    for i in 0..x.len() {
        let mut it = [x[i], 5].into_iter();
        s = it.next().unwrap() + (s - it.next().unwrap());
    }
    s
}

#[kary_reduce]
fn behind(x: &[i64]) -> (bool, i64) {
    let (mut any, mut s) = (false, 0);
    for i in 0..x.len() {
        let mut k = 0;
        let mut look = || {
            k += 1;
            x[i] > 25
        };
        any = any || look();
        s += k;
    }
    (any, s)
}

fn main() {}
