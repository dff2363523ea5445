//! The operator of `combine` is another one inside the loop than outside, where the results of iterations are merged.

mod colours {
    pub fn over(front: f64, back: f64) -> f64 {
        front.max(back)
    }
}

fn over(front: f64, back: f64) -> f64 {
    if front > 0.0 { front } else { back }
}

#[forall::kary_reduce(combine = over)]
fn seen(x: &[f64]) -> f64 {
    let mut seen = 0.0;
    for i in 0..x.len() {
        use colours::over;
        seen = over(seen, x[i]);
    }
    seen
}

fn main() {}
