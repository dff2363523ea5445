// FA040: the layout of a pair is the compiler's business; that of an array is known.

use forall::foreach;

#[foreach]
fn lengths(points: &[(f32, f32)], out: &mut [f32]) {
    for i in 0..points.len() {
        out[i] = points[i].0.hypot(points[i].1);
    }
}

fn main() {}
