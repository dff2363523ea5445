//! Loops that a device runs instead of the workers.

use super::plan::Plan;
use super::tree::Tree;
use super::{Checked, Kernel, over_ranks};
use crate::accumulate::Accumulator;
use crate::device::{self, Callees, Cause, Launch, Outcome, Part, Program, Refusal, Type, Valid};
use crate::footprint::Access;
use crate::gather::Asks;
use crate::settings::Backend;
use crate::slot::Slots;
use std::ops::Range;
use std::sync::atomic::Ordering;

/// A loop that takes less than this runs on the workers where the choice is free, without a look at the device.
const WORTH_A_THOUGHT: u64 = 200_000_000;

/// What it takes to start a launch and to learn that it is done, in picoseconds, as a guess.
const LAUNCH: u64 = 50_000_000;

/// What it takes to move a byte to the device or back, in picoseconds, as a guess.
const BYTE: u64 = 100;

/// What a device is told of the variables of a loop: their values, if they have the types that the program was made for.
#[derive(Debug)]
pub struct Captured<'c> {
    program: &'static Program,
    values: Vec<u8>,
    tables: Vec<&'c [u8]>,
    overflow: bool,
    /// The types that the program asks for.
    answers: &'static [Type],
    /// What is not as the program has it.
    obstacle: Option<String>,
}

impl<'c> Captured<'c> {
    /// Nothing yet. `overflow` says whether the build checks sums of integers, `callees` which functions the loop calls, and
    /// `given` are the types that the program asks for and that the loop tells.
    pub fn new(program: &'static Program, overflow: bool, callees: Callees, given: Vec<Option<Type>>) -> Self {
        let plain =
            Captured { program, values: Vec::new(), tables: Vec::new(), overflow, answers: &[], obstacle: None };
        if program.calls.is_empty() && program.asks.is_empty() {
            return plain;
        }
        match device::composed(program, overflow, callees, given) {
            Ok(all) => Captured {
                program: &all.program,
                values: all.values.clone(),
                tables: all.tables.clone(),
                answers: &all.answers,
                ..plain
            },
            Err(reason) => Captured { obstacle: Some(reason.clone()), ..plain },
        }
    }

    fn differs(&mut self, name: &str, expected: Type, found: Option<Type>) -> bool {
        if found.is_some_and(|found| device::is(expected, self.answers, found)) {
            return false;
        }
        let expected = device::resolved(expected, self.answers);
        self.obstacle.get_or_insert_with(|| device::differs(name, expected, found));
        true
    }

    /// The next plain value.
    #[must_use]
    pub fn value(mut self, name: &str, expected: Type, found: Option<(Type, &[u8])>) -> Self {
        if !self.differs(name, expected, found.map(|(ty, _)| ty)) {
            self.values.extend_from_slice(found.map_or(&[], |(_, bytes)| bytes));
        }
        self
    }

    /// The next table.
    #[must_use]
    pub fn table(mut self, name: &str, expected: Type, found: Option<(Type, &'c [u8])>) -> Self {
        if !self.differs(name, expected, found.map(|(ty, _)| ty)) {
            self.tables.extend(found.map(|(_, bytes)| bytes));
        }
        self
    }

    /// The type of something that the program reads or collects.
    #[must_use]
    pub fn of_type(mut self, name: &str, expected: Type, found: Option<Type>) -> Self {
        self.differs(name, expected, found);
        self
    }
}

impl<L, const N: usize, S, I> Kernel<'_, L, S, I>
where
    L: Slots,
    S: Fn(Range<usize>) -> [Access; N] + Sync,
    I: for<'w> Fn(&Asks, usize, Checked<'w, L>, Range<usize>) + Sync,
{
    /// Makes the host's copies valid, for the workers.
    pub(super) fn bring_back(&mut self) {
        self.slots.each(&mut |slot| slot.bring_back());
    }

    /// Whether a device is to be asked at all: always, where the author wants it; else for loops that take long enough for
    /// the choice to matter.
    pub(super) fn worth_a_device(&self) -> bool {
        let long = || self.site.cost().saturating_mul(self.iterations as u64) > WORTH_A_THOUGHT;
        (self.call.context.settings().backend != Backend::Auto || long()) && self.call.context.node().device().is_some()
    }

    /// Whether the device is likely to be done earlier than the workers, as far as costs are known: how long an iteration
    /// takes, here and there, and how many elements have to move.
    fn faster_on_device(&self, plan: &Plan) -> bool {
        let context = &self.call.context;
        if context.settings().backend != Backend::Auto {
            return true;
        }
        let mut parts = Vec::new();
        self.slots.parts(&mut parts);
        let (mut there, mut back) = (0, 0);
        for (part, array) in parts.iter().zip(self.site.program.iter().flat_map(|program| program.arrays)) {
            let bytes = (part.count * array.element.size()) as u64;
            match part.share.map(|share| share.residence.valid()) {
                None if array.writes => there += 2 * bytes,
                None | Some(Valid::Host) => there += bytes,
                Some(Valid::Both) => {}
                Some(Valid::Device) => back += bytes,
            }
        }
        let iterations = plan.mine.len() as u64;
        let workers = context.node().workers() as u64;
        let here = self.site.cost().saturating_mul(iterations) / workers + back * BYTE;
        let device = self.site.device_cost.load(Ordering::Relaxed).saturating_mul(iterations) + there * BYTE + LAUNCH;
        let faster = device < here;
        if context.settings().explain && context.place().rank == 0 && !self.site.told.swap(true, Ordering::Relaxed) {
            let millis = |picoseconds: u64| picoseconds as f64 * 1e-9;
            eprintln!(
                "`{}`, loop {}: on {}, where it takes about {:.3} ms at first sight; {:.3} ms on {}",
                self.site.name,
                self.site.number + 1,
                if faster { "the GPU" } else { context.node().name() },
                millis(device.min(here)),
                millis(device.max(here)),
                if faster { "the processor's cores" } else { "the GPU" },
            );
        }
        faster
    }

    /// The value after the last iteration and this rank's carries, where a device has run the loop.
    #[inline]
    pub(super) fn fold_on_device<A: Accumulator>(
        &mut self,
        plan: &Plan,
        accumulators: &A,
    ) -> Option<(A::Value, Vec<A::Carry>)> {
        let captured = self.captured.take()?;
        if !self.faster_on_device(plan) {
            self.bring_back();
            return None;
        }
        let mut bins = Vec::new();
        accumulators.bins(&mut bins);
        let outcome = launch(self, plan, &captured, &bins, Launched::AtOnce(None))?;
        super::close(self.call, plan, &mut self.slots);
        let mut value = accumulators.value();
        if size_of::<A::Chunk>() > 0 {
            let mut tree = Tree::new();
            if !plan.mine.is_empty() {
                tree.push(
                    plan.chunks().start,
                    accumulators.receive(&mut outcome.received(captured.program)),
                    &mut |_, later| later,
                );
            }
            let merge = &mut |earlier, later| accumulators.merge(earlier, later);
            let alone = self.call.alone();
            let total =
                if alone { tree.total(merge) } else { over_ranks(self.call, plan, self.site, accumulators, tree) };
            if let Some(total) = total {
                value = accumulators.advance(value, &total);
            }
        }
        Some((value, vec![accumulators.pushed(&mut outcome.pushes.into_iter())]))
    }

    /// The same for a loop whose body sees a running value. `value_before` makes of this rank's total, if it has one, the
    /// value before its first iteration.
    #[inline]
    pub(super) fn scan_on_device<A: Accumulator>(
        &mut self,
        plan: &Plan,
        accumulators: &A,
        mut value_before: impl FnMut(Option<A::Chunk>) -> A::Value,
    ) -> Option<(A::Value, Vec<A::Carry>)> {
        let captured = self.captured.take()?;
        if !self.faster_on_device(plan) {
            self.bring_back();
            return None;
        }
        let mut first = None;
        for level in 0..if self.call.alone() { 0 } else { captured.program.depth() } {
            let mut state = Vec::new();
            if let Some(lower) = &first {
                send(accumulators, lower, captured.program, &mut state);
            }
            let outcome = launch(self, plan, &captured, &[], Launched::Totals(level, &state))?;
            let total = (!plan.mine.is_empty()).then(|| accumulators.receive(&mut outcome.received(captured.program)));
            first = Some(value_before(total));
        }
        let first = first.unwrap_or_else(|| value_before(None));
        let mut state = Vec::new();
        send(accumulators, &first, captured.program, &mut state);
        let how = if self.call.alone() { Launched::AtOnce(Some(&state)) } else { Launched::After(&state) };
        let outcome = launch(self, plan, &captured, &[], how)?;
        super::close(self.call, plan, &mut self.slots);
        let value = match plan.mine.is_empty() {
            true => first,
            false => accumulators.advance(first, &accumulators.receive(&mut outcome.received(captured.program))),
        };
        Some((value, vec![accumulators.pushed(&mut outcome.pushes.into_iter())]))
    }
}

/// The fields of a state that holds a running value.
fn send<A: Accumulator>(accumulators: &A, value: &A::Value, program: &Program, state: &mut Vec<u8>) {
    accumulators.send(value, state);
    // Nothing has wrapped around.
    state.resize(state.len() + 4 * program.counted, 0);
}

/// Which part of a loop a launch is.
#[derive(Clone, Copy)]
enum Launched<'s> {
    /// All of it, from a running value if there is one.
    AtOnce(Option<&'s [u8]>),
    /// What the running values of a scan come to, up to a level, from those of the levels below. Above level 0 there is no
    /// way back to the workers.
    Totals(usize, &'s [u8]),
    /// The rest of a scan, once all ranks know their totals: there is no way back to the workers.
    After(&'s [u8]),
}

impl Launched<'_> {
    /// Whether other ranks go on with what this one has told them.
    fn is_late(self) -> bool {
        matches!(self, Launched::After(_) | Launched::Totals(1.., _))
    }
}

/// Runs the loop on the device. `None` where it cannot, or where an iteration panics: then the workers run it, and panic as
/// Rust does.
#[cold]
fn launch<L: Slots, S, I>(
    kernel: &mut Kernel<'_, L, S, I>,
    plan: &Plan,
    captured: &Captured<'_>,
    bins: &[Vec<u8>],
    how: Launched<'_>,
) -> Option<Outcome> {
    let (call, program) = (kernel.call, captured.program);
    let device = call.context.node().device()?;
    let gathers = !kernel.site.gathers.is_empty();
    let result = if let Some(obstacle) = &captured.obstacle {
        Err(Refusal::Cannot(obstacle.clone()))
    } else if plan.scattered {
        Err(Refusal::Cannot("the elements that it gathers from other ranks lie apart".to_owned()))
    } else if plan.mine.is_empty() {
        return Some(Outcome { pushes: vec![Vec::new(); program.pushes.len()], ..Outcome::default() });
    } else {
        let proved = plan.inside && !gathers;
        kernel.slots.each(&mut |slot| {
            if slot.part().share.is_none() {
                slot.bring_back();
            }
        });
        let mut arrays = Vec::new();
        kernel.slots.parts(&mut arrays);
        if proved {
            for ((part, hull), array) in arrays.iter_mut().zip(&plan.hulls).zip(program.arrays) {
                *part = cropped(*part, hull, array.element.size());
            }
        }
        let launch = Launch {
            program,
            positions: plan.mine.clone(),
            arrays: &arrays,
            proved,
            overflow: captured.overflow,
            values: &captured.values,
            tables: &captured.tables,
            bins,
            state: match how {
                Launched::AtOnce(state) => state,
                Launched::Totals(0, _) => None,
                Launched::Totals(_, state) | Launched::After(state) => Some(state),
            },
            totals: match how {
                Launched::Totals(level, _) => Some(level),
                _ => None,
            },
        };
        let start = std::time::Instant::now();
        // SAFETY: the arrays are open, this is the only thread that touches them, and the macro and the probes have seen to
        // the types.
        let result = unsafe { device.run(&launch) };
        let spent = (start.elapsed().as_nanos() as u64 * 1000).saturating_sub(LAUNCH) / launch.positions.len() as u64;
        // The first launch makes the shader, and others move elements: the shortest is what it comes to.
        let known = kernel.site.device_cost.load(Ordering::Relaxed);
        if known == 0 || spent < known {
            kernel.site.device_cost.store(spent.max(1), Ordering::Relaxed);
        }
        result
    };
    match result {
        Ok(Outcome { raised: None, .. }) => return result.ok(),
        Ok(Outcome { raised: Some((position, cause)), .. }) => {
            if how.is_late() {
                call.context.set_location(call.meta.name, position);
                panic!("{cause}");
            }
            if matches!(cause, Cause::Wide | Cause::Trips) {
                refused(call, program.name, &Refusal::Cannot(format!("iteration {position} needs {cause}")));
            } else {
                tracing::debug!(kernel = program.name, position, %cause, "runs again on the workers, to panic there");
            }
        }
        Err(refusal) => {
            refused(call, program.name, &refusal);
            assert!(!how.is_late(), "the GPU found the totals of a loop, and then: {refusal}");
        }
    }
    kernel.slots.each(&mut |slot| slot.bring_back());
    None
}

/// The loop runs on the workers: says why, or ends the call where that is not wanted.
#[cold]
pub(super) fn refused(call: &crate::call::Call, name: &str, refusal: &Refusal) {
    let settings = call.context.settings();
    let lost = matches!(refusal, Refusal::Failed(_)) && settings.backend != Backend::Auto;
    assert!(
        !settings.require_gpu && !lost,
        "`{name}` cannot run on the GPU: {refusal}; FORALL_BACKEND=threads runs it on the processor's cores"
    );
    tracing::warn!(kernel = name, reason = %refusal, "runs on the workers instead of the GPU");
}

/// The elements of `hull`, of a part that holds them.
fn cropped<'a>(part: Part<'a>, hull: &Range<usize>, size: usize) -> Part<'a> {
    let skipped = hull.start.saturating_sub(part.first);
    Part { address: part.address.wrapping_add(skipped * size), first: part.first + skipped, count: hull.len(), ..part }
}
