use forall::distributed_sort;

#[distributed_sort]
fn from_the_middle(x: &mut [u64]) {
    let middle = x[x.len() / 2];
    x.sort_by_key(|v| v.abs_diff(middle));
}

fn main() {}
