// FA013: each round of the inner loop sets the variable before it reads it, and its last value is returned.

use forall::kary_reduce;

#[kary_reduce]
fn sum_of_squares(u: &[f64], n: usize) -> (f64, f64) {
    let mut temp = 0.0;
    let mut sum = 0.0;
    for i in 0..u.len() / n {
        for j in 0..n {
            temp = u[i * n + j];
            temp += 1.0;
            sum = sum + temp * temp;
        }
    }
    (sum, temp)
}

fn main() {}
