// FA010 or FA014: `place` is read to find the largest so far, so it is carried; keep the value beside it.

use forall::kary_reduce;

#[kary_reduce]
fn argmax(x: &[f64]) -> usize {
    let mut place = 0;
    for i in 0..x.len() {
        if x[i] > x[place] {
            place = i;
        }
    }
    place
}

fn main() {}
