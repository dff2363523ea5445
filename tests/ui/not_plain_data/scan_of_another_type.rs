// FA032: numbers of one type are added to a sum of another, as Rust does not do either.

use forall::distributed_scan;

#[distributed_scan]
fn running(x: &[f32], out: &mut [f64]) {
    let mut sum = 0.0f64;
    for i in 0..x.len() {
        sum += x[i];
        out[i] = sum;
    }
}

fn main() {}
