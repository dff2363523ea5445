// FA015: `powf` is not associative.

use forall::kary_reduce;

#[kary_reduce]
fn tower(x: &[f64]) -> f64 {
    let mut acc = 2.0f64;
    for i in 0..x.len() {
        acc = acc.powf(x[i]);
    }
    acc
}

fn main() {}
