// FA018: the loop that fills the buffer may end early.

use forall::foreach;

#[foreach]
fn digits(x: &[i64], out: &mut [i64]) {
    let mut buffer = [0; 4];
    for i in 0..out.len() {
        for k in 0..4 {
            if x[i] < 200 * k as i64 {
                break;
            }
            buffer[k] = x[i];
        }
        out[i] = buffer[3];
    }
}

fn main() {}
