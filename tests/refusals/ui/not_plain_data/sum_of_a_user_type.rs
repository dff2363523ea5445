// FA032: `+` of a user's type is not known to be associative; `combine` would say so.

use forall::kary_reduce;

#[derive(Clone, Copy, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C)]
struct Odd(i64);

impl std::ops::AddAssign for Odd {
    fn add_assign(&mut self, other: Odd) {
        self.0 = other.0 - self.0;
    }
}

#[kary_reduce]
fn total(x: &[Odd]) -> i64 {
    let mut sum = Odd(0);
    for i in 0..x.len() {
        sum += x[i];
    }
    sum.0
}

fn main() {}
