// FA002: only a TOD-Tree has regions; radices are at least two, slices at least one.

use forall::kary_reduce;

#[kary_reduce(algorithm = radix_k, regions = 16, radices = [8, 1], slices = 0)]
fn totals(a: &[f64], n: usize, #[replicated] totals: &mut [f64]) {
    for i in 0..a.len() / n {
        for j in 0..n {
            totals[j] += a[i * n + j];
        }
    }
}

fn main() {}
