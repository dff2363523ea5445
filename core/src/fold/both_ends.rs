//! A scan whose totals are all that it computes: one worker runs the loop from its beginning, the others compute totals from its end.
//!
//! The first worker knows its scan state, so it runs the body as it is written. Workers meet where they have done equal work.

use super::opaque::Opaque;
use super::panics::Panics;
use super::running::{Running, Totals};
use crate::call::Call;
use crate::lock::lock;
use crate::runtime::enter_loop;
use std::ops::Range;
use std::sync::Mutex;

/// The chunks that no worker has taken.
struct Left(Mutex<Range<usize>>);

impl Left {
    fn first(&self) -> Option<usize> {
        lock(&self.0).next()
    }

    fn last(&self) -> Option<usize> {
        lock(&self.0).next_back()
    }

    /// Leaves the chunks from this one on to sequential execution.
    fn stop_at(&self, number: usize) {
        let mut left = lock(&self.0);
        left.end = left.end.min(number).max(left.start);
    }
}

/// The value after the last iteration.
///
/// # Panics
/// As the sequential loop.
pub(super) fn from_both_ends(call: &Call, totals: &Totals<'_>) -> Opaque {
    let Totals { accumulators, bodies, plan, runner, .. } = totals;
    let (chunks, rank) = (plan.chunks(), call.context.this_rank());
    let (left, panics, speculation) = (Left(Mutex::new(chunks.clone())), Panics::new(), Panics::new());
    let run = |range: Range<usize>, value: &mut Opaque| {
        let mut carry = accumulators.carry(true);
        panics.guard(range.start, || {
            runner.run(range.clone(), &mut |arrays, range| (bodies.whole)([&mut *value, &mut carry], arrays, range));
        });
    };
    let value = Mutex::new(accumulators.value());
    let found: Mutex<Vec<(usize, Opaque)>> = Mutex::default();
    call.context.node().run(plan.workers, &|worker| {
        let _inside = enter_loop(rank);
        if worker == 0 {
            let mut value = lock(&value);
            while !panics.stopped()
                && let Some(number) = left.first()
            {
                run(plan.positions(number), &mut value);
            }
            return;
        }
        let mut mine = Vec::new();
        while !panics.stopped()
            && let Some(number) = left.last()
        {
            match speculation.guard_speculative(plan.positions(number).start, || totals.of(number)) {
                Some(total) => mine.push((number, total)),
                None => left.stop_at(number),
            }
        }
        lock(&found).append(&mut mine);
    });
    panics.resume(call);
    let (mut running, mut found) = (Running::after(*accumulators, None), std::mem::take(&mut *lock(&found)));
    running.value = accumulators.same_value(&lock(&value));
    found.sort_unstable_by_key(|(number, _)| *number);
    // The chunks of the first worker are those before the first total, unless a total has failed.
    let mut next = lock(&left.0).start;
    for (number, total) in found {
        if number != next || running.include(number, total).is_none() {
            break;
        }
        next += 1;
    }
    let mut value = running.value();
    if next < chunks.end {
        run(plan.positions(next).start..plan.positions(chunks.end - 1).end, &mut value);
        panics.resume(call);
    }
    value
}
