// FA011: a place that is counted on in a loop, and one that meets that of the next iteration.

use forall::foreach;

#[foreach]
fn in_a_loop(u: &[f64], out: &mut [f64]) {
    for i in 0..u.len() {
        let mut k = 2 * i;
        for _ in 0..3 {
            out[k] = u[i];
            k += 1;
        }
    }
}

#[foreach]
fn too_far(u: &[f64], out: &mut [f64]) {
    for i in 0..u.len() {
        let mut k = 2 * i;
        out[k] = u[i];
        k += 2;
        out[k] = -u[i];
    }
}

fn main() {}
