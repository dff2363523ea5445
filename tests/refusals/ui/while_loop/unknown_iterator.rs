// FA005: `skip_while` makes an iterator that is not counted.

use forall::kary_reduce;

#[kary_reduce]
fn sum_of_positives(x: &[f64]) -> f64 {
    let mut sum = 0.0;
    for v in x.iter().skip_while(|v| **v > 0.0) {
        sum += v;
    }
    sum
}

fn main() {}
