// FA051: the footprints say what is read. Only `far` needs its marker.

use forall::foreach;

#[foreach]
fn smooth(#[gather] x: &[f64], #[halo(1)] y: &[f64], #[gather] far: &[f64], #[gather] unused: &[f64], out: &mut [f64]) {
    for i in 1..x.len() - 1 {
        out[i] = x[i - 1] + x[i + 1] - 2.0 * y[i] + far[i * i % far.len()];
    }
}

fn main() {}
