// FA015, FA020 (twice) and FA050: all mistakes of one function are reported together.

use forall::kary_reduce;

#[kary_reduce]
fn many(x: &[f64], index: &[usize]) -> f64 {
    let mut acc = 0.0;
    for i in 0..x.len() {
        if x[i].is_nan() {
            break;
        }
        if x[i] < -1.0 {
            return -1.0;
        }
        acc = x[index[i]] - acc;
    }
    acc
}

fn main() {}
