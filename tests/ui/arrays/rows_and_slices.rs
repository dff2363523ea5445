// FA012, FA050: parts that `ndarray` makes are not followed.

use forall::foreach;
use ndarray::{ArrayView2, ArrayViewMut2, s};

#[foreach]
fn row_sums(a: ArrayView2<f64>, mut out: ArrayViewMut2<f64>) {
    let first = a.row(0).sum();
    for y in 0..a.nrows() {
        out[[y, 0]] = a.slice(s![y, ..]).sum() - first;
        out.row_mut(y)[1] = a.get((y, 1)).copied().unwrap_or(0.0);
    }
}

fn main() {}
