// FA002: tokens that are no list of arguments at all.

use forall::foreach;

#[foreach(= , 3 % "x")]
fn double(x: &[f64], out: &mut [f64]) {
    for i in 0..x.len() {
        out[i] = 2.0 * x[i];
    }
}

fn main() {}
