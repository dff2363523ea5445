// FA015 or FA010: a logistic map squares what it carries, so it is no linear recurrence.

use forall::distributed_scan;

#[distributed_scan]
fn logistic(r: &[f64], out: &mut [f64]) {
    let mut x = 0.5;
    for i in 0..r.len() {
        x = r[i] * x * (1.0 - x);
        out[i] = x;
    }
}

fn main() {}
