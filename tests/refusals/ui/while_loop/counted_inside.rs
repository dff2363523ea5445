// A loop inside that counts by hand is one over a range only if nothing else touches the counter or its end.
use forall::foreach;

#[foreach]
fn end_moves(x: &[i64], out: &mut [i64], n: usize) {
    for i in 0..n {
        let mut end = n;
        let mut j = 0;
        while j < end {
            end -= (x[i] % 2) as usize;
            out[i * n + j] = x[i];
            j += 1;
        }
    }
}

#[foreach]
fn skipped(out: &mut [i64], n: usize) {
    for i in 0..n {
        let mut j = 0;
        while j < n {
            if out[i * n] > 3 {
                j += 1;
                continue;
            }
            out[i * n + j] = 1;
            j += 2;
        }
    }
}

#[foreach]
fn two_steps(out: &mut [i64], n: usize) {
    for i in 0..n {
        let mut j = 0;
        while j < n {
            out[i * n + j] = 1;
            j += 1;
            out[i * n + j] = 2;
            j += 1;
        }
    }
}

#[foreach]
fn used_after(out: &mut [i64], n: usize) {
    for i in 0..n {
        let mut j = 0;
        while j < n {
            j += 7;
        }
        out[i * n + j] = 2;
    }
}

fn main() {}
