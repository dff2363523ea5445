use forall::distributed_sort;

#[distributed_sort]
fn ranks(keys: &mut [u32]) {
    let mut order: Vec<usize> = (0..keys.len()).collect();
    order.sort_by_key(|&i| keys[i]);
}

fn main() {}
