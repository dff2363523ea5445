//! Densities as a picture.

use forall::{foreach, kary_reduce};
use forall_examples::colours::{FIRE, ramp, to_srgb};

/// Adds up planes: `sums[i]` is what lies at `i` in all of them.
#[kary_reduce]
pub fn along_z(field: &[f32], #[replicated] sums: &mut [f64]) {
    for plane in field.chunks(sums.len()) {
        for (sum, value) in sums.iter_mut().zip(plane) {
            *sum += f64::from(*value);
        }
    }
}

/// How sums are shown.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Look {
    /// Sums along x and y.
    pub points: [usize; 2],
    /// Pixels along each side of a sum.
    pub pixels: usize,
    /// The logarithms of the sums that are darkest and brightest.
    pub range: [f64; 2],
}

impl Look {
    /// The look of some sums: at least 400 pixels wide, from the least to the greatest.
    pub fn of(sums: &[f64], points: [usize; 2]) -> Self {
        let logarithms = || sums.iter().filter(|sum| **sum > 0.0).map(|sum| sum.ln());
        let range = [logarithms().fold(f64::INFINITY, f64::min), logarithms().fold(f64::NEG_INFINITY, f64::max)];
        Look { points, pixels: 400_usize.div_ceil(points[0].max(points[1]).max(1)).max(1), range }
    }

    /// The pixels along x and y.
    pub fn size(&self) -> [usize; 2] {
        self.points.map(|n| n * self.pixels)
    }
}

fn colour(sum: f64, look: &Look) -> [u8; 3] {
    let [least, most] = look.range;
    let at = if sum > 0.0 && most > least { (sum.ln() - least) / (most - least) } else { 0.5 };
    ramp(at as f32, &FIRE).map(|part| to_srgb(part, 0.0))
}

/// Draws sums, row by row from the top, which is the greatest y.
#[foreach]
pub fn draw(#[replicated] sums: &[f64], look: &Look, image: &mut [[u8; 3]]) {
    let width = look.points[0] * look.pixels;
    for i in 0..image.len() {
        let (x, y) = (i % width / look.pixels, look.points[1] - 1 - i / width / look.pixels);
        image[i] = colour(sums[y * look.points[0] + x], look);
    }
}
