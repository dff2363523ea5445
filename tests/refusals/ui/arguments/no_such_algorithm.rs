// FA002: the algorithms by which arrays of ranks merge have words.

use forall::kary_reduce;

#[kary_reduce(algorithm = butterfly)]
fn totals(a: &[f64], n: usize, #[replicated] totals: &mut [f64]) {
    for i in 0..a.len() / n {
        for j in 0..n {
            totals[j] += a[i * n + j];
        }
    }
}

fn main() {}
