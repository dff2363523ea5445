// FA003: `mut x` may be made to point at other elements.

use forall::foreach;

#[foreach]
fn double(mut x: &[f64], out: &mut [f64]) {
    x = &x[1..];
    for i in 0..out.len() {
        out[i] = 2.0 * x[i];
    }
}

fn main() {}
