// FA013: `last` is read after the loop, but an iteration only overwrites it.

use forall::foreach;

#[foreach]
fn last_negative(x: &[f64], out: &mut [f64]) -> f64 {
    let mut last = 0.0;
    for i in 0..x.len() {
        out[i] = x[i].abs();
        if x[i] < 0.0 {
            last = x[i];
        }
    }
    last
}

fn main() {}
