// FA051: `#[halo(..)]` marks a slice that the loop writes.

use forall::foreach;

#[foreach]
fn both(#[halo(2)] x: &mut [f64], shift: &[usize]) {
    for i in 0..shift.len() {
        x[i] = shift[i] as f64;
    }
}

fn main() {}
