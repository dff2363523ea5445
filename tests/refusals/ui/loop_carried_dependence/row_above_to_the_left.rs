// FA010: the element that is read lies in the row above, whose length is known only when the loop runs.

use forall::foreach;

#[foreach]
fn diagonals(a: &mut [f64], b: &[f64], n: usize) {
    for i in 1..n {
        for j in 1..n {
            a[i * n + j] = a[(i - 1) * n + j - 1] + b[i * n + j];
        }
    }
}

fn main() {}
