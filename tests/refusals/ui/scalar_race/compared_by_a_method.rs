// FA010: what is kept is not what is compared, or not kept where it is greater.

use forall::kary_reduce;
use std::cmp::Ordering;

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

#[kary_reduce]
fn not_less(x: &[i64]) -> i64 {
    let mut most = i64::MIN;
    for i in 0..x.len() {
        if x[i].cmp(&most) != Ordering::Less {
            most = x[i];
        }
    }
    most
}

fn main() {}
