// FA011 only: the markers on the other parameters and loops do not reach the compiler, and callers see the function.

use forall::foreach;

#[foreach]
fn halves(#[gather] x: &[f64], #[replicated] places: &[usize], out: &mut [f64]) {
    #[sequential]
    for _ in 0..3 {
        for i in 0..out.len() {
            out[i / 2] = x[places[i]];
        }
    }
}

pub fn caller(x: &[f64], places: &[usize], out: &mut [f64]) {
    fn inner() {}
    inner();
    halves(x, places, out);
}

fn main() {}
