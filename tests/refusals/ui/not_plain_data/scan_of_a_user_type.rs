// FA032: as for a reduction, `+` of a user's type is not known to be associative.

use forall::distributed_scan;

#[derive(Clone, Copy, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C)]
struct Odd(i64);

impl std::ops::AddAssign for Odd {
    fn add_assign(&mut self, other: Odd) {
        self.0 = other.0 - self.0;
    }
}

#[distributed_scan]
fn totals(x: &[Odd], out: &mut [i64]) {
    let mut sum = Odd(0);
    for i in 0..x.len() {
        sum += x[i];
        out[i] = sum.0;
    }
}

fn main() {}
