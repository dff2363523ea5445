//! A function has the name of one of std, and gives another number.

use forall::foreach;

mod cmp {
    pub fn min(a: usize, b: usize) -> usize {
        a.max(b)
    }
}

#[foreach]
fn repeated(x: &[f64], out: &mut [f64]) {
    for i in 0..x.len() {
        for j in 0..cmp::min(3, 7) {
            out[3 * i + j] = x[i];
        }
    }
}

fn main() {}
