// FA030: nothing is reduced; the attribute that fits is `#[foreach]`.

use forall::kary_reduce;

#[kary_reduce]
fn double(x: &[f64], out: &mut [f64]) {
    for i in 0..x.len() {
        out[i] = 2.0 * x[i];
    }
}

fn main() {}
