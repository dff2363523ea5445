// FA014: what is added up changes the element that it comes from.

use forall::distributed_scan;

fn twist(value: &mut i64) -> i64 {
    *value += 3;
    *value
}

#[distributed_scan]
fn twisted(x: &mut [i64], out: &mut [i64]) {
    let mut sum = 0;
    for i in 0..x.len() {
        sum += twist(&mut x[i]);
        out[i] = sum;
    }
}

fn main() {}
