//! Loops whose body sees a running value.

use super::chunks::{Stopwatch, close, each_chunk};
use super::kernel::Kernel;
use super::over_ranks::{Turned, condensed};
use super::panics::Panics;
use super::plan::Wishes;
use super::runner::{Checked, Fast, Form, Runner};
use super::tree::Tree;
use crate::accumulate::Accumulator;
use crate::call::Call;
use crate::comm::{Comm, collective};
use crate::footprint::Access;
use crate::gather::asked::Asks;
use crate::lock::lock;
use crate::runtime::enter_loop;
use crate::slot::Slots;
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
struct Known<A: Accumulator> {
    numbers: Range<usize>,
    totals: Vec<A::Chunk>,
}

/// The running value between chunks.
struct Running<'k, A: Accumulator> {
    accumulators: &'k A,
    /// Where merging is exact: the value itself.
    value: A::Value,
    /// Elsewhere: all chunks so far, so that the value is the same however they were run.
    tree: Tree<A::Chunk>,
}

impl<'k, A: Accumulator> Running<'k, A> {
    /// After all that comes before this rank.
    fn after(accumulators: &'k A, before: Option<Tree<A::Chunk>>) -> Self {
        let (mut value, mut tree) = (accumulators.value(), Tree::new());
        if let Some(before) = before {
            let merge = &mut |earlier, later| accumulators.merge(earlier, later);
            match before.total(merge) {
                Some(total) if A::EXACT => value = accumulators.advance(value, &total),
                _ => tree = before,
            }
        }
        Running { accumulators, value, tree }
    }

    fn value(&self) -> A::Value {
        let merge = &mut |earlier, later| self.accumulators.merge(earlier, later);
        match if A::EXACT { None } else { self.tree.total(merge) } {
            Some(total) => self.accumulators.advance(self.value.clone(), &total),
            None => self.value.clone(),
        }
    }

    fn include(&mut self, number: usize, chunk: A::Chunk) {
        if A::EXACT {
            self.value = self.accumulators.advance(self.value.clone(), &chunk);
        } else {
            self.tree.push(number, chunk, &mut |earlier, later| self.accumulators.merge(earlier, later));
        }
    }
}

impl<L, const N: usize, S, I> Kernel<'_, L, S, I>
where
    L: Slots,
    S: Fn(Range<usize>) -> [Access; N] + Sync,
    I: for<'w> Fn(&Asks, usize, Checked<'w, L>, Range<usize>) + Sync,
{
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
        mut self,
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
        let chains = no_chains::<L, A, _>(|values, _: Fast<'_, L>, _| values);
        let (value, carries) = self.run_scan(
            &accumulators,
            (1, |_, _: &A::Value| ()),
            |((), chunk), arrays, range| ((), total_fast(chunk, arrays, range)),
            |((), chunk), arrays, range| ((), total_checked(chunk, arrays, range)),
            fast,
            checked,
            chains,
        );
        accumulators.finish(value, carries, &self.call.context)
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
        mut self,
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
        let chains = no_chains::<L, A, _>(|values, _: Fast<'_, L>, _| values);
        let below = |level, value: &A::Value| (level, value.clone());
        let (value, carries) =
            self.run_scan(&accumulators, (levels, below), total_fast, total_checked, fast, checked, chains);
        accumulators.finish(value, carries, &self.call.context)
    }

    /// [`scan`](Kernel::scan), with the totals of chunks in interleaved lanes, and with several chunks side by side:
    /// `chains` runs the body over a range that is [`CHAINS`] chunks of one length, each from a running value of its own.
    ///
    /// # Panics
    /// As [`scan`](Kernel::scan).
    #[inline]
    pub fn scan_lanes<A, TF, TC, F, C, Q>(
        mut self,
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
        let lanes = &accumulators;
        let into = |chunk: A::Chunk, found: A::Lanes| lanes.merge(chunk, lanes.merge_lanes(found));
        let (value, carries) = self.run_scan(
            lanes,
            (1, |_, _: &A::Value| ()),
            |((), chunk), arrays, range| ((), into(chunk, total_fast(lanes.lanes(), arrays, range))),
            |((), chunk), arrays, range| ((), into(chunk, total_checked(lanes.lanes(), arrays, range))),
            fast,
            checked,
            Some(chains),
        );
        accumulators.finish(value, carries, &self.call.context)
    }

    /// [`scan`](Kernel::scan) up to the value after the last iteration and this rank's carries, in so many levels: `below`
    /// makes of a level and the value before a chunk what the chunk's totals of that level start from.
    #[inline]
    #[allow(clippy::too_many_arguments)]
    fn run_scan<A, B, W, TF, TC, F, C, Q>(
        &mut self,
        accumulators: &A,
        (levels, below): (usize, W),
        total_fast: TF,
        total_checked: TC,
        fast: F,
        checked: C,
        chains: Option<Q>,
    ) -> (A::Value, Vec<A::Carry>)
    where
        A: Accumulator,
        B: Clone + Send + Sync,
        W: Fn(usize, &A::Value) -> B + Sync,
        TF: for<'w> Fn((B, A::Chunk), Fast<'w, L>, Range<usize>) -> (B, A::Chunk) + Sync,
        TC: for<'w> Fn((B, A::Chunk), Checked<'w, L>, Range<usize>) -> (B, A::Chunk) + Sync,
        F: for<'w> Fn((A::Value, A::Carry), Fast<'w, L>, Range<usize>) -> (A::Value, A::Carry) + Sync,
        C: for<'w> Fn((A::Value, A::Carry), Checked<'w, L>, Range<usize>) -> (A::Value, A::Carry) + Sync,
        Q: for<'w> Fn([A::Value; CHAINS], Fast<'w, L>, Range<usize>) -> [A::Value; CHAINS] + Sync,
    {
        // Where totals are needed in any case, several smaller chunks run side by side.
        let chains = chains.filter(|_| !A::EXACT && size_of::<A::Carry>() == 0);
        let group = if chains.is_some() { CHAINS } else { 1 };
        let wishes = Wishes {
            aligned: !A::EXACT,
            chunks: Wishes::most(A::BULKY, A::SETTLES && A::EXACT),
            forwards: size_of::<A::Carry>() > 0,
            parts: group,
        };
        let (plan, windows) = self.prepare(wishes);
        let (call, site, iterations) = (self.call, self.site, self.iterations);
        let turned = Turned { comm: call.context.comm(), backwards: plan.backwards };
        // What earlier ranks come to in each level, where a device has got so far before it failed: the ranks exchange it once.
        let mut agreed: Vec<Option<Tree<A::Chunk>>> = Vec::new();
        if self.captured.is_some() {
            let value_before = |total: Option<A::Chunk>| {
                let mut mine = Tree::new();
                if let Some(total) = total {
                    mine.push(plan.chunks().start, total, &mut |_, later| later);
                }
                let before = if call.alone() { None } else { before(&turned, accumulators, mine) };
                agreed.push(before.clone());
                Running::after(accumulators, before).value()
            };
            if let Some((value, carries)) = self.scan_on_device(&plan, accumulators, value_before) {
                let ran_last = !plan.mine.is_empty() && plan.mine.end == iterations;
                let value = match call.alone() || iterations == 0 {
                    true => value,
                    false => of_last(call, accumulators, ran_last.then_some(value)),
                };
                return (value, carries);
            }
        }
        let runner = Runner::<L, S> { windows, plan: &plan, footprint: &self.footprint };
        let body = |state: (A::Value, A::Carry), form: Form<'_, L>, range: Range<usize>| match form {
            Form::Fast(arrays) => fast(state, arrays, range),
            Form::Checked(arrays) => checked(state, arrays, range),
        };
        let watch = Stopwatch::start(call, &plan);
        if iterations == 0 {
            let value = accumulators.value();
            return (value, Vec::new());
        }
        if plan.workers == 1 && call.alone() && A::EXACT {
            // The author's loop, unchanged.
            let (value, carry) = runner.run(plan.mine.clone(), (accumulators.value(), accumulators.carry(true)), &body);
            watch.stop(site, &plan);
            return (value, vec![carry]);
        }

        let total_from = |before: B, chunk: A::Chunk, range: Range<usize>| {
            let total = |state, form: Form<'_, L>, range| match form {
                Form::Fast(arrays) => total_fast(state, arrays, range),
                Form::Checked(arrays) => total_checked(state, arrays, range),
            };
            runner.run(range, (before, chunk), &total).1
        };
        let start = below(0, &accumulators.value());
        let total_of = |range: Range<usize>| total_from(start.clone(), accumulators.chunk(), range);
        // What a chunk comes to, from its end backwards as far as it matters; at most `limit` iterations.
        let total_within = |number: usize, limit: usize| {
            let Range { start, mut end } = plan.positions(number);
            if !A::SETTLES {
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
        let mut running = Running::after(accumulators, None);
        let mut totals: Option<Vec<A::Chunk>> = None;
        let last_rank = turned.rank() + 1 == turned.ranks();
        for level in 0..if call.alone() && levels == 1 { 0 } else { levels } {
            // Every rank but the last tells the later ones what its chunks come to, before it can know its own start. The last
            // one has time to find out too, and does so where it needs the totals in any case.
            let mut mine = Tree::new();
            if !last_rank || !A::EXACT || levels > 1 {
                let found = match totals {
                    None => each_chunk(call, &plan, &panics, total),
                    Some(lower) => {
                        let starts: Vec<(B, A::Chunk)> = chunks
                            .clone()
                            .zip(lower)
                            .map(|(number, chunk)| {
                                let before = below(level, &running.value());
                                running.include(number, chunk.clone());
                                (before, chunk)
                            })
                            .collect();
                        each_chunk(call, &plan, &panics, |number| {
                            let (before, chunk) = starts[number - chunks.start].clone();
                            total_from(before, chunk, plan.positions(number))
                        })
                    }
                };
                for (number, chunk) in chunks.clone().zip(&found) {
                    mine.push(number, chunk.clone(), &mut |earlier, later| accumulators.merge(earlier, later));
                }
                totals = Some(found);
            }
            let before = match agreed.get_mut(level) {
                Some(before) => before.take(),
                None => before(&turned, accumulators, mine),
            };
            running = Running::after(accumulators, before);
        }

        let running = Mutex::new(running);
        let next = AtomicUsize::new(chunks.start);
        let turn = AtomicUsize::new(chunks.start);
        let carries = Mutex::new(Vec::new());
        let end = Mutex::new(None);
        let place = call.context.place();
        let range_of =
            |numbers: &Range<usize>| plan.positions(numbers.start).start..plan.positions(numbers.end - 1).end;
        let keep = |numbers: &Range<usize>, (value, carry): (A::Value, A::Carry), done: &mut Vec<(usize, A::Carry)>| {
            if range_of(numbers).end == iterations {
                *lock(&end) = Some(value);
            }
            if size_of::<A::Carry>() > 0 {
                done.push((numbers.start, carry));
            }
        };
        // Hands on the values of the chunks whose turn it is, and gives them back, to run their bodies with.
        let hand_on = |waiting: &mut VecDeque<Known<A>>| {
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
                let values: Vec<A::Value> = known.numbers.clone().zip(known.totals).map(next).collect();
                now = known.numbers.end;
                ready.push((known.numbers, values));
            }
            turn.store(now, Ordering::Release);
            ready
        };
        let run_from = |numbers: &Range<usize>, values: Vec<A::Value>| {
            let range = range_of(numbers);
            let whole = range.len() == CHAINS * plan.chunk && values.len() == CHAINS;
            if let (true, Some(chains), Some(arrays)) = (whole, &chains, runner.proved(&range))
                && let Ok(values) = <[A::Value; CHAINS]>::try_from(values.clone())
            {
                let [.., value] = chains(values, arrays, range);
                return (value, accumulators.carry(false));
            }
            let mut end = (accumulators.value(), accumulators.carry(numbers.start == chunks.start));
            for (number, value) in numbers.clone().zip(values) {
                end = runner.run(plan.positions(number), (value, end.1), &body);
            }
            end
        };
        // For chunks whose turn it is and whose totals are not needed.
        let run_at_once = |numbers: &Range<usize>| {
            let (value, carry) = (lock(&running).value(), accumulators.carry(numbers.start == chunks.start));
            let (value, carry) = runner.run(range_of(numbers), (value, carry), &body);
            lock(&running).value = value.clone();
            turn.store(numbers.end, Ordering::Release);
            (value, carry)
        };
        let known = |numbers: &Range<usize>| match &totals {
            Some(totals) => Some(totals[numbers.start - chunks.start..numbers.end - chunks.start].to_vec()),
            // Whose turn it is needs no totals, unless they are had so cheaply that the next chunk can begin.
            None if A::EXACT && turn.load(Ordering::Acquire) == numbers.start => {
                let cheap = |number| total_within(number, plan.chunk / 16);
                if A::SETTLES { numbers.clone().map(cheap).collect() } else { None }
            }
            None => Some(numbers.clone().map(&total).collect()),
        };
        let work = |_worker: usize| {
            let _inside = enter_loop(place);
            let mut done = Vec::new();
            let mut waiting: VecDeque<Known<A>> = VecDeque::new();
            while !panics.stopped() {
                let first =
                    if waiting.len() < LOOK_AHEAD { next.fetch_add(group, Ordering::Relaxed) } else { chunks.end };
                let more = first < chunks.end;
                if more {
                    let numbers = first..(first + group).min(chunks.end);
                    let position = range_of(&numbers).start;
                    match panics.guard(position, || known(&numbers)) {
                        Some(Some(totals)) => waiting.push_back(Known { numbers, totals }),
                        Some(None) => {
                            let ran = panics.guard(position, || run_at_once(&numbers));
                            ran.into_iter().for_each(|ran| keep(&numbers, ran, &mut done));
                            continue;
                        }
                        None => break,
                    }
                }
                let Some(front) = waiting.front().map(|known| known.numbers.start) else { break };
                // A worker that the system has put aside holds up the others: they find out later totals meanwhile.
                let patience = more.then_some(if waiting.len() > 1 { 1 } else { 1 << 12 });
                if !wait_for(&turn, front, &panics, patience) {
                    continue;
                }
                // The author's operator may panic here too.
                let ready = panics.guard(plan.positions(front).start, || hand_on(&mut waiting));
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

/// No kernel for chunks side by side, of the type that one would have.
fn no_chains<L: Slots, A: Accumulator, Q>(_: Q) -> Option<Q>
where
    Q: for<'w> Fn([A::Value; CHAINS], Fast<'w, L>, Range<usize>) -> [A::Value; CHAINS] + Sync,
{
    None
}

/// What the chunks of all earlier ranks come to.
fn before<A: Accumulator>(turned: &Turned<'_>, accumulators: &A, mine: Tree<A::Chunk>) -> Option<Tree<A::Chunk>> {
    collective::exscan(
        turned,
        condensed(accumulators, mine),
        |tree: &Tree<A::Chunk>| {
            let mut bytes = Vec::new();
            tree.encode(&mut bytes, |chunk, to| accumulators.encode(chunk, to));
            bytes
        },
        |mut bytes| Tree::decode(&mut bytes, |from| accumulators.decode(from)),
        |mut earlier, later| {
            earlier.append(later, &mut |earlier, later| accumulators.merge(earlier, later));
            condensed(accumulators, earlier)
        },
    )
}

/// The value after the last iteration, from the rank that ran it: what the author's variables are after the loop.
fn of_last<A: Accumulator>(call: &Call, accumulators: &A, end: Option<A::Value>) -> A::Value {
    let bytes = end.as_ref().map(|value| {
        let mut bytes = Vec::new();
        accumulators.encode_value(value, &mut bytes);
        bytes
    });
    let owners = collective::allgather(call.context.comm(), &[u8::from(end.is_some())]);
    let owner = owners.iter().position(|&has| has == 1).unwrap_or(0);
    let bytes = collective::broadcast(call.context.comm(), owner, bytes);
    accumulators.decode_value(&mut &bytes[..])
}

/// Waits until all chunks before `number` have handed on the value. `false` when a worker panicked, or when patience ends:
/// after so many looks.
#[inline]
fn wait_for(turn: &AtomicUsize, number: usize, panics: &Panics, patience: Option<u32>) -> bool {
    let mut looks = 0_u32;
    while turn.load(Ordering::Acquire) != number {
        looks = looks.saturating_add(1);
        if panics.stopped() || patience == Some(looks) {
            return false;
        }
        if looks < 1 << 12 { std::hint::spin_loop() } else { std::thread::yield_now() }
    }
    true
}
