use forall::distributed_sort;

#[distributed_sort]
fn reversed(keys: &mut Vec<u32>, values: &mut Vec<u32>) {
    let mut order: Vec<usize> = (0..keys.len()).collect();
    order.sort_by_key(|&i| keys[i]);
    *keys = order.iter().map(|&i| keys[i]).collect();
    *values = order.iter().rev().map(|&i| values[i]).collect();
}

fn main() {}
