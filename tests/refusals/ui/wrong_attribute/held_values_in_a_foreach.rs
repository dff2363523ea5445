//! A value that an iteration leaves for later ones is a running value: another attribute accepts the loop as it is.

use forall::foreach;

#[foreach]
fn hold(x: &[u32], out: &mut [u32]) {
    let mut last = 0;
    for i in 0..x.len() {
        if x[i] > 2 {
            last = x[i];
        }
        out[i] = last;
    }
}

fn main() {}
