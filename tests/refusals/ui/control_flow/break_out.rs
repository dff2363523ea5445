// FA020: `break` leaves a loop that writes elements: those after the exit must keep their values.

use forall::foreach;

#[foreach]
fn roots_until_negative(x: &[f64], out: &mut [f64]) {
    for i in 0..x.len() {
        if x[i] < 0.0 {
            break;
        }
        out[i] = x[i].sqrt();
    }
}

fn main() {}
