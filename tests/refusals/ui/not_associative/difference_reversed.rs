// FA015: `acc = x - acc` is not associative.

use forall::kary_reduce;

#[kary_reduce]
fn alternating(x: &[f64]) -> f64 {
    let mut acc = 0.0;
    for i in 0..x.len() {
        acc = x[i] - acc;
    }
    acc
}

fn main() {}
