//! The kept value is no copy of an element but another name for it.

#[forall::foreach_tls]
fn kept<'a>(v: &'a mut [f64], x: &[f64]) -> Vec<&'a mut f64> {
    let mut all = Vec::new();
    for pair in v.iter_mut().zip(x) {
        *pair.0 += *pair.1;
        all.push(pair.0);
    }
    all
}

fn main() {}
