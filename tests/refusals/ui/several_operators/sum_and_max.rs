// FA016: one accumulator is a sum at some iterations and a maximum at others.

use forall::kary_reduce;

#[kary_reduce]
fn sum_or_max(x: &[i64]) -> i64 {
    let mut acc = 0;
    for i in 0..x.len() {
        acc += x[i];
        acc = acc.max(100);
    }
    acc
}

fn main() {}
