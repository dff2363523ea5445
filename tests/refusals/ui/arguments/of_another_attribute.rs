// FA002: `combine` belongs to `#[kary_reduce]` and `#[distributed_scan]`.

use forall::foreach;

#[foreach(combine = f64::max)]
fn double(x: &[f64], out: &mut [f64]) {
    for i in 0..x.len() {
        out[i] = 2.0 * x[i];
    }
}

fn main() {}
