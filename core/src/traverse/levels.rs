//! Traversal level by level: a device runs the calls of a level, and the host accumulates their results in order.
//!
//! A loop over the calls of a level records the events of each call ([`Level`]): the calls that it makes, and the values that it accumulates.
//! The calls of a level are in sequential order. So the host restores the sequential order in one pass over each level: at a recorded call
//! it continues with the next call of the level below. The host merges results as workers do, so they have the same bits.
//!
//! Levels with few calls are not worth a launch. Workers make the calls of the first levels, and the calls below a small level.

use super::calls::{Pending, Rules};
use super::collected::{Collected, State};
use crate::accumulate::Accumulator;
use crate::device::Moved;
use crate::runtime::{Context, on_this_rank, tried};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Event: a call begins.
pub const BEGIN: u32 = 0;
/// Event: it makes a call.
pub const CALL: u32 = 1;
/// Event: it accumulates a value. Each place in the body that does so has its own number, from this one on.
pub const COLLECT: u32 = 2;

/// The least number of calls that is worth a launch, unless `FORALL_GRAIN` is set.
pub(super) const ENOUGH: usize = 1024;

/// The largest number of calls in a level, because recorded events take memory.
const MOST: usize = 1 << 24;

/// The recorded events of a level.
#[derive(Debug)]
pub struct Level<N, V> {
    /// Call by call: [`BEGIN`], and then [`CALL`] and numbers from [`COLLECT`] on.
    pub events: Vec<u32>,
    /// The arguments of the calls to the level below, in order.
    pub below: Vec<N>,
    /// The accumulated values, in order.
    pub values: V,
}

/// A traversal's levels.
#[derive(Debug)]
pub struct Levels<L, C> {
    /// Runs the calls of a level.
    level: L,
    /// Accumulates the next value, as the body does at the place with this number.
    collect: C,
}

/// `level` runs the calls with these arguments. `collect` accumulates the next value, as the body does at a place.
pub fn levels<N, V, A, L, C>(_: &A, level: L, collect: C) -> Levels<L, C>
where
    A: Accumulator,
    L: Fn(&[N]) -> Level<N, V>,
    C: Fn(&mut (A::Chunk, A::Carry), u32, &mut V),
{
    Levels { level, collect }
}

/// Traversals that may run level by level.
pub trait ByLevels<N, A: Accumulator> {
    /// Runs the calls of a list by levels, as far as levels are worth it. Returns the results and the remaining calls, in order.
    fn made(&self, all: Vec<Listed<N, A>>, rules: &Laws<'_, N, A>, context: &Context) -> Vec<Listed<N, A>>;
}

/// An entry of a list of pending work.
#[allow(missing_debug_implementations)] // It contains values of the user.
pub struct Listed<N, A: Accumulator>(pub(super) Pending<N, A>);

/// The parameters of a traversal.
#[allow(missing_debug_implementations)] // It holds closures.
pub struct Laws<'t, N, A: Accumulator>(pub(super) &'t Rules<'t, N, A>);

/// A traversal without levels.
#[derive(Debug)]
pub struct NoLevels;

impl<N, A: Accumulator> ByLevels<N, A> for NoLevels {
    fn made(&self, all: Vec<Listed<N, A>>, _: &Laws<'_, N, A>, _: &Context) -> Vec<Listed<N, A>> {
        all
    }
}

impl<N, V, A, L, C> ByLevels<N, A> for Levels<L, C>
where
    N: Clone,
    A: Accumulator,
    L: Fn(&[N]) -> Level<N, V>,
    C: Fn(&mut State<A>, u32, &mut V),
{
    fn made(&self, all: Vec<Listed<N, A>>, rules: &Laws<'_, N, A>, context: &Context) -> Vec<Listed<N, A>> {
        let (mut calls, mut deepest) = (Vec::new(), 0);
        for Listed(pending) in &all {
            if let Pending::Call { depth, arguments } = pending {
                calls.push(arguments.clone());
                deepest = deepest.max(*depth);
            }
        }
        let levels = self.as_far_as_worth_it(&mut calls, deepest, rules.0, context);
        if levels.is_empty() {
            return all;
        }
        let mut order = InOrder { levels, at: Vec::new(), left: calls.into_iter(), rules: rules.0, of: self };
        order.at.resize(order.levels.len(), 0);
        order.all(all)
    }
}

impl<L, C> Levels<L, C> {
    /// Runs level after level, and leaves the remaining calls to the workers.
    fn as_far_as_worth_it<N, V, A>(
        &self,
        calls: &mut Vec<N>,
        mut deepest: u32,
        rules: &Rules<'_, N, A>,
        context: &Context,
    ) -> Vec<(Vec<u32>, V)>
    where
        A: Accumulator,
        L: Fn(&[N]) -> Level<N, V>,
    {
        let mut levels = Vec::new();
        let worth = enough(context)..=MOST;
        while worth.contains(&calls.len()) && deepest < rules.depth {
            let before = Moved::so_far();
            let level = || tried(|| on_this_rank(context, || (self.level)(calls)));
            // After a panic the calls run again on the workers, and panic there.
            let Ok(Level { events, below, values }) = catch_unwind(AssertUnwindSafe(level)) else { break };
            *calls = below;
            deepest += 1;
            levels.push((events, values));
            // Without a device, workers are faster without levels.
            if Moved::since(before) == Moved::default() {
                break;
            }
        }
        levels
    }
}

/// The number of calls that is worth a launch.
pub(super) fn enough(context: &Context) -> usize {
    context.settings().grain.map_or(ENOUGH, |grain| grain.get())
}

/// Reads the events of all levels in the order of the sequential traversal.
struct InOrder<'o, N, V, A: Accumulator, L, C> {
    levels: Vec<(Vec<u32>, V)>,
    /// The read position in each level.
    at: Vec<usize>,
    /// The arguments of the calls below the last level.
    left: std::vec::IntoIter<N>,
    rules: &'o Rules<'o, N, A>,
    of: &'o Levels<L, C>,
}

/// The results since the last remaining call.
struct Stretch<A: Accumulator> {
    collected: Collected<A>,
    state: State<A>,
}

impl<A: Accumulator> Stretch<A> {
    fn new<N>(rules: &Rules<'_, N, A>) -> Self {
        Stretch { collected: Collected::new(false), state: rules.fresh() }
    }

    /// Ends a unit: the results between two calls merge as one unit.
    fn keep_apart<N>(&mut self, rules: &Rules<'_, N, A>) {
        if !A::EXACT {
            let chunk = std::mem::replace(&mut self.state.0, rules.accumulators.chunk());
            self.collected.add_chunk(rules.accumulators, chunk);
        }
    }

    /// Takes the results.
    fn take<N>(&mut self, rules: &Rules<'_, N, A>) -> Collected<A> {
        let Stretch { mut collected, state } = std::mem::replace(self, Stretch::new(rules));
        collected.add(rules.accumulators, state);
        collected
    }
}

impl<N, V, A, L, C> InOrder<'_, N, V, A, L, C>
where
    A: Accumulator,
    C: Fn(&mut State<A>, u32, &mut V),
{
    fn all(&mut self, all: Vec<Listed<N, A>>) -> Vec<Listed<N, A>> {
        let (mut out, mut stretch) = (Vec::new(), Stretch::new(self.rules));
        for Listed(pending) in all {
            match pending {
                Pending::Call { depth, .. } => self.call(depth, &mut stretch, &mut out),
                collected => {
                    out.push(Listed(Pending::All(stretch.take(self.rules))));
                    out.push(Listed(collected));
                }
            }
        }
        out.push(Listed(Pending::All(stretch.take(self.rules))));
        out
    }

    /// Processes the next call of the first level, and all calls that follow from it.
    fn call(&mut self, depth: u32, stretch: &mut Stretch<A>, out: &mut Vec<Listed<N, A>>) {
        let mut level = 0;
        stretch.keep_apart(self.rules);
        self.at[0] += 1;
        loop {
            let (events, values) = &mut self.levels[level];
            match events.get(self.at[level]) {
                None | Some(&BEGIN) => {
                    stretch.keep_apart(self.rules);
                    if level == 0 {
                        return;
                    }
                    level -= 1;
                    continue;
                }
                Some(&CALL) => {
                    stretch.keep_apart(self.rules);
                    self.at[level] += 1;
                    if level + 1 < self.levels.len() {
                        level += 1;
                        // Its beginning.
                        self.at[level] += 1;
                    } else if let Some(arguments) = self.left.next() {
                        out.push(Listed(Pending::All(stretch.take(self.rules))));
                        out.push(Listed(Pending::Call { depth: depth + level as u32 + 1, arguments }));
                    }
                }
                Some(&place) => {
                    self.at[level] += 1;
                    (self.of.collect)(&mut stretch.state, place, values);
                }
            }
        }
    }
}
