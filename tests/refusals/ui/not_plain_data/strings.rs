// FA040: a `String` owns memory, so a share of strings cannot travel as bytes.

use forall::foreach;

#[foreach]
fn lengths(names: &[String], out: &mut [usize]) {
    for i in 0..names.len() {
        out[i] = names[i].len();
    }
}

fn main() {}
