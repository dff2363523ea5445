//! A static that all iterations change.

static mut STEPS: usize = 0;

#[forall::foreach]
fn doubled(x: &[f32], out: &mut [f32]) {
    for i in 0..x.len() {
        unsafe {
            STEPS += 1;
        }
        out[i] = 2.0 * x[i];
    }
}

fn main() {}
