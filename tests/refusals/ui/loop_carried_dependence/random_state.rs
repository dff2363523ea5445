// FA010: the generator's state goes from one iteration to the next through shifts and exclusive ors.

use forall::foreach;

#[foreach]
fn noise(out: &mut [u32]) {
    let mut state = 12345u32;
    for i in 0..out.len() {
        state ^= state << 13;
        state ^= state >> 17;
        state ^= state << 5;
        out[i] = state;
    }
}

fn main() {}
