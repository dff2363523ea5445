// FA020: the first match ends the loop, by `break` and by `return`.

use forall::kary_reduce;

#[kary_reduce]
fn first(x: &[i64], wanted: i64) -> Option<usize> {
    let mut at = None;
    for i in 0..x.len() {
        if x[i] == wanted {
            at = Some(i);
            break;
        }
    }
    at
}

#[kary_reduce]
fn first_returned(x: &[i64], wanted: i64) -> Option<usize> {
    for i in 0..x.len() {
        if x[i] == wanted {
            return Some(i);
        }
    }
    None
}

#[kary_reduce]
fn any(x: &[i64], wanted: i64) -> bool {
    let mut found = false;
    for i in 0..x.len() {
        if x[i] == wanted {
            found = true;
            break;
        }
    }
    found
}

#[kary_reduce]
fn first_of_two(x: &[i64], wanted: i64, other: i64) -> Option<usize> {
    let mut at = None;
    for i in 0..x.len() {
        if x[i] == wanted || x[i] == other {
            at = Some(i);
            break;
        }
    }
    at
}

fn main() {}
