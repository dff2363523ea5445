// FA003: a slice behind a pattern has no name to distribute it by.

use forall::foreach;

#[foreach]
fn add((x, y): (&[f64], &[f64]), out: &mut [f64]) {
    for i in 0..out.len() {
        out[i] = x[i] + y[i];
    }
}

fn main() {}
