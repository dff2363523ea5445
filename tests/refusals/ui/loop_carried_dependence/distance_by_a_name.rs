// FA010: the distance is a number, also where it goes by a name.

use forall::foreach;

#[foreach]
fn by_a_variable(a: &mut [f64]) {
    let m = 1;
    for i in 0..a.len() - m {
        a[i] = a[i + m];
    }
}

#[foreach]
fn by_a_constant(a: &mut [f64]) {
    const M: usize = N - 1;
    const N: usize = 3;
    for i in M..a.len() {
        a[i] += a[i - M];
    }
}

#[foreach]
fn by_a_product(a: &mut [f64], n: usize, w: usize) {
    let m: usize = 2 * (3 as usize);
    for i in 0..n {
        for j in 0..w {
            a[i * w + j] = a[(i + m) * w + j];
        }
    }
}

fn main() {}
