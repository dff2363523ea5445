// FA051: two markers that exclude each other.

use forall::foreach;

#[foreach]
fn permuted(#[gather] #[halo(2)] x: &[f64], place: &[usize], out: &mut [f64]) {
    for i in 0..out.len() {
        out[i] = x[place[i]];
    }
}

fn main() {}
