// FA043: serde must know how to write a block.

use forall::{Blocks, foreach};

struct Region {
    values: Vec<f32>,
}

#[foreach]
fn cleared(blocks: &mut Blocks<Region>) {
    for mut block in blocks.iter_mut() {
        block.values.clear();
    }
}

fn main() {
    cleared(&mut Blocks::from_fn(3, |_| Region { values: Vec::new() }));
}
