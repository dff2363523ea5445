// FA012, FA050: parts that are counted from the end, in steps, or that overlap.

use forall::foreach;
use ndarray::{ArrayView2, ArrayViewMut2, s};

#[foreach]
fn last_rows(a: ArrayView2<f64>, mut out: ArrayViewMut2<f64>) {
    for y in 0..a.nrows() {
        out[[y, 0]] = a.slice(s![-1, ..]).sum() - a.slice(s![..;2, 0]).sum();
        out.slice_mut(s![-2.., 1]).fill(0.0);
        *out.get_mut((y, 2)).unwrap() = 1.0;
    }
}

#[foreach]
fn windows(a: ArrayView2<f64>, out: &mut [f64]) {
    let all = a.sum();
    for (k, window) in a.windows((2, 2)).into_iter().enumerate() {
        out[k] = window.sum() / all;
    }
}

fn main() {}
