// FA005: only slices and their parts are counted, not what an expression gives.

#[forall::kary_reduce]
fn total(x: &[f64]) -> f64 {
    let mut sum = 0.0;
    for v in x.split_at(3).0.iter() {
        sum += v;
    }
    sum
}

fn main() {
    total(&[1.0; 8]);
}
