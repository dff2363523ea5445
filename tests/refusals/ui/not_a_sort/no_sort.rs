use forall::distributed_sort;

#[distributed_sort]
fn largest(x: &mut [u64]) {
    x.select_nth_unstable(0);
}

fn main() {}
