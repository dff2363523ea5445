use forall::distributed_sort;

#[distributed_sort]
fn distinct(x: &mut Vec<u64>) {
    x.sort();
    x.dedup();
}

fn main() {}
