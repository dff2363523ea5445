// FA003: what a loop does by another name is not seen.

use forall::foreach;
use ndarray::{Array2, ArrayView2};

#[foreach]
fn by_view(a: ArrayView2<f64>, out: &mut Array2<f64>) {
    let v = a.view();
    for y in 0..a.nrows() {
        out[[y, 0]] = v[[y, 0]];
    }
}

#[foreach]
fn by_choice(x: &[f64], z: &[f64], out: &mut [f64]) {
    let (all, n) = (x.len(), 2);
    let y = if all > n { x } else { z };
    for i in 0..all / n {
        out[i] = y[i];
    }
}

fn main() {}
