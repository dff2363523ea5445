// FA003: inside of the function, `x` would mean another slice than the parameter.

#[forall::foreach]
fn front(x: &[f64], out: &mut [f64], n: usize) {
    let x = &x[..n];
    for i in 0..n {
        out[i] = 2.0 * x[i];
    }
}

fn main() {
    front(&[1.0; 8], &mut [0.0; 8], 4);
}
