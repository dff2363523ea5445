// FA025: messages of a round and messages of all waves.

use forall::{Blocks, foreach};

#[foreach]
fn counted(blocks: &mut Blocks<u64>) {
    for mut block in blocks.iter_mut() {
        for message in block.inbox() {
            *block += message.read::<u64>();
        }
        while let Some(message) = block.receive() {
            *block += message.read::<u64>();
        }
    }
}

fn main() {}
