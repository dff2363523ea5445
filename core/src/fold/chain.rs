//! The workers of a scan. Each chunk runs from the scan state after the previous chunk.

use super::kernel::Carries;
use super::opaque::Opaque;
use super::panics::Panics;
use super::running::{CHAINS, Running, Start, Totals};
use super::site::Interleaving;
use crate::call::Call;
use crate::lock::lock;
use crate::runtime::{Rank, enter_loop};
use smallvec::SmallVec;
use std::collections::VecDeque;
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

/// The number of groups of chunks whose totals a worker computes while it waits for its state.
const LOOK_AHEAD: usize = 32;

/// One value for each chunk of a group, without an allocation.
type Group = SmallVec<[Opaque; CHAINS]>;

/// Chunks with a value for each: its total, or the scan state before it.
struct Valued {
    numbers: Range<usize>,
    values: Group,
}

/// The workers of one call of a scan, and their results.
pub(super) struct Chain<'k> {
    rank: Rank,
    iterations: usize,
    totals: &'k Totals<'k>,
    /// The totals of the chunks, if known already.
    found: Option<Vec<Opaque>>,
    speculation: Panics,
    pub panics: Panics,
    running: Mutex<Running<'k>>,
    /// The chunk that is taken next.
    next: AtomicUsize,
    /// The chunk that may run next.
    permitted: AtomicUsize,
    /// The first chunk that the workers leave to sequential execution.
    left: AtomicUsize,
    carries: Mutex<Vec<(usize, Opaque)>>,
    /// The value after the last iteration.
    end: Mutex<Option<Opaque>>,
}

impl<'k> Chain<'k> {
    pub fn new(call: &Call, iterations: usize, totals: &'k Totals<'k>, start: Start<'k>) -> Self {
        let chunks = totals.plan.chunks();
        Chain {
            rank: call.context.this_rank(),
            iterations,
            totals,
            found: start.totals,
            speculation: start.speculation,
            panics: Panics::new(),
            running: Mutex::new(start.running),
            next: AtomicUsize::new(chunks.start),
            permitted: AtomicUsize::new(chunks.start),
            left: AtomicUsize::new(chunks.end),
            carries: Mutex::default(),
            end: Mutex::default(),
        }
    }

    /// Runs one worker: it takes chunks until none is left.
    pub fn work(&self) {
        let _inside = enter_loop(self.rank);
        let (chunks, group) = (self.totals.plan.chunks(), self.totals.bodies.group());
        let mut done = Vec::new();
        let mut waiting: VecDeque<Valued> = VecDeque::new();
        while !self.panics.stopped() {
            let may_look_ahead = waiting.len() < LOOK_AHEAD;
            let first = if may_look_ahead { self.next.fetch_add(group, Ordering::Relaxed) } else { chunks.end };
            let more = first < self.left.load(Ordering::Relaxed);
            if more {
                let numbers = first..(first + group).min(chunks.end);
                let position = self.positions(&numbers).start;
                match self.speculation.guard_speculative(position, || self.known(&numbers)) {
                    Some(Some(values)) => waiting.push_back(Valued { numbers, values }),
                    Some(None) => {
                        let ran = self.panics.guard(position, || self.run_at_once(&numbers));
                        ran.into_iter().for_each(|ran| self.keep(&numbers, ran, &mut done));
                        continue;
                    }
                    None => {
                        self.left.fetch_min(first, Ordering::Relaxed);
                        continue;
                    }
                }
            }
            let front = waiting.front().map(|known| known.numbers.start);
            let Some(front) = front.filter(|front| *front < self.left.load(Ordering::Relaxed)) else { break };
            // If the worker before this one is descheduled, compute totals of later chunks instead of waiting.
            let patience = more.then_some(if waiting.len() > 1 { 1 } else { 1 << 12 });
            let stopped = || self.panics.stopped() || front >= self.left.load(Ordering::Relaxed);
            if !wait_for(&self.permitted, front, &stopped, patience) {
                continue;
            }
            for Valued { numbers, values } in self.advance(&mut waiting) {
                if self.totals.bodies.totals_suffice {
                    let end = lock(&self.running).value();
                    self.keep(&numbers, (end, self.totals.accumulators.carry(false)), &mut done);
                    continue;
                }
                let ran = self.panics.guard(self.positions(&numbers).start, || self.run_from(&numbers, values));
                ran.into_iter().for_each(|ran| self.keep(&numbers, ran, &mut done));
            }
        }
        lock(&self.carries).append(&mut done);
    }

    /// Runs the remaining chunks sequentially, from the state after the earlier ones.
    pub fn run_rest(&self, call: &Call) {
        let chunks = self.totals.plan.chunks();
        let left = self.left.load(Ordering::Relaxed)..chunks.end;
        if left.is_empty() {
            return;
        }
        let mut value = lock(&self.running).value();
        let mut carry = self.totals.accumulators.carry(left.start == chunks.start);
        self.panics.guard(self.positions(&left).start, || self.run(self.positions(&left), &mut value, &mut carry));
        self.panics.resume(call);
        self.keep(&left, (value, carry), &mut lock(&self.carries));
    }

    /// The value after the last iteration, if this rank ran it, and the carries in order.
    pub fn collected(self) -> (Option<Opaque>, Carries) {
        let mut carries = self.carries.into_inner().unwrap_or_else(PoisonError::into_inner);
        carries.sort_unstable_by_key(|(number, _)| *number);
        let end = self.end.into_inner().unwrap_or_else(PoisonError::into_inner);
        (end, carries.into_iter().map(|(_, carry)| carry).collect())
    }

    fn positions(&self, numbers: &Range<usize>) -> Range<usize> {
        let plan = self.totals.plan;
        plan.positions(numbers.start).start..plan.positions(numbers.end - 1).end
    }

    fn run(&self, range: Range<usize>, value: &mut Opaque, carry: &mut Opaque) {
        let whole = self.totals.bodies.whole;
        self.totals.runner.run(range, &mut |arrays, range| whole([&mut *value, &mut *carry], arrays, range));
    }

    /// The totals of chunks; `None` if the chunks can run at once, without totals.
    fn known(&self, numbers: &Range<usize>) -> Option<Group> {
        let Totals { accumulators, traits, plan, .. } = self.totals;
        if let Some(found) = &self.found {
            let first = plan.chunks().start;
            let found = &found[numbers.start - first..numbers.end - first];
            return Some(found.iter().map(|total| accumulators.same_chunk(total)).collect());
        }
        // The next chunks in order need no totals, unless totals are so cheap that a later chunk can start earlier.
        if traits.exact && self.permitted.load(Ordering::Acquire) == numbers.start {
            let cheap = |number| self.totals.within(number, plan.chunk / 16);
            return if traits.settles { numbers.clone().map(cheap).collect() } else { None };
        }
        Some(numbers.clone().map(|number| self.totals.of(number)).collect())
    }

    /// Advances the scan state over the next chunks in order, and returns the states before them. If the user's function panics for a total,
    /// or if combined factors overflow, this chunk and all later ones are left to sequential execution.
    fn advance(&self, waiting: &mut VecDeque<Valued>) -> SmallVec<[Valued; 1]> {
        let mut running = lock(&self.running);
        let (mut ready, mut now) = (SmallVec::new(), self.permitted.load(Ordering::Acquire));
        while waiting.front().is_some_and(|known| known.numbers.start == now)
            && let Some(known) = waiting.pop_front()
        {
            let before = (known.numbers.len() > 1).then(|| running.value());
            let next = |(number, total)| running.include(number, total);
            let position = self.positions(&known.numbers).start;
            let advanced = || known.numbers.clone().zip(known.values).map(next).collect();
            let advanced: Option<Option<Group>> = self.speculation.guard_speculative(position, advanced);
            let Some(values) = advanced.flatten() else {
                if let Some(before) = before {
                    running.value = before;
                }
                self.left.fetch_min(known.numbers.start, Ordering::Relaxed);
                break;
            };
            now = known.numbers.end;
            ready.push(Valued { numbers: known.numbers, values });
        }
        self.permitted.store(now, Ordering::Release);
        ready
    }

    /// Runs chunks, each from its state; interleaved if possible.
    fn run_from(&self, numbers: &Range<usize>, mut values: Group) -> (Opaque, Opaque) {
        let Totals { accumulators, bodies, plan, runner, .. } = self.totals;
        let range = self.positions(numbers);
        let whole = range.len() == CHAINS * plan.chunk;
        let interleaved = match (
            bodies.chains.filter(|_| whole && bodies.interleaving != Interleaving::Never),
            <&mut [Opaque; CHAINS]>::try_from(&mut *values),
        ) {
            (Some(chains), Ok(values)) => {
                let before: Option<Group> = (bodies.interleaving == Interleaving::Again)
                    .then(|| values.iter().map(|value| accumulators.same_value(value)).collect());
                let mut run = || runner.run_proved(range.clone(), &mut |arrays, range| chains(values, arrays, range));
                match before {
                    None => run(),
                    // A later chunk may panic before an earlier one does. After a panic they run one after another.
                    Some(before) => Panics::new().guard_speculative(range.start, run).unwrap_or_else(|| {
                        values.iter_mut().zip(before).for_each(|(value, before)| *value = before);
                        false
                    }),
                }
            }
            _ => false,
        };
        let mut carry = accumulators.carry(!interleaved && numbers.start == plan.chunks().start);
        if !interleaved {
            for (number, value) in numbers.clone().zip(&mut values) {
                self.run(plan.positions(number), value, &mut carry);
            }
        }
        (values.pop().unwrap_or_else(|| accumulators.value()), carry)
    }

    /// Runs the next chunks in order, without totals.
    fn run_at_once(&self, numbers: &Range<usize>) -> (Opaque, Opaque) {
        let Totals { accumulators, plan, .. } = self.totals;
        let mut value = lock(&self.running).value();
        let mut carry = accumulators.carry(numbers.start == plan.chunks().start);
        self.run(self.positions(numbers), &mut value, &mut carry);
        lock(&self.running).value = accumulators.same_value(&value);
        self.permitted.store(numbers.end, Ordering::Release);
        (value, carry)
    }

    fn keep(&self, numbers: &Range<usize>, (value, carry): (Opaque, Opaque), done: &mut Vec<(usize, Opaque)>) {
        if self.positions(numbers).end == self.iterations {
            *lock(&self.end) = Some(value);
        }
        if self.totals.traits.carries {
            done.push((numbers.start, carry));
        }
    }
}

/// Waits until the state before chunk `number` is known. Returns `false` after a panic, or after `patience` polls.
#[inline]
fn wait_for(permitted: &AtomicUsize, number: usize, stopped: &dyn Fn() -> bool, patience: Option<u32>) -> bool {
    let mut polls = 0_u32;
    while permitted.load(Ordering::Acquire) != number {
        polls = polls.saturating_add(1);
        if stopped() || patience == Some(polls) {
            return false;
        }
        if polls < 1 << 12 { std::hint::spin_loop() } else { std::thread::yield_now() }
    }
    true
}
