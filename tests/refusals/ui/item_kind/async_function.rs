// FA001: an `async fn` is a future, which would wait inside the loop.

use forall::foreach;

#[foreach]
async fn double(x: &[f64], out: &mut [f64]) {
    for i in 0..x.len() {
        out[i] = 2.0 * x[i];
    }
}

fn main() {}
