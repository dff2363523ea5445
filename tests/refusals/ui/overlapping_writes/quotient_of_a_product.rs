// FA011: the stride is `w / 2`, but the quotient is of the whole product.

use forall::foreach;

#[foreach]
fn halves(u: &[f32], o: &mut [f32], w: usize, h: usize) {
    for y in 0..h {
        for x in 0..w / 2 {
            o[y * w / 2 + x] = u[y * w + 2 * x];
        }
    }
}

fn main() {}
