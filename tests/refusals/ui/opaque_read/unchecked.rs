//! An access that is not checked.

#[forall::foreach]
fn copied(x: &[f32], out: &mut [f32]) {
    for i in 0..x.len() {
        out[i] = unsafe { *x.get_unchecked(i) };
    }
}

fn main() {}
