// FA014: two running values in an array.

use forall::distributed_scan;

#[distributed_scan]
fn products(x: &[u32], o: &mut [u32]) {
    let mut both = [0u32; 2];
    for i in 0..x.len() {
        both[0] += x[i];
        both[1] += 1;
        o[i] = both[0] * both[1];
    }
}

fn main() {}
