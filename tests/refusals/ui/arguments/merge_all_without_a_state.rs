// FA002: what is pushed is put together in any case, and there is nothing else to put together.

use forall::foreach_tls;

fn join(all: Vec<Vec<f64>>) -> Vec<f64> {
    all.concat()
}

#[foreach_tls(merge_all = join)]
fn positive(x: &[f64], out: &mut Vec<f64>) {
    for i in 0..x.len() {
        if x[i] > 0.0 {
            out.push(x[i]);
        }
    }
}

fn main() {}
