// FA010: iteration `i` reads `x[i + 1]`, which iteration `i + 1` overwrites.

use forall::foreach;

#[foreach]
fn shift_left(x: &mut [i32]) {
    for i in 0..x.len() - 1 {
        x[i] = x[i + 1];
    }
}

fn main() {}
