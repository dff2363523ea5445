// FA003: an array by value, and arrays whose number of dimensions is not known.

use forall::foreach;
use ndarray::{Array, Array2, ArrayD, ArrayViewMut, IxDyn};

#[foreach]
fn scale(a: Array2<f64>, b: &ArrayD<f64>, c: ArrayViewMut<'_, f64, IxDyn>, mut out: Array<f64, ndarray::Ix1>) {
    for i in 0..out.len() {
        out[i] = 2.0 * a[[i, 0]];
    }
}

fn main() {}
