//! A trait's method has the name of a slice's own, and rustc finds it first.

use forall::foreach;

trait Length {
    fn len(&self) -> usize;
}

impl Length for &mut [f64] {
    fn len(&self) -> usize {
        2
    }
}

#[foreach]
fn zero(out: &mut [f64]) {
    for i in 0..out.len() {
        out[i] = 0.0;
    }
}

fn main() {}
