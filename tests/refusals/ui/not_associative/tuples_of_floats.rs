//! `(1.0, NAN)` compares with `(0.0, 1.0)`, and not with `(1.0, 1.0)`.

#[forall::kary_reduce]
fn greatest(x: &[f64], y: &[f64]) -> (f64, f64) {
    let mut best = (0.0, 0.0);
    for i in 0..x.len() {
        if (x[i], y[i]) > best {
            best = (x[i], y[i]);
        }
    }
    best
}

fn main() {}
