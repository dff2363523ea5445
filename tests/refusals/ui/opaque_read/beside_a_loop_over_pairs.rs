// FA050: the offsets are data. The loop over them is none of its own.

use forall::foreach;

#[foreach]
fn weighted(u: &[f32], o: &mut [f32], w: usize, h: usize, taps: [(usize, f32); 2]) {
    for y in 0..h {
        for x in 0..w {
            let mut sum = 0.0;
            for (dx, c) in taps {
                let at = y * w + x + dx;
                sum += c * u[at];
            }
            let at = y * w + x;
            o[at] = sum;
        }
    }
}

fn main() {}
