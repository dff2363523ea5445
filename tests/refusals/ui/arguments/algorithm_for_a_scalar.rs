// FA002: an algorithm says how arrays merge, and there is none.

use forall::kary_reduce;

#[kary_reduce(algorithm = binary_swap)]
fn total(a: &[f64]) -> f64 {
    let mut sum = 0.0;
    for x in a {
        sum += x;
    }
    sum
}

fn main() {}
