// FA022: an item of the function has the name of a macro of the standard library.

use forall::foreach;

#[foreach]
fn asserted(x: &[f64], out: &mut [f64]) {
    macro_rules! assert {
        ($e:expr) => {
            $e
        };
    }
    for i in 0..x.len() {
        let mut k = i;
        assert!(k /= 2);
        out[k] = x[i];
    }
}

fn main() {}
