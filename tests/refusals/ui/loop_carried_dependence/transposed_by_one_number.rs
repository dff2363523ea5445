// FA010: in place, each element of one triangle is read after it was written.

use forall::foreach;

#[foreach]
fn transposed(a: &mut [f32], w: usize, h: usize) {
    for i in 0..w * h {
        let (x, y) = (i % w, i / w);
        a[x * h + y] = a[y * w + x];
    }
}

fn main() {}
