// FA031: an order that changes a variable depends on which elements are compared, and when.

use forall::distributed_sort;

#[distributed_sort]
fn by_what_is_seen(x: &mut [u64]) {
    let mut seen = Vec::new();
    x.sort_by_key(|v| {
        seen.push(*v);
        v ^ seen.len() as u64
    });
}

#[distributed_sort]
fn by_a_reference(x: &mut [u64], mut turn: u64) {
    x.sort_by_key(|v| {
        let turn = &mut turn;
        *turn += 1;
        v ^ *turn
    });
}

#[distributed_sort]
fn of_indices(x: &mut Vec<u64>) {
    let mut turn = 0;
    let mut order: Vec<usize> = (0..x.len()).collect();
    order.sort_by_key(|&i| {
        turn += 1;
        x[i] ^ turn
    });
    *x = order.iter().map(|&i| x[i]).collect();
}

fn main() {}
