// FA012: GUPS reads and writes a table at random places, and what it writes depends on what it reads there.

use forall::foreach;

#[foreach]
fn random_updates(table: &mut [u64], n: usize) {
    let size = table.len();
    for i in 0..n {
        let at = (i as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15) as usize % size;
        table[at] = table[at].rotate_left(1) ^ i as u64;
    }
}

fn main() {}
