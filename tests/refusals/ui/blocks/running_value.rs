// FA023: what runs through blocks would be computed before the loop, and the blocks be worked on twice.

use forall::{Blocks, distributed_scan};

#[distributed_scan]
fn numbered(blocks: &mut Blocks<(usize, Vec<f64>)>) {
    let mut count = 0;
    for mut block in blocks.iter_mut() {
        block.0 = count;
        count += block.1.len();
    }
}

fn main() {}
