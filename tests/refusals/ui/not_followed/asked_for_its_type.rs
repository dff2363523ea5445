#[forall::foreach]
fn with_bytes(x: &[f64], out: &mut [f64]) {
    let bytes = std::mem::size_of_val(x);
    for i in 0..x.len() {
        out[i] = x[i] + bytes as f64;
    }
}

#[forall::foreach]
fn with_bytes_of_the_slice(x: &[f64], out: &mut [f64]) {
    let bytes = std::mem::size_of_val(&x[..]);
    for i in 0..x.len() {
        out[i] = x[i] + bytes as f64;
    }
}

fn main() {}
