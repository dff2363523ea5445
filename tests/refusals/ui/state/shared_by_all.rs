//! Locks, atomics and channels: what iterations do to them depends on the order in which they happen to run.

use std::sync::Mutex;
use std::sync::atomic::{AtomicI64, Ordering};

#[forall::foreach]
fn by_another_name(x: &[i64], out: &mut [i64]) {
    let total = Mutex::new(0);
    for i in 0..x.len() {
        let all = &total;
        *all.lock().unwrap() += x[i];
        out[i] = x[i];
    }
}

#[forall::foreach]
fn counted(x: &[i64], out: &mut [i64]) {
    let count = AtomicI64::new(0);
    for i in 0..x.len() {
        let all = &count;
        out[i] = x[i] + all.fetch_add(1, Ordering::SeqCst);
    }
}

#[forall::foreach]
fn sent(x: &[i64], out: &mut [i64]) {
    let (to, _from) = std::sync::mpsc::channel();
    for i in 0..x.len() {
        to.send(x[i]).unwrap();
        out[i] = x[i];
    }
}

struct Counter {
    count: AtomicI64,
    scale: i64,
}

impl Counter {
    #[forall::kary_reduce]
    fn by_a_field(&self, x: &[i64]) -> i64 {
        let mut sum = 0;
        for e in x {
            sum += e * self.count.load(Ordering::SeqCst);
        }
        sum
    }

    #[forall::foreach]
    fn by_a_number(&self, x: &[i64], out: &mut [i64]) {
        let scale = self.scale;
        for i in 0..x.len() {
            out[i] = x[i] * scale;
        }
    }
}

fn main() {}
