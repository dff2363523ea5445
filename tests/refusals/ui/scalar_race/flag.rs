// FA010 or FA013: `found` is overwritten by some iterations and read after the loop; `found |= ..` is a reduction.

use forall::kary_reduce;

#[kary_reduce]
fn any_zero(x: &[f64]) -> u32 {
    let mut found = 0;
    for i in 0..x.len() {
        if x[i] == 0.0 {
            found = i as u32;
        }
    }
    found
}

fn main() {}
