// FA014 or FA030: `weighted` adds up the running value of `sum`.

use forall::kary_reduce;

#[kary_reduce]
fn sums_of_sums(x: &[i64]) -> i64 {
    let mut sum = 0;
    let mut weighted = 0;
    for i in 0..x.len() {
        sum += x[i];
        weighted += sum;
    }
    weighted
}

fn main() {}
