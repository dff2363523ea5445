use forall::foreach;

/// The loop over the pixels is a reduction, and no repetition of the loop over the channels.
#[foreach]
fn sums(pixels: &[[u8; 3]]) -> [u32; 3] {
    let mut sums = [0; 3];
    for pixel in pixels {
        for c in 0..3 {
            sums[c] += u32::from(pixel[c]);
        }
    }
    sums
}

fn main() {}
