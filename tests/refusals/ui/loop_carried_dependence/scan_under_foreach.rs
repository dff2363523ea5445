// FA010 or FA030: a running sum under `#[foreach]`; the attribute that fits is `#[distributed_scan]`.

use forall::foreach;

#[foreach]
fn running_total(x: &[f64], out: &mut [f64]) {
    let mut sum = 0.0;
    for i in 0..x.len() {
        sum += x[i];
        out[i] = sum;
    }
}

fn main() {}
