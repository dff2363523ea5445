// FA050: the whole of `x` is handed to a function, which may read it anywhere.

use forall::foreach;

fn nearest(x: &[f64], v: f64) -> f64 {
    x.iter().copied().fold(
        f64::INFINITY,
        |best, w| if (w - v).abs() < (best - v).abs() { w } else { best },
    )
}

#[foreach]
fn snap(x: &[f64], out: &mut [f64]) {
    for i in 0..out.len() {
        out[i] = nearest(x, i as f64);
    }
}

fn main() {}
