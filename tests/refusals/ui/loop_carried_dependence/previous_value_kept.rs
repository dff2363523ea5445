// FA010: `previous` carries the last iteration's input to the next; `x[i - 1]` says the same without it.

use forall::foreach;

#[foreach]
fn differences(x: &[f64], out: &mut [f64]) {
    let mut previous = 0.0;
    for i in 0..x.len() {
        out[i] = x[i] - previous;
        previous = x[i];
    }
}

fn main() {}
