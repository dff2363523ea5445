// FA023: inside of the function numbers stand for the blocks.

use forall::{Blocks, foreach};

fn report(blocks: &Blocks<u64>) {
    println!("{}", blocks.to_all().len());
}

#[foreach]
fn doubled(blocks: &mut Blocks<u64>) {
    for mut block in blocks.iter_mut() {
        *block *= 2;
    }
    report(blocks);
    println!("{:?}", blocks);
}

fn main() {}
