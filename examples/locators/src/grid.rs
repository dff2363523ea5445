//! Boxes of space, and what points are known by.

use forall::{DistVec, kary_reduce};

/// The key of a point: its coordinates, so that equal points have equal keys.
pub type Key = [u32; 3];

/// The key of a point.
#[inline]
pub fn key(point: [f32; 3]) -> Key {
    point.map(|x| match x {
        0.0 => 0,
        x if x.is_nan() => f32::NAN.to_bits(),
        x => x.to_bits(),
    })
}

/// Boxes of one size that fill a larger one: the buckets of a locator. Points outside belong to the nearest box.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Grid {
    low: [f32; 3],
    /// Boxes for each unit of length.
    density: [f32; 3],
    shape: [u32; 3],
}

/// How many points a bucket should have.
const POINTS: f64 = 4.0;

/// The least and the greatest coordinates that are numbers.
#[kary_reduce]
fn bounds(points: &[[f32; 3]]) -> ([f32; 3], [f32; 3]) {
    let (mut a, mut b, mut c) = (f32::INFINITY, f32::INFINITY, f32::INFINITY);
    let (mut d, mut e, mut f) = (f32::NEG_INFINITY, f32::NEG_INFINITY, f32::NEG_INFINITY);
    for i in 0..points.len() {
        let [x, y, z] = points[i];
        a = a.min(x);
        b = b.min(y);
        c = c.min(z);
        d = d.max(x);
        e = e.max(y);
        f = f.max(z);
    }
    ([a, b, c], [d, e, f])
}

impl Grid {
    /// Around points of all ranks, with about so many different ones. All ranks call it together.
    pub fn around(points: &DistVec<[f32; 3]>, expected: usize) -> Grid {
        let (low, high) = bounds(points);
        Grid::new(low, high, expected)
    }

    /// From the least to the greatest coordinates, for so many points.
    pub fn new(low: [f32; 3], high: [f32; 3], expected: usize) -> Grid {
        Grid::of_density(low, high, expected, POINTS)
    }

    /// The same with so many of what is expected for each bucket.
    pub(crate) fn of_density(low: [f32; 3], high: [f32; 3], expected: usize, each: f64) -> Grid {
        let finite = |axis: usize| low[axis].is_finite() && high[axis].is_finite() && high[axis] > low[axis];
        let size: [f64; 3] =
            [0, 1, 2].map(|axis| if finite(axis) { f64::from(high[axis]) - f64::from(low[axis]) } else { 0.0 });
        let boxes = (expected as f64 / each).clamp(1.0, f64::from(1 << 24));
        // Axes along which there is next to nothing have one layer of boxes.
        let most = size.into_iter().fold(0.0, f64::max);
        let wide: Vec<f64> = size.into_iter().filter(|size| *size > 1e-3 * most).collect();
        let edge = (wide.iter().product::<f64>() / boxes).powf(1.0 / wide.len().max(1) as f64);
        let shape = size.map(|size| {
            let boxes = (size / edge).floor();
            if size > 1e-3 * most && boxes.is_finite() { boxes.clamp(1.0, 1e6) as u32 } else { 1 }
        });
        let density = [0, 1, 2].map(|axis| {
            if size[axis] > 0.0 { (f64::from(shape[axis]) / size[axis]).min(f64::from(f32::MAX)) as f32 } else { 0.0 }
        });
        Grid { low: low.map(|x| if x.is_finite() { x } else { 0.0 }), density, shape }
    }

    /// How many buckets there are.
    pub fn len(&self) -> usize {
        self.shape.iter().map(|n| *n as usize).product()
    }

    /// There is always a bucket.
    pub fn is_empty(&self) -> bool {
        false
    }

    /// The bucket of a point.
    #[inline]
    pub fn bucket(&self, point: [f32; 3]) -> usize {
        self.number(self.place(point))
    }

    /// Where the bucket of a point is along each axis: a greater coordinate is never before a smaller one.
    #[inline]
    pub(crate) fn place(&self, point: [f32; 3]) -> [usize; 3] {
        [0, 1, 2].map(|axis| {
            // What is no number is in the first box, as casts of it are 0.
            let at = ((point[axis] - self.low[axis]) * self.density[axis]) as u32;
            at.min(self.shape[axis] - 1) as usize
        })
    }

    /// The bucket at a place.
    #[inline]
    pub(crate) fn number(&self, [x, y, z]: [usize; 3]) -> usize {
        (z * self.shape[1] as usize + y) * self.shape[0] as usize + x
    }
}
