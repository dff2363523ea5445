// FA020: `return` leaves the function from inside the loop.

use forall::foreach;

#[foreach]
fn find(x: &[f64], out: &mut [f64]) -> Option<usize> {
    for i in 0..x.len() {
        if x[i] == 0.0 {
            return Some(i);
        }
        out[i] = 1.0 / x[i];
    }
    None
}

fn main() {}
