//! The driver of scans: loops whose body reads a scan state.

use super::both_ends::from_both_ends;
use super::chain::Chain;
use super::chunks::Stopwatch;
use super::collector::{Collector, Traits};
use super::in_order::{hand_on, handed_on, run_in_order};
use super::kernel::{Carries, Kernel, Run, carried, only};
use super::opaque::Opaque;
use super::over_ranks::{IterationOrder, of_last};
use super::plan::{Plan, Wishes};
use super::runner::{Arrays, Checked, Fast, Runner};
use super::running::{Bodies, CHAINS, Chains, Total, Totals, value_before};
use super::scattered::in_order;
use super::strategy::{Facts, choose, tell};
use super::tree::Tree;
use crate::accumulate::Accumulator;
use crate::call::Call;
use crate::settings::Strategy;
use crate::slot::{List, Slots, Windows};
use std::ops::Range;
use std::time::Duration;

impl<L: Slots> Kernel<'_, L> {
    /// Runs a loop whose body reads a scan state.
    ///
    /// `total_fast` and `total_checked` compute the total of a chunk, from the identity element. `fast` and `checked` run the
    /// whole body, from the state before the range. Workers take chunks in order. If the state before a chunk is known, the worker
    /// runs the body at once. Otherwise it computes the total, waits for the state, publishes the next state, and then runs the
    /// body, while the chunk is still in its cache (a single-pass chained scan after Merrill and Garland 2016).
    ///
    /// # Panics
    /// If the body panics, with its payload, after all workers have stopped.
    #[inline]
    pub fn scan<A, TF, TC, F, C>(
        &mut self,
        accumulators: A,
        total_fast: TF,
        total_checked: TC,
        fast: F,
        checked: C,
    ) -> A::Out
    where
        A: Accumulator,
        TF: for<'w> Fn(A::Chunk, Fast<'w, L>, Range<usize>) -> A::Chunk + Sync,
        TC: for<'w> Fn(A::Chunk, Checked<'w, L>, Range<usize>) -> A::Chunk + Sync,
        F: for<'w> Fn((A::Value, A::Carry), Fast<'w, L>, Range<usize>) -> (A::Value, A::Carry) + Sync,
        C: for<'w> Fn((A::Value, A::Carry), Checked<'w, L>, Range<usize>) -> (A::Value, A::Carry) + Sync,
    {
        let total = |_, _: &Opaque, chunk: &mut Opaque, arrays: &Arrays<'_>, range| {
            // SAFETY: this is a chunk of the accumulators, and these are arrays of this loop.
            let found = unsafe { arrays.run::<L, _>(chunk.take(), range, &total_fast, &total_checked) };
            chunk.put::<A::Chunk>(found);
        };
        let context = &self.head.call.context;
        let (value, carries) = self.run_scan(&accumulators, &[], Some(&total), fast, checked, None);
        accumulators.finish(value, carries, context)
    }

    /// [`scan`](Kernel::scan) for scan states that depend on each other: the states of a level depend on the inputs and on lower
    /// levels.
    ///
    /// `levels` has the level of each accumulator. The totals are computed once for each level, in order. Their arguments are the level, the states of the lower levels before
    /// the range, and the chunk. Only this level of the chunk changes. The states of the lower levels are bitwise those of the body,
    /// because they start from the same values and take the same steps.
    ///
    /// # Panics
    /// As [`scan`](Kernel::scan).
    #[inline]
    pub fn scan_levels<A, TF, TC, F, C>(
        &mut self,
        accumulators: A,
        levels: &[usize],
        total_fast: TF,
        total_checked: TC,
        fast: F,
        checked: C,
    ) -> A::Out
    where
        A: Accumulator,
        TF: for<'w> Fn(((usize, A::Value), A::Chunk), Fast<'w, L>, Range<usize>) -> ((usize, A::Value), A::Chunk)
            + Sync,
        TC: for<'w> Fn(((usize, A::Value), A::Chunk), Checked<'w, L>, Range<usize>) -> ((usize, A::Value), A::Chunk)
            + Sync,
        F: for<'w> Fn((A::Value, A::Carry), Fast<'w, L>, Range<usize>) -> (A::Value, A::Carry) + Sync,
        C: for<'w> Fn((A::Value, A::Carry), Checked<'w, L>, Range<usize>) -> (A::Value, A::Carry) + Sync,
    {
        let total = |level, value: &Opaque, chunk: &mut Opaque, arrays: &Arrays<'_>, range| {
            // SAFETY: as in `scan`, and this is a scan state.
            let (_, found) = unsafe {
                let state = ((level, value.get::<A::Value>().clone()), chunk.take());
                arrays.run::<L, _>(state, range, &total_fast, &total_checked)
            };
            chunk.put::<A::Chunk>(found);
        };
        let context = &self.head.call.context;
        let (value, carries) = self.run_scan(&accumulators, levels, Some(&total), fast, checked, None);
        accumulators.finish(value, carries, context)
    }

    /// [`scan`](Kernel::scan) with totals in interleaved lanes, and with interleaved chunks: `chains` runs the body over
    /// [`CHAINS`] chunks of one length, each from its own scan state.
    ///
    /// # Panics
    /// As [`scan`](Kernel::scan).
    #[inline]
    pub fn scan_lanes<A, TF, TC, F, C, Q>(
        &mut self,
        accumulators: A,
        total_fast: TF,
        total_checked: TC,
        fast: F,
        checked: C,
        chains: Q,
    ) -> A::Out
    where
        A: Accumulator,
        TF: for<'w> Fn(A::Lanes, Fast<'w, L>, Range<usize>) -> A::Lanes + Sync,
        TC: for<'w> Fn(A::Lanes, Checked<'w, L>, Range<usize>) -> A::Lanes + Sync,
        F: for<'w> Fn((A::Value, A::Carry), Fast<'w, L>, Range<usize>) -> (A::Value, A::Carry) + Sync,
        C: for<'w> Fn((A::Value, A::Carry), Checked<'w, L>, Range<usize>) -> (A::Value, A::Carry) + Sync,
        Q: for<'w> Fn([A::Value; CHAINS], Fast<'w, L>, Range<usize>) -> [A::Value; CHAINS] + Sync,
    {
        let (lanes, context) = (&accumulators, &self.head.call.context);
        let total = |_, _: &Opaque, chunk: &mut Opaque, arrays: &Arrays<'_>, range| {
            // SAFETY: as in `scan`.
            let (before, found) =
                unsafe { (chunk.take(), arrays.run::<L, _>(lanes.lanes(), range, &total_fast, &total_checked)) };
            chunk.put::<A::Chunk>(lanes.merge(before, lanes.merge_lanes(found)));
        };
        let side_by_side = |values: &mut [Opaque; CHAINS], arrays: &Arrays<'_>, range| {
            // SAFETY: as in `scan`; these are scan states.
            let after = unsafe {
                let before: [A::Value; CHAINS] = values.each_mut().map(|value| value.take());
                arrays.run_proved::<L, _>(before, range, &chains)
            };
            values.iter_mut().zip(after).for_each(|(value, after)| value.put(after));
        };
        // If totals are needed anyway, several smaller chunks are interleaved.
        let chains: Option<&Chains<'_>> =
            if A::EXACT || size_of::<A::Carry>() > 0 { None } else { Some(&side_by_side) };
        let (value, carries) = self.run_scan(lanes, &[], Some(&total), fast, checked, chains);
        accumulators.finish(value, carries, context)
    }

    /// [`scan`](Kernel::scan) for iterations that run once each, and in order: those over blocks. The scan state goes from rank to rank.
    ///
    /// # Panics
    /// As [`scan`](Kernel::scan).
    #[inline]
    pub fn scan_in_order<A, F, C>(&mut self, accumulators: A, fast: F, checked: C) -> A::Out
    where
        A: Accumulator,
        F: for<'w> Fn((A::Value, A::Carry), Fast<'w, L>, Range<usize>) -> (A::Value, A::Carry) + Sync,
        C: for<'w> Fn((A::Value, A::Carry), Checked<'w, L>, Range<usize>) -> (A::Value, A::Carry) + Sync,
    {
        let context = &self.head.call.context;
        let (value, carries) = self.run_scan(&accumulators, &[], None, fast, checked, None);
        accumulators.finish(value, carries, context)
    }

    /// Runs the scan up to the value after the last iteration and this rank's carries.
    #[inline]
    fn run_scan<A, F, C>(
        &mut self,
        accumulators: &A,
        levels: &[usize],
        total: Option<&Total<'_>>,
        fast: F,
        checked: C,
        chains: Option<&Chains<'_>>,
    ) -> (A::Value, Vec<A::Carry>)
    where
        A: Accumulator,
        F: for<'w> Fn((A::Value, A::Carry), Fast<'w, L>, Range<usize>) -> (A::Value, A::Carry) + Sync,
        C: for<'w> Fn((A::Value, A::Carry), Checked<'w, L>, Range<usize>) -> (A::Value, A::Carry) + Sync,
    {
        let whole = |[value, carry]: [&mut Opaque; 2], arrays: &Arrays<'_>, range: Range<usize>| {
            // SAFETY: these are a scan state and a carry of the accumulators, and arrays of this loop.
            let (found, carried) = unsafe { arrays.run::<L, _>((value.take(), carry.take()), range, &fast, &checked) };
            value.put::<A::Value>(found);
            carry.put::<A::Carry>(carried);
        };
        let mut slots = List::default();
        self.slots.list(&mut slots);
        let (interleaving, totals_suffice) = (self.head.site.interleaving, self.head.site.totals_suffice);
        let run = Run { head: &mut self.head, slots };
        let bodies = Bodies { levels, total, whole: &whole, chains, interleaving, totals_suffice };
        let (value, carries) = run.scan(accumulators, &bodies);
        // SAFETY: the accumulators made these values.
        unsafe { (value.into(), carried(carries)) }
    }
}

impl Run<'_, '_> {
    /// The value after the last iteration, and this rank's carries.
    fn scan(mut self, accumulators: &dyn Collector, bodies: &Bodies<'_>) -> (Opaque, Carries) {
        let traits = accumulators.traits();
        let wishes = Wishes {
            aligned: !traits.exact,
            chunks: Wishes::most(traits.bulky, traits.settles && traits.exact),
            forwards: traits.carries,
            parts: bodies.group(),
        };
        let mut windows = Windows::new();
        let mut plan = self.plan(wishes);
        if !accumulators.moves() || !self.head.site.gathers.is_empty() {
            plan.refuse_scattered(
                self.head.site,
                "its results stay on the ranks that run its iterations, or it gathers elements",
            );
        }
        let opened = self.open(&plan, &mut || false);
        self.settle(&mut plan, &mut windows);
        let (call, site, iterations) = (self.head.call, self.head.site, self.head.iterations);
        let ordered_ranks = IterationOrder { comm: call.context.comm(), backwards: plan.backwards };
        let mut facts = self.facts_of_scan(&plan, traits, bodies);
        let allowed = call.context.settings().strategies;
        let mut strategy = choose(&facts, allowed);
        let mut agreed = Vec::new();
        let mut found = None;
        if strategy == Strategy::Device {
            let mut value_before =
                |total: Option<Opaque>| value_before(&ordered_ranks, &plan, accumulators, total, &mut agreed);
            found = self.scan_on_device(&plan, accumulators, &mut value_before);
            if found.is_none() {
                facts.device = false;
                strategy = choose(&facts, allowed);
            }
        }
        if strategy == Strategy::OnePiece {
            plan.workers = 1;
        }
        let (value, carries) = match found {
            Some(found) => {
                tell(call, site, strategy);
                found
            }
            None if iterations == 0 => (accumulators.value(), Carries::new()),
            None => {
                let runner = Runner { windows: &windows, plan: &plan, footprint: self.head.footprint };
                let watch = Stopwatch::start(call, &plan, Duration::ZERO, false);
                let of = ScanLoop {
                    call,
                    iterations,
                    ordered_ranks: &ordered_ranks,
                    plan: &plan,
                    accumulators,
                    bodies,
                    runner: &runner,
                };
                let found = of.run(&mut strategy, agreed);
                tell(call, site, strategy);
                if strategy != Strategy::InOrder {
                    watch.stop(site, &plan);
                }
                found
            }
        };
        self.close(opened, &plan);
        // The rank that ran the last iteration has the value after the loop.
        let ran_last = !plan.mine.is_empty() && plan.mine.end == iterations;
        let value = match call.alone() || iterations == 0 || plan.scattered_blocks.is_some() {
            true => value,
            false => of_last(call, accumulators, ran_last.then_some(value)),
        };
        (value, carries)
    }

    fn facts_of_scan(&self, plan: &Plan, traits: Traits, bodies: &Bodies<'_>) -> Facts {
        let call = self.head.call;
        let ends = bodies.totals_suffice && traits.exact && bodies.levels() == 1 && call.alone() && plan.workers > 1;
        Facts {
            device: self.head.captured.is_some(),
            devices_elsewhere: !call.alone() && call.context.node().may_have_device(),
            ordered: bodies.total.is_none(),
            overlaps: false,
            arrives: false,
            reorders: false,
            speculates: ends,
            chunks: true,
            one_piece: call.alone() && (traits.exact || plan.chunks().len() <= 1),
            in_order: true,
            one_worker: plan.workers == 1,
        }
    }
}

/// A loop with a scan state whose arrays are open.
struct ScanLoop<'l> {
    call: &'l Call,
    iterations: usize,
    ordered_ranks: &'l IterationOrder<'l>,
    plan: &'l Plan,
    accumulators: &'l dyn Collector,
    bodies: &'l Bodies<'l>,
    runner: &'l Runner<'l>,
}

impl ScanLoop<'_> {
    /// The value after this rank's iterations, and its carries. The strategy becomes another one if the totals of chunks fail.
    #[inline]
    fn run(&self, strategy: &mut Strategy, agreed: Vec<Option<Tree<Opaque>>>) -> (Opaque, Carries) {
        if let Some(scattered) = &self.plan.scattered_blocks {
            return in_order(self.call, scattered, self.accumulators, &|positions, state| {
                let [value, carry] = state;
                self.runner.run(positions, &mut |arrays, range| {
                    (self.bodies.whole)([&mut *value, &mut *carry], arrays, range)
                });
            });
        }
        match *strategy {
            Strategy::OnePiece => self.one_piece(),
            Strategy::InOrder => self.in_order(handed_on(self.ordered_ranks, self.accumulators), true),
            Strategy::Speculative => (from_both_ends(self.call, &self.totals()), Carries::new()),
            Strategy::Device | Strategy::Overlapped | Strategy::Chunks | Strategy::Arrivals => {
                self.chunks(strategy, agreed)
            }
        }
    }

    fn totals(&self) -> Totals<'_> {
        Totals::new(self.accumulators, self.bodies, self.plan, self.runner)
    }

    /// The sequential loop: no chunk waits for an earlier one.
    #[inline]
    fn one_piece(&self) -> (Opaque, Carries) {
        let (mut value, mut carry) = (self.accumulators.value(), self.accumulators.carry(true));
        self.runner.run(self.plan.mine.clone(), &mut |arrays, range| {
            (self.bodies.whole)([&mut value, &mut carry], arrays, range);
        });
        (value, only(self.accumulators.traits(), carry))
    }

    /// Chunks: each waits for the state before it.
    fn chunks(&self, strategy: &mut Strategy, agreed: Vec<Option<Tree<Opaque>>>) -> (Opaque, Carries) {
        let ScanLoop { call, iterations, ordered_ranks, plan, accumulators, .. } = *self;
        let totals = self.totals();
        let start = totals.agree(call, ordered_ranks, agreed);
        if !start.sound {
            let value = if start.known { start.running.value() } else { handed_on(ordered_ranks, accumulators) };
            *strategy = Strategy::InOrder;
            return self.in_order(value, !start.next_known);
        }
        let chain = Chain::new(call, iterations, &totals, start);
        if !plan.mine.is_empty() {
            call.context.node().run(plan.workers, &|_worker| chain.work());
        }
        chain.panics.resume(call);
        chain.run_rest(call);
        let (end, carries) = chain.collected();
        *strategy = Strategy::Chunks;
        (end.unwrap_or_else(|| accumulators.value()), carries)
    }

    /// All iterations of this rank, from the value before them. The next rank may need the value after them.
    fn in_order(&self, value: Opaque, hands_on: bool) -> (Opaque, Carries) {
        let ScanLoop { call, plan, accumulators, runner, .. } = *self;
        let carry = accumulators.carry(true);
        let (value, carry) = run_in_order(call, plan, runner, self.bodies.whole, value, carry);
        if hands_on {
            hand_on(self.ordered_ranks, accumulators, &value);
        }
        (value, only(accumulators.traits(), carry))
    }
}
