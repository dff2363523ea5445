// FA011: the place depends on the inner counter only, so all rows write the same elements.

use forall::foreach;

#[foreach]
fn last_row(n: usize, m: usize, a: &[f64], out: &mut [f64]) {
    for i in 0..n {
        for j in 0..m {
            out[j] = a[i * m + j];
        }
    }
}

fn main() {}
