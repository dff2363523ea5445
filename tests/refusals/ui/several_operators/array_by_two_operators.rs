// FA017: the elements of one array are updated by one operator.

use forall::kary_reduce;

#[kary_reduce]
fn totals(a: &[f64], n: usize, #[replicated] totals: &mut [f64]) {
    for row in a.chunks_exact(n) {
        for (t, x) in totals.iter_mut().zip(row) {
            *t += x;
        }
        for t in totals.iter_mut() {
            *t *= 2.0;
        }
    }
}

fn main() {}
