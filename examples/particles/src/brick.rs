//! A block of the field: samples, and the particles that are there.

use crate::flow::{Flow, Place};
use crate::particle::{Particle, Point};
use crate::scheme::{DormandPrince, RungeKutta4, Scheme, Taken, Vector, moved};
use crate::stepping::Stepping;
use crate::visit::{Limit, Visit};
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// A block also has the samples of so many layers of cells around it. A particle at a face then stays for some steps, and most stages find
/// their samples where the step has begun.
const GHOST: usize = 2;

/// A part of the grid, with the samples of the field at its points.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Brick {
    /// The first cell along x, y and z. Along a periodic axis, the cells may go on with the first one of the grid.
    start: [usize; 3],
    /// The cells along each axis, with those around the block.
    count: [usize; 3],
    /// The cells of the grid.
    whole: [usize; 3],
    /// The velocities, slice by slice in time, x fastest.
    samples: Vec<Vector32>,
    /// The particles that have not begun, or that wait for the next call.
    waiting: Vec<Particle>,
}

type Vector32 = [f32; 3];

/// Why a particle stays no longer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum End {
    /// Another block has the samples.
    Elsewhere(usize),
    /// It has taken all steps.
    Finished,
    /// It has taken the steps of this call.
    Waits,
    /// It is outside of the domain, or of the times of the field.
    Left,
    /// The field has no value there, or the step has become too short.
    Stopped,
}

/// The samples along an axis: pieces of the grid's points, one behind the other.
fn pieces(start: usize, points: usize, all: usize) -> Vec<Range<usize>> {
    let mut pieces = Vec::new();
    let (mut from, mut left) = (start % all, points);
    while left > 0 {
        let count = left.min(all - from);
        pieces.push(from..from + count);
        (from, left) = (0, left - count);
    }
    pieces
}

impl Brick {
    /// A block of a field. `read` gives the velocities in a part of the grid's points along x, y and z, at a time by its number, x fastest.
    ///
    /// # Errors
    /// As `read`.
    pub fn read<E>(
        flow: &Flow,
        number: usize,
        mut read: impl FnMut(usize, [Range<usize>; 3]) -> Result<Vec<Vector32>, E>,
    ) -> Result<Brick, E> {
        let (own, whole) = (flow.own_cells(number), flow.axes.each_ref().map(|axis| axis.cells()));
        if own.iter().any(Range::is_empty) {
            return Ok(Brick::default());
        }
        let (mut start, mut count, mut points) = ([0; 3], [0; 3], [const { Vec::new() }; 3]);
        for axis in 0..3 {
            let (Range { start: low, end: high }, n) = (own[axis].clone(), whole[axis]);
            let is_periodic = flow.axes[axis].is_periodic();
            (start[axis], count[axis]) = match is_periodic {
                true if high - low + 2 * GHOST >= n => (0, n),
                true => ((low + n - GHOST) % n, high - low + 2 * GHOST),
                false => {
                    let (low, high) = (low.saturating_sub(GHOST), (high + GHOST).min(n));
                    (low, high - low)
                }
            };
            points[axis] = pieces(start[axis], count[axis] + 1, n + usize::from(!is_periodic));
        }
        let [nx, ny, nz] = count.map(|cells| cells + 1);
        let mut samples = vec![[0.0; 3]; nx * ny * nz * flow.slices()];
        for slice in 0..flow.slices() {
            let mut z = slice * nz;
            for along_z in &points[2] {
                let mut y = 0;
                for along_y in &points[1] {
                    let mut x = 0;
                    for along_x in &points[0] {
                        let part = read(slice, [along_x.clone(), along_y.clone(), along_z.clone()])?;
                        for (row, values) in part.chunks_exact(along_x.len()).enumerate() {
                            let (row_y, row_z) = (y + row % along_y.len(), z + row / along_y.len());
                            samples[(row_z * ny + row_y) * nx + x..][..values.len()].copy_from_slice(values);
                        }
                        x += along_x.len();
                    }
                    y += along_y.len();
                }
                z += along_z.len();
            }
        }
        Ok(Brick { start, count, whole, samples, waiting: Vec::new() })
    }

    /// Gives it particles, which begin at the first visit.
    pub fn wait(&mut self, particles: impl IntoIterator<Item = Particle>) {
        self.waiting.extend(particles);
    }

    /// The particles that wait.
    pub fn waiting(&self) -> &[Particle] {
        &self.waiting
    }

    /// Takes the particles that wait.
    pub fn take_waiting(&mut self) -> Vec<Particle> {
        std::mem::take(&mut self.waiting)
    }

    /// Where the samples of a cell begin; `None` if another block has them.
    #[inline(always)]
    fn first_sample(&self, cell: [usize; 3]) -> Option<usize> {
        let mut first = 0;
        for axis in [2, 1, 0] {
            let (cell, start) = (cell[axis], self.start[axis]);
            let local = if cell >= start { cell - start } else { cell + self.whole[axis] - start };
            if local >= self.count[axis] {
                return None;
            }
            first = first * (self.count[axis] + 1) + local;
        }
        Some(first)
    }

    /// The velocity in a cell whose samples begin here, by linear interpolation along x, y and z.
    #[inline(always)]
    fn interpolated(&self, first: usize, [x, y, z]: [f64; 3]) -> Vector {
        let (row, plane) = (self.count[0] + 1, (self.count[0] + 1) * (self.count[1] + 1));
        let (low, high) = (&self.samples[first..], &self.samples[first + plane..]);
        let low = between(along_x(low, 0, x), along_x(low, row, x), y);
        let high = between(along_x(high, 0, x), along_x(high, row, x), y);
        between(low, high, z)
    }

    /// The velocity at a place and a time.
    #[inline(always)]
    fn velocity(&self, flow: &Flow, at: Vector, time: f64) -> Result<Vector, End> {
        let Some(Place { cell, part }) = flow.locate(at) else { return Err(End::Left) };
        let Some(first) = self.first_sample(cell) else { return Err(End::Elsewhere(flow.owner(cell))) };
        let velocity = match &flow.times {
            None => self.interpolated(first, part),
            Some(times) => {
                let (slice, when) = times.locate(times.wrapped(time)).ok_or(End::Left)?;
                let next = if slice + 1 < flow.slices() { slice + 1 } else { 0 };
                let at_slice =
                    |slice: usize| self.interpolated(first + slice * (self.samples.len() / flow.slices()), part);
                between(at_slice(slice), at_slice(next), when)
            }
        };
        // One test for all three: a NaN stays.
        if (velocity[0] + velocity[1] + velocity[2]).is_finite() { Ok(velocity) } else { Err(End::Stopped) }
    }

    /// Moves particles as far as this block has the samples.
    pub(crate) fn advance(&self, particles: &[Particle], flow: &Flow, limit: Limit, visit: &mut Visit) {
        for particle in particles {
            let mut particle = *particle;
            let end = match flow.stepping {
                Stepping::Fixed { .. } => self.follow::<RungeKutta4>(&mut particle, flow, limit, &mut visit.points),
                Stepping::Adaptive { .. } => {
                    self.follow::<DormandPrince>(&mut particle, flow, limit, &mut visit.points)
                }
            };
            visit.end(particle, end);
        }
    }

    /// Moves a particle until it ends or leaves.
    fn follow<S: Scheme>(&self, particle: &mut Particle, flow: &Flow, limit: Limit, points: &mut Vec<Point>) -> End {
        loop {
            if particle.stage == 0 {
                match self.velocity(flow, particle.at, particle.time) {
                    Ok(velocity) => particle.slopes[0] = velocity,
                    Err(end) => return end,
                }
                particle.stage = 1;
                arrive(particle, limit, points);
            }
            if particle.stage == 1 && particle.steps() >= limit.steps_of_call {
                return if particle.steps() >= limit.steps { End::Finished } else { End::Waits };
            }
            while (particle.stage as usize) < S::STAGES {
                let stage = particle.stage as usize;
                let at = flow.wrapped(moved(particle.at, particle.step, S::towards(stage, &particle.slopes)));
                match self.velocity(flow, at, particle.time + S::NODES[stage] * particle.step) {
                    Ok(velocity) => particle.slopes[stage] = velocity,
                    Err(end) => return end,
                }
                particle.stage += 1;
            }
            match S::end(particle, &flow.stepping, |at| flow.wrapped(at)) {
                Taken::Moved if particle.stage > 0 => arrive(particle, limit, points),
                Taken::Moved | Taken::Rejected => {}
                Taken::Stuck => return End::Stopped,
            }
        }
    }
}

/// The particle is at the next point of its line, and its velocity there is known.
#[inline(always)]
fn arrive(particle: &mut Particle, limit: Limit, points: &mut Vec<Point>) {
    if limit.keeps(particle.points) {
        points.push(particle.point());
    }
    particle.count_point();
}

/// Linear interpolation between two samples that lie one behind the other.
#[inline(always)]
fn along_x(samples: &[Vector32], first: usize, part: f64) -> Vector {
    let pair = &samples[first..first + 2];
    between(pair[0].map(f64::from), pair[1].map(f64::from), part)
}

/// Linear interpolation.
#[inline(always)]
fn between(from: Vector, to: Vector, part: f64) -> Vector {
    [from[0] + part * (to[0] - from[0]), from[1] + part * (to[1] - from[1]), from[2] + part * (to[2] - from[2])]
}

#[cfg(test)]
mod tests {
    use super::pieces;

    #[test]
    fn points_of_periodic_axes_come_again() {
        assert_eq!(pieces(3, 4, 9), vec![3..7]);
        assert_eq!(pieces(7, 5, 9), [7..9, 0..3]);
        assert_eq!(pieces(0, 10, 9), [0..9, 0..1]);
        assert_eq!(pieces(0, 5, 2), [0..2, 0..2, 0..1]);
    }
}
