// FA023: a rank keeps the elements that its blocks push, and ranks have blocks in their order.

use forall::{Blocks, foreach_tls};

#[foreach_tls]
fn names(blocks: &Blocks<Vec<f64>>, lengths: &mut Vec<usize>) {
    for block in blocks.iter().rev() {
        lengths.push(block.len());
    }
}

fn main() {}
