// FA010: the dependence is carried by the outer loop, from one row to the next, through no associative operator.

use forall::foreach;

#[foreach]
fn rows_from_rows(n: usize, m: usize, a: &mut [f64]) {
    for i in 1..n {
        for j in 0..m {
            a[i * m + j] = a[i * m + j].sin() * a[(i - 1) * m + j].cos();
        }
    }
}

fn main() {}
