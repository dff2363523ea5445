// FA002: `#[foreach]` has no argument `schedule`.

use forall::foreach;

#[foreach(schedule = dynamic)]
fn double(x: &[f64], out: &mut [f64]) {
    for i in 0..x.len() {
        out[i] = 2.0 * x[i];
    }
}

fn main() {}
