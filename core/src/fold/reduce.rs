//! The driver of loops without a scan state: maps, pushes and reductions.

use super::chunks::{Stopwatch, close, on_workers};
use super::collector::{Collector, Traits};
use super::in_order::{
    any_rank, chunk_by_chunk, find_mistake, find_mistake_over_ranks, hand_on, handed_on, is_mistaken, run_in_order,
};
use super::kernel::{Carries, Head, Kernel, Run, carried, only};
use super::opaque::Opaque;
use super::over_ranks::{IterationOrder, of_last, over_ranks};
use super::overlap::{Completed, Overlap};
use super::panics::Panics;
use super::plan::{Plan, Wishes};
use super::runner::{Arrays, Body, Checked, Fast, Runner};
use super::site::{Instance, Weight};
use super::tree::Tree;
use super::workers::{RunRange, Workers, fold_chunks};
use crate::accumulate::{Accumulator, Shares};
use crate::call::Call;
use crate::comm::Comm;
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
            let (found, carried) = unsafe { arrays.run::<L, _>((chunk.take(), carry.take()), range, &fast, &checked) };
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
            let (found, carried) = unsafe { arrays.run::<L, _>((chunk.take(), carry.take()), range, &fast, &checked) };
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

impl Run<'_, '_> {
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
        let (call, site) = (self.head.call, self.head.site);
        let panics = Panics::new();
        let mut windows = Windows::new();
        let mut plan = self.plan(wishes);
        let completed = self.open_overlapped(&plan, accumulators, body, whole, &panics);
        self.settle(&mut plan, &mut windows);
        // If both a sum and something else may panic, the first panic counts. If iterations cannot run again to find it, they run in order,
        // from the values of the variables.
        let everywhere = call.alone() || accumulators.shares(call.context.ranks()) != Shares::Kept;
        let in_order = traits.detects_late && !site.again && everywhere;
        let in_order = in_order && (site.panics_elsewhere || any_rank(call, !plan.inside));
        if traits.alone || in_order {
            plan.workers = 1;
        }
        // If chunks cannot detect overflow, they do not run at all.
        let needs_order = traits.needs_order && whole.is_some();
        if in_order || needs_order {
            self.stay_on_workers();
        }
        let on_device = self.fold_on_device(&plan, accumulators, whole.is_some());
        if let Some(Some(outcome)) = on_device {
            return outcome;
        }
        let runner = Runner { windows: &windows, plan: &plan, footprint: self.head.footprint };
        let run = |range: Range<usize>, chunk: &mut Opaque, carry: &mut Opaque| {
            runner.run(range, &mut |arrays, range| body([&mut *chunk, &mut *carry], arrays, range));
        };
        let watch = Stopwatch::start(call, &plan, completed.spent);

        if in_order && whole.is_none() {
            let (tree, carry) = chunk_by_chunk(call, &plan, accumulators, &run);
            watch.stop(site, &plan);
            close(call, &plan, &mut self.slots);
            return merged(call, site, &plan, accumulators, tree, only(traits, carry));
        }
        // A single piece starts from the values of the sequential loop.
        if plan.workers == 1 && call.alone() && (whole.is_none() || traits.exact) && !needs_order {
            let outcome = in_one_piece(call, site, &plan, accumulators, &run);
            if !plan.mine.is_empty() {
                watch.stop(site, &plan);
            }
            return outcome;
        }

        if !completed.positions.is_empty() {
            let overlap = Overlap { call, site, footprint: self.head.footprint, accumulators, body, panics: &panics };
            let (tree, carries) = overlap.run_rest(&plan, &windows, completed);
            panics.resume(call);
            watch.stop(site, &plan);
            close(call, &plan, &mut self.slots);
            return merged(call, site, &plan, accumulators, tree, carries);
        }
        let workers = Workers::new(call, &plan, accumulators, &run, whole.is_some(), &panics);
        if on_device.is_none() && !needs_order {
            on_workers(call, site, &plan, &|worker| workers.work(worker));
        }
        if let Some(whole) = whole {
            let speculative = on_device.is_none() && !needs_order;
            let speculated = if speculative { speculated(call, &plan, site, accumulators, workers) } else { None };
            let outcome = speculated.unwrap_or_else(|| {
                let ordered_ranks = IterationOrder { comm: call.context.comm(), backwards: plan.backwards };
                let (before, carry) = (handed_on(&ordered_ranks, accumulators), accumulators.carry(true));
                let (value, carry) = run_in_order(call, &plan, &runner, whole, before, carry);
                hand_on(&ordered_ranks, accumulators, &value);
                let last = ordered_ranks.rank() + 1 == ordered_ranks.ranks();
                let value = if call.alone() { value } else { of_last(call, accumulators, last.then_some(value)) };
                (value, only(traits, carry))
            });
            watch.stop(site, &plan);
            close(call, &plan, &mut self.slots);
            return outcome;
        }
        if traits.detects_late && site.again && any_rank(call, panics.stopped()) {
            find_mistake_over_ranks(call, &plan, accumulators, &panics, &run);
        }
        panics.resume(call);
        watch.stop(site, &plan);
        let (detects_late, (tree, carries)) = (traits.detects_late && site.again, workers.collected());
        if !detects_late {
            close(call, &plan, &mut self.slots);
            return merged(call, site, &plan, accumulators, tree, carries);
        }
        let total = total(call, site, &plan, accumulators, tree);
        if is_mistaken(call, accumulators, total.as_ref()) {
            find_mistake_over_ranks(call, &plan, accumulators, &Panics::new(), &run);
        }
        close(call, &plan, &mut self.slots);
        (accumulators.after(total.as_ref()), carries)
    }

    /// Opens the arrays. Interior iterations overlap with it, if the loop writes no element that is being sent and pieces may run in any
    /// order.
    fn open_overlapped(
        &mut self,
        plan: &Plan,
        accumulators: &dyn Collector,
        body: &Body<'_>,
        whole: Option<&Body<'_>>,
        panics: &Panics,
    ) -> Completed {
        let Head { call, site, footprint, .. } = *self.head;
        let traits = accumulators.traits();
        let many = traits.carries || traits.alone || traits.one_per_worker || traits.bulky;
        let again = whole.is_some() || traits.detects_late;
        let on_workers = site.gathers.is_empty() && self.head.captured.is_none();
        if call.alone() || many || again || !on_workers || plan.elsewhere {
            self.open(plan, &mut || false);
            return Completed::default();
        }
        let mut interior = Overlap { call, site, footprint, accumulators, body, panics }.interior(plan, &self.slots);
        self.open(plan, &mut || interior.run_next());
        interior.completed()
    }
}

/// The result of all iterations in order, on one rank and one worker.
fn in_one_piece(
    call: &Call,
    site: &Instance,
    plan: &Plan,
    accumulators: &dyn Collector,
    run: &RunRange<'_>,
) -> (Opaque, Carries) {
    if plan.mine.is_empty() {
        return (accumulators.value(), Carries::new());
    }
    let traits = accumulators.traits();
    let mut carry = accumulators.carry(true);
    let mut fold_all = || match traits.exact {
        // The sequential loop.
        true => {
            let mut chunk = accumulators.chunk_from(&accumulators.value());
            run(plan.mine.clone(), &mut chunk, &mut carry);
            Some(chunk)
        }
        false => {
            let tree = fold_chunks(plan, plan.chunks(), accumulators, run, &mut carry);
            tree.total(&mut |earlier, later| accumulators.merge(earlier, later))
        }
    };
    // Chunks that start from the user's variables panic at an overflow by themselves.
    let total = if traits.detects_late && !traits.exact {
        let panics = Panics::new();
        let total = panics.guard(plan.mine.start, &mut fold_all);
        if let Some(first) = panics.iteration()
            && site.again
        {
            find_mistake(call, plan, accumulators, Some(first), accumulators.value(), run);
        }
        panics.resume(call);
        total.flatten()
    } else {
        fold_all()
    };
    (accumulators.after(total.as_ref()), only(traits, carry))
}

/// The value after the last iteration of all ranks, and this rank's carries.
fn merged(
    call: &Call,
    site: &Instance,
    plan: &Plan,
    accumulators: &dyn Collector,
    tree: Tree<Opaque>,
    carries: Carries,
) -> (Opaque, Carries) {
    let total = total(call, site, plan, accumulators, tree);
    (accumulators.after(total.as_ref()), carries)
}

/// The merged result of all ranks, if there is any.
fn total(
    call: &Call,
    site: &Instance,
    plan: &Plan,
    accumulators: &dyn Collector,
    tree: Tree<Opaque>,
) -> Option<Opaque> {
    let merge = |earlier, later| accumulators.merge(earlier, later);
    match call.alone() {
        _ if !accumulators.traits().reduces => None,
        true => tree.total(&mut |earlier, later| merge(earlier, later)),
        false => over_ranks(call, plan, site, accumulators, tree, &merge),
    }
}

/// The result of speculative pieces; `None` if a piece, or the user's function for their results, has panicked on any rank.
fn speculated(
    call: &Call,
    plan: &Plan,
    site: &Instance,
    accumulators: &dyn Collector,
    workers: Workers<'_>,
) -> Option<(Opaque, Carries)> {
    let (stopped, merging) = (workers.panics.stopped(), Panics::new());
    let start = plan.mine.start;
    let merge = |earlier, later| {
        let merged = merging.guard_speculative(start, || accumulators.merge(earlier, later));
        merged.unwrap_or_else(|| accumulators.chunk())
    };
    let collected = merging.guard_speculative(start, || workers.collected());
    let (tree, carries) = collected.unwrap_or_else(|| (Tree::new(), Carries::new()));
    let total = match call.alone() {
        true => tree.total(&mut |earlier, later| merge(earlier, later)),
        false => over_ranks(call, plan, site, accumulators, tree, &merge),
    };
    let value = merging.guard_speculative(start, || accumulators.after(total.as_ref()));
    let again = any_rank(call, stopped || merging.stopped());
    value.filter(|_| !again).map(|value| (value, carries))
}
