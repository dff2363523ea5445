// FA011: the closure is a loop that every iteration runs over the same elements.

use forall::foreach;

#[foreach]
fn columns(a: &[f64], out: &mut [f64], n: usize) {
    for i in 0..n {
        (0..n).for_each(|k| out[k] = a[i * n + k]);
    }
}

fn main() {}
