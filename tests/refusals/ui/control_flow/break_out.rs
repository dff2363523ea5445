// FA020: `break` leaves the annotated loop.

use forall::kary_reduce;

#[kary_reduce]
fn sum_until_negative(x: &[f64]) -> f64 {
    let mut sum = 0.0;
    for i in 0..x.len() {
        if x[i] < 0.0 {
            break;
        }
        sum += x[i];
    }
    sum
}

fn main() {}
