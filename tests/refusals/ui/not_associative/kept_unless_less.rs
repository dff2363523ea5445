//! The held value stays if it is not greater. NaN compares with nothing.

#[forall::kary_reduce]
fn least(x: &[f64]) -> Option<f64> {
    let mut least = None;
    for v in x {
        least = match least {
            Some(held) if held <= *v => Some(held),
            _ => Some(*v),
        };
    }
    least
}

fn main() {}
