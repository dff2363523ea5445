// FA010: every row needs the row before it. With `x` outside and `y` inside, the columns are independent.

use forall::foreach;
use ndarray::{ArrayView2, ArrayViewMut2};

#[foreach]
fn running_columns(a: ArrayView2<f64>, mut out: ArrayViewMut2<f64>) {
    for y in 1..a.nrows() {
        for x in 0..a.ncols() {
            out[[y, x]] = out[[y - 1, x]] + a[[y, x]];
        }
    }
}

fn main() {}
