use forall::distributed_sort;

#[distributed_sort]
fn sorted(x: &[u32], out: &mut [u32]) {
    x.sort();
}

fn main() {}
