// FA018: the second element is read before this iteration has set it.

use forall::foreach;

#[foreach]
fn delayed(x: &[i64], out: &mut [i64]) {
    let mut buffer = [0; 2];
    for i in 0..out.len() {
        buffer[0] = x[i];
        out[i] = buffer[1];
        buffer[1] = buffer[0];
    }
}

fn main() {}
