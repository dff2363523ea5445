use forall::distributed_sort;

#[distributed_sort]
fn odd_ones_first(keys: &mut [u32], neighbours: &[u32]) {
    let mut order: Vec<usize> = (0..keys.len()).collect();
    order.sort_by_key(|&i| (i % 2, neighbours[i + 1], keys[i]));
    keys.copy_from_slice(&order.iter().map(|&i| keys[i]).collect::<Vec<_>>());
}

fn main() {}
