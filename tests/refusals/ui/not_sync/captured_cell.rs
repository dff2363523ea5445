// E0277, at the body: a `Cell` is not `Sync`, so iterations on several threads cannot share it.

use forall::foreach;

#[foreach]
fn count_calls(calls: &std::cell::Cell<u32>, x: &mut [f64]) {
    for i in 0..x.len() {
        calls.set(calls.get() + 1);
        x[i] += 1.0;
    }
}

fn main() {}
