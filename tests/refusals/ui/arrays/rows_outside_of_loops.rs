// FA012, FA050: rows for writing outside of the loop, and all rows in each iteration.

use forall::foreach;
use ndarray::Array2;

#[foreach]
fn first_row(a: &Array2<f64>, out: &mut Array2<f64>) {
    out.row_mut(0).fill(a.row(0).sum());
    for y in 1..a.nrows() {
        out.row_mut(y).assign(&a.row(y));
    }
}

#[foreach]
fn products(a: &Array2<f64>, b: &Array2<f64>, out: &mut Array2<f64>) {
    for (p, mut row) in a.outer_iter().zip(out.outer_iter_mut()) {
        for (q, v) in b.outer_iter().zip(row.iter_mut()) {
            *v = p.dot(&q);
        }
    }
}

#[foreach]
fn chosen(a: &Array2<f64>, from: &[usize], out: &mut [f64]) {
    for k in 0..from.len() {
        out[k] = a.row(from[k]).sum();
    }
}

fn main() {}
