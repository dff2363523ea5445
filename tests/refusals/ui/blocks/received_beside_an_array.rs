// FA025: a loop that receives visits blocks again, and no other iterator can go along.

use forall::{Blocks, foreach};

#[foreach]
fn counted(blocks: &mut Blocks<u64>, counts: &mut [u64]) {
    for (block, count) in blocks.iter_mut().zip(counts.iter_mut()) {
        while let Some(message) = block.receive() {
            *count += message.read::<u64>();
        }
    }
}

fn main() {}
