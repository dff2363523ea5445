// FA010: the value goes from one array to the other in an iteration, and back to the first in the next one.

use forall::foreach;

#[foreach]
fn alternated(a: &mut [f64], b: &mut [f64]) {
    for i in 1..a.len() {
        a[i] = b[i - 1] + 1.0;
        b[i] = a[i] * 0.5;
    }
}

fn main() {}
