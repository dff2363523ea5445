use forall::distributed_sort;

#[distributed_sort]
fn order(x: &mut [u64], downwards: bool) {
    if downwards {
        x.sort_by(|a, b| b.cmp(a));
    } else {
        x.sort();
    }
}

fn main() {}
