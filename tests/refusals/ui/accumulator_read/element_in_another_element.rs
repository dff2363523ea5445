// FA030: one element of a small array is a sum, the other is the highest that it was on the way.

use forall::kary_reduce;

#[kary_reduce]
fn sum_and_peak(x: &[f64]) -> [f64; 2] {
    let mut found = [0.0f64; 2];
    for v in x {
        found[0] += v;
        found[1] = found[1].max(found[0]);
    }
    found
}

fn main() {}
