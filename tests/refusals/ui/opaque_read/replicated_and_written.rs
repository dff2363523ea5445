// FA051: every rank would write a copy of its own.

use forall::foreach;

#[foreach]
fn doubled(x: &[u32], #[replicated] o: &mut [u32]) {
    for i in 0..x.len() {
        o[i] = 2 * x[i];
    }
}

fn main() {}
