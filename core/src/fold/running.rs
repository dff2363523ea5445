//! The scan state: totals of chunks, and the states before each chunk and each rank.

use super::chunks::each_chunk;
use super::collector::{Collector, Traits};
use super::in_order::any_rank;
use super::opaque::Opaque;
use super::over_ranks::IterationOrder;
use super::panics::Panics;
use super::plan::Plan;
use super::runner::{Arrays, Body, Runner};
use super::site::Interleaving;
use super::tree::Tree;
use crate::accumulate::Settling;
use crate::call::Call;
use crate::comm::{Comm, collective};
use crate::runtime::tried;
use std::ops::Range;

/// The number of chunks of a scan that a worker interleaves, for instruction-level parallelism.
pub const CHAINS: usize = 4;

/// The distance between interleaved chunks, in iterations.
pub const AHEAD: usize = 32;

/// The bodies of a loop with scan states.
pub(super) struct Bodies<'b> {
    /// The level of each scan state. The scan states of a level depend on the inputs and on lower levels. Empty if all are of level 0.
    pub levels: &'b [usize],
    /// The part of the body that computes the total of a chunk, for a level, from the scan states of the lower levels before it. Without it, the
    /// iterations run in order.
    pub total: Option<&'b Total<'b>>,
    /// The whole body, from the scan state before the range and the worker's carry.
    pub whole: &'b Body<'b>,
    /// The whole body over several interleaved chunks of a proved range, each from its own scan state.
    pub chains: Option<&'b Chains<'b>>,
    /// Whether chunks may run interleaved.
    pub interleaving: Interleaving,
    /// Whether the totals are all that the loop computes: the whole body then runs only where there is no total.
    pub totals_suffice: bool,
}

pub(super) type Total<'b> = dyn Fn(usize, &Opaque, &mut Opaque, &Arrays<'_>, Range<usize>) + Sync + 'b;

pub(super) type Chains<'b> = dyn Fn(&mut [Opaque; CHAINS], &Arrays<'_>, Range<usize>) + Sync + 'b;

impl Bodies<'_> {
    /// The number of levels.
    pub fn levels(&self) -> usize {
        self.levels.iter().max().map_or(1, |highest| highest + 1)
    }

    /// The number of chunks that a worker takes at a time.
    pub fn group(&self) -> usize {
        if self.chains.is_some() { CHAINS } else { 1 }
    }
}

/// The scan state between chunks.
pub(super) struct Running<'k> {
    accumulators: &'k dyn Collector,
    exact: bool,
    limited: bool,
    /// The state after all chunks so far.
    pub value: Opaque,
    /// If the operator is not exact: all chunks so far, so that the grouping is fixed.
    tree: Tree<Opaque>,
    /// The totals of its nodes: see [`Tree::totals`].
    totals: Vec<Opaque>,
}

impl<'k> Running<'k> {
    /// The state after all earlier ranks.
    pub fn after(accumulators: &'k dyn Collector, before: Option<Tree<Opaque>>) -> Self {
        let (Traits { exact, limited, .. }, tree) = (accumulators.traits(), before.unwrap_or_else(Tree::new));
        let value = after_all(accumulators, &tree);
        let tree = if exact { Tree::new() } else { tree };
        Running { accumulators, exact, limited, value, tree, totals: Vec::new() }
    }

    pub fn value(&self) -> Opaque {
        self.accumulators.same_value(&self.value)
    }

    /// Includes the next chunk, and returns the state before it. `None` if the state after it would be wrong. The state is then unchanged, as
    /// after a panic of the user's function, and no further chunk may be included.
    #[must_use]
    pub fn include(&mut self, number: usize, chunk: Opaque) -> Option<Opaque> {
        let accumulators = self.accumulators;
        let after = if self.exact {
            let after = accumulators.advance(accumulators.same_value(&self.value), &chunk);
            if self.limited && !accumulators.fits(&self.value, &chunk, &after) {
                return None;
            }
            after
        } else {
            let same = self.limited.then(|| accumulators.same_chunk(&chunk));
            self.tree.push(number, chunk, &mut |earlier, later| accumulators.merge(earlier, later));
            let same_chunk = |chunk: &Opaque| accumulators.same_chunk(chunk);
            self.tree.totals(&mut self.totals, same_chunk, &mut |earlier, later| accumulators.merge(earlier, later));
            let after = accumulators.after(self.totals.last());
            if same.is_some_and(|chunk| !accumulators.fits(&self.value, &chunk, &after)) {
                return None;
            }
            after
        };
        Some(std::mem::replace(&mut self.value, after))
    }

    /// Whether the states after all these chunks are right, if the operator is exact.
    fn fit_all(&self, chunks: &[Opaque]) -> bool {
        let accumulators = self.accumulators;
        let next = |value: Opaque, chunk: &Opaque| {
            let after = accumulators.advance(accumulators.same_value(&value), chunk);
            accumulators.fits(&value, chunk, &after).then_some(after)
        };
        chunks.iter().try_fold(self.value(), next).is_some()
    }

    /// Whether the state is right, before and after the chunks of this rank. Equal trees give equal answers. Exact states are right
    /// if [`Running::fit_all`] says so on all ranks.
    fn fit_before_and_after(&self, mine: Tree<Opaque>) -> [bool; 2] {
        if !self.limited || self.exact {
            return [true; 2];
        }
        let accumulators = self.accumulators;
        let fits = |tree: &Tree<Opaque>| {
            let total = total_so_far(accumulators, tree);
            let fits = |chunk| accumulators.fits(&accumulators.value(), chunk, &accumulators.after(Some(chunk)));
            total.as_ref().is_none_or(fits)
        };
        let mut all = self.tree.same(|chunk| accumulators.same_chunk(chunk));
        all.append(mine, &mut |earlier, later| accumulators.merge(earlier, later));
        [fits(&self.tree), fits(&all)]
    }
}

/// The scan state after all chunks of a tree.
fn after_all(accumulators: &dyn Collector, tree: &Tree<Opaque>) -> Opaque {
    accumulators.after(total_so_far(accumulators, tree).as_ref())
}

fn total_so_far(accumulators: &dyn Collector, tree: &Tree<Opaque>) -> Option<Opaque> {
    let same = |chunk: &Opaque| accumulators.same_chunk(chunk);
    tree.total_so_far(same, &mut |earlier, later| accumulators.merge(earlier, later))
}

/// Computes the totals of chunks, before their scan states are known.
pub(super) struct Totals<'k> {
    pub accumulators: &'k dyn Collector,
    pub traits: Traits,
    pub bodies: &'k Bodies<'k>,
    pub plan: &'k Plan,
    pub runner: &'k Runner<'k>,
    /// The state before the loop.
    first: Opaque,
}

/// The state of a rank before its workers start.
pub(super) struct Start<'k> {
    /// The scan state before this rank.
    pub running: Running<'k>,
    /// The totals of the chunks, if other ranks or levels needed them.
    pub totals: Option<Vec<Opaque>>,
    /// Whether all earlier ranks have computed their totals.
    pub known: bool,
    /// Whether this rank and all earlier ones have computed their totals.
    pub sound: bool,
    /// Whether the next rank knows its scan state. Otherwise this rank sends it.
    pub next_known: bool,
    /// Panics of the speculative totals.
    pub speculation: Panics,
}

impl<'k> Totals<'k> {
    pub fn new(
        accumulators: &'k dyn Collector,
        bodies: &'k Bodies<'k>,
        plan: &'k Plan,
        runner: &'k Runner<'k>,
    ) -> Self {
        Totals { accumulators, traits: accumulators.traits(), bodies, plan, runner, first: accumulators.value() }
    }

    /// The total of a range in a level, from the states of the lower levels before it. `chunk` has the totals of lower levels.
    fn from(&self, level: usize, before: &Opaque, mut chunk: Opaque, range: Range<usize>) -> Opaque {
        let total = self.bodies.total.expect("a loop without totals runs in order");
        self.runner.run(range, &mut |arrays, range| total(level, before, &mut chunk, arrays, range));
        chunk
    }

    /// The total of a chunk.
    pub fn of(&self, number: usize) -> Opaque {
        self.of_level(0, &self.first, self.accumulators.chunk(), number)
    }

    /// The same for a level, from the states of the lower levels before the chunk, and with their totals.
    fn of_level(&self, level: usize, before: &Opaque, lower: Opaque, number: usize) -> Opaque {
        match self.search(level, before, lower, self.plan.positions(number), usize::MAX) {
            Some(total) => total,
            None => unreachable!("without a limit there is a total"),
        }
    }

    /// The total of a chunk. Starts at its end and stops as soon as earlier iterations are irrelevant, or after `limit` iterations.
    pub fn within(&self, number: usize, limit: usize) -> Option<Opaque> {
        self.search(0, &self.first, self.accumulators.chunk(), self.plan.positions(number), limit)
    }

    /// The total of a level for a range, from the states of the lower levels before it. `chunk` has their totals.
    fn search(
        &self,
        level: usize,
        before: &Opaque,
        chunk: Opaque,
        range: Range<usize>,
        limit: usize,
    ) -> Option<Opaque> {
        let Range { start, mut end } = range;
        if !self.may_settle(level) {
            return Some(self.from(level, before, chunk, range));
        }
        let (mut part, least) = (256, end.saturating_sub(limit).max(start));
        // The last part of the range has the totals of the lower levels, and the others have none.
        let (mut chunk, mut total) = (chunk, None);
        loop {
            let begin = end.saturating_sub(part).max(least);
            let value = self.state_before(level, before, start..begin, part);
            let (begin, value) = match &value {
                Some(value) => (begin, value),
                None => (start, before),
            };
            let earlier = self.from(level, value, chunk, begin..end);
            let found = match total.take() {
                Some(later) => self.accumulators.merge(earlier, later),
                None => earlier,
            };
            if begin == start || self.settled(level, &found) {
                return Some(found);
            }
            if begin == least {
                return None;
            }
            (end, part, chunk, total) = (begin, 2 * part, self.accumulators.chunk(), Some(found));
        }
    }

    /// The states of the lower levels after a range, from those before it, unless more than `limit` iterations are needed.
    fn state_before(&self, level: usize, before: &Opaque, range: Range<usize>, limit: usize) -> Option<Opaque> {
        let add = |chunk, lower| self.search(lower, before, chunk, range.clone(), limit);
        let chunk = (0..if range.is_empty() { 0 } else { level }).try_fold(self.accumulators.chunk(), add)?;
        Some(self.accumulators.advance(self.accumulators.same_value(before), &chunk))
    }

    /// Whether a range may have the total of a level without its first iterations. The states of lower levels must be those of the body, bit
    /// by bit, from wherever they are computed.
    fn may_settle(&self, level: usize) -> bool {
        self.all_parts(&self.accumulators.chunk(), |of, part| of > level || part.settles && (of == level || part.exact))
    }

    /// Whether the total of a level is independent of all that is before the chunk.
    fn settled(&self, level: usize, chunk: &Opaque) -> bool {
        self.all_parts(chunk, |of, part| of != level || part.settled)
    }

    /// Whether all parts of a chunk are as `is` says of their level and of them.
    fn all_parts(&self, chunk: &Opaque, is: impl Fn(usize, Settling) -> bool) -> bool {
        let (mut levels, mut all) = (self.bodies.levels.iter(), true);
        self.accumulators.settling(chunk, &mut |part| all &= is(levels.next().copied().unwrap_or(0), part));
        all
    }

    /// Computes the scan state before each rank, level by level (an exclusive scan over the ranks). `agreed` has the totals of earlier ranks
    /// for the levels that are exchanged already.
    ///
    /// All ranks except the last one compute their totals before they know their own state. The last rank does so only if it needs the
    /// totals anyway.
    pub fn agree(
        &self,
        call: &Call,
        ordered_ranks: &IterationOrder<'_>,
        mut agreed: Vec<Option<Tree<Opaque>>>,
    ) -> Start<'k> {
        let (accumulators, levels) = (self.accumulators, self.bodies.levels());
        // Totals start from the identity element and not from the state of the sequential loop: their panics are speculative.
        let (speculation, begin) = (Panics::new(), self.plan.mine.start);
        let (mut known, mut next_known) = (true, true);
        let mut running = Running::after(accumulators, None);
        let mut totals: Option<Vec<Opaque>> = None;
        let last_rank = ordered_ranks.rank() + 1 == ordered_ranks.ranks();
        for level in 0..if call.alone() && levels == 1 { 0 } else { levels } {
            let mut mine = Tree::new();
            if known && !speculation.stopped() && (!last_rank || !self.traits.exact || levels > 1) {
                let found = match totals {
                    None => each_chunk(call, self.plan, &speculation, |number| tried(|| self.of(number))),
                    Some(lower) => self.next_level(call, level, &lower, &mut running, &speculation),
                };
                let add = |mut tree: Tree<Opaque>, (number, chunk)| {
                    let chunk = accumulators.same_chunk(chunk);
                    tree.push(number, chunk, &mut |earlier, later| accumulators.merge(earlier, later));
                    tree
                };
                let tree = || self.plan.chunks().zip(&found).fold(Tree::new(), add);
                mine = speculation.guard_speculative(begin, tree).unwrap_or_else(Tree::new);
                totals = Some(found);
            }
            let earlier = agreed.get_mut(level).map(Option::take);
            let exchanges = earlier.is_none();
            let has_total = known && !speculation.stopped();
            let same = match exchanges && has_total && self.traits.limited {
                true => mine.same(|chunk| accumulators.same_chunk(chunk)),
                false => Tree::new(),
            };
            let before = earlier.unwrap_or_else(|| {
                let before = before(ordered_ranks, accumulators, has_total.then_some(mine), &speculation);
                known &= before.is_some();
                next_known &= has_total && known;
                before.flatten()
            });
            let after = || {
                let running = Running::after(accumulators, before);
                let fit = if exchanges { running.fit_before_and_after(same) } else { [true; 2] };
                (running, fit)
            };
            let (after, fit) = speculation
                .guard_speculative(begin, after)
                .unwrap_or_else(|| (Running::after(accumulators, None), [true; 2]));
            // Both ranks of a pair decide alike: one receives the state, the other sends it.
            (running, known, next_known) = (after, known && fit[0], next_known && fit[1]);
        }
        let fit = || totals.as_ref().is_none_or(|totals| running.fit_all(totals));
        if self.traits.exact && self.traits.limited && !call.alone() && any_rank(call, known && !fit()) {
            return Start { running, totals, known: false, sound: false, next_known: false, speculation };
        }
        // If the user's function panics while totals merge, not all ranks notice.
        if self.traits.by_function && any_rank(call, speculation.stopped() || !known || !next_known) {
            return Start { running, totals, known: false, sound: false, next_known: false, speculation };
        }
        Start { running, totals, known, sound: known && next_known && !speculation.stopped(), next_known, speculation }
    }

    /// The totals of a level, from the totals of the lower levels.
    fn next_level(
        &self,
        call: &Call,
        level: usize,
        lower: &[Opaque],
        running: &mut Running<'_>,
        speculation: &Panics,
    ) -> Vec<Opaque> {
        let (accumulators, chunks) = (self.accumulators, self.plan.chunks());
        let start = |(number, chunk): (usize, &Opaque)| running.include(number, accumulators.same_chunk(chunk));
        let starts = || chunks.clone().zip(lower).map(start).collect();
        let begin = self.plan.mine.start;
        let starts: Option<Option<Vec<Opaque>>> = speculation.guard_speculative(begin, starts);
        let Some(starts) = starts.and_then(|starts| starts.or_else(|| speculation.fail(begin))) else {
            return Vec::new();
        };
        each_chunk(call, self.plan, speculation, |number| {
            let (before, chunk) = (&starts[number - chunks.start], &lower[number - chunks.start]);
            let chunk = accumulators.same_chunk(chunk);
            tried(|| self.of_level(level, before, chunk, number))
        })
    }
}

/// The scan state before this rank, from the total that a device computed for a level. `agreed` stores the totals of earlier ranks, in case
/// the device fails later.
pub(super) fn value_before(
    ordered_ranks: &IterationOrder<'_>,
    plan: &Plan,
    accumulators: &dyn Collector,
    total: Option<Opaque>,
    agreed: &mut Vec<Option<Tree<Opaque>>>,
) -> Opaque {
    let mut mine = Tree::new();
    if let Some(total) = total {
        mine.push(plan.chunks().start, total, &mut |_, later| later);
    }
    // A device's total is not speculative.
    let speculation = Panics::new();
    let before = if ordered_ranks.ranks() == 1 {
        None
    } else {
        before(ordered_ranks, accumulators, Some(mine), &speculation).flatten()
    };
    let same = before.as_ref().map(|tree| tree.same(|chunk| accumulators.same_chunk(chunk)));
    agreed.push(before);
    Running::after(accumulators, same).value()
}

/// The totals of all earlier ranks, if there are any. The outer `None` means that one of them has no total.
fn before(
    ordered_ranks: &IterationOrder<'_>,
    accumulators: &dyn Collector,
    mine: Option<Tree<Opaque>>,
    speculation: &Panics,
) -> Option<Option<Tree<Opaque>>> {
    let before = collective::exscan(
        ordered_ranks,
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
            speculation.guard_speculative(0, || {
                earlier.append(later, &mut |earlier, later| accumulators.merge(earlier, later));
                condensed(accumulators, earlier)
            })
        },
    );
    match before {
        Some(None) => None,
        known => Some(known.flatten()),
    }
}

/// Merges the tree to a single node if the operator is exact.
fn condensed(accumulators: &dyn Collector, tree: Tree<Opaque>) -> Tree<Opaque> {
    if accumulators.traits().exact {
        tree.condensed(&mut |earlier, later| accumulators.merge(earlier, later))
    } else {
        tree
    }
}
