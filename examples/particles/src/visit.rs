//! A visit to a block: the particles that leave it or end there.

use crate::brick::End;
use crate::particle::{Particle, Point};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// How far particles go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limit {
    /// The number of steps from the seed to the end of a line.
    pub steps: u32,
    /// The number of steps from the seed until a particle waits for the next call.
    pub steps_of_call: u32,
    /// Each so many steps, a point is kept. 0 keeps none.
    pub every: u32,
}

impl Limit {
    /// Lines of so many steps, with all points.
    pub fn all(steps: u32) -> Self {
        Limit { steps, steps_of_call: steps, every: 1 }
    }

    /// Whether the point after so many steps is kept.
    #[inline(always)]
    pub(crate) fn keeps(&self, step: u32) -> bool {
        self.every == 1 || self.every > 1 && step.is_multiple_of(self.every)
    }
}

/// The numbers of particles by the way in which they ended, and of their points and steps.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Totals {
    /// The number of particles that have taken all steps.
    pub finished: u64,
    /// The number of particles that have left the domain, or the times of the field; also those that began there.
    pub left_the_domain: u64,
    /// The number of particles that have met missing values, or whose steps became too short.
    pub stopped: u64,
    /// The number of particles that wait for the next call.
    pub waiting: u64,
    /// The number of points of all lines.
    pub points: u64,
    /// The number of steps of all lines.
    pub steps: u64,
    /// The number of steps that were taken again because of their errors.
    pub rejected_steps: u64,
    /// The number of rounds: one more than the most blocks that a particle has left.
    pub rounds: u64,
    /// The number of bytes that blocks have sent.
    pub bytes: u64,
    /// A checksum of the lines that have ended.
    pub checksum: u64,
}

/// The results of a visit to a block.
#[derive(Debug, Default)]
pub(crate) struct Visit {
    /// The points of lines that are kept.
    pub points: Vec<Point>,
    /// The particles that other blocks get.
    pub leaving: BTreeMap<usize, Vec<Particle>>,
    /// The particles that wait for the next call.
    pub waiting: Vec<Particle>,
    /// The counts of all other particles.
    pub totals: Totals,
}

impl Visit {
    /// A particle stays no longer.
    pub(crate) fn end(&mut self, particle: Particle, end: End) {
        let totals = &mut self.totals;
        totals.rounds = totals.rounds.max(1 + u64::from(particle.moves));
        match end {
            End::Elsewhere(block) => {
                totals.bytes += size_of::<Particle>() as u64;
                let moves = particle.moves + 1;
                self.leaving.entry(block).or_default().push(Particle { moves, ..particle });
                return;
            }
            End::Waits => {
                totals.waiting += 1;
                self.waiting.push(Particle { moves: 0, ..particle });
                return;
            }
            End::Finished => totals.finished += 1,
            End::Left => totals.left_the_domain += 1,
            End::Stopped => totals.stopped += 1,
        }
        totals.points += u64::from(particle.points);
        totals.steps += u64::from(particle.steps());
        totals.rejected_steps += particle.rejected;
        totals.checksum ^= particle.checksum();
    }
}

impl Totals {
    /// The totals of two calls, the second one with the particles that waited after the first one.
    #[must_use]
    pub fn and_then(self, later: Totals) -> Totals {
        Totals {
            finished: self.finished + later.finished,
            left_the_domain: self.left_the_domain + later.left_the_domain,
            stopped: self.stopped + later.stopped,
            waiting: later.waiting,
            points: self.points + later.points,
            steps: self.steps + later.steps,
            rejected_steps: self.rejected_steps + later.rejected_steps,
            rounds: self.rounds + later.rounds,
            bytes: self.bytes + later.bytes,
            checksum: self.checksum ^ later.checksum,
        }
    }
}
