//! Statements behind a `continue` may not run: the element before is not always the one that the iteration before has written.

#[forall::distributed_scan]
fn totals(x: &[i64], out: &mut [i64]) {
    for i in 1..x.len() {
        if x[i] < 0 {
            continue;
        }
        out[i] = out[i - 1] + x[i];
    }
}

#[forall::distributed_scan]
fn in_a_labelled_block(x: &[i64], out: &mut [i64]) {
    'next: for i in 1..x.len() {
        'block: {
            if x[i] < 0 {
                continue 'next;
            }
            break 'block;
        }
        out[i] = out[i - 1] + x[i];
    }
}

fn main() {}
