// FA010 or FA017: a closure that the loop calls writes a variable of the function.

use forall::foreach;

#[foreach]
fn logged(x: &[f64], out: &mut [f64]) -> f64 {
    let mut last = 0.0;
    let mut keep = |v: f64| {
        last = v;
        v
    };
    for i in 0..x.len() {
        out[i] = keep(x[i]);
    }
    last
}

fn main() {}
