// FA012, FA017: arrays that are no parameters.

use forall::{foreach, kary_reduce};
use ndarray::{Array1, Array2};

#[kary_reduce]
fn column_sums(a: &Array2<f64>) -> Array1<f64> {
    let mut total = Array1::<f64>::zeros(a.ncols());
    for y in 0..a.nrows() {
        for x in 0..a.ncols() {
            total[x] += a[[y, x]];
        }
    }
    total
}

#[foreach]
fn one_row_for_all(a: &Array2<f64>, out: &mut Array2<f64>) {
    let mut row = Array1::<f64>::zeros(a.ncols());
    for y in 0..a.nrows() {
        row.assign(&a.row(y));
        out.row_mut(y).assign(&row);
    }
}

#[foreach]
fn rows_of_an_owned_one(#[replicated] b: &Array2<f64>, out: &mut [f64]) {
    for (row, v) in b.outer_iter().zip(out.iter_mut()) {
        *v = row.sum();
    }
}

fn main() {}
