use forall::foreach;

#[foreach]
fn copied(#[scatter] x: &[f64], out: &mut [f64]) {
    for i in 0..x.len() {
        out[i] = x[i];
    }
}

fn main() {}
