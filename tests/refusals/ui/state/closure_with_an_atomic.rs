// FA017: what a closure uses is looked into, and what a box holds of which only a trait is known.

use forall::foreach;
use std::sync::atomic::{AtomicI64, Ordering};

#[foreach]
fn numbered(x: &[i64], out: &mut [i64]) {
    let count = AtomicI64::new(0);
    let number = |v: i64| v + count.fetch_add(1, Ordering::Relaxed);
    for i in 0..x.len() {
        out[i] = number(x[i]);
    }
}

trait Next: Sync {
    fn next(&self) -> i64;
}

struct Counter(AtomicI64);

impl Next for Counter {
    fn next(&self) -> i64 {
        self.0.fetch_add(1, Ordering::Relaxed)
    }
}

#[foreach]
fn from_a_box(x: &[i64], out: &mut [i64]) {
    let counter: Box<dyn Next> = Box::new(Counter(AtomicI64::new(0)));
    for i in 0..x.len() {
        out[i] = counter.next() + x[i];
    }
}

fn main() {}
