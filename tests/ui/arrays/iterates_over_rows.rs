// FA050: which elements a row holds is not followed.

use forall::kary_reduce;
use ndarray::ArrayView2;

#[kary_reduce]
fn largest_sum(a: ArrayView2<f64>) -> f64 {
    let mut most = f64::MIN;
    for row in a.rows() {
        most = most.max(row.sum());
    }
    most
}

fn main() {}
