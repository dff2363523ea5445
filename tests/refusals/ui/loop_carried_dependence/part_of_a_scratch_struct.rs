// FA010: every iteration sets the part before it reads it, but only a whole variable is followed.

use forall::foreach;

#[derive(Clone, Copy, PartialEq, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C)]
struct Total {
    sum: u32,
}

#[foreach]
fn parts(x: &[u32], o: &mut [u32]) {
    let mut held = Total { sum: 0 };
    for i in 0..x.len() {
        held.sum = x[i];
        o[i] = held.sum;
    }
}

fn main() {}
