// FA012: elements of all ranks, written by a statement that is no loop.

use forall::foreach;

fn double(v: &mut f64) {
    *v *= 2.0;
}

fn smooth(x: &mut [f64]) {
    x[0] = 0.0;
}

#[foreach]
fn doubled(x: &[f64], out: &mut [f64]) {
    for i in 0..x.len() {
        out[i] = x[i];
    }
    out.iter_mut().for_each(double);
}

#[foreach]
fn in_order(x: &[i64], out: &mut [i64]) {
    for i in 0..x.len() {
        out[i] = x[i];
    }
    out.sort_unstable();
    out[1..].reverse();
}

#[foreach]
fn smoothed(x: &[f64], out: &mut [f64]) {
    for i in 0..x.len() {
        out[i] = x[i];
    }
    smooth(&mut out[2..4]);
}

fn main() {}
