//! A pattern that borrows a part of a value.

#[forall::distributed_scan]
fn totals(x: &[i64], out: &mut [i64]) {
    let mut sum = 0;
    for i in 0..x.len() {
        if x[i] > 10 {
            let ref mut again = sum;
            *again = 0;
        }
        sum += x[i];
        out[i] = sum;
    }
}

fn main() {}
