//! Points and normals through a 4 x 4 matrix: the filter with the most memory traffic for each operation.
//!
//! Ettinger et al. 2013 show with it what *first touch* does: a page of memory lies at the processor whose thread writes to it first, and a filter is
//! fast whose threads find their pages near. A chain of two filters has this advantage: the threads that write the output of the first one place it,
//! and read it again in the second one. Here the vectors that loops write are made without being touched ([`forall::DistVec::zeroed_like`] asks the
//! system for pages that it has not given yet). With `FORALL_SCHEDULE=static`, each worker has the same elements in every loop of a length. On a
//! machine with one memory node there is nothing to see of it but the price of new pages.

pub mod matrix;

use forall::{DistVec, foreach, kary_reduce};
pub use matrix::{MatrixError, Transform};

/// Why points have no place.
#[derive(Debug, Clone, Copy, thiserror::Error, PartialEq)]
pub enum PointError {
    /// A coordinate is infinite or no number.
    #[error("point {0} has a coordinate that is no finite number: remove it, or give it a place")]
    NotFinite(usize),
    /// A map in perspective has no place for it, or one that is too far for 32 bits.
    #[error(
        "point {0} goes to infinity: it lies in the plane of the eye, or is scaled beyond the largest number of 32 bits"
    )]
    Infinite(usize),
    /// There are more normals than points, or fewer.
    #[error("there are {points} points and {normals} normals: each point has one normal, or none has")]
    Normals {
        /// How many points.
        points: usize,
        /// How many normals.
        normals: usize,
    },
}

/// The first point with a coordinate that is not finite; the number of points where there is none.
#[kary_reduce]
pub fn first_infinite(points: &[[f32; 3]]) -> usize {
    let mut first = points.len();
    for i in 0..points.len() {
        let [x, y, z] = points[i];
        if !(x.is_finite() && y.is_finite() && z.is_finite()) {
            first = first.min(i);
        }
    }
    first
}

/// Points through a map that keeps parallels, and the normals there.
#[foreach]
fn mapped(
    transform: &Transform,
    points: &[[f32; 3]],
    normals: &[[f32; 3]],
    out: &mut [[f32; 3]],
    out_normals: &mut [[f32; 3]],
) {
    for i in 0..points.len() {
        out[i] = transform.point(points[i]);
    }
    for i in 0..normals.len() {
        out_normals[i] = transform.normal(normals[i]);
    }
}

/// Points through any map, and the normals there.
#[foreach]
fn mapped_in_perspective(
    transform: &Transform,
    points: &[[f32; 3]],
    normals: &[[f32; 3]],
    out: &mut [[f32; 3]],
    out_normals: &mut [[f32; 3]],
) {
    for i in 0..points.len() {
        out[i] = transform.point_in_perspective(points[i]);
    }
    for i in 0..normals.len() {
        out_normals[i] = transform.normal_in_perspective(normals[i], points[i]);
    }
}

/// Points, and the unit normals of a surface there, or none.
#[derive(Debug, Clone, Default)]
pub struct Points {
    /// Where they are.
    pub at: DistVec<[f32; 3]>,
    /// One for each point, or none.
    pub normals: DistVec<[f32; 3]>,
}

impl Points {
    /// Random points in the unit cube, with random normals: the same on any ranks.
    pub fn random(n: usize) -> Points {
        let at = DistVec::from_fn(n, |i| [0, 1, 2].map(|axis| unit_interval(6 * i as u64 + axis)));
        let normals = DistVec::from_fn(n, |i| {
            let [x, y, z] = [3, 4, 5].map(|axis| unit_interval(6 * i as u64 + axis) - 0.5);
            let length = (x * x + y * y + z * z).sqrt();
            if length > 0.0 { [x / length, y / length, z / length] } else { [0.0, 0.0, 1.0] }
        });
        Points { at, normals }
    }

    /// Fails where a point has no place, or not all have a normal. All ranks call it together.
    ///
    /// # Errors
    /// Names the first such point.
    pub fn check(&self) -> Result<(), PointError> {
        let (points, normals) = (self.at.len(), self.normals.len());
        if normals != 0 && normals != points {
            return Err(PointError::Normals { points, normals });
        }
        match first_infinite(&self.at) {
            first if first < points => Err(PointError::NotFinite(first)),
            _ => Ok(()),
        }
    }

    /// The same points and normals, mapped, in vectors of their own. All ranks call it together.
    pub fn mapped(&self, transform: &Transform) -> Points {
        let mut out = Points { at: DistVec::zeroed_like(&self.at), normals: DistVec::zeroed_like(&self.normals) };
        self.map_to(transform, &mut out);
        out
    }

    /// The same into vectors that are there already, of the same lengths. All ranks call it together.
    ///
    /// # Panics
    /// Where `out` has fewer points or normals.
    pub fn map_to(&self, transform: &Transform, out: &mut Points) {
        let map = if transform.is_affine() { mapped } else { mapped_in_perspective };
        map(transform, &self.at, &self.normals, &mut out.at, &mut out.normals);
    }

    /// Fails where a mapped point went to infinity. All ranks call it together.
    ///
    /// # Errors
    /// Names the first such point.
    pub fn check_mapped(&self) -> Result<(), PointError> {
        match first_infinite(&self.at) {
            first if first < self.at.len() => Err(PointError::Infinite(first)),
            _ => Ok(()),
        }
    }
}

/// A number from 0 to 1 for a number (SplitMix64, Steele et al. 2014).
fn unit_interval(number: u64) -> f32 {
    let mut z = number.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    ((z ^ (z >> 31)) >> 40) as f32 / (1u32 << 24) as f32
}
