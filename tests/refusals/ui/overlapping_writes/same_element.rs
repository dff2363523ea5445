// FA011: every iteration writes `out[0]`.

use forall::foreach;

#[foreach]
fn last_wins(x: &[f64], out: &mut [f64]) {
    for i in 0..x.len() {
        out[0] = x[i];
    }
}

fn main() {}
