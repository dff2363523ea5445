//! Names that nothing declares: rustc reports them, and nothing else is said.

#[forall::foreach]
fn weighted(x: &[f64], out: &mut [f64]) {
    for i in 0..out.len() {
        out[i] = weights[i] * x[i];
    }
}

#[forall::kary_reduce]
fn scaled(x: &[f64]) -> f64 {
    let mut sum = 0.0;
    for v in x {
        sum += v * options.scale;
    }
    sum
}

#[forall::distributed_scan]
fn filtered(x: &[f64], out: &mut [f64]) {
    let mut y = 0.0;
    for i in 0..x.len() {
        y = gain.k * y + x[i];
        out[i] = y;
    }
}

#[forall::foreach_tls]
fn kept(x: &[f64], out: &mut Vec<f64>) {
    for v in x {
        if limits.contains(v) {
            out.push(*v);
        }
    }
}

fn main() {}
