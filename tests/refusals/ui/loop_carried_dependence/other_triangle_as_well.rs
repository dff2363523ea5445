// FA010: both triangles are written, or the row of the pivot is.

use forall::foreach;

#[foreach]
fn transposed_in_place(a: &mut [f64], n: usize) {
    for i in 0..n {
        for j in 0..n {
            a[i * n + j] = a[j * n + i];
        }
    }
}

#[foreach]
fn all_but_the_diagonal(a: &mut [f64], n: usize) {
    for i in 0..n {
        for j in 0..n {
            if i != j {
                a[i * n + j] += a[j * n + i];
            }
        }
    }
}

#[foreach]
fn column_with_the_pivot(a: &mut [f64], n: usize, k: usize) {
    for i in k..n {
        for j in 0..=k {
            a[i * n + k] -= a[i * n + j] * a[k * n + j];
        }
    }
}

fn main() {}
