// FA003: `impl Trait` is another type in each of the two bodies.

use forall::foreach_tls;

#[foreach_tls]
fn doubled(x: &[f32]) -> impl Iterator<Item = f32> {
    let mut out = Vec::new();
    for i in 0..x.len() {
        out.push(2.0 * x[i]);
    }
    out.into_iter()
}

fn main() {}
