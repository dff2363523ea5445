// FA021: `loop` as the annotated loop.

use forall::kary_reduce;

#[kary_reduce]
fn newton(x: f64) -> f64 {
    let mut root = x;
    loop {
        let next = 0.5 * (root + x / root);
        if (next - root).abs() < 1e-12 {
            return next;
        }
        root = next;
    }
}

fn main() {}
