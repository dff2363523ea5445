// FA021: the data decide how far a `while` loop goes in an iteration.

use forall::foreach;

#[foreach]
fn double(x: &[f64], out: &mut [f64]) {
    let mut i = 0;
    while i < x.len() {
        out[i] = 2.0 * x[i];
        i += if x[i] > 0.0 { 1 } else { 2 };
    }
}

fn main() {}
