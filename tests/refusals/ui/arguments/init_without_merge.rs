// FA002: `init` makes states, and nothing says how they are merged.

use forall::foreach_tls;

#[foreach_tls(init = Vec::new)]
fn positive(x: &[f64]) -> Vec<f64> {
    let mut found = Vec::new();
    for i in 0..x.len() {
        if x[i] > 0.0 {
            found.push(x[i]);
        }
    }
    found
}

fn main() {}
