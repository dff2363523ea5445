// FA012 or FA050: a macro in the body hides a write from the analysis.

use forall::foreach;

macro_rules! set {
    ($array:ident, $at:expr, $value:expr) => {
        $array[$at] = $value
    };
}

#[foreach]
fn hidden(x: &[f64], place: &[usize], out: &mut [f64]) {
    for i in 0..x.len() {
        set!(out, place[i], x[i]);
    }
}

fn main() {}
