// FA014: whether a bin still counts depends on how often it was counted before.

use forall::kary_reduce;

#[kary_reduce]
fn histogram(image: &[usize], bins: &mut [u8]) {
    for v in image {
        if bins[*v] < 255 {
            bins[*v] += 1;
        }
    }
}

fn main() {}
