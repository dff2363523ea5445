// FA015: the mean of a running mean and the next element depends on the grouping.

use forall::kary_reduce;

#[kary_reduce]
fn mean(x: &[f64]) -> f64 {
    let mut m = 0.0;
    for &v in x {
        m = (m + v) / 2.0;
    }
    m
}

fn main() {}
