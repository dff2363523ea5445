// FA017: entries of a map are updated by operators alone; an `Option` is not a state.

use forall::kary_reduce;
use std::collections::HashMap;

#[kary_reduce]
fn most(x: &[i64]) -> HashMap<i64, i64> {
    let mut most = HashMap::new();
    for i in 0..x.len() {
        let entry = most.entry(x[i] % 7).or_insert(x[i]);
        *entry = (*entry).max(x[i]);
    }
    most
}

#[kary_reduce]
fn first(x: &[i64]) -> Option<i64> {
    let mut first = None;
    for i in 0..x.len() {
        first.get_or_insert(x[i]);
    }
    first
}

fn main() {}
