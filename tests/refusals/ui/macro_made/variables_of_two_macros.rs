// FA022: whether a macro's `k` and its caller's are one variable depends on the macro.

macro_rules! halved {
    ($k:ident) => {
        #[forall::foreach]
        fn halves(x: &[f64], out: &mut [f64]) {
            for k in 0..x.len() {
                let $k = k / 2;
                out[k] = x[k];
            }
        }
    };
}

halved!(k);

fn main() {}
