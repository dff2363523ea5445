// FA002: the sum is one by `+`.

use forall::kary_reduce;

#[kary_reduce(combine = plus)]
fn total(x: &[u32]) -> u32 {
    let mut sum = 0;
    for &value in x {
        sum += value;
    }
    sum
}

fn plus(a: u32, b: u32) -> u32 {
    a + b
}

fn main() {}
