// FA010: the loop keeps another value than the compared one.

use forall::kary_reduce;

#[kary_reduce]
fn kept_in_part(x: &[f64]) -> f64 {
    let mut best = f64::NEG_INFINITY;
    for i in 0..x.len() {
        if x[i].total_cmp(&best).is_gt() {
            best = x[i] / 2.0;
        }
    }
    best
}

fn main() {}
