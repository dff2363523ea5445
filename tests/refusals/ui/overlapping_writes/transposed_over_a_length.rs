// FA011: how many rows there are is not seen, so that a column may reach into the next.

use forall::foreach;

#[foreach]
fn transposed(u: &[f32], o: &mut [f32], w: usize, h: usize) {
    for i in 0..u.len() {
        let (x, y) = (i % w, i / w);
        o[x * h + y] = u[i];
    }
}

fn main() {}
