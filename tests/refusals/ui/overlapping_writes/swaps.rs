// A swap writes both elements: neither may belong to another iteration.
use forall::foreach;

#[foreach]
fn bubble(x: &mut [i64]) {
    for i in 0..x.len() - 1 {
        if x[i] > x[i + 1] {
            x.swap(i, i + 1);
        }
    }
}

#[foreach]
fn to_one_place(x: &mut [i64]) {
    for i in 1..x.len() {
        x.swap(0, i);
    }
}

#[foreach]
fn shuffled(x: &mut [i64], #[replicated] with: &[usize]) {
    for i in 0..x.len() {
        x.swap(i, with[i]);
    }
}

#[foreach]
fn read_by_the_next(x: &mut [i64], out: &mut [i64]) {
    for i in 0..x.len() / 2 - 1 {
        x.swap(2 * i, 2 * i + 1);
        out[i] = x[2 * i + 2];
    }
}

fn main() {}
