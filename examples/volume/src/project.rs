//! Projections along an axis: every value on the way counts, and nothing is interpolated.
//!
//! Shares are whole planes, and lie along z. So each way along x or y is in one share, and those along z go through all.

use clap::ValueEnum;
use forall::DistVec;

/// An axis of the volume.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
#[allow(missing_docs, reason = "they are what they are called")]
pub enum Axis {
    X,
    Y,
    Z,
}

impl Axis {
    /// Points along x and y of a projection along this axis.
    pub fn size(self, [nx, ny, nz]: [usize; 3]) -> [usize; 2] {
        match self {
            Axis::X => [ny, nz],
            Axis::Y => [nx, nz],
            Axis::Z => [nx, ny],
        }
    }
}

/// The light that comes from what lies on a way, and the share of the light behind it that comes through.
pub type Light = [f64; 2];

/// Nothing is there.
pub const CLEAR: Light = [0.0, 1.0];

/// The visible light of two, the first one in front.
pub fn before(front: Light, back: Light) -> Light {
    [front[0] + front[1] * back[0], front[1] * back[1]]
}

/// The look of values: white as far as they are great, and as opaque.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Glow {
    /// The value that is black and clear.
    pub least: f32,
    /// The value that is white.
    pub most: f32,
    /// The opacity of that.
    pub opacity: f64,
}

impl Glow {
    fn of(&self, value: f32) -> Light {
        if value.is_nan() {
            return CLEAR;
        }
        let [value, least, most] = [value, self.least, self.most].map(f64::from);
        let part = ((value - least) / (most - least).max(f64::MIN_POSITIVE)).clamp(0.0, 1.0);
        let opaque = self.opacity * part;
        [opaque * part, 1.0 - opaque]
    }
}

/// Composites planes, the first in front.
#[forall::kary_reduce(combine = before, identity = CLEAR, algorithm = auto)]
pub fn composite_planes(values: &[f32], glow: Glow, #[replicated] frame: &mut [Light]) {
    for plane in values.chunks(frame.len()) {
        for (light, value) in frame.iter_mut().zip(plane) {
            *light = before(*light, glow.of(*value));
        }
    }
}

/// The greatest values of planes.
#[forall::kary_reduce(algorithm = auto)]
pub fn greatest_of_planes(values: &[f32], #[replicated] frame: &mut [f32]) {
    for plane in values.chunks(frame.len()) {
        for (most, value) in frame.iter_mut().zip(plane) {
            *most = (*most).max(*value);
        }
    }
}

/// Composites `count` values that are `stride` apart, the first in front.
#[forall::foreach]
pub fn composite_ways(values: &[f32], glow: Glow, count: usize, stride: usize, frame: &mut [Light]) {
    for i in 0..frame.len() {
        let first = i / stride * stride * count + i % stride;
        let mut light = CLEAR;
        for k in 0..count {
            light = before(light, glow.of(values[first + k * stride]));
        }
        frame[i] = light;
    }
}

/// The greatest of `count` values that are `stride` apart.
#[forall::foreach]
pub fn greatest_of_ways(values: &[f32], count: usize, stride: usize, frame: &mut [f32]) {
    for i in 0..frame.len() {
        let first = i / stride * stride * count + i % stride;
        let mut most = f32::NEG_INFINITY;
        for k in 0..count {
            most = most.max(values[first + k * stride]);
        }
        frame[i] = most;
    }
}

/// Composites every value along an axis: on all ranks, row by row.
pub fn composited(values: &DistVec<f32>, shape: [usize; 3], axis: Axis, glow: Glow) -> Vec<Light> {
    let [nx, ny, nz] = shape;
    let (count, stride) = match axis {
        Axis::X => (nx, 1),
        Axis::Y => (ny, nx),
        Axis::Z => {
            let mut frame = vec![CLEAR; nx * ny];
            composite_planes(values, glow, &mut frame);
            return frame;
        }
    };
    let row = nx * ny / count;
    let mut frame = DistVec::from_fn_in_planes(row * nz, row, |_| CLEAR);
    composite_ways(values, glow, count, stride, &mut frame);
    frame.to_all()
}

/// The greatest values along an axis: on all ranks, row by row. Where all values are missing, it is below all.
pub fn greatest(values: &DistVec<f32>, shape: [usize; 3], axis: Axis) -> Vec<f32> {
    let [nx, ny, nz] = shape;
    let (count, stride) = match axis {
        Axis::X => (nx, 1),
        Axis::Y => (ny, nx),
        Axis::Z => {
            let mut frame = vec![f32::NEG_INFINITY; nx * ny];
            greatest_of_planes(values, &mut frame);
            return frame;
        }
    };
    let row = nx * ny / count;
    let mut frame = DistVec::from_fn_in_planes(row * nz, row, |_| 0.0);
    greatest_of_ways(values, count, stride, &mut frame);
    frame.to_all()
}
