// FA015: nothing says that `merge` is associative; `combine = merge` would.

use forall::kary_reduce;

fn merge(a: u64, b: u64) -> u64 {
    a.rotate_left(3) ^ b
}

#[kary_reduce]
fn digest(x: &[u64]) -> u64 {
    let mut acc = 0;
    for i in 0..x.len() {
        acc = merge(acc, x[i]);
    }
    acc
}

fn main() {}
