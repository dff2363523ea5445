// FA011: each of the two writes goes to places of its own, but both to the same ones.

use forall::foreach;

#[foreach]
fn turned_twice(x: &[i64], w: usize, h: usize, out: &mut [i64]) {
    for i in 0..w * h {
        let (column, row) = (i % w, i / w);
        out[column * h + row] = x[i];
        out[column * h + (h - 1 - row)] = x[i];
    }
}

fn main() {}
