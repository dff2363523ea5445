// FA050: it is not seen which elements a function reads.

use forall::foreach;
use ndarray::{Array2, ArrayView2, ArrayViewMut1};

fn weight(a: &ArrayView2<f64>, y: usize) -> f64 {
    a[[y, 0]]
}

#[foreach]
fn weights(a: ArrayView2<f64>, b: &Array2<f64>, mut out: ArrayViewMut1<f64>) {
    for y in 0..out.dim() {
        out[y] = weight(&a, y) + weight(&b.view(), y);
    }
}

fn main() {}
