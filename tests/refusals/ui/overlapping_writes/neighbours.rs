// FA011: iteration `i` writes `out[i]` and `out[i + 1]`, and so does the next.

use forall::foreach;

#[foreach]
fn spread(x: &[f64], out: &mut [f64]) {
    for i in 0..x.len() - 1 {
        out[i] = 0.5 * x[i];
        out[i + 1] = 0.5 * x[i];
    }
}

fn main() {}
