// FA014: the running value is computed before the loop writes, so it must not depend on what the iteration writes to its row.

use forall::distributed_scan;
use ndarray::{Array2, s};

#[distributed_scan]
fn by_header(out: &mut Array2<f64>, sums: &mut [f64]) {
    let mut sum = 0.0;
    for (mut row, s) in out.outer_iter_mut().zip(sums.iter_mut()) {
        row.mapv_inplace(|v| v + 1.0);
        sum += row.sum();
        *s = sum;
    }
}

#[distributed_scan]
fn by_index(out: &mut Array2<f64>, sums: &mut [f64]) {
    let mut sum = 0.0;
    for y in 0..out.nrows() {
        let mut part = out.slice_mut(s![y, 1..]);
        let mut same = part.view_mut();
        same += 1.0;
        sum += same[0];
        sums[y] = sum;
    }
}

fn main() {}
