//! Functions that all drivers use: run chunks on the workers, measure the time.

use super::panics::Panics;
use super::plan::Plan;
use super::site::Instance;
use crate::call::Call;
use crate::lock::lock;
use crate::runtime::enter_loop;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Calls a function for each chunk of this rank, on all workers, and returns the results in order. Results are missing after a panic.
pub(super) fn each_chunk<C: Send>(
    call: &Call,
    plan: &Plan,
    panics: &Panics,
    each: impl Fn(usize) -> C + Sync,
) -> Vec<C> {
    let chunks = plan.chunks();
    let next = AtomicUsize::new(chunks.start);
    let totals = Mutex::new(Vec::with_capacity(chunks.len()));
    let place = call.context.this_rank();
    call.context.node().run(plan.workers, &|_worker| {
        let _inside = enter_loop(place);
        let mut done = Vec::new();
        while !panics.stopped() {
            let number = next.fetch_add(1, Ordering::Relaxed);
            if number >= chunks.end {
                break;
            }
            done.extend(panics.guard(plan.positions(number).start, || (number, each(number))));
        }
        lock(&totals).append(&mut done);
    });
    let mut totals = totals.into_inner().unwrap_or_else(PoisonError::into_inner);
    totals.sort_unstable_by_key(|(number, _)| *number);
    totals.into_iter().map(|(_, total)| total).collect()
}

/// Runs the workers of a fold. If a trace is recorded, each busy worker has a span, and the call records its busy time.
pub(super) fn on_workers(call: &Call, site: &Instance, plan: &Plan, work: &(dyn Fn(usize) + Sync)) {
    let Some(span) = call.span() else { return call.context.node().run(plan.workers, work) };
    let busy: Vec<AtomicU64> = (0..plan.workers).map(|_| AtomicU64::new(0)).collect();
    let rank = call.context.this_rank();
    call.context.node().run(plan.workers, &|worker| {
        let _inside = enter_loop(rank);
        let (function, number, schedule) = (site.name, site.number + 1, plan.schedule.name());
        let fields = tracing::info_span!(parent: &span, "worker", function, number, worker, schedule);
        let (_entered, start) = (fields.entered(), Instant::now());
        work(worker);
        let spent = u64::try_from(start.elapsed().as_nanos()).unwrap_or(u64::MAX);
        busy[worker % plan.workers].fetch_add(spent, Ordering::Relaxed);
    });
    let busy: Vec<u64> = busy.into_iter().map(AtomicU64::into_inner).collect();
    call.was_busy(&busy);
}

/// Measures the cost of an iteration, for the choice between one worker and several.
pub(super) struct Stopwatch(Option<Instant>);

impl Stopwatch {
    /// Starts the measurement, if iterations are many or `long`. Some have run already, for the time `before`.
    pub(super) fn start(call: &Call, plan: &Plan, before: Duration, long: bool) -> Self {
        let many = plan.mine.len() >= 64 || long && !plan.mine.is_empty();
        let worth = many && (call.context.node().workers() > 1 || long);
        Stopwatch(if worth { Instant::now().checked_sub(before) } else { None })
    }

    pub(super) fn stop(self, site: &Instance, plan: &Plan) {
        if let Some(start) = self.0 {
            let spent = start.elapsed().as_nanos() as u64 * 1000 * plan.workers as u64;
            site.cost.store((spent / plan.mine.len() as u64).max(1), Ordering::Relaxed);
        }
    }
}
