// FA022: a macro stands for a pattern, so the compiler does not see which variables are bound.

use forall::foreach;

macro_rules! named {
    ($a:ident) => {
        $a
    };
}

#[foreach]
fn halved(x: &[f64], out: &mut [f64]) {
    for i in 0..x.len() {
        let v = x[i];
        let named!(i) = i / 2;
        out[i] = v;
    }
}

fn main() {}
