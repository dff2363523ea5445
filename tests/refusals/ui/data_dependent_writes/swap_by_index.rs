// FA012 or FA050: `swap` writes at a place that the data choose.

use forall::foreach;

#[foreach]
fn shuffle(x: &mut [u32], partner: &[usize]) {
    for i in 0..partner.len() {
        x.swap(i, partner[i]);
    }
}

fn main() {}
