// FA011: iterations meet again every eight elements.

use forall::foreach;

#[foreach]
fn fold_by_remainder(x: &[f64], out: &mut [f64]) {
    for i in 0..x.len() {
        out[i % 8] = x[i];
    }
}

fn main() {}
