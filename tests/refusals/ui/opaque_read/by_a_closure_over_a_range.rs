// FA050: the closures read where the data say, whatever they are called with.

use forall::foreach;

#[foreach]
fn rows(a: &[f64], at: &[usize], out: &mut [f64], n: usize) {
    for i in 0..n {
        let value = |k: usize| a[at[k]];
        out[i] = value(i) + (0..n).map(|k| a[i * n + at[k]]).sum::<f64>();
    }
}

fn main() {}
