//! Overlap of communication and computation: interior iterations run while halos are in transit.
//!
//! Interior iterations access only this rank's shares. All workers run them piece by piece. Between two pieces the communicator makes
//! progress on its messages. No interior iteration writes an element that is being sent.

use super::chunks::on_workers;
use super::collector::Collector;
use super::kernel::Carries;
use super::opaque::Opaque;
use super::pace::{Pace, TAKEN_FOR};
use super::panics::Panics;
use super::plan::{Hulls, Plan};
use super::runner::{Body, Runner};
use super::site::Instance;
use super::tree::Tree;
use super::workers::Workers;
use crate::call::Call;
use crate::footprint::Footprint;
use crate::slot::{List, Windows};
use std::ops::Range;
use std::time::{Duration, Instant};

/// A loop whose interior iterations overlap with the messages.
#[derive(Clone, Copy)]
pub(super) struct Overlap<'b> {
    pub call: &'b Call,
    pub site: &'static Instance,
    pub footprint: &'b Footprint<'b>,
    pub accumulators: &'b dyn Collector,
    pub body: &'b Body<'b>,
    pub panics: &'b Panics,
}

/// The interior iterations of a loop: they access only this rank's shares.
pub(super) struct Interior<'b> {
    of: Overlap<'b>,
    all: &'b Plan,
    /// This rank's shares, as windows.
    windows: Windows,
    held: Hulls,
    /// The iterations that have not run yet; computed by the first call of [`run_next`](Interior::run_next).
    left: Option<Left>,
    completed: Completed,
}

/// A piece has this many times the usual length, because progress on messages and waking workers cost more than an access to the queue.
const TAKES_PER_PIECE: u32 = 4;

struct Left {
    /// The plan of the next piece.
    plan: Plan,
    positions: Range<usize>,
    pace: Pace,
}

/// The interior iterations that have run.
#[derive(Default)]
pub(super) struct Completed {
    pub positions: Range<usize>,
    /// The results of the pieces, in order.
    pub totals: Vec<(Tree<Opaque>, Carries)>,
    /// The time that they took.
    pub spent: Duration,
}

impl<'b> Overlap<'b> {
    /// The interior of the loop, for arrays that are not open yet.
    pub fn interior(self, all: &'b Plan, slots: &List<'_>) -> Interior<'b> {
        let mut windows = Windows::new();
        slots.windows(&mut windows);
        let held = slots.iter().map(|slot| slot.held()).collect();
        Interior { of: self, all, windows, held, left: None, completed: Completed::default() }
    }
}

impl Interior<'_> {
    /// Runs the next piece, and returns whether there are more.
    pub fn run_next(&mut self) -> bool {
        let (all, footprint) = (self.all, self.of.footprint);
        let held = &mut self.held;
        let left = self.left.get_or_insert_with(|| {
            let plan = all.interior(std::mem::take(held), footprint).unwrap_or_else(|| all.part(0..0));
            let pace = Pace::following(plan.chunks_in(TAKEN_FOR), plan.chunks().len());
            self.completed.positions = plan.mine.start..plan.mine.start;
            Left { positions: plan.mine.clone(), plan, pace }
        });
        if left.positions.is_empty() || self.of.panics.stopped() {
            return false;
        }
        let plan = &mut left.plan;
        plan.mine = left.positions.clone();
        let chunks = plan.chunks();
        let count = left.pace.length().min(chunks.len());
        plan.mine.end = plan.positions(chunks.start + count - 1).end;
        plan.workers = all.workers.min(count);
        let start = Instant::now();
        self.completed.totals.push(self.of.run(plan, &self.windows));
        let spent = start.elapsed();
        left.pace.took(count, spent / TAKES_PER_PIECE.saturating_mul(u32::try_from(plan.workers).unwrap_or(u32::MAX)));
        left.positions.start = plan.mine.end;
        self.completed.positions.end = plan.mine.end;
        self.completed.spent += spent;
        !left.positions.is_empty()
    }

    pub fn completed(self) -> Completed {
        self.completed
    }
}

impl Overlap<'_> {
    /// Runs the remaining iterations, after the arrays are open. Returns the results of all iterations, in order.
    pub fn run_rest(&self, plan: &Plan, windows: &Windows, completed: Completed) -> (Tree<Opaque>, Carries) {
        let (before, after) = (plan.mine.start..completed.positions.start, completed.positions.end..plan.mine.end);
        let parts = [plan.part(before), plan.part(after)];
        let runner = Runner { windows, plan, footprint: self.footprint };
        let run = |range: Range<usize>, chunk: &mut Opaque, carry: &mut Opaque| {
            runner.run(range, &mut |arrays, range| (self.body)([&mut *chunk, &mut *carry], arrays, range));
        };
        let workers =
            parts.each_ref().map(|part| Workers::new(self.call, part, self.accumulators, &run, false, self.panics));
        on_workers(self.call, self.site, plan, &|worker| workers.iter().for_each(|part| part.work(worker)));
        let [before, after] = workers.map(Workers::collected);
        let (mut tree, mut carries) = before;
        for (later, carried) in completed.totals.into_iter().chain([after]) {
            tree.append(later, &mut |earlier, later| self.accumulators.merge(earlier, later));
            carries.extend(carried);
        }
        (tree, carries)
    }

    /// Runs the positions of a plan on these windows.
    fn run(&self, plan: &Plan, windows: &Windows) -> (Tree<Opaque>, Carries) {
        let runner = Runner { windows, plan, footprint: self.footprint };
        let run = |range: Range<usize>, chunk: &mut Opaque, carry: &mut Opaque| {
            runner.run(range, &mut |arrays, range| (self.body)([&mut *chunk, &mut *carry], arrays, range));
        };
        let workers = Workers::new(self.call, plan, self.accumulators, &run, false, self.panics);
        on_workers(self.call, self.site, plan, &|worker| workers.work(worker));
        workers.collected()
    }
}
