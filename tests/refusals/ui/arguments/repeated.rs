// FA002: `k` is given twice.

use forall::kary_reduce;

#[kary_reduce(k = 2, k = 8)]
fn total(x: &[f64]) -> f64 {
    let mut sum = 0.0;
    for v in x {
        sum += v;
    }
    sum
}

fn main() {}
