// FA010: both elements of a pair are exchanged twice, from two iterations.

use forall::foreach;

#[foreach]
fn transpose(a: &mut [f64], n: usize) {
    for i in 0..n {
        for j in 0..n {
            let kept = a[i * n + j];
            a[i * n + j] = a[j * n + i];
            a[j * n + i] = kept;
        }
    }
}

fn main() {}
