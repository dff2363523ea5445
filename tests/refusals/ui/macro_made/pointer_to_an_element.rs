// FA012: code in `unsafe` can reach each element from a pointer to one.

use forall::foreach;

#[foreach]
fn beside(x: &[i64], out: &mut [i64]) {
    for i in 0..x.len() {
        let p = &raw mut out[i];
        unsafe { *p.sub(i - i / 2) = x[i] };
    }
}

fn main() {}
