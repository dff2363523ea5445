// Messages about a scan through an array name the element, as the author has written it.
use forall::distributed_scan;

#[distributed_scan]
fn squares(x: &mut [f64]) {
    for i in 1..x.len() {
        x[i] = x[i].sqrt() + x[i - 1] * x[i - 1];
    }
}

#[distributed_scan]
fn large_ones(x: &mut [f64]) -> f64 {
    let mut sum = 0.0;
    for i in 1..x.len() {
        x[i] = x[i - 1] * x[i];
        if x[i - 1] > 1.0 {
            sum += 1.0;
        }
    }
    sum
}

#[distributed_scan]
fn some_elements_before(x: &mut [f64], k: usize) {
    for i in k..x.len() {
        x[i] += x[i - k];
    }
}

fn main() {}
