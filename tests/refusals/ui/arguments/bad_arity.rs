// FA002: a tree needs an arity of at least two.

use forall::kary_reduce;

#[kary_reduce(k = 1)]
fn total(x: &[f64]) -> f64 {
    let mut sum = 0.0;
    for v in x {
        sum += v;
    }
    sum
}

fn main() {}
