//! Pictures of the plane: boids as dots, in the colours of their clusters.

use forall_examples::picture::animation;
use forall_examples::write::WriteError;
use std::path::Path;

/// The pixels along each side of a picture, and of a frame.
const PICTURE: usize = 1000;
const FRAME: usize = 500;
/// The greatest number of frames.
const FRAMES: usize = 100;

const BACKGROUND: [u8; 3] = [18, 20, 28];
/// The colour of documents in clusters of one document.
const ALONE: [u8; 3] = [96, 100, 110];

/// The places of boids after some steps.
#[derive(Debug, Default)]
pub struct Film {
    frames: Vec<Vec<[f32; 2]>>,
}

impl Film {
    /// Whether the places after this step, of so many, are a frame.
    pub fn wants(step: usize, steps: usize) -> bool {
        step.is_multiple_of(steps.div_ceil(FRAMES).max(1))
    }

    /// Adds a frame.
    pub fn add(&mut self, places: impl Iterator<Item = [f32; 2]>) {
        self.frames.push(places.collect());
    }

    /// Writes the frames as an animated PNG, on one rank.
    ///
    /// # Errors
    /// If the operating system refuses.
    pub fn write(&self, path: &Path, side: f32, colours: &[[u8; 3]]) -> Result<(), WriteError> {
        if forall::rank() > 0 || self.frames.is_empty() {
            return Ok(());
        }
        let image = |places: &Vec<[f32; 2]>| drawn(FRAME, side, places.iter().zip(colours));
        animation(path, [FRAME, FRAME], 12, self.frames.iter().map(image))
    }
}

/// Writes a picture of the plane, on one rank.
///
/// # Errors
/// If the operating system refuses.
pub fn write(path: &Path, side: f32, places: &[[f32; 2]], colours: &[[u8; 3]]) -> Result<(), WriteError> {
    if forall::rank() > 0 {
        return Ok(());
    }
    forall_examples::picture::png(path, [PICTURE, PICTURE], &drawn(PICTURE, side, places.iter().zip(colours)))
}

/// Dots on a background.
fn drawn<'a>(size: usize, side: f32, boids: impl Iterator<Item = (&'a [f32; 2], &'a [u8; 3])>) -> Vec<[u8; 3]> {
    let mut image = vec![BACKGROUND; size * size];
    // A dot is as wide as boids keep apart, and at least two pixels.
    let radius = (0.12 * size as f32 / side).clamp(1.0, 6.0);
    for (place, colour) in boids {
        let [x, y] = place.map(|along| along / side * size as f32);
        let pixels = |along: f32| (along - radius).max(0.0) as usize..=((along + radius) as usize).min(size - 1);
        for row in pixels(y) {
            for column in pixels(x) {
                let away = ((column as f32 + 0.5 - x).powi(2) + (row as f32 + 0.5 - y).powi(2)).sqrt();
                let cover = (radius + 0.5 - away).clamp(0.0, 1.0);
                let pixel = &mut image[row * size + column];
                for k in 0..3 {
                    let (below, above) = (f32::from(pixel[k]), f32::from(colour[k]));
                    pixel[k] = (below + cover * (above - below)).round() as u8;
                }
            }
        }
    }
    image
}

/// The colour of a cluster of this size. Hues follow each other by the golden section, so that any few of them differ.
pub fn colour(cluster: u32, size: usize) -> [u8; 3] {
    if size < 2 {
        return ALONE;
    }
    let hue = (f64::from(cluster) * 0.618_034 + 0.58).fract() * 6.0;
    let (saturation, value) =
        ([0.65, 0.45, 0.8][cluster as usize / 7 % 3], [0.95, 0.85, 0.75][cluster as usize / 5 % 3]);
    [5.0, 3.0, 1.0].map(|at| {
        let k = (at + hue) % 6.0;
        let part = 1.0 - saturation * f64::min(k, 4.0 - k).clamp(0.0, 1.0);
        (255.0 * value * part).round() as u8
    })
}
