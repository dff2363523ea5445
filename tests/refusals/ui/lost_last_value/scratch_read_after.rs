// FA013: a scratch variable, written before it is read in each iteration, is returned at the end.

use forall::foreach;

#[foreach]
fn squares(x: &[f64], out: &mut [f64]) -> f64 {
    let mut t = 0.0;
    for i in 0..x.len() {
        t = x[i] * x[i];
        out[i] = t;
    }
    t
}

fn main() {}
