// FA015: a number with a sign saturates at two ends.

use forall::kary_reduce;

#[kary_reduce]
fn total(x: &[i64]) -> i64 {
    let mut total = 0_i64;
    for x in x {
        total = total.saturating_add(*x);
    }
    total
}

fn main() {}
