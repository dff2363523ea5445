// FA014: `tell` takes `&self`, which the loop does not show.

use forall::distributed_scan;

#[derive(Clone, Copy, PartialEq, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C)]
struct Total {
    sum: u32,
}

impl Total {
    fn tell(&self) -> u32 {
        self.sum
    }
}

fn plus(a: Total, b: Total) -> Total {
    Total { sum: a.sum + b.sum }
}

#[distributed_scan(combine = plus)]
fn told(x: &[u32], o: &mut [u32]) {
    let mut all = Total { sum: 0 };
    for i in 0..x.len() {
        all = plus(all, Total { sum: x[i] });
        o[i] = all.tell();
    }
}

fn main() {}
