use forall::foreach;

/// Every iteration writes at a place of its own.
#[foreach]
fn copied(x: &[f64], #[scatter] out: &mut [f64]) {
    for i in 0..x.len() {
        out[i] = x[i];
    }
}

fn main() {}
