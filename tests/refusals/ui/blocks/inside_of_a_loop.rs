// FA023: no iteration can reach all blocks.

use forall::{Blocks, foreach};

#[foreach]
fn distances(blocks: &Blocks<f64>, least: &mut [f64]) {
    for (block, least) in blocks.iter().zip(least.iter_mut()) {
        for other in blocks.iter() {
            if other.number() != block.number() {
                *least = least.min((*block - *other).abs());
            }
        }
    }
}

fn main() {}
