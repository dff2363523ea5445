// FA002: a chunk has at least one iteration.

use forall::foreach;

#[foreach(grain = 0)]
fn doubled(x: &mut [f64]) {
    for i in 0..x.len() {
        x[i] *= 2.0;
    }
}

fn main() {}
