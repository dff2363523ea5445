// FA016: one accumulator is a sum at some iterations and a union of bits at others.

use forall::kary_reduce;

#[kary_reduce]
fn sum_or_bits(x: &[i64]) -> i64 {
    let mut acc = 0;
    for i in 0..x.len() {
        acc += x[i];
        acc |= 100;
    }
    acc
}

fn main() {}
