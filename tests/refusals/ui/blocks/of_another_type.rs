// Blocks are forall's, whatever else has the name.

use forall::foreach;

struct Blocks<T>(Vec<T>);

impl<T> Blocks<T> {
    fn len(&self) -> usize {
        self.0.len()
    }

    fn iter_mut(&mut self) -> std::slice::IterMut<'_, T> {
        self.0.iter_mut()
    }
}

#[foreach]
fn doubled(blocks: &mut Blocks<u64>) {
    for block in blocks.iter_mut() {
        *block *= 2;
    }
}

fn main() {}
