//! Only the loop is wrong: what calls the function, or names its sequential twin, is not reported.
use forall::{DistVec, foreach};

#[foreach]
fn step(now: &mut [f64]) {
    for i in 1..now.len() {
        now[i] += now[i - 1];
    }
}

fn main() {
    let mut now = DistVec::from_fn(10, |i| i as f64);
    step(&mut now);
    step(&mut [1.0, 2.0][..]);
    step::sequential(&mut [1.0, 2.0]);
    assert_eq!(step::PLAN, "");
}
