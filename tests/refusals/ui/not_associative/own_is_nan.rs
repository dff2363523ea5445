//! Integers have no `is_nan`: this one is the user's.

trait Odd {
    fn is_nan(&self) -> bool;
}

impl Odd for i64 {
    fn is_nan(&self) -> bool {
        self % 2 == 1
    }
}

#[forall::kary_reduce]
fn greatest(x: &[i64]) -> i64 {
    let mut most = 1i64;
    for &v in x {
        if most.is_nan() || v > most {
            most = v;
        }
    }
    most
}

fn main() {}
