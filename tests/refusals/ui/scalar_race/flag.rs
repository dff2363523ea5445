// FA010: `found` is overwritten by some iterations and decides what others do; `found.is_none()` is a first match.

use forall::kary_reduce;

#[kary_reduce]
fn any_zero(x: &[f64]) -> u32 {
    let mut found = 0;
    for i in 0..x.len() {
        if found == 0 && x[i] == 0.0 {
            found = i as u32;
        }
    }
    found
}

fn main() {}
