// FA010: each of two running values is computed from the other.

use forall::distributed_scan;

#[distributed_scan]
fn rotate(x: &[f64], out: &mut [f64]) {
    let mut a = 1.0f64;
    let mut b = 0.0f64;
    for i in 0..x.len() {
        a = a * x[i] - b.sin();
        b = b + a.cos();
        out[i] = a + b;
    }
}

fn main() {}
