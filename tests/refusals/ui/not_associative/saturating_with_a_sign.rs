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

#[kary_reduce]
fn per_bin(bin: &[usize], x: &[i32], #[replicated] totals: &mut [i32]) {
    for i in 0..bin.len() {
        totals[bin[i]] = totals[bin[i]].saturating_add(x[i]);
    }
}

fn main() {}
