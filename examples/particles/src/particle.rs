//! A particle on its way, and the points of the lines that particles leave.

use crate::scheme::Vector;
use bytemuck::{Pod, Zeroable};
use serde::{Deserialize, Serialize};

/// A particle on its way. It may change blocks in the middle of a step, and takes the stages of the step along.
#[derive(Debug, Clone, Copy, PartialEq, Pod, Zeroable, Serialize, Deserialize)]
#[repr(C)]
pub struct Particle {
    /// Its number.
    pub id: u32,
    /// The number of points of its line so far. The steps are one fewer.
    pub points: u32,
    /// The number of stages of the current step that have their velocities.
    pub stage: u32,
    /// The number of blocks that it has left in the current call.
    pub moves: u32,
    /// The number of steps that were taken again because of their errors.
    pub rejected: u64,
    /// Where the current step began.
    pub at: Vector,
    /// When the current step began.
    pub time: f64,
    /// The length of the current step.
    pub step: f64,
    /// A hash of all points of its line.
    pub hash: u64,
    /// The velocities of the stages.
    pub slopes: [Vector; 7],
}

/// A point of a line.
#[derive(Debug, Clone, Copy, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct Point {
    /// The number of the particle.
    pub particle: u32,
    /// The number of steps from the seed.
    pub step: u32,
    /// Where it is.
    pub at: [f32; 3],
    /// When the particle was there.
    pub time: f32,
    /// How fast the particle was there.
    pub speed: f32,
}

/// One more number in a hash.
#[inline(always)]
fn hashed(hash: u64, number: f64) -> u64 {
    (hash.rotate_left(5) ^ number.to_bits()).wrapping_mul(0x517c_c1b7_2722_0a95)
}

impl Particle {
    /// A particle at its seed.
    pub fn new(id: u32, at: Vector, time: f64, step: f64) -> Self {
        Particle {
            id,
            points: 0,
            stage: 0,
            moves: 0,
            rejected: 0,
            at,
            time,
            step,
            hash: u64::from(id),
            slopes: [[0.0; 3]; 7],
        }
    }

    /// The number of steps from the seed.
    pub fn steps(&self) -> u32 {
        self.points.saturating_sub(1)
    }

    /// The point of the line where the particle is, now that the velocity there is known.
    pub(crate) fn point(&self) -> Point {
        let [x, y, z] = self.slopes[0];
        Point {
            particle: self.id,
            step: self.points,
            at: self.at.map(|along| along as f32),
            time: self.time as f32,
            speed: (x * x + y * y + z * z).sqrt() as f32,
        }
    }

    /// Counts the point where the particle is.
    #[inline(always)]
    pub(crate) fn count_point(&mut self) {
        self.points += 1;
        self.hash = self.at.iter().fold(self.hash, |hash, along| hashed(hash, *along));
    }

    /// The particle's summand in the checksum of all lines, which does not depend on their order.
    pub(crate) fn checksum(&self) -> u64 {
        let mixed = hashed(self.hash, f64::from(self.points));
        mixed ^ mixed >> 29
    }
}
