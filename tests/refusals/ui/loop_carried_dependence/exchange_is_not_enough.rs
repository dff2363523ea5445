// FA010: neither axis is free of the dependence, or the bounds of one loop depend on the other.

use forall::foreach;

#[foreach]
fn wavefront(w: usize, h: usize, a: &mut [f64]) {
    for y in 1..h {
        for x in 0..w - 1 {
            a[y * w + x] = a[(y - 1) * w + x + 1] + a[(y - 1) * w + x];
        }
    }
}

#[foreach]
fn triangle(n: usize, a: &mut [f64]) {
    for y in 1..n {
        for x in 0..y {
            a[y * n + x] += a[(y - 1) * n + x];
        }
    }
}

#[foreach]
fn rows_with_a_sum(w: usize, h: usize, a: &mut [f64], sums: &mut [f64]) {
    for y in 1..h {
        let mut sum = 0.0;
        for x in 0..w {
            a[y * w + x] += a[(y - 1) * w + x];
            sum += a[y * w + x];
        }
        sums[y] = sum;
    }
}

fn main() {}
