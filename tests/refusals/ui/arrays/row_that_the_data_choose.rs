// FA012, FA050: the column may depend on the data, but which row an iteration writes or reads must be seen.

use forall::foreach;
use ndarray::{ArrayView2, ArrayViewMut2};

#[foreach]
fn sort_rows(a: ArrayView2<f64>, from: &[usize], to: &[usize], mut out: ArrayViewMut2<f64>) {
    for y in 0..a.nrows() {
        for x in 0..a.ncols() {
            out[[to[y], x]] = a[[from[y], x]];
        }
    }
}

fn main() {}
