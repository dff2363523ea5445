// FA010: `found` decides about `last` as well: `last` keeps the second match, which no class of variables does.

use forall::kary_reduce;

#[kary_reduce]
fn two_zeros(x: &[f64]) -> usize {
    let (mut found, mut last) = (usize::MAX, 0);
    for i in 0..x.len() {
        if x[i] == 0.0 {
            if found == usize::MAX {
                found = i;
            } else {
                last = i;
            }
        }
    }
    found + last
}

fn main() {}
