// FA002: all ranks but the first fold into a frame of something that changes no element.

use forall::kary_reduce;

type Pixel = [f32; 4];

fn over(front: Pixel, back: Pixel) -> Pixel {
    std::array::from_fn(|k| front[k] + (1.0 - front[3]) * back[k])
}

#[kary_reduce(combine = over)]
fn composite(layers: &[Pixel], #[replicated] frame: &mut [Pixel]) {
    for layer in layers.chunks(frame.len()) {
        for (d, s) in frame.iter_mut().zip(layer) {
            *d = over(*d, *s);
        }
    }
}

fn main() {}
