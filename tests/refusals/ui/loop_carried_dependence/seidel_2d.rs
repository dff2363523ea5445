// FA010: Gauss-Seidel reads neighbours that this sweep has already written.

use forall::foreach;

#[foreach]
fn seidel_2d(tsteps: usize, n: usize, a: &mut [f64]) {
    for _t in 0..tsteps {
        for i in 1..n - 1 {
            for j in 1..n - 1 {
                a[i * n + j] =
                    (a[(i - 1) * n + j] + a[i * n + j - 1] + a[i * n + j] + a[i * n + j + 1] + a[(i + 1) * n + j])
                        / 5.0;
            }
        }
    }
}

fn main() {}
