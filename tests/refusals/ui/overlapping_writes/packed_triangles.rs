// Row `i` of a packed triangle has `i + 1` elements, or `i` below the diagonal, and begins where the row before ends.
use forall::{distributed_scan, foreach};

#[foreach]
fn one_too_many(a: &mut [f64], n: usize) {
    for i in 1..n {
        for j in 0..=i {
            a[i * (i - 1) / 2 + j] = 1.0;
        }
    }
}

#[foreach]
fn of_another_width(a: &mut [f64], n: usize) {
    for i in 0..n {
        for j in i..n {
            a[i * (n - 1) - i * (i + 1) / 2 + j] = 1.0;
        }
    }
}

#[foreach]
fn upwards(a: &mut [f64], n: usize) {
    for i in 0..n {
        for j in i..n {
            a[i * (i + 1) / 2 + j] = 1.0;
        }
    }
}

#[foreach]
fn no_triangle(a: &mut [f64], n: usize) {
    for i in 0..n {
        for j in 0..=i {
            a[i * (i + 2) / 2 + j] = 1.0;
        }
    }
}

#[distributed_scan]
fn along_the_diagonal(a: &mut [f64], n: usize) {
    for i in 1..n {
        a[i * (i + 1) / 2 + i] = a[i * (i + 1) / 2 + i - 1] + 1.0;
    }
}

fn main() {}
