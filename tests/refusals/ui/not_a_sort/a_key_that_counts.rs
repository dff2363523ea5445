use forall::distributed_sort;

#[distributed_sort]
fn by_turn(x: &mut [u32], mut turn: u32) {
    x.sort_by_key(|v| {
        turn += 1;
        v ^ turn
    });
}

fn main() {}
