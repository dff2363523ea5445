// Each row needs the row above, but no column needs another one.
use forall::{distributed_scan, foreach};

#[foreach]
fn rows_outside(a: &mut [f64], w: usize, h: usize) {
    for y in 1..h {
        for x in 0..w {
            a[y * w + x] += a[(y - 1) * w + x];
        }
    }
}

#[distributed_scan]
fn as_a_scan(a: &mut [f64], w: usize, h: usize) {
    for y in 1..h {
        for x in 0..w {
            a[y * w + x] += a[(y - 1) * w + x];
        }
    }
}

#[foreach]
fn columns_outside(a: &mut [f64], w: usize, h: usize) {
    for x in 0..w {
        for y in 1..h {
            a[y * w + x] += a[(y - 1) * w + x];
        }
    }
}

fn main() {}
