// FA011: the windows of neighbours overlap for every width but one.

use forall::foreach;

#[foreach]
fn spread(x: &[f64], out: &mut [f64], width: usize) {
    for i in 0..x.len() {
        for j in 0..width {
            out[i + j] += x[i];
        }
    }
}

fn main() {}
