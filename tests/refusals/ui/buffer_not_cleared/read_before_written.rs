// FA018: what an iteration finds in the buffer depends on the iterations before.

use forall::foreach;

#[foreach]
fn medians(x: &[f64], out: &mut [f64]) {
    let mut buffer = vec![0.0; 3];
    for i in 1..x.len() - 1 {
        buffer.swap(0, 1);
        buffer[2] = x[i];
        out[i] = buffer[1];
    }
}

fn main() {}
