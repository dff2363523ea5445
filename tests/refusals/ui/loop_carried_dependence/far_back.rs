// FA010: each element is computed from one that was written five iterations before.

use forall::distributed_scan;

#[distributed_scan]
fn far_back(f: &mut [u64]) {
    for i in 5..f.len() {
        f[i] = f[i - 1].wrapping_add(f[i - 5]);
    }
}

fn main() {}
