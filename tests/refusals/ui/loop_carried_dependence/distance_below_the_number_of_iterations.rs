// FA010: with one iteration less, no iteration would read what another one writes.

use forall::foreach;

#[foreach]
fn one_iteration_too_many(flat: &mut [f64]) {
    for i in 0..65 {
        flat[i + 64] = flat[i];
    }
}

#[foreach]
fn by_a_constant(flat: &mut [f64]) {
    const N: usize = 64;
    for i in 0..N {
        flat[i + N - 1] = flat[i];
    }
}

#[foreach]
fn in_steps(flat: &mut [f64]) {
    for i in (0..66).step_by(2) {
        flat[i + 64] = flat[i];
    }
}

fn main() {}
