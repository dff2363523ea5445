// FA017: what a pattern binds, or a method lends, is checked as the value that it comes from.

use forall::foreach;
use std::sync::atomic::{AtomicI64, Ordering};

struct Counter {
    count: AtomicI64,
}

struct Holder {
    counter: Box<Counter>,
}

impl Holder {
    fn counter(&self) -> &Counter {
        &self.counter
    }
}

impl Counter {
    fn next(&self) -> i64 {
        self.count.fetch_add(1, Ordering::Relaxed)
    }
}

#[foreach]
fn by_a_pattern(x: &[i64], out: &mut [i64], pair: &(i64, Box<AtomicI64>)) {
    for i in 0..x.len() {
        let (by, count) = pair;
        out[i] = x[i] + count.fetch_add(*by, Ordering::Relaxed);
    }
}

#[foreach]
fn by_an_arm(x: &[i64], out: &mut [i64], holders: &[Option<Holder>; 2]) {
    for i in 0..x.len() {
        out[i] = match &holders[i % 2] {
            Some(Holder { counter }) => counter.next(),
            None => x[i],
        };
    }
}

#[foreach]
fn by_a_method(x: &[i64], out: &mut [i64], holder: &Holder) {
    for i in 0..x.len() {
        out[i] = x[i] + holder.counter().next();
    }
}

#[foreach]
fn by_a_field(x: &[i64], out: &mut [i64], holders: &[Option<Holder>; 2]) {
    for i in 0..x.len() {
        if let Some(holder) = &holders[i % 2] {
            out[i] = x[i] + holder.counter.next();
        }
    }
}

fn main() {}
