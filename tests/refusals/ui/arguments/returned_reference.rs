// FA003: the element that is found may be on another rank.

use forall::kary_reduce;

#[kary_reduce]
fn largest(x: &[f64]) -> &f64 {
    let mut place = 0;
    let mut most = f64::NEG_INFINITY;
    for i in 0..x.len() {
        if x[i] > most {
            most = x[i];
            place = i;
        }
    }
    &x[place]
}

fn main() {}
