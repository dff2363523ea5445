// FA030: no running value is stored or read; the attribute that fits is `#[kary_reduce]`.

use forall::distributed_scan;

#[distributed_scan]
fn total(x: &[f64]) -> f64 {
    let mut sum = 0.0;
    for i in 0..x.len() {
        sum += x[i];
    }
    sum
}

fn main() {}
