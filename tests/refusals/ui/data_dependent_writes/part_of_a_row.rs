// FA012: nothing says that the inner range ends with the row.

use forall::foreach;

#[foreach]
fn between_two_columns(result: &mut [f64], start: &[usize], stop: &[usize], n: usize) {
    for p in 0..start.len() {
        for j in start[p]..stop[p] {
            result[p * n + j] = 1.0;
        }
    }
}

#[foreach]
fn up_to_a_column(result: &mut [f64], ends: &[u32], n: usize) {
    for (p, &end) in ends.iter().enumerate() {
        for j in 0..end as usize {
            result[j + n * p] += 1.0;
        }
    }
}

fn main() {}
