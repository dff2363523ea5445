// FA010, FA011: rows that another iteration has, too.

use forall::foreach;
use ndarray::{Array2, s};

#[foreach]
fn copies_downwards(out: &mut Array2<f64>) {
    for y in 1..out.nrows() {
        let above = out.row(y - 1).to_owned();
        out.row_mut(y).assign(&above);
    }
}

#[foreach]
fn one_row(out: &mut Array2<f64>) {
    for x in 0..out.ncols() {
        out.row_mut(0)[x] = 1.0;
    }
}

#[foreach]
fn two_iterations_each(out: &mut Array2<f64>) {
    for y in 0..2 * out.nrows() {
        out.row_mut(y / 2).fill(1.0);
    }
}

#[foreach]
fn all_rows(out: &mut Array2<f64>) {
    for x in 0..out.ncols() {
        out.slice_mut(s![.., x]).fill(1.0);
    }
}

#[foreach]
fn rows_of_the_next(out: &mut Array2<f64>) {
    for y in 0..out.nrows() - 1 {
        out.row_mut(y).fill(1.0);
        out.slice_mut(s![y + 1, ..]).fill(2.0);
    }
}

fn main() {}
