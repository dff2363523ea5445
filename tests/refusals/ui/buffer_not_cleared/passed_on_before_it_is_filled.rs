// FA018: the outer loop is over samples, and a sample adds to what an earlier one has left. The inner loop alone is not parallel
// without a word.

use forall::kary_reduce;

fn draw(seed: usize, x: &mut [f64]) {
    x.iter_mut().for_each(|v| *v += seed as f64);
}

#[kary_reduce]
fn sum_of_samples(n: usize) -> f64 {
    let mut x = vec![0.0; 100];
    let mut s = 0.0;
    for k in 0..n {
        draw(k, &mut x);
        for i in 0..100 {
            s += 2.0 * x[i];
        }
    }
    s
}

fn main() {}
