// FA017: an order that changes shared state depends on which elements are compared, and when.

use forall::distributed_sort;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

#[distributed_sort]
fn by_turn(x: &mut [u64], numbers: &Mutex<Vec<u64>>) {
    x.sort_by_cached_key(|v| {
        let mut numbers = numbers.lock().unwrap();
        numbers.push(*v);
        numbers.len()
    });
}

#[distributed_sort]
fn by_a_count(x: &mut [u64]) {
    let pair = (3, Box::new(AtomicU64::new(0)));
    x.sort_by_key(|v| {
        let (by, count) = &pair;
        v ^ count.fetch_add(*by, Ordering::Relaxed)
    });
}

#[distributed_sort]
fn by_another_name(x: &mut [u64]) {
    let count = AtomicU64::new(0);
    let key = |v: &u64| v ^ count.fetch_add(1, Ordering::Relaxed);
    x.sort_by_key(key);
}

#[distributed_sort]
fn of_indices(x: &mut Vec<u64>, count: &AtomicU64) {
    let mut order: Vec<usize> = (0..x.len()).collect();
    order.sort_by_key(|&i| x[i] ^ count.fetch_add(1, Ordering::Relaxed));
    *x = order.iter().map(|&i| x[i]).collect();
}

fn main() {}
