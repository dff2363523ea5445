// FA051: blocks are never on all ranks.

use forall::{Blocks, kary_reduce};

#[kary_reduce]
fn total(#[replicated] blocks: &Blocks<u64>) -> u64 {
    let mut sum = 0;
    for block in blocks.iter() {
        sum += *block;
    }
    sum
}

fn main() {}
