// FA017 and FA022: statics that iterations share, and traits that bring methods into the body.

use std::sync::atomic::{AtomicI64, Ordering};

#[forall::foreach]
fn counted(x: &[i64], out: &mut [i64]) {
    for i in 0..x.len() {
        static SEEN: AtomicI64 = AtomicI64::new(0);
        out[i] = x[i] + SEEN.fetch_add(1, Ordering::Relaxed);
    }
}

#[forall::foreach]
fn numbered(x: &[i64], out: &mut [i64]) {
    for i in 0..x.len() {
        static mut LAST: i64 = 0;
        out[i] = x[i] + unsafe {
            LAST += 1;
            LAST
        };
    }
}

#[forall::kary_reduce]
fn greatest(x: &[f64]) -> f64 {
    trait Greater {
        fn max(&self, other: f64) -> f64;
    }
    impl Greater for f64 {
        fn max(&self, other: f64) -> f64 {
            *self * 0.5 + other
        }
    }
    let mut most = 0.0;
    for v in x {
        most = v.max(most);
    }
    most
}

fn main() {}
