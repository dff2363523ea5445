// FA014: whether an iteration adds depends on what the iterations before have added.

use forall::kary_reduce;

#[kary_reduce]
fn fill_up(x: &[f64], limit: f64) -> f64 {
    let mut sum = 0.0;
    for i in 0..x.len() {
        if sum + x[i] < limit {
            sum += x[i];
        }
    }
    sum
}

fn main() {}
