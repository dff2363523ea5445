// FA010: `a[i]` is computed from `a[i - 1]`, which the iteration before wrote, by no associative operator.

use forall::foreach;

#[foreach]
fn smooth_in_place(a: &mut [f64]) {
    for i in 1..a.len() {
        a[i] = (a[i - 1] * a[i]).sqrt();
    }
}

fn main() {}
