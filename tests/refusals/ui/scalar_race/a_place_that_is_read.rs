// FA010 or FA014: `place` is read to find where the elements rise, so it is carried, and no best element is at it.

use forall::kary_reduce;

#[kary_reduce]
fn rising(x: &[f64]) -> usize {
    let mut place = 0;
    for i in 0..x.len() {
        if x[i] > x[place] + place as f64 {
            place = i;
        }
    }
    place
}

fn main() {}
