// FA020: a loop that touches no share may run in order, but this one asks for the elements.

use forall::foreach;

#[foreach]
fn above_first(x: &[f64], out: &mut [f64], tail: &mut [f64]) {
    for i in 0..x.len() {
        if x[i] > 0.0 {
            break;
        }
        tail[i] = x[i];
    }
    for i in 0..x.len() {
        out[i] = x[i] - 1.0;
    }
}

fn main() {}
