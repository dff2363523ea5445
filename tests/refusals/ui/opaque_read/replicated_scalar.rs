// FA051: `#[replicated]` marks a parameter that is no slice.

use forall::foreach;

#[foreach]
fn scaled(#[replicated] factor: f64, x: &mut [f64]) {
    for i in 0..x.len() {
        x[i] *= factor;
    }
}

fn main() {}
