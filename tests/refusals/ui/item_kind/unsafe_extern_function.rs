// FA001: callers in C know nothing of shares.

use forall::foreach;

#[foreach]
unsafe extern "C" fn double(x: &mut [f64; 16]) {
    for i in 0..x.len() {
        x[i] *= 2.0;
    }
}

fn main() {}
