//! `break` without a label leaves the loop, not the block around it.

#[forall::kary_reduce]
fn until_negative(x: &[i64]) -> i64 {
    let mut sum = 0;
    for i in 0..x.len() {
        'block: {
            if x[i] < 0 {
                break;
            }
            if x[i] == 0 {
                break 'block;
            }
            sum += x[i];
        }
    }
    sum
}

fn main() {}
