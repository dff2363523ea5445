// FA014: whether the least value is kept depends on another element of the same array.

use forall::kary_reduce;

#[kary_reduce]
fn nearest(at: &[usize], z: &[f32], depth: &mut [f32]) {
    for i in 0..at.len() {
        if z[i] < depth[at[i]] && depth[0] > 0.5 {
            depth[at[i]] = z[i];
        }
    }
}

fn main() {}
