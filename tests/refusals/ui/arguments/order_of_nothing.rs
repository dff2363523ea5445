// FA002: an order says how arrays merge, and there is none.

use forall::kary_reduce;

#[kary_reduce(order = depth)]
fn total(a: &[f64], depth: f64) -> f64 {
    let mut sum = 0.0;
    for x in a {
        sum += x;
    }
    sum
}

#[kary_reduce(order = 1.5)]
fn other(a: &[f64], #[replicated] sums: &mut [f64]) {
    for row in a.chunks(sums.len()) {
        for (sum, x) in sums.iter_mut().zip(row) {
            *sum += x;
        }
    }
}

fn main() {}
