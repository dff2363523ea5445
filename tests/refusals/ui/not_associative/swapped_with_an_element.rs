// What is added depends on what was added before.
use forall::distributed_scan;

#[distributed_scan]
fn exclusive(x: &mut [u64]) {
    let mut sum = 0;
    for v in x {
        sum += std::mem::replace(v, sum);
    }
}

fn main() {}
