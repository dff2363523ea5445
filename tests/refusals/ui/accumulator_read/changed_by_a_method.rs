// FA014: the method has changed the pair before its first element is added.

use forall::distributed_scan;

#[distributed_scan]
fn reversed_pairs(pairs: &mut [[i64; 2]], out: &mut [i64]) {
    let mut sum = 0;
    for (pair, o) in pairs.iter_mut().zip(out.iter_mut()) {
        pair.reverse();
        sum += pair[0];
        *o = sum;
    }
}

fn main() {}
