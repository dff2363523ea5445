//! Whether a statement is there is not known when the loop is checked.

#[forall::foreach]
fn scaled(x: &[f64], out: &mut [f64]) {
    for i in 0..x.len() {
        #[cfg(unix)]
        let k = i;
        #[cfg(not(unix))]
        let k = 0;
        out[k] = x[i];
    }
}

fn main() {}
