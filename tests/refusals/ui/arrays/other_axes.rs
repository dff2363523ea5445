// FA012, FA050: the parts that are followed are those along the first axis.

use forall::{foreach, kary_reduce};
use ndarray::{ArrayView2, ArrayView3, ArrayViewMut2, Axis};

#[kary_reduce]
fn largest_sum(a: ArrayView2<f64>) -> f64 {
    let mut most = f64::MIN;
    for column in a.columns() {
        most = most.max(column.sum());
    }
    most
}

#[foreach]
fn fill_columns(mut out: ArrayViewMut2<f64>, by: &[f64]) {
    for (mut column, &v) in out.axis_iter_mut(Axis(1)).zip(by) {
        column.fill(v);
    }
}

/// The rows of all planes.
#[foreach]
fn row_sums(a: ArrayView3<f64>, out: &mut [f64]) {
    for (k, row) in a.rows().into_iter().enumerate() {
        out[k] = row.sum();
    }
}

#[foreach]
fn column_sums(a: ArrayView2<f64>, out: &mut [f64]) {
    for x in 0..a.ncols() {
        out[x] = a.column(x).sum() + a.index_axis(Axis(1), x).sum();
    }
}

fn main() {}
