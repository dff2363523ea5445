// FA011: the slices that iterations write overlap by one element.

use forall::foreach;

#[foreach]
fn overlapping_rows(n: usize, out: &mut [f64]) {
    for i in 0..n {
        for j in 0..3 {
            out[2 * i + j] = i as f64;
        }
    }
}

fn main() {}
