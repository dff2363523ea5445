use std::ops::{Deref, DerefMut};

/// Counts how often it is lent.
struct Counted {
    values: Vec<f64>,
    lent: usize,
}

impl Deref for Counted {
    type Target = [f64];

    fn deref(&self) -> &[f64] {
        &self.values
    }
}

impl DerefMut for Counted {
    fn deref_mut(&mut self) -> &mut [f64] {
        self.lent += 1;
        &mut self.values
    }
}

#[forall::foreach]
fn doubled(x: &[f64]) -> usize {
    let mut counted = Counted { values: vec![0.0; x.len()], lent: 0 };
    for i in 0..x.len() {
        counted[i] = 2.0 * x[i];
    }
    counted.lent
}

fn main() {}
