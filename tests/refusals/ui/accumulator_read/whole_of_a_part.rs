// FA014: the function looks at the variable whose part is being accumulated.

use forall::kary_reduce;

#[derive(Clone, Copy)]
struct Totals {
    sum: i64,
    count: i64,
}

fn mean(totals: &Totals) -> i64 {
    totals.sum / totals.count.max(1)
}

#[kary_reduce]
fn means(x: &[i64], out: &mut [i64]) -> i64 {
    let mut totals = Totals { sum: 0, count: 0 };
    for i in 0..x.len() {
        totals.sum += x[i];
        out[i] = mean(&totals);
    }
    totals.sum
}

fn main() {}
