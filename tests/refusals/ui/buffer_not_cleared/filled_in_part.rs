// FA018: only some iterations fill the buffer before reading it.

use forall::foreach;

#[foreach]
fn thirds(x: &[f64], out: &mut [f64]) {
    let mut buffer = [0.0; 3];
    for i in 0..x.len() {
        if x[i] > 0.0 {
            buffer.fill(x[i]);
        }
        buffer.reverse();
        out[i] = buffer[2];
    }
}

fn main() {}
