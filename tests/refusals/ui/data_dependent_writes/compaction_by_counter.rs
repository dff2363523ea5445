// FA012: the place is a counter that only some iterations advance; `#[foreach_tls]` and `push` do this.

use forall::foreach;

#[foreach]
fn compact(x: &[f64], out: &mut [f64]) {
    let mut count = 0;
    for i in 0..x.len() {
        if x[i] > 0.0 {
            out[count] = x[i];
            count += 1;
        }
    }
}

fn main() {}
