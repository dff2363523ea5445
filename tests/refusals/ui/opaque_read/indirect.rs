// FA050: `x[index[i]]` may be on any rank; the remedies are `#[gather]` and `#[replicated]`.

use forall::foreach;

#[foreach]
fn permute(x: &[f64], index: &[usize], out: &mut [f64]) {
    for i in 0..out.len() {
        out[i] = x[index[i]];
    }
}

fn main() {}
