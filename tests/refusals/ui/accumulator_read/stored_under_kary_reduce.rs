// FA014 or FA030: the running value of a reduction is stored, which makes the loop a scan.

use forall::kary_reduce;

#[kary_reduce]
fn sum_and_trace(x: &[f64], trace: &mut [f64]) -> f64 {
    let mut sum = 0.0;
    for i in 0..x.len() {
        sum += x[i];
        trace[i] = sum;
    }
    sum
}

fn main() {}
