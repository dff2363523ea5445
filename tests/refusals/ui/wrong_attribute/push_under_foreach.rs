// FA030 or FA017: a push needs `#[foreach_tls]`.

use forall::foreach;

#[foreach]
fn negatives(x: &[f64], out: &mut Vec<f64>) {
    for i in 0..x.len() {
        if x[i] < 0.0 {
            out.push(x[i]);
        }
    }
}

fn main() {}
