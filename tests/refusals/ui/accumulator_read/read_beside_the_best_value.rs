// What goes with the best value is computed from the best value before it, or from what went with that one.
use forall::kary_reduce;

#[kary_reduce]
fn runner_up(x: &[f64]) -> (f64, f64) {
    let (mut most, mut second) = (0.0, 0.0);
    for i in 0..x.len() {
        if x[i] > most {
            second = most;
            most = x[i];
        }
    }
    (most, second)
}

#[kary_reduce]
fn records(x: &[f64]) -> (f64, usize) {
    let mut best = (0.0, 0);
    for i in 0..x.len() {
        if x[i] > best.0 {
            best = (x[i], best.1 + 1);
        }
    }
    best
}

#[kary_reduce]
fn counted_records(x: &[f64]) -> (f64, usize) {
    let (mut most, mut count) = (0.0, 0);
    for i in 0..x.len() {
        if x[i] > most {
            most = x[i];
            count += 1;
        }
    }
    (most, count)
}

#[kary_reduce]
fn records_apart(x: &[f64]) -> (f64, usize) {
    let (mut most, mut at) = (0.0, 0);
    for i in 0..x.len() {
        if x[i] > most && i >= at + 3 {
            most = x[i];
            at = i;
        }
    }
    (most, at)
}

#[kary_reduce]
fn both_better(x: &[f64], y: &[f64]) -> (f64, f64) {
    let (mut one, mut two) = (0.0, 0.0);
    for i in 0..x.len() {
        if x[i] > one && y[i] > two {
            one = x[i];
            two = y[i];
        }
    }
    (one, two)
}

fn main() {}
