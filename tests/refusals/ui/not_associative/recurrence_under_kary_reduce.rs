// FA015: `acc = 0.5 * acc + x` is a linear recurrence, not a reduction; `#[distributed_scan]` takes it.

use forall::kary_reduce;

#[kary_reduce]
fn fading(x: &[f64]) -> f64 {
    let mut acc = 0.0;
    for i in 0..x.len() {
        acc = 0.5 * acc + x[i];
    }
    acc
}

fn main() {}
