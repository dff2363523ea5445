// FA005: the items of a map have no index.

use forall::kary_reduce;
use std::collections::HashMap;

#[kary_reduce]
fn total(of: &HashMap<u32, u32>) -> u32 {
    let mut sum = 0;
    for (_, value) in of {
        sum += value;
    }
    sum
}

fn main() {}
