//! Iterations that need nothing of other ranks run while what the others need is under way.
//!
//! They run as the others do: a piece of them after another, by all workers, and between two pieces the communicator looks after its
//! messages. They see the arrays as these are before they are opened: the shares alone, of which nothing is written that travels.

use super::chunks::on_workers;
use super::collector::Collector;
use super::kernel::Carries;
use super::opaque::Opaque;
use super::pace::{Pace, TAKEN_FOR};
use super::panics::Panics;
use super::pieces::Workers;
use super::plan::{Hulls, Plan};
use super::runner::{Body, Runner};
use super::site::Instance;
use super::tree::Tree;
use crate::call::Call;
use crate::footprint::Footprint;
use crate::slot::{List, Windows};
use std::ops::Range;
use std::time::{Duration, Instant};

/// A loop of which some iterations run beside the messages.
#[derive(Clone, Copy)]
pub(super) struct Beside<'b> {
    pub call: &'b Call,
    pub site: &'static Instance,
    pub footprint: &'b Footprint<'b>,
    pub accumulators: &'b dyn Collector,
    pub body: &'b Body<'b>,
    pub panics: &'b Panics,
}

/// Its iterations that touch this rank's shares alone.
pub(super) struct Amid<'b> {
    of: Beside<'b>,
    all: &'b Plan,
    /// The shares.
    windows: Windows,
    held: Hulls,
    /// What is left of them, once somebody has asked.
    left: Option<Left>,
    ran: Ran,
}

/// So many turns of a worker are a piece: to look after messages, and to wake the other workers, takes longer than to take a turn.
const TURNS: u32 = 4;

struct Left {
    /// Of the next piece.
    plan: Plan,
    positions: Range<usize>,
    pace: Pace,
}

/// What has run.
#[derive(Default)]
pub(super) struct Ran {
    pub positions: Range<usize>,
    /// What its pieces come to, in order.
    pub totals: Vec<(Tree<Opaque>, Carries)>,
    /// How long it took.
    pub spent: Duration,
}

impl<'b> Beside<'b> {
    /// Looks at arrays that are not open yet.
    pub fn amid(self, all: &'b Plan, slots: &List<'_>) -> Amid<'b> {
        let mut windows = Windows::new();
        slots.windows(&mut windows);
        let held = slots.iter().map(|slot| slot.held()).collect();
        Amid { of: self, all, windows, held, left: None, ran: Ran::default() }
    }
}

impl Amid<'_> {
    /// Runs the next piece. Whether there are more.
    pub fn go_on(&mut self) -> bool {
        let (all, footprint) = (self.all, self.of.footprint);
        let held = &mut self.held;
        let left = self.left.get_or_insert_with(|| {
            let plan = all.amid(std::mem::take(held), footprint).unwrap_or_else(|| all.part(0..0));
            let pace = Pace::following(plan.chunks_in(TAKEN_FOR), plan.chunks().len());
            self.ran.positions = plan.mine.start..plan.mine.start;
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
        self.ran.totals.push(self.of.run(plan, &self.windows));
        let spent = start.elapsed();
        left.pace.took(count, spent / TURNS.saturating_mul(u32::try_from(plan.workers).unwrap_or(u32::MAX)));
        left.positions.start = plan.mine.end;
        self.ran.positions.end = plan.mine.end;
        self.ran.spent += spent;
        !left.positions.is_empty()
    }

    pub fn ran(self) -> Ran {
        self.ran
    }
}

impl Beside<'_> {
    /// Runs the iterations around those that have run, once the arrays are open. What all come to is in order.
    pub fn around(&self, plan: &Plan, windows: &Windows, ran: Ran) -> (Tree<Opaque>, Carries) {
        let (before, after) = (plan.mine.start..ran.positions.start, ran.positions.end..plan.mine.end);
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
        for (later, carried) in ran.totals.into_iter().chain([after]) {
            tree.append(later, &mut |earlier, later| self.accumulators.merge(earlier, later));
            carries.extend(carried);
        }
        (tree, carries)
    }

    /// Runs the positions of a plan over these windows.
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
