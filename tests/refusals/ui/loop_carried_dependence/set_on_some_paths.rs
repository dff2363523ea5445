// FA010: in some iterations, the variable has the value of an earlier one.

use forall::foreach;

#[foreach]
fn under_a_condition(x: &[f64], out: &mut [f64]) {
    let mut t = 0.0;
    for i in 0..x.len() {
        if x[i] > 0.0 {
            t = x[i];
        }
        out[i] = t;
    }
}

#[foreach]
fn in_rounds_that_may_not_run(x: &[f64], n: &[usize], out: &mut [f64]) {
    let mut t = 0.0;
    for i in 0..x.len() {
        for _ in 0..n[i] {
            t = x[i] * 2.0;
        }
        out[i] = t;
    }
}

fn main() {}
