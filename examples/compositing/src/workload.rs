//! Pictures to composite: the same noise on any machine, in a band of the picture that moves down from rank to rank.

use crate::pixel::{CLEAR, FAR, Fragment, Rgba, nearer};

/// The pictures of all ranks.
#[derive(Debug, Clone, Copy)]
pub struct Workload {
    /// Pixels in a row.
    pub width: usize,
    /// Rows.
    pub height: usize,
    /// How much of a picture is not empty, from 0 to 1.
    pub fraction: f64,
    /// How many pictures there are.
    pub layers: usize,
}

/// A number that looks random.
fn noise(x: usize) -> u32 {
    let mut x = x as u32;
    x ^= x >> 16;
    x = x.wrapping_mul(0x7feb_352d);
    x ^= x >> 15;
    x = x.wrapping_mul(0x846c_a68b);
    x ^ (x >> 16)
}

impl Workload {
    /// How many pixels a picture has.
    pub fn pixels(&self) -> usize {
        self.width * self.height
    }

    fn covers(&self, layer: usize, row: usize) -> bool {
        let band = (self.fraction * self.height as f64) as usize;
        let first = (layer as f64 / self.layers as f64 * self.height.saturating_sub(band) as f64) as usize;
        self.fraction >= 1.0 || (first..first + band).contains(&row)
    }

    /// The noise at a pixel of a picture; none outside of its band.
    fn at(&self, layer: usize, pixel: usize) -> Option<u32> {
        self.covers(layer, pixel / self.width).then(|| noise(pixel.wrapping_mul(31).wrapping_add(layer * 7919)))
    }

    /// A pixel that shines through.
    pub fn rgba(&self, layer: usize, pixel: usize) -> Rgba {
        let Some(bits) = self.at(layer, pixel) else { return CLEAR };
        let part = |shift: u32, mask: u32| (bits >> shift & mask) as f32 / mask as f32;
        let alpha = 0.05 + 0.4 * part(0, 1023);
        [alpha * part(10, 255), alpha * part(18, 127), alpha * ((layer + 1) % 5) as f32 / 4.0, alpha]
    }

    /// A pixel with a depth.
    pub fn fragment(&self, layer: usize, pixel: usize) -> Fragment {
        let Some(bits) = self.at(layer, pixel) else { return FAR };
        let colour = [(bits >> 16) as u8, (bits >> 24) as u8, (layer * 20) as u8, 255];
        Fragment { colour, depth: (bits & 0xffff) as f32 / 65536.0 * 0.99 }
    }

    /// All pictures become one, one after the other and in double precision: how far a result is off, at most.
    pub fn error_of_blend(&self, result: &[Rgba]) -> f64 {
        let off = |(pixel, found): (usize, &Rgba)| {
            let mut all = [0.0; 4];
            for layer in 0..self.layers {
                let through = 1.0 - all[3];
                all.iter_mut().zip(self.rgba(layer, pixel)).for_each(|(all, next)| *all += through * f64::from(next));
            }
            all.iter().zip(found).map(|(one, other)| (one - f64::from(*other)).abs()).fold(0.0, f64::max)
        };
        result.iter().enumerate().map(off).fold(0.0, f64::max)
    }

    /// The same for pictures with depths, one after the other: how many pixels are wrong.
    pub fn wrong_fragments(&self, result: &[Fragment]) -> usize {
        let right = |pixel| (0..self.layers).fold(FAR, |all, layer| nearer(all, self.fragment(layer, pixel)));
        result.iter().enumerate().filter(|(pixel, found)| right(*pixel) != **found).count()
    }
}
