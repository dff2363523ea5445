use forall::distributed_sort;

#[distributed_sort]
fn by_reference(keys: &mut [u32]) {
    let mut order: Vec<usize> = (0..keys.len()).collect();
    order.sort_by(|&a, b| keys[a].cmp(&keys[*b]));
    keys.copy_from_slice(&order.iter().map(|&i| keys[i]).collect::<Vec<_>>());
}

fn main() {}
