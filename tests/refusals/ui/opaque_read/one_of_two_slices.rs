//! A variable that is one of two slices.

#[forall::foreach]
fn chosen(x: &[f32], y: &[f32], first: bool, out: &mut [f32]) {
    let from = if first { x } else { y };
    for i in 0..out.len() {
        out[i] = from[i];
    }
}

fn main() {}
