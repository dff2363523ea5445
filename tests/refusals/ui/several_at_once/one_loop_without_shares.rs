// FA020: a loop that touches no share may run in order, but this one asks for the elements.

use forall::foreach;

#[foreach]
fn above_first(x: &[f64], out: &mut [f64]) {
    let mut level = 0.0;
    for i in 0..x.len() {
        if x[i] > 0.0 {
            level = x[i];
            break;
        }
    }
    for i in 0..x.len() {
        out[i] = x[i] - level;
    }
}

fn main() {}
