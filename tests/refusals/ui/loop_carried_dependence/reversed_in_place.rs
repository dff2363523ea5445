// FA010: the second half reads what the first half has written.

use forall::foreach;

#[foreach]
fn reverse(x: &mut [f64]) {
    let n = x.len();
    for i in 0..n {
        x[i] = x[n - 1 - i];
    }
}

fn main() {}
