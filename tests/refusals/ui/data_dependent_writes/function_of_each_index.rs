// FA012: a function that is not annotated gets the slice and the index of an element. A loop over time steps would not count elements.

use forall::foreach;

fn relax(u: &mut [f64], i: usize) {
    u[i] *= 0.5;
}

#[foreach]
fn relaxed(u: &mut [f64]) {
    for i in 0..u.len() {
        relax(u, i);
    }
}

fn main() {}
