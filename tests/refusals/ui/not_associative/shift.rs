// FA015: shifting by a running amount is not associative.

use forall::distributed_scan;

#[distributed_scan]
fn shifts(x: &[u32], out: &mut [u64]) {
    let mut acc = 1u64;
    for i in 0..x.len() {
        acc = acc << (x[i] % 3) | 1;
        out[i] = acc;
    }
}

fn main() {}
