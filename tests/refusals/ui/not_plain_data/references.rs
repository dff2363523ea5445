// FA040: a reference means nothing on another rank.

use forall::kary_reduce;

#[kary_reduce]
fn letters(names: &[&str]) -> usize {
    let mut sum = 0;
    for name in names {
        sum += name.len();
    }
    sum
}

fn main() {}
