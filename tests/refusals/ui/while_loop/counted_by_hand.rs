// FA021: a `while` loop with its own counter; `for i in 0..x.len()` is the form to write.

use forall::foreach;

#[foreach]
fn double(x: &[f64], out: &mut [f64]) {
    let mut i = 0;
    while i < x.len() {
        out[i] = 2.0 * x[i];
        i += 1;
    }
}

fn main() {}
