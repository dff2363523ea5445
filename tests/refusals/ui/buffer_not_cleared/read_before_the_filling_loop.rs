// FA018: the loop that fills the buffer comes after the first read.

use forall::foreach;

#[foreach]
fn late(x: &[i64], out: &mut [i64]) {
    let mut buffer = [0; 4];
    for i in 0..out.len() {
        buffer[0] = 0;
        out[i] = buffer[3];
        for k in 1..4 {
            buffer[k] = x[i];
        }
    }
}

fn main() {}
