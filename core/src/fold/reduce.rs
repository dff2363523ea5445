//! The driver of loops without a scan state: maps, pushes and reductions.

use super::arriving::{Arriving, reorders, suits};
use super::chunks::Stopwatch;
use super::collector::{Collector, Traits};
use super::in_order::any_rank;
use super::kernel::{Carries, Head, Kernel, Moves, Opened, Run, carried};
use super::moving::Moving;
use super::on_device::{OnDevice, Ran};
use super::opaque::Opaque;
use super::overlap::{Completed, Overlap};
use super::panics::Panics;
use super::plan::{Plan, Scattered, Wishes};
use super::runner::{Arrays, Body, Checked, Fast, Runner};
use super::scattered::{OnOwners, in_order};
use super::site::Weight;
use super::strategies::{Chunks, InOrder, Loop, OnePiece, Outcome, Overlapped, Speculative};
use super::strategy::{Facts, choose, tell};
use crate::accumulate::{Accumulator, Shares};
use crate::call::Call;
use crate::explain;
use crate::settings::Strategy;
use crate::slot::{List, Slots, Windows};
use std::ops::Range;

impl<L: Slots> Kernel<'_, L> {
    /// Runs a loop without a scan state.
    ///
    /// `fast` and `checked` run the body over a range of positions, and update the accumulators.
    ///
    /// # Panics
    /// If the body panics, with its payload, after all workers have stopped.
    #[inline]
    pub fn fold<A, F, C>(&mut self, accumulators: A, fast: F, checked: C) -> A::Out
    where
        A: Accumulator,
        F: for<'w> Fn((A::Chunk, A::Carry), Fast<'w, L>, Range<usize>) -> (A::Chunk, A::Carry) + Sync,
        C: for<'w> Fn((A::Chunk, A::Carry), Checked<'w, L>, Range<usize>) -> (A::Chunk, A::Carry) + Sync,
    {
        let context = &self.head.call.context;
        let body = |[chunk, carry]: [&mut Opaque; 2], arrays: &Arrays<'_>, range: Range<usize>| {
            // SAFETY: these are a chunk and a carry of the accumulators, and arrays of this loop.
            let (found, carried) =
                unsafe { arrays.run_whole::<L, _>((chunk.take(), carry.take()), range, &fast, &checked) };
            chunk.put::<A::Chunk>(found);
            carry.put::<A::Carry>(carried);
        };
        let (value, carries) = self.run_fold(&accumulators, &body, None);
        accumulators.finish(value, carries, context)
    }

    /// Speculative [`fold`](Kernel::fold): control flow depends on the accumulators, so a chunk may panic although the loop does not.
    /// `whole` runs the body from the values before the range. If a chunk panics, it runs over all iterations in order. This is
    /// safe after some of them have run, because the loop reads nothing that it writes.
    ///
    /// # Panics
    /// As [`fold`](Kernel::fold), if the sequential loop panics.
    #[inline]
    pub fn fold_guarded<A, F, C, W>(&mut self, accumulators: A, fast: F, checked: C, whole: W) -> A::Out
    where
        A: Accumulator,
        F: for<'w> Fn((A::Chunk, A::Carry), Fast<'w, L>, Range<usize>) -> (A::Chunk, A::Carry) + Sync,
        C: for<'w> Fn((A::Chunk, A::Carry), Checked<'w, L>, Range<usize>) -> (A::Chunk, A::Carry) + Sync,
        W: for<'w> Fn((A::Value, A::Carry), Checked<'w, L>, Range<usize>) -> (A::Value, A::Carry) + Sync,
    {
        let context = &self.head.call.context;
        let body = |[chunk, carry]: [&mut Opaque; 2], arrays: &Arrays<'_>, range: Range<usize>| {
            // SAFETY: as in `fold`.
            let (found, carried) =
                unsafe { arrays.run_whole::<L, _>((chunk.take(), carry.take()), range, &fast, &checked) };
            chunk.put::<A::Chunk>(found);
            carry.put::<A::Carry>(carried);
        };
        let whole = |[value, carry]: [&mut Opaque; 2], arrays: &Arrays<'_>, range: Range<usize>| {
            // SAFETY: as in `fold`, and this is a scan state.
            let (found, carried) = unsafe { arrays.run_checked::<L, _>((value.take(), carry.take()), range, &whole) };
            value.put::<A::Value>(found);
            carry.put::<A::Carry>(carried);
        };
        let (value, carries) = self.run_fold(&accumulators, &body, Some(&whole));
        accumulators.finish(value, carries, context)
    }

    /// [`fold`](Kernel::fold) in a build with overflow checks. If chunks cannot detect overflow ([`Accumulator::NEEDS_ORDER`]),
    /// `whole` runs over all iterations in order.
    ///
    /// # Panics
    /// As [`fold`](Kernel::fold), if the sequential loop panics.
    #[inline]
    pub fn fold_with_order<A, F, C, W>(&mut self, accumulators: A, fast: F, checked: C, whole: W) -> A::Out
    where
        A: Accumulator,
        F: for<'w> Fn((A::Chunk, A::Carry), Fast<'w, L>, Range<usize>) -> (A::Chunk, A::Carry) + Sync,
        C: for<'w> Fn((A::Chunk, A::Carry), Checked<'w, L>, Range<usize>) -> (A::Chunk, A::Carry) + Sync,
        W: for<'w> Fn((A::Value, A::Carry), Checked<'w, L>, Range<usize>) -> (A::Value, A::Carry) + Sync,
    {
        match A::NEEDS_ORDER {
            true => self.fold_guarded(accumulators, fast, checked, whole),
            false => self.fold(accumulators, fast, checked),
        }
    }

    /// [`fold`](Kernel::fold), with the reductions in interleaved lanes.
    ///
    /// # Panics
    /// As [`fold`](Kernel::fold).
    #[inline]
    pub fn fold_lanes<A, F, C>(&mut self, accumulators: A, fast: F, checked: C) -> A::Out
    where
        A: Accumulator,
        F: for<'w> Fn(A::Lanes, Fast<'w, L>, Range<usize>) -> A::Lanes + Sync,
        C: for<'w> Fn(A::Lanes, Checked<'w, L>, Range<usize>) -> A::Lanes + Sync,
    {
        let (lanes, context) = (&accumulators, &self.head.call.context);
        let body = |[chunk, _]: [&mut Opaque; 2], arrays: &Arrays<'_>, range: Range<usize>| {
            // SAFETY: as in `fold`.
            let (before, found) = unsafe {
                let before: A::Chunk = chunk.take();
                let start = lanes.lanes_after(&before);
                (before, arrays.run::<L, _>(start, range, &fast, &checked))
            };
            chunk.put::<A::Chunk>(lanes.merge(before, lanes.merge_lanes(found)));
        };
        let (value, carries) = self.run_fold(lanes, &body, None);
        accumulators.finish(value, carries, context)
    }

    /// Runs the fold up to the value after the last iteration and this rank's carries. These may refer to elements in the
    /// windows.
    #[inline]
    fn run_fold<A: Accumulator>(
        &mut self,
        accumulators: &A,
        body: &Body<'_>,
        whole: Option<&Body<'_>>,
    ) -> (A::Value, Vec<A::Carry>) {
        let mut slots = List::default();
        self.slots.list(&mut slots);
        let (value, carries) = Run { head: &mut self.head, slots }.fold(accumulators, body, whole);
        // SAFETY: the accumulators made these values.
        unsafe { (value.into(), carried(carries)) }
    }
}

/// The number of parts of a chunk, if no result depends on it and the costs of iterations may differ much.
const FINE: usize = 16;

impl<'c> Run<'_, 'c> {
    fn parts(&self, traits: Traits) -> usize {
        if traits.reduces || self.head.site.weight == Weight::Light { 1 } else { FINE }
    }

    /// The value after the last iteration, and this rank's carries.
    fn fold(mut self, accumulators: &dyn Collector, body: &Body<'_>, whole: Option<&Body<'_>>) -> (Opaque, Carries) {
        let traits = accumulators.traits();
        let wishes = Wishes {
            aligned: traits.reduces && !traits.exact,
            chunks: Wishes::most(traits.bulky, false),
            forwards: traits.carries,
            parts: self.parts(traits),
        };
        let Head { call, site, footprint, .. } = *self.head;
        let allowed = call.context.settings().strategies;
        let panics = Panics::new();
        let overlap = || Overlap { call, site, footprint, accumulators, body, panics: &panics };
        let mut windows = Windows::new();
        let mut plan = self.plan(wishes);
        let mut facts = self.facts(&plan, accumulators, traits, whole.is_some());
        if !site.gathers.is_empty() {
            plan.refuse_scattered(site, "it gathers elements");
        } else if !accumulators.moves() {
            plan.refuse_scattered(site, "its results stay on the ranks that run its iterations");
        }
        if plan.scattered_blocks.is_some() {
            (facts.overlaps, facts.arrives) = (false, facts.arrives && !facts.reorders);
        }
        let moves = self.moves(accumulators, traits, whole.is_some());
        // Overlapping iterations run now, all others when the arrays are open.
        facts.overlaps = facts.overlaps && moves.is_none() && choose(&facts, allowed) == Strategy::Overlapped;
        let mut completed = Completed::default();
        let opened = match facts.overlaps {
            true => self.open_overlapped(&plan, overlap(), &mut completed),
            false => self.open(&plan, &mut || false),
        };
        let arrives = facts.arrives && choose(&facts, allowed) == Strategy::Arrivals;
        if arrives {
            plan.workers = self.workers_of_blocks(&plan);
        }
        self.settle(&mut plan, &mut windows);
        // If both a sum and something else may panic, the first panic counts. If iterations cannot run again to find it, they run in order,
        // from the values of the variables.
        let ordered = traits.detects_late && !site.again && everywhere(call, accumulators);
        let ordered = ordered && (site.panics_elsewhere || any_rank(call, !plan.inside));
        if traits.alone || ordered && !arrives {
            plan.workers = 1;
        }
        // If chunks cannot detect overflow, they do not run at all.
        let needs_order = traits.needs_order && whole.is_some();
        // Tasks run once: neither a part that panics nor a result that is not valid may repeat them.
        let once = self.head.tasks.is_some() && (whole.is_some() || traits.limited);
        if ordered || needs_order || once {
            facts.device = false;
            self.stay_on_workers();
        }
        facts.ordered = needs_order || ordered && whole.is_none();
        facts.one_worker = plan.workers == 1;
        let (mut strategy, mut earlier) = (choose(&facts, allowed), None);
        if strategy == Strategy::Device {
            match (OnDevice { accumulators, speculative: whole.is_some() }).run(&mut self, &plan) {
                Ran::All(outcome) => {
                    tell(call, site, strategy);
                    return self.finish(opened, &plan, accumulators, outcome);
                }
                Ran::Again => strategy = Strategy::InOrder,
                Ran::Rest(None) => strategy = choose(&Facts { device: false, ..facts }, allowed),
                Ran::Rest(before) => (strategy, earlier) = (Strategy::Chunks, before),
            }
        } else {
            self.stay_on_workers();
        }
        if strategy == Strategy::OnePiece {
            plan.workers = 1;
        }
        let moves = moves.filter(|_| strategy == Strategy::Chunks);
        if moves.is_some() {
            plan.workers = call.context.node().workers().min(self.head.iterations).max(1);
        }
        tell(call, site, strategy);
        let runner = Runner { windows: &windows, plan: &plan, footprint };
        let run = |range: Range<usize>, chunk: &mut Opaque, carry: &mut Opaque| {
            runner.run(range, &mut |arrays, range| body([&mut *chunk, &mut *carry], arrays, range));
        };
        let elsewhere = |range: Range<usize>, chunk: &mut Opaque, carry: &mut Opaque| {
            runner.run_elsewhere(range, &mut |arrays, range| body([&mut *chunk, &mut *carry], arrays, range));
        };
        if let Some(scattered) = plan.scattered_blocks.as_ref().filter(|_| strategy != Strategy::Arrivals) {
            let of = Loop {
                call,
                site,
                plan: &plan,
                accumulators,
                traits,
                runner: &runner,
                run: &run,
                whole,
                panics: &panics,
            };
            let outcome = on_owners(&of, scattered);
            return self.finish(opened, &plan, accumulators, outcome);
        }
        let watch = Stopwatch::start(call, &plan, completed.spent, self.head.long);
        let of =
            Loop { call, site, plan: &plan, accumulators, traits, runner: &runner, run: &run, whole, panics: &panics };
        let outcome = match strategy {
            Strategy::OnePiece => {
                let found = OnePiece.run(&of);
                watch.stop(site, &plan);
                return found;
            }
            Strategy::Overlapped => Overlapped { overlap: overlap(), windows: &windows, completed }.run(&of),
            Strategy::Speculative => Speculative.run(&of),
            Strategy::Chunks | Strategy::Device => match moves {
                Some(moves) => Moving { moves, elsewhere: &elsewhere }.run(&of),
                None => Chunks { earlier }.run(&of),
            },
            Strategy::InOrder => InOrder.run(&of),
            Strategy::Arrivals => match &self.head.arrivals {
                Some(arrivals) => Arriving(arrivals).run(&of),
                None => InOrder.run(&of),
            },
        };
        watch.stop(site, &plan);
        self.finish(opened, &plan, accumulators, outcome)
    }

    /// The facts that are known before the arrays are open.
    #[inline]
    fn facts(&self, plan: &Plan, accumulators: &dyn Collector, traits: Traits, guarded: bool) -> Facts {
        let Head { call, site, .. } = *self.head;
        let device = self.head.captured.is_some() || self.head.tasks.is_some();
        // Pieces may run in any order, and more than one at a time.
        let free = !traits.carries && !traits.alone && !traits.one_per_worker && !traits.bulky;
        let once = guarded || traits.detects_late;
        Facts {
            device,
            devices_elsewhere: !call.alone() && call.context.node().may_have_device(),
            ordered: false,
            overlaps: !call.alone()
                && free
                && !once
                && !device
                && site.gathers.is_empty()
                && (call.has_transit() || self.only_fetches(plan)),
            speculates: guarded,
            arrives: self.head.arrivals.is_some() && plan.ordered && !guarded && suits(call, traits),
            reorders: reorders(traits),
            chunks: !guarded,
            one_piece: call.alone() && (!guarded || traits.exact),
            in_order: guarded || everywhere(call, accumulators),
            one_worker: plan.workers == 1,
        }
    }

    /// If the iterations may run on other ranks: their results can be sent, and the loop has no array but the numbers of its tasks.
    /// All ranks decide alike.
    fn moves(&self, accumulators: &dyn Collector, traits: Traits, guarded: bool) -> Option<&'c dyn Moves> {
        let Head { site, call, moves, .. } = *self.head;
        let moves = moves?;
        let reason = match () {
            () if !self.slots.iter().all(|slot| slot.place().stays.is_some()) => {
                "they access arrays whose elements are on their ranks"
            }
            () if !accumulators.moves() => "their results stay on their ranks",
            () if guarded || traits.alone || traits.detects_late && site.again => "they may have to run in their order",
            () => return Some(moves),
        };
        if call.context.settings().explain && call.context.rank() == 0 {
            explain::decided(format!("`{}`, loop {}: tasks do not move, because {reason}", site.name, site.number + 1));
        }
        None
    }

    /// The number of workers for messages of blocks. The number of messages is unknown, so the cost of earlier runs says little.
    #[cold]
    fn workers_of_blocks(&self, plan: &Plan) -> usize {
        let stays = self
            .slots
            .iter()
            .filter_map(|slot| slot.place().stays.as_ref())
            .map(|stays| stays.workers)
            .min()
            .unwrap_or(usize::MAX);
        self.head.call.context.node().workers().min(plan.mine.len()).min(stays).max(1)
    }

    /// Opens the arrays, while interior iterations run.
    #[cold]
    fn open_overlapped(&mut self, plan: &Plan, overlap: Overlap<'_>, completed: &mut Completed) -> Opened {
        let mut interior = overlap.interior(plan, &self.slots);
        let opened = self.open(plan, &mut || interior.run_next());
        self.head.call.complete_transit(&mut || interior.run_next());
        *completed = interior.completed();
        opened
    }

    /// Closes the arrays, and merges the results of all ranks.
    #[inline]
    fn finish(
        &mut self,
        opened: Opened,
        plan: &Plan,
        accumulators: &dyn Collector,
        outcome: Outcome,
    ) -> (Opaque, Carries) {
        self.close(opened, plan);
        outcome.merged(self.head.call, self.head.site, plan, accumulators)
    }
}

/// Runs iterations over blocks on other ranks than their tokens: side by side, or in order if their results need it.
#[cold]
fn on_owners(of: &Loop<'_>, scattered: &Scattered) -> Outcome {
    let Loop { call, accumulators, runner, run, .. } = *of;
    let Some(whole) = of.whole else {
        return Moving { moves: &OnOwners::new(scattered, call.context.rank()), elsewhere: run }.run(of);
    };
    let (value, carries) = in_order(call, scattered, accumulators, &|positions, [value, carry]| {
        runner.run(positions, &mut |arrays, range| whole([&mut *value, &mut *carry], arrays, range));
    });
    Outcome::Value(value, carries)
}

/// Whether each rank gets the value after the last iteration.
#[inline]
fn everywhere(call: &Call, accumulators: &dyn Collector) -> bool {
    call.alone() || accumulators.shares(call.context.ranks()) != Shares::Kept
}
