//! A plane of distances as a picture.

use crate::distance;
use forall::foreach;
use forall_examples::colours::{FIRE, Map, OCEAN, ramp, to_srgb};

/// How distances are shown.
#[derive(Debug, Clone, Copy)]
pub struct Look {
    /// Points along x and y.
    pub points: [usize; 2],
    /// Pixels along each side of a point.
    pub pixels: usize,
    /// The distance from one dark line to the next.
    pub step: f32,
    /// The greatest distance inside, and outside.
    pub most: [f32; 2],
}

impl Look {
    /// The look of a plane: at least 400 pixels wide, with about ten lines from the surface to the farthest point.
    pub fn of(squared: &[f32], points: [usize; 2]) -> Self {
        let farthest = |inside: bool| {
            let far = squared
                .iter()
                .filter(|squared| squared.is_sign_negative() == inside)
                .map(|squared| squared.abs().sqrt());
            far.filter(|far| far.is_finite()).fold(0.0, f32::max)
        };
        let most = [farthest(true), farthest(false)];
        let pixels = 400_usize.div_ceil(points[0].max(points[1])).max(1);
        Look { points, pixels, step: most[0].max(most[1]) / 10.0, most }
    }

    /// The pixels along x and y.
    pub fn size(&self) -> [usize; 2] {
        self.points.map(|n| n * self.pixels)
    }
}

/// The colour of a distance: fire inside, water outside, and darker on every line.
fn colour(distance: f32, look: &Look) -> [u8; 3] {
    let (map, most): (&Map, f32) = if distance < 0.0 { (&FIRE, look.most[0]) } else { (&OCEAN, look.most[1]) };
    let far = distance.abs();
    let at = if most > 0.0 && most.is_finite() { 0.15 + 0.85 * (far / most).min(1.0) } else { 0.5 };
    let on_line = far.is_finite() && (far / look.step).fract() < 0.12 && far >= look.step;
    let light = if on_line { 0.45 } else { 1.0 };
    ramp(at, map).map(|part| to_srgb(part * light, 0.0))
}

/// Draws a plane, row by row from the top, which is the greatest y.
#[foreach]
pub fn draw(#[replicated] squared: &[f32], look: &Look, image: &mut [[u8; 3]]) {
    let width = look.points[0] * look.pixels;
    for i in 0..image.len() {
        let (x, y) = (i % width / look.pixels, look.points[1] - 1 - i / width / look.pixels);
        image[i] = colour(distance(squared[y * look.points[0] + x]), look);
    }
}
