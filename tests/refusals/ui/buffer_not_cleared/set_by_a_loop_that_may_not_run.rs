// FA018: the inner loop may run no iteration, and then the element is another iteration's.

use forall::foreach;

#[foreach]
fn odd_ones(x: &[i64], out: &mut [i64]) {
    let mut buffer = [0; 2];
    for i in 0..out.len() {
        buffer[0] = x[i];
        for _ in 0..(x[i] & 1) {
            buffer[1] = buffer[0];
        }
        out[i] = buffer[1];
    }
}

fn main() {}
