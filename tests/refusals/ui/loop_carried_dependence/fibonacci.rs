// FA010: each element is computed from two that were written before: a recurrence of second order.

use forall::distributed_scan;

#[distributed_scan]
fn fibonacci(f: &mut [u64]) {
    for i in 2..f.len() {
        f[i] = f[i - 1].wrapping_add(f[i - 2]);
    }
}

fn main() {}
