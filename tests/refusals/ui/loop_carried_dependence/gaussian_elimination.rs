// FA010: every step of the elimination changes what the next one reads. Only the loops inside are parallel.

use forall::foreach;

#[foreach]
fn eliminate(a: &mut [f64], n: usize) {
    for k in 0..n {
        for i in k + 1..n {
            for j in k + 1..n {
                a[i * n + j] -= a[i * n + k] / a[k * n + k] * a[k * n + j];
            }
        }
    }
}

fn main() {}
