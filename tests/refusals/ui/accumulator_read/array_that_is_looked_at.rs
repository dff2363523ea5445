// FA017: what the array holds so far depends on the iterations before.

use forall::kary_reduce;

#[kary_reduce]
fn totals(a: &[f64], n: usize, #[replicated] totals: &mut [f64]) -> f64 {
    let mut most = 0.0f64;
    for row in a.chunks_exact(n) {
        for (t, x) in totals.iter_mut().zip(row) {
            *t += x;
            most = most.max(*t);
        }
    }
    most
}

fn main() {}
