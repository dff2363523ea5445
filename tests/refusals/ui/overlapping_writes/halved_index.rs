// FA011: two iterations write each element `out[i / 2]`.

use forall::foreach;

#[foreach]
fn halves(x: &[f64], out: &mut [f64]) {
    for i in 0..x.len() {
        out[i / 2] = x[i];
    }
}

fn main() {}
