use forall::distributed_sort;

#[distributed_sort]
fn the_rest(keys: &mut Vec<u32>) {
    let mut order: Vec<usize> = (1..keys.len()).collect();
    order.sort_by_key(|&i| keys[i]);
    *keys = order.iter().map(|&i| keys[i]).collect();
}

fn main() {}
