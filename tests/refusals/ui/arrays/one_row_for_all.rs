// FA011: the sum of the rows is written to one row, again and again.

use forall::foreach;
use ndarray::{ArrayView2, ArrayViewMut2};

#[foreach]
fn last_row(a: ArrayView2<f64>, mut out: ArrayViewMut2<f64>) {
    let (ny, nx) = a.dim();
    for y in 0..ny {
        for x in 0..nx {
            out[(0, x)] = a[(y, x)];
        }
    }
}

fn main() {}
