//! The flow: a vortex in a periodic square, and the flux of a cloud through a face.

use forall::blocks::Patch;
use std::f64::consts::PI;

/// The diffusion coefficient, in squares of the domain's side and units of time.
pub const DIFFUSION: f64 = 1e-4;

/// The stream function at a point of the unit square, the slow axis first. The flow has no divergence, whatever the mesh: the flux of volume through
/// a face is a difference of two values.
pub fn stream([y, x]: [f64; 2]) -> f64 {
    ((PI * x).sin() * (PI * y).sin()).powi(2) / PI
}

/// The cloud before the first step: a smooth disc.
pub fn cloud([y, x]: [f64; 2]) -> f64 {
    let distance = ((x - 0.5).powi(2) + (y - 0.75).powi(2)).sqrt();
    0.5 * (1.0 + (PI * (distance / 0.15).min(1.0)).cos())
}

/// The flux through the face before a cell along an axis, as an integral over the face: upwind, and diffusion. `before` and `behind` are the values on
/// its two sides, and `sides` the lengths of a cell.
pub fn flux(sides: [f64; 2], axis: usize, cell: [i64; 2], before: f64, behind: f64) -> f64 {
    let corner = |steps: [i64; 2]| std::array::from_fn(|axis| (cell[axis] + steps[axis]) as f64 * sides[axis]);
    let along = stream(corner([i64::from(axis == 1), i64::from(axis == 0)])) - stream(corner([0, 0]));
    let volume = if axis == 1 { along } else { -along };
    let carried = if volume > 0.0 { volume * before } else { volume * behind };
    carried - DIFFUSION * (behind - before) * sides[1 - axis] / sides[axis]
}

/// The lengths of a cell, if level 0 has this shape.
pub fn sides(shape: [usize; 2], patch: &Patch<2>) -> [f64; 2] {
    std::array::from_fn(|axis| 1.0 / (shape[axis] * patch.refinement[axis]) as f64)
}
