use forall::distributed_sort;

#[distributed_sort]
fn by_weight(x: &mut [u32], weight: &[u64]) {
    x.sort_by_key(|v| weight[*v as usize]);
}

fn main() {}
