// FA022: a macro as a statement binds a name for the statements after it.

use forall::foreach;

macro_rules! halve {
    ($i:ident) => {
        let $i = $i / 2;
    };
}

#[foreach]
fn halved(x: &[f64], out: &mut [f64]) {
    for i in 0..x.len() {
        halve!(i);
        out[i] = x[i];
    }
}

fn main() {}
