// FA010 or FA014: a counter that the data move is used as an index.

use forall::foreach;

#[foreach]
fn every_second(x: &[f64], out: &mut [f64]) {
    let mut from = 0;
    for i in 0..out.len() {
        out[i] = x[from];
        if x[i] > 0.0 {
            from += 2;
        }
    }
}

fn main() {}
