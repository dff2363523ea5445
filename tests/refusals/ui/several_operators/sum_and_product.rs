// FA016: one accumulator is added to and multiplied in the same loop, under different conditions.

use forall::kary_reduce;

#[kary_reduce]
fn mixed(x: &[f64]) -> f64 {
    let mut acc = 1.0;
    for i in 0..x.len() {
        if x[i] > 0.0 {
            acc += x[i];
        } else {
            acc *= x[i];
        }
    }
    acc
}

fn main() {}
