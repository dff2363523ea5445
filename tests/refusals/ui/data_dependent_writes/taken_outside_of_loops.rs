//! The handle of a slice in an annotated function is not the caller's slice.

use forall::foreach;

#[foreach]
fn taken(a: &mut Vec<f64>, b: &mut Vec<f64>) {
    let old = std::mem::take(a);
    for i in 0..b.len() {
        b[i] = old[i];
    }
}

#[foreach]
fn replaced(a: &mut Vec<f64>, b: &mut Vec<f64>) {
    let old = std::mem::replace(a, vec![0.0; 3]);
    for i in 0..b.len() {
        b[i] += 1.0;
    }
    drop(old);
}

#[foreach]
fn exchanged(a: &mut Vec<f64>, b: &mut Vec<f64>, other: &mut Vec<f64>) {
    for i in 0..b.len() {
        b[i] += a[i];
    }
    std::mem::swap(a, &mut vec![1.0; 3]);
    std::mem::swap(b, other);
}

fn main() {}
