// FA020: the inner loop breaks out of the annotated one through its label.

use forall::foreach;

#[foreach]
fn rows(n: usize, m: usize, a: &[f64], out: &mut [f64]) {
    'rows: for i in 0..n {
        let mut sum = 0.0;
        for j in 0..m {
            if a[i * m + j].is_nan() {
                break 'rows;
            }
            sum += a[i * m + j];
        }
        out[i] = sum;
    }
}

fn main() {}
