// FA050: the closure's argument is data, so its read of `x` may be anywhere.

use forall::foreach;

#[foreach]
fn follow(x: &[u32], start: &[u32], out: &mut [u32]) {
    let next = move |v: u32| x[v as usize];
    for i in 0..out.len() {
        out[i] = next(next(start[i]));
    }
}

fn main() {}
