// FA010: every unknown needs those before it, whatever the size of the matrix is.

use forall::foreach;

#[foreach]
fn solve(l: &[f64], b: &[f64], x: &mut [f64], n: usize) {
    for i in 0..n {
        let mut sum = b[i];
        for j in 0..i {
            sum -= l[i * n + j] * x[j];
        }
        x[i] = sum / l[i * n + i];
    }
}

fn main() {}
