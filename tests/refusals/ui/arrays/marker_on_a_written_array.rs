// FA051: what may be written has its footprint derived; and a marker too many.

use forall::foreach;
use ndarray::{Array2, ArrayViewMut2};

#[foreach]
fn copy(#[replicated] #[gather] a: &Array2<f64>, #[halo(1)] mut out: ArrayViewMut2<f64>) {
    for y in 0..out.nrows() {
        out[[y, 0]] = a[[y, 0]];
    }
}

fn main() {}
