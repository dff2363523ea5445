// FA011: rows of `w` elements, `w / 2` apart.

use forall::foreach;

#[foreach]
fn rows(u: &[f32], o: &mut [f32], w: usize, h: usize) {
    for y in 0..h {
        for x in 0..w {
            o[y * (w / 2) + x] = u[y * w + x];
        }
    }
}

fn main() {}
