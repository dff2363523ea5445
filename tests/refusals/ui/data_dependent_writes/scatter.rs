// FA012: the data choose where `out` is written, so two iterations may choose the same place.

use forall::foreach;

#[foreach]
fn scatter(x: &[f64], place: &[usize], out: &mut [f64]) {
    for i in 0..x.len() {
        out[place[i]] = x[i];
    }
}

fn main() {}
