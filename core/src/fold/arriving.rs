//! Loops over blocks whose messages are processed as they arrive: [`Arrivals`].
//!
//! The results are those of the loop in waves. If the order of the messages matters, the results of each message are kept, and sorted in the order
//! of the waves when all messages are processed. On several ranks, the loop then has further passes, which only merge the results of one wave each.

use super::collector::{Collector, Traits};
use super::kernel::Carries;
use super::opaque::Opaque;
use super::panics::Panics;
use super::strategies::{Loop, Outcome};
use super::tree::Tree;
use super::workers::RunRange;
use crate::blocks::{Arrivals, Trail, Visit, in_order};
use crate::call::Call;
use crate::comm::collective;
use crate::lock::lock;
use crate::runtime::{current, enter_loop};
use std::any::Any;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

/// The results of a message.
struct Found {
    trail: Arc<Trail>,
    chunk: Option<Opaque>,
    carry: Option<Opaque>,
}

/// The state of a worker.
#[derive(Default)]
struct State {
    /// The merged result of all messages, if their order does not matter.
    chunk: Option<Opaque>,
    /// A carry for the next message.
    carry: Option<Opaque>,
    found: Vec<Found>,
}

/// Whether the results of single messages merge to those of the loop, and all ranks can exchange messages at any time.
pub(super) fn suits(call: &Call, traits: Traits) -> bool {
    let exact = traits.exact || !traits.reduces;
    let plain = !traits.alone && !traits.bulky && !traits.one_per_worker && !traits.limited && !traits.needs_order;
    exact && plain && (call.alone() || call.context.comm().stream().is_some())
}

/// Whether results merge in any order.
fn is_loose(traits: Traits) -> bool {
    traits.reduces && traits.commutes && !traits.detects_late
}

/// Whether results must be put into the order of the waves.
pub(super) fn reorders(traits: Traits) -> bool {
    traits.carries || traits.reduces && !is_loose(traits)
}

/// All messages, on all workers and ranks; or the next pass over the results.
pub(super) struct Arriving<'a>(pub &'a Arrivals);

impl Arriving<'_> {
    #[inline(never)]
    pub fn run(self, of: &Loop<'_>) -> Outcome {
        if self.0.has_run() {
            let pass = self.0.next_pass().and_then(|pass| pass.downcast::<Vec<Found>>().ok());
            return merged(of, None, pass.map_or_else(Vec::new, |pass| *pass));
        }
        let is_ordered = reorders(of.traits);
        self.0.begin(is_ordered);
        let states: Vec<Mutex<State>> = (0..of.plan.workers.max(1)).map(|_| Mutex::default()).collect();
        self.work(of, &states);
        of.panics.resume(of.call);
        let (mut all, mut chunk) = (Vec::new(), None);
        for state in states {
            let state = state.into_inner().unwrap_or_else(PoisonError::into_inner);
            all.extend(state.found);
            chunk = [chunk, state.chunk].into_iter().flatten().reduce(|one, other| of.accumulators.merge(one, other));
        }
        in_order(&mut all, |found| &found.trail);
        if of.call.alone() || !is_ordered {
            self.0.keep([]);
            return merged(of, chunk, all);
        }
        let mut passes = by_wave(of.call, all).into_iter();
        let first = passes.next().unwrap_or_default();
        self.0.keep(passes.map(|pass| Box::new(pass) as Box<dyn Any + Send>));
        merged(of, chunk, first)
    }

    /// Runs the workers. The calling thread also moves the messages between ranks.
    fn work(&self, of: &Loop<'_>, states: &[Mutex<State>]) {
        let Loop { call, accumulators, traits, run, panics, .. } = *of;
        let visits = Visits { arrivals: self.0, accumulators, traits, run, panics, alone: call.alone() };
        let (arrivals, rank, alone) = (self.0, call.context.this_rank(), call.alone());
        let caller = std::thread::current().id();
        call.context.node().run(states.len(), &|worker| {
            let leads = !alone && std::thread::current().id() == caller;
            let context = if leads { current() } else { None };
            let _inside = enter_loop(rank);
            let mut state = lock(&states[worker]);
            let visit: &mut Visit<'_> = &mut |at, trail| visits.run(&mut state, at, trail);
            let all = || match &context {
                Some(context) => arrivals.lead(context.comm(), visit),
                None => arrivals.work(alone, visit),
            };
            if panics.guard(usize::MAX, all).is_none() {
                arrivals.finish();
            }
        });
    }
}

/// The parts of a loop that all workers use.
struct Visits<'l> {
    arrivals: &'l Arrivals,
    accumulators: &'l dyn Collector,
    traits: Traits,
    run: &'l RunRange<'l>,
    panics: &'l Panics,
    /// Whether this rank runs the loop alone, over its blocks.
    alone: bool,
}

impl Visits<'_> {
    /// Runs the body for a visit. Returns whether the loop goes on.
    fn run(&self, state: &mut State, at: usize, trail: Option<Arc<Trail>>) -> bool {
        let Visits { accumulators, traits, panics, .. } = *self;
        let position = if self.alone { at } else { self.arrivals.number(at) };
        let mut chunk = state.chunk.take().unwrap_or_else(|| accumulators.chunk());
        let mut carry = state.carry.take().unwrap_or_else(|| accumulators.carry(false));
        if panics.guard(position, || (self.run)(position..position + 1, &mut chunk, &mut carry)).is_none() {
            return false;
        }
        let (mut result, mut carried) = (None, None);
        if is_loose(traits) {
            state.chunk = Some(chunk);
        } else {
            result = Some(chunk).filter(|_| traits.reduces);
        }
        if accumulators.is_untouched(&mut carry) {
            state.carry = Some(carry);
        } else {
            carried = Some(carry);
        }
        if let Some(trail) = trail
            && (result.is_some() || carried.is_some())
        {
            state.found.push(Found { trail, chunk: result, carry: carried });
        }
        true
    }
}

/// The results of each wave in which a rank has results.
fn by_wave(call: &Call, all: Vec<Found>) -> Vec<Vec<Found>> {
    let mut waves: BTreeMap<u32, Vec<Found>> = BTreeMap::new();
    all.into_iter().for_each(|found| waves.entry(found.trail.wave()).or_default().push(found));
    let own: Vec<u32> = waves.keys().copied().collect();
    for wave in collective::allgather_varied(call.context.comm(), &own).0 {
        waves.entry(wave).or_default();
    }
    waves.into_values().collect()
}

/// The merged results of a pass.
fn merged(of: &Loop<'_>, chunk: Option<Opaque>, results: Vec<Found>) -> Outcome {
    let merge = |earlier, later| of.accumulators.merge(earlier, later);
    let (mut total, mut carries) = (chunk, Carries::new());
    for found in results {
        total = [total, found.chunk].into_iter().flatten().reduce(merge);
        carries.extend(found.carry);
    }
    let mut tree = Tree::new();
    if let Some(total) = total {
        tree.push(of.plan.chunks().start, total, &mut |_, later| later);
    }
    Outcome::Parts(tree, carries)
}
