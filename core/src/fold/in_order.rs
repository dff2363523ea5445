//! Sequential execution, rank after rank. It decides the result after a speculative part has panicked.

use super::collector::Collector;
use super::opaque::Opaque;
use super::over_ranks::IterationOrder;
use super::panics::Panics;
use super::plan::Plan;
use super::runner::{Body, Runner};
use super::tree::Tree;
use crate::accumulate::{Shares, has_overflowed};
use crate::call::Call;
use crate::comm::{Comm, collective};
use crate::runtime::enter_loop;
use std::ops::Range;

/// Whether a speculative part has panicked on any rank.
pub(super) fn any_rank(call: &Call, panicked: bool) -> bool {
    if call.alone() { panicked } else { collective::allgather(call.context.comm(), &[panicked]).contains(&true) }
}

/// Runs all iterations of this rank in order, from the scan state before them and with a carry.
///
/// # Panics
/// As the sequential loop.
pub(super) fn run_in_order(
    call: &Call,
    plan: &Plan,
    runner: &Runner<'_>,
    whole: &Body<'_>,
    mut value: Opaque,
    mut carry: Opaque,
) -> (Opaque, Opaque) {
    let panics = Panics::new();
    let _inside = enter_loop(call.context.this_rank());
    if plan.mine.is_empty() {
        return (value, carry);
    }
    panics.guard(plan.mine.start, || {
        runner.run(plan.mine.clone(), &mut |arrays, range| whole([&mut value, &mut carry], arrays, range));
    });
    panics.resume(call);
    (value, carry)
}

/// Runs the chunks in order, rank after rank, each from the known values of the variables. Returns the results and the carry.
///
/// # Panics
/// As the sequential loop.
pub(super) fn chunk_by_chunk(
    call: &Call,
    plan: &Plan,
    accumulators: &dyn Collector,
    run: &dyn Fn(Range<usize>, &mut Opaque, &mut Opaque),
) -> (Tree<Opaque>, Opaque) {
    let ordered_ranks = IterationOrder { comm: call.context.comm(), backwards: plan.backwards };
    let (mut value, mut carry) = (handed_on(&ordered_ranks, accumulators), accumulators.carry(true));
    let mut tree = Tree::new();
    let inside = enter_loop(call.context.this_rank());
    for number in plan.chunks() {
        let (panics, positions) = (Panics::new(), plan.positions(number));
        let mut chunk = accumulators.chunk_from(&value);
        panics.guard(positions.start, || run(positions.clone(), &mut chunk, &mut carry));
        panics.resume(call);
        value = accumulators.advance(value, &chunk);
        tree.push(number, chunk, &mut |earlier, later| accumulators.merge(earlier, later));
    }
    drop(inside);
    hand_on(&ordered_ranks, accumulators, &value);
    (tree, carry)
}

/// Searches the iterations up to a panic, or all of them, for an overflow that chunks did not detect. The sequential loop panics there first.
/// `value` is the state before this rank's iterations; returns the state after them.
///
/// # Panics
/// At the first overflow.
pub(super) fn find_mistake(
    call: &Call,
    plan: &Plan,
    accumulators: &dyn Collector,
    first: Option<usize>,
    value: Opaque,
    run: &dyn Fn(Range<usize>, &mut Opaque, &mut Opaque),
) -> Opaque {
    // The iteration that panicked may overflow before its panic.
    let range = plan.mine.start..first.map_or(plan.mine.end, |first| first + 1);
    let (mut chunk, mut carry) = (accumulators.chunk_from(&value), accumulators.carry(true));
    let _inside = enter_loop(call.context.this_rank());
    // The iterations have run once and their writes are irrelevant now, so other panics are ignored.
    let again = Panics::new();
    has_overflowed();
    match again.guard_speculative(range.start, || run(range, &mut chunk, &mut carry)) {
        Some(()) => accumulators.advance(value, &chunk),
        None if has_overflowed() => again.say(call),
        None => value,
    }
}

/// The same, rank after rank.
///
/// # Panics
/// At the first overflow, or else with the panic of this rank.
pub(super) fn find_mistake_over_ranks(
    call: &Call,
    plan: &Plan,
    accumulators: &dyn Collector,
    panics: &Panics,
    run: &dyn Fn(Range<usize>, &mut Opaque, &mut Opaque),
) {
    let ordered_ranks = IterationOrder { comm: call.context.comm(), backwards: plan.backwards };
    let before = handed_on(&ordered_ranks, accumulators);
    let value = find_mistake(call, plan, accumulators, panics.iteration(), before, run);
    panics.resume(call);
    hand_on(&ordered_ranks, accumulators, &value);
}

/// Whether the merged result shows an overflow, though not its iteration. All ranks return the same.
pub(super) fn is_mistaken(call: &Call, accumulators: &dyn Collector, total: Option<&Opaque>) -> bool {
    let everywhere = call.alone() || accumulators.shares(call.context.ranks()) != Shares::Kept;
    everywhere && Panics::new().guard_speculative(0, || accumulators.after(total)).is_none()
}

/// Receives the scan state after the previous rank, which sends it with [`hand_on`].
pub(super) fn handed_on(ordered_ranks: &IterationOrder<'_>, accumulators: &dyn Collector) -> Opaque {
    let Some(before) = ordered_ranks.rank().checked_sub(1) else { return accumulators.value() };
    let messages = ordered_ranks.exchange_messages(&[], &[before]);
    let bytes = messages.first().map_or(&[][..], |bytes| &bytes[..]);
    accumulators.decode_value(&mut &bytes[..])
}

/// Sends the scan state after this rank to the next one.
pub(super) fn hand_on(ordered_ranks: &IterationOrder<'_>, accumulators: &dyn Collector, value: &Opaque) {
    let next = ordered_ranks.rank() + 1;
    if next < ordered_ranks.ranks() {
        let mut bytes = Vec::new();
        accumulators.encode_value(value, &mut bytes);
        ordered_ranks.exchange_messages(&[(next, &bytes)], &[]);
    }
}
