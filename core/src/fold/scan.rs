//! Loops whose body sees a running value.

use super::chunks::{Stopwatch, close, each_chunk};
use super::collector::Collector;
use super::in_order::{hand_on, handed_on, run_in_order};
use super::kernel::{Carries, Kernel, Run, Windows, carried, only};
use super::opaque::Opaque;
use super::over_ranks::{Turned, condensed, of_last};
use super::panics::Panics;
use super::plan::Wishes;
use super::runner::{Arrays, Body, Checked, Fast, Runner};
use super::tree::Tree;
use crate::accumulate::Accumulator;
use crate::comm::{Comm, collective};
use crate::lock::lock;
use crate::runtime::{enter_loop, tried};
use crate::slot::{List, Slots};
use std::collections::VecDeque;
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

/// How many chunks of a scan run side by side, so that the processor need not wait for each running value in turn.
pub const CHAINS: usize = 4;

/// How many iterations each of them is ahead of the one before it.
pub const AHEAD: usize = 32;

/// How many groups of chunks a worker looks at while it waits for its turn.
const LOOK_AHEAD: usize = 32;

/// Chunks whose totals are known.
struct Known {
    numbers: Range<usize>,
    totals: Vec<Opaque>,
}

/// The running value between chunks.
struct Running<'k> {
    accumulators: &'k dyn Collector,
    exact: bool,
    /// Where merging is exact: the value itself.
    value: Opaque,
    /// Elsewhere: all chunks so far, so that the value is the same however they were run.
    tree: Tree<Opaque>,
}

impl<'k> Running<'k> {
    /// After all that comes before this rank.
    fn after(accumulators: &'k dyn Collector, before: Option<Tree<Opaque>>) -> Self {
        let (exact, tree) = (accumulators.traits().exact, before.unwrap_or_else(Tree::new));
        if !exact {
            return Running { accumulators, exact, value: accumulators.value(), tree };
        }
        let total = tree.total(&mut |earlier, later| accumulators.merge(earlier, later));
        Running { accumulators, exact, value: accumulators.after(total.as_ref()), tree: Tree::new() }
    }

    fn value(&self) -> Opaque {
        let accumulators = self.accumulators;
        let value = accumulators.same_value(&self.value);
        if self.exact {
            return value;
        }
        let same = |chunk: &Opaque| accumulators.same_chunk(chunk);
        match self.tree.total_so_far(same, &mut |earlier, later| accumulators.merge(earlier, later)) {
            Some(total) => accumulators.advance(value, &total),
            None => value,
        }
    }

    fn include(&mut self, number: usize, chunk: Opaque) {
        let accumulators = self.accumulators;
        if self.exact {
            self.value = accumulators.advance(accumulators.same_value(&self.value), &chunk);
        } else {
            self.tree.push(number, chunk, &mut |earlier, later| accumulators.merge(earlier, later));
        }
    }
}

/// The bodies of a loop with running values.
struct Bodies<'b> {
    /// How many levels of running values there are, each of which is computed from the inputs and the levels below.
    levels: usize,
    /// The part that the running values of a level depend on: from the level, the values of the levels below before the
    /// range, and the chunk.
    total: &'b Total<'b>,
    /// All of it, from the value before the range and what the worker carries.
    whole: &'b Body<'b>,
    /// The same over a proved range that is several chunks of one length, each from a value of its own.
    chains: Option<&'b Chains<'b>>,
}

type Total<'b> = dyn Fn(usize, &Opaque, &mut Opaque, &Arrays<'_>, Range<usize>) + Sync + 'b;

type Chains<'b> = dyn Fn(&mut [Opaque; CHAINS], &Arrays<'_>, Range<usize>) + Sync + 'b;

impl<L: Slots> Kernel<'_, L> {
    /// Runs a loop whose body sees a running value.
    ///
    /// `total_fast` and `total_checked` run the part of the body that the running value depends on, from the identity;
    /// `fast` and `checked` run all of it, from the value before the range. Workers take chunks in order: one that finds the
    /// value before its chunk known runs the body at once; else it runs the totals first, waits for the value, hands on the
    /// next one and then runs the body, while the chunk is still in its cache (a single-pass chained scan, after Merrill and
    /// Garland 2016, with the wait of a CPU).
    ///
    /// # Panics
    /// With what the body panics with, after all workers have stopped.
    #[inline]
    pub fn scan<A, TF, TC, F, C>(
        self,
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
            // SAFETY: it is a chunk of the accumulators, and these are arrays of this loop.
            let found = unsafe { arrays.run::<L, _>(chunk.take(), range, &total_fast, &total_checked) };
            chunk.put::<A::Chunk>(found);
        };
        let context = &self.head.call.context;
        let (value, carries) = self.run_scan(&accumulators, 1, &total, fast, checked, None);
        accumulators.finish(value, carries, context)
    }

    /// [`scan`](Kernel::scan), of running values that feed others: those of one level are computed from the inputs and the
    /// levels below.
    ///
    /// The totals run once for each level, in order: with the level, the values of the levels below before the range, and
    /// the chunk, in which they fill in their level and leave the others as they are. A chunk's values of the levels below
    /// are those that the body itself sees there, for they start from the same value and take the same steps.
    ///
    /// # Panics
    /// As [`scan`](Kernel::scan).
    #[inline]
    pub fn scan_levels<A, TF, TC, F, C>(
        self,
        accumulators: A,
        levels: usize,
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
            // SAFETY: as in `scan`, and it is a running value.
            let (_, found) = unsafe {
                let state = ((level, value.get::<A::Value>().clone()), chunk.take());
                arrays.run::<L, _>(state, range, &total_fast, &total_checked)
            };
            chunk.put::<A::Chunk>(found);
        };
        let context = &self.head.call.context;
        let (value, carries) = self.run_scan(&accumulators, levels, &total, fast, checked, None);
        accumulators.finish(value, carries, context)
    }

    /// [`scan`](Kernel::scan), with the totals of chunks in interleaved lanes, and with several chunks side by side:
    /// `chains` runs the body over a range that is [`CHAINS`] chunks of one length, each from a running value of its own.
    ///
    /// # Panics
    /// As [`scan`](Kernel::scan).
    #[inline]
    pub fn scan_lanes<A, TF, TC, F, C, Q>(
        self,
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
            // SAFETY: as in `scan`; they are running values.
            let after = unsafe {
                let before: [A::Value; CHAINS] = values.each_mut().map(|value| value.take());
                arrays.run_proved::<L, _>(before, range, &chains)
            };
            values.iter_mut().zip(after).for_each(|(value, after)| value.put(after));
        };
        // Where totals are needed in any case, several smaller chunks run side by side.
        let chains: Option<&Chains<'_>> =
            if A::EXACT || size_of::<A::Carry>() > 0 { None } else { Some(&side_by_side) };
        let (value, carries) = self.run_scan(lanes, 1, &total, fast, checked, chains);
        accumulators.finish(value, carries, context)
    }

    /// [`scan`](Kernel::scan) up to the value after the last iteration and this rank's carries.
    #[inline]
    fn run_scan<A, F, C>(
        mut self,
        accumulators: &A,
        levels: usize,
        total: &Total<'_>,
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
            // SAFETY: these are a running value and a carry of the accumulators, and arrays of this loop.
            let (found, carried) = unsafe { arrays.run::<L, _>((value.take(), carry.take()), range, &fast, &checked) };
            value.put::<A::Value>(found);
            carry.put::<A::Carry>(carried);
        };
        let mut slots = List::default();
        self.slots.list(&mut slots);
        let run = Run { head: &mut self.head, slots };
        let (value, carries) = run.scan(accumulators, &Bodies { levels, total, whole: &whole, chains });
        // SAFETY: they are of the accumulators that made them.
        unsafe { (value.into(), carried(carries)) }
    }
}

impl Run<'_, '_> {
    /// The value after the last iteration, and this rank's carries.
    fn scan(mut self, accumulators: &dyn Collector, bodies: &Bodies<'_>) -> (Opaque, Carries) {
        let (traits, levels) = (accumulators.traits(), bodies.levels);
        let group = if bodies.chains.is_some() { CHAINS } else { 1 };
        let wishes = Wishes {
            aligned: !traits.exact,
            chunks: Wishes::most(traits.bulky, traits.settles && traits.exact),
            forwards: traits.carries,
            parts: group,
        };
        let mut windows = Windows::new();
        let plan = self.prepare(wishes, &mut windows);
        let (call, site, iterations) = (self.head.call, self.head.site, self.head.iterations);
        let turned = Turned { comm: call.context.comm(), backwards: plan.backwards };
        // What earlier ranks come to in each level, where a device has got so far before it failed: the ranks exchange it once.
        let mut agreed: Vec<Option<Tree<Opaque>>> = Vec::new();
        if self.head.captured.is_some() {
            let mut value_before = |total: Option<Opaque>| {
                let mut mine = Tree::new();
                if let Some(total) = total {
                    mine.push(plan.chunks().start, total, &mut |_, later| later);
                }
                // What a device has found out is known.
                let before = if call.alone() { None } else { before(&turned, accumulators, Some(mine)).flatten() };
                let same = before.as_ref().map(|tree| tree.same(|chunk| accumulators.same_chunk(chunk)));
                agreed.push(before);
                Running::after(accumulators, same).value()
            };
            if let Some((value, carries)) = self.scan_on_device(&plan, accumulators, &mut value_before) {
                let ran_last = !plan.mine.is_empty() && plan.mine.end == iterations;
                let value = match call.alone() || iterations == 0 {
                    true => value,
                    false => of_last(call, accumulators, ran_last.then_some(value)),
                };
                return (value, carries);
            }
        }
        let runner = Runner { windows: &windows, plan: &plan, footprint: self.head.footprint };
        let run = |range: Range<usize>, value: &mut Opaque, carry: &mut Opaque| {
            runner.run(range, &mut |arrays, range| (bodies.whole)([&mut *value, &mut *carry], arrays, range));
        };
        let watch = Stopwatch::start(call, &plan);
        if iterations == 0 {
            let value = accumulators.value();
            return (value, Carries::new());
        }
        if plan.workers == 1 && call.alone() && (traits.exact || plan.chunks().len() == 1) {
            // The author's loop, unchanged: no chunk waits for what comes before it.
            let (mut value, mut carry) = (accumulators.value(), accumulators.carry(true));
            run(plan.mine.clone(), &mut value, &mut carry);
            watch.stop(site, &plan);
            return (value, only(traits, carry));
        }

        let total_from = |level: usize, before: &Opaque, mut chunk: Opaque, range: Range<usize>| {
            runner.run(range, &mut |arrays, range| (bodies.total)(level, before, &mut chunk, arrays, range));
            chunk
        };
        let start = accumulators.value();
        let total_of = |range: Range<usize>| total_from(0, &start, accumulators.chunk(), range);
        // What a chunk comes to, from its end backwards as far as it matters; at most `limit` iterations.
        let total_within = |number: usize, limit: usize| {
            let Range { start, mut end } = plan.positions(number);
            if !traits.settles {
                return Some(total_of(start..end));
            }
            let (mut part, least) = (256, end.saturating_sub(limit).max(start));
            let mut total = None;
            loop {
                let begin = end.saturating_sub(part).max(least);
                let earlier = total_of(begin..end);
                let chunk = match total.take() {
                    Some(later) => accumulators.merge(earlier, later),
                    None => earlier,
                };
                if begin == start || accumulators.settled(&chunk) {
                    return Some(chunk);
                }
                if begin == least {
                    return None;
                }
                (end, part, total) = (begin, 2 * part, Some(chunk));
            }
        };
        let total = |number: usize| match total_within(number, usize::MAX) {
            Some(total) => total,
            None => unreachable!("without a limit there is a total"),
        };
        let chunks = plan.chunks();
        let panics = Panics::new();
        // Totals start from the identity, where the sequential loop has other values: what panics there need not panic.
        let guesses = Panics::new();
        let mut start_is_known = true;
        let mut running = Running::after(accumulators, None);
        let mut totals: Option<Vec<Opaque>> = None;
        let last_rank = turned.rank() + 1 == turned.ranks();
        for level in 0..if call.alone() && levels == 1 { 0 } else { levels } {
            // Every rank but the last tells the later ones what its chunks come to, before it can know its own start. The last
            // one has time to find out too, and does so where it needs the totals in any case.
            let mut mine = Tree::new();
            if !guesses.stopped() && (!last_rank || !traits.exact || levels > 1) {
                let found = match totals {
                    None => each_chunk(call, &plan, &guesses, |number| tried(|| total(number))),
                    Some(lower) => {
                        let start = |(number, chunk): (usize, &Opaque)| {
                            let before = running.value();
                            running.include(number, accumulators.same_chunk(chunk));
                            before
                        };
                        let starts: Vec<Opaque> = chunks.clone().zip(&lower).map(start).collect();
                        each_chunk(call, &plan, &guesses, |number| {
                            let (before, chunk) = (&starts[number - chunks.start], &lower[number - chunks.start]);
                            let chunk = accumulators.same_chunk(chunk);
                            tried(|| total_from(level, before, chunk, plan.positions(number)))
                        })
                    }
                };
                for (number, chunk) in chunks.clone().zip(&found) {
                    mine.push(number, accumulators.same_chunk(chunk), &mut |earlier, later| {
                        accumulators.merge(earlier, later)
                    });
                }
                totals = Some(found);
            }
            let before = match agreed.get_mut(level) {
                Some(before) => before.take(),
                None => {
                    let before = before(&turned, accumulators, (!guesses.stopped()).then_some(mine));
                    start_is_known &= before.is_some();
                    before.flatten()
                }
            };
            running = Running::after(accumulators, before);
        }
        if guesses.stopped() || !start_is_known {
            let value = if start_is_known { running.value() } else { handed_on(&turned, accumulators) };
            let (value, carry) = run_in_order(call, &plan, &runner, bodies.whole, value, accumulators.carry(true));
            hand_on(&turned, accumulators, &value);
            close(call, &plan, &mut self.slots);
            let ran_last = !plan.mine.is_empty() && plan.mine.end == iterations;
            let value = if call.alone() { value } else { of_last(call, accumulators, ran_last.then_some(value)) };
            return (value, only(traits, carry));
        }

        let running = Mutex::new(running);
        let next = AtomicUsize::new(chunks.start);
        let turn = AtomicUsize::new(chunks.start);
        // Where the first chunk begins that the workers leave.
        let left = AtomicUsize::new(chunks.end);
        let carries = Mutex::new(Vec::new());
        let end = Mutex::new(None);
        let place = call.context.place();
        let range_of =
            |numbers: &Range<usize>| plan.positions(numbers.start).start..plan.positions(numbers.end - 1).end;
        let keep = |numbers: &Range<usize>, (value, carry): (Opaque, Opaque), done: &mut Vec<(usize, Opaque)>| {
            if range_of(numbers).end == iterations {
                *lock(&end) = Some(value);
            }
            if traits.carries {
                done.push((numbers.start, carry));
            }
        };
        // Hands on the values of the chunks whose turn it is, and gives them back, to run their bodies with.
        let take_turns = |waiting: &mut VecDeque<Known>| {
            let mut running = lock(&running);
            let (mut ready, mut now) = (Vec::new(), turn.load(Ordering::Acquire));
            while waiting.front().is_some_and(|known| known.numbers.start == now)
                && let Some(known) = waiting.pop_front()
            {
                let next = |(number, total)| {
                    let value = running.value();
                    running.include(number, total);
                    value
                };
                let values: Vec<Opaque> = known.numbers.clone().zip(known.totals).map(next).collect();
                now = known.numbers.end;
                ready.push((known.numbers, values));
            }
            turn.store(now, Ordering::Release);
            ready
        };
        let run_from = |numbers: &Range<usize>, values: Vec<Opaque>| {
            let range = range_of(numbers);
            let whole = range.len() == CHAINS * plan.chunk && values.len() == CHAINS;
            let mut values = match (bodies.chains.filter(|_| whole), <[Opaque; CHAINS]>::try_from(values)) {
                (Some(chains), Ok(mut values)) => {
                    if runner.run_proved(range, &mut |arrays, range| chains(&mut values, arrays, range)) {
                        let [.., value] = values;
                        return (value, accumulators.carry(false));
                    }
                    Vec::from(values)
                }
                (_, Ok(values)) => Vec::from(values),
                (_, Err(values)) => values,
            };
            let mut carry = accumulators.carry(numbers.start == chunks.start);
            for (number, value) in numbers.clone().zip(&mut values) {
                run(plan.positions(number), value, &mut carry);
            }
            (values.pop().unwrap_or_else(|| accumulators.value()), carry)
        };
        // For chunks whose turn it is and whose totals are not needed.
        let run_at_once = |numbers: &Range<usize>| {
            let (mut value, mut carry) = (lock(&running).value(), accumulators.carry(numbers.start == chunks.start));
            run(range_of(numbers), &mut value, &mut carry);
            lock(&running).value = accumulators.same_value(&value);
            turn.store(numbers.end, Ordering::Release);
            (value, carry)
        };
        let known = |numbers: &Range<usize>| match &totals {
            Some(totals) => {
                let totals = &totals[numbers.start - chunks.start..numbers.end - chunks.start];
                Some(totals.iter().map(|total| accumulators.same_chunk(total)).collect())
            }
            // Whose turn it is needs no totals, unless they are had so cheaply that the next chunk can begin.
            None if traits.exact && turn.load(Ordering::Acquire) == numbers.start => {
                let cheap = |number| total_within(number, plan.chunk / 16);
                if traits.settles { numbers.clone().map(cheap).collect() } else { None }
            }
            None => Some(numbers.clone().map(&total).collect()),
        };
        let work = |_worker: usize| {
            let _inside = enter_loop(place);
            let mut done = Vec::new();
            let mut waiting: VecDeque<Known> = VecDeque::new();
            while !panics.stopped() {
                let first =
                    if waiting.len() < LOOK_AHEAD { next.fetch_add(group, Ordering::Relaxed) } else { chunks.end };
                let more = first < left.load(Ordering::Relaxed);
                if more {
                    let numbers = first..(first + group).min(chunks.end);
                    let position = range_of(&numbers).start;
                    match guesses.guard_guess(position, || known(&numbers)) {
                        Some(Some(totals)) => waiting.push_back(Known { numbers, totals }),
                        Some(None) => {
                            let ran = panics.guard(position, || run_at_once(&numbers));
                            ran.into_iter().for_each(|ran| keep(&numbers, ran, &mut done));
                            continue;
                        }
                        None => {
                            left.fetch_min(first, Ordering::Relaxed);
                            continue;
                        }
                    }
                }
                let front = waiting.front().map(|known| known.numbers.start);
                let Some(front) = front.filter(|front| *front < left.load(Ordering::Relaxed)) else { break };
                // A worker that the system has put aside holds up the others: they find out later totals meanwhile.
                let patience = more.then_some(if waiting.len() > 1 { 1 } else { 1 << 12 });
                if !wait_for(&turn, front, &|| panics.stopped() || front >= left.load(Ordering::Relaxed), patience) {
                    continue;
                }
                // The author's operator may panic here too.
                let ready = panics.guard(plan.positions(front).start, || take_turns(&mut waiting));
                for (numbers, values) in ready.into_iter().flatten() {
                    let ran = panics.guard(range_of(&numbers).start, || run_from(&numbers, values));
                    ran.into_iter().for_each(|ran| keep(&numbers, ran, &mut done));
                }
            }
            lock(&carries).append(&mut done);
        };
        if !chunks.is_empty() {
            call.context.node().run(plan.workers, &work);
        }
        panics.resume(call);
        let left = left.load(Ordering::Relaxed)..chunks.end;
        if !left.is_empty() {
            // In order, from the value that the chunks before have left.
            let (mut value, mut carry) = (lock(&running).value(), accumulators.carry(left.start == chunks.start));
            panics.guard(range_of(&left).start, || run(range_of(&left), &mut value, &mut carry));
            panics.resume(call);
            keep(&left, (value, carry), &mut lock(&carries));
        }
        watch.stop(site, &plan);
        close(call, &plan, &mut self.slots);

        let end = end.into_inner().unwrap_or_else(PoisonError::into_inner);
        let value = if call.alone() { end } else { Some(of_last(call, accumulators, end)) };
        let mut carries = carries.into_inner().unwrap_or_else(PoisonError::into_inner);
        carries.sort_unstable_by_key(|(number, _)| *number);
        let value = value.unwrap_or_else(|| accumulators.value());
        (value, carries.into_iter().map(|(_, carry)| carry).collect())
    }
}

/// What the chunks of all earlier ranks come to, if there are any; nothing where one of these ranks does not know what its own
/// come to.
fn before(
    turned: &Turned<'_>,
    accumulators: &dyn Collector,
    mine: Option<Tree<Opaque>>,
) -> Option<Option<Tree<Opaque>>> {
    let before = collective::exscan(
        turned,
        mine.map(|mine| condensed(accumulators, mine)),
        |tree: &Option<Tree<Opaque>>| {
            let mut bytes = vec![u8::from(tree.is_some())];
            if let Some(tree) = tree {
                tree.encode(&mut bytes, |chunk, to| accumulators.encode(chunk, to));
            }
            bytes
        },
        |bytes| {
            let (known, mut bytes) = bytes.split_first()?;
            (*known == 1).then(|| Tree::decode(&mut bytes, |from| accumulators.decode(from)))
        },
        |earlier, later| {
            let (mut earlier, later) = earlier.zip(later)?;
            earlier.append(later, &mut |earlier, later| accumulators.merge(earlier, later));
            Some(condensed(accumulators, earlier))
        },
    );
    match before {
        Some(None) => None,
        known => Some(known.flatten()),
    }
}

/// Waits until all chunks before `number` have handed on the value. `false` when a worker panicked, or when patience ends:
/// after so many looks.
#[inline]
fn wait_for(turn: &AtomicUsize, number: usize, stopped: &dyn Fn() -> bool, patience: Option<u32>) -> bool {
    let mut looks = 0_u32;
    while turn.load(Ordering::Acquire) != number {
        looks = looks.saturating_add(1);
        if stopped() || patience == Some(looks) {
            return false;
        }
        if looks < 1 << 12 { std::hint::spin_loop() } else { std::thread::yield_now() }
    }
    true
}
