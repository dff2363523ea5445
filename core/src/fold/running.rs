//! The running value of a scan: what chunks come to, and what comes before them on this rank and on earlier ones.

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
use crate::call::Call;
use crate::comm::{Comm, collective};
use crate::runtime::tried;
use std::ops::Range;

/// How many chunks of a scan run side by side, so that the processor need not wait for each running value in turn.
pub const CHAINS: usize = 4;

/// How many iterations each of them is ahead of the one before it.
pub const AHEAD: usize = 32;

/// The bodies of a loop with running values.
pub(super) struct Bodies<'b> {
    /// How many levels of running values there are, each of which is computed from the inputs and the levels below.
    pub levels: usize,
    /// The part that the running values of a level depend on: from the level, the values of the levels below before the
    /// range, and the chunk.
    pub total: &'b Total<'b>,
    /// All of it, from the value before the range and what the worker carries.
    pub whole: &'b Body<'b>,
    /// The same over a proved range that is several chunks of one length, each from a value of its own.
    pub chains: Option<&'b Chains<'b>>,
    /// What may panic there.
    pub interleaving: Interleaving,
}

pub(super) type Total<'b> = dyn Fn(usize, &Opaque, &mut Opaque, &Arrays<'_>, Range<usize>) + Sync + 'b;

pub(super) type Chains<'b> = dyn Fn(&mut [Opaque; CHAINS], &Arrays<'_>, Range<usize>) + Sync + 'b;

impl Bodies<'_> {
    /// How many chunks a worker takes at a time.
    pub fn group(&self) -> usize {
        if self.chains.is_some() { CHAINS } else { 1 }
    }
}

/// The running value between chunks.
pub(super) struct Running<'k> {
    accumulators: &'k dyn Collector,
    exact: bool,
    limited: bool,
    /// After all chunks so far.
    pub value: Opaque,
    /// Where merging is not exact: all chunks so far, so that the value is the same however they were run.
    tree: Tree<Opaque>,
    /// What it comes to, node by node: see [`Tree::totals`].
    totals: Vec<Opaque>,
}

impl<'k> Running<'k> {
    /// After all that comes before this rank.
    pub fn after(accumulators: &'k dyn Collector, before: Option<Tree<Opaque>>) -> Self {
        let (Traits { exact, limited, .. }, tree) = (accumulators.traits(), before.unwrap_or_else(Tree::new));
        let value = after_all(accumulators, &tree);
        let tree = if exact { Tree::new() } else { tree };
        Running { accumulators, exact, limited, value, tree, totals: Vec::new() }
    }

    pub fn value(&self) -> Opaque {
        self.accumulators.same_value(&self.value)
    }

    /// The next chunk; the value before it comes back. Nothing where the value after it is not what the loop has there. The value stays
    /// what it was then, as where the author's function panics, and nothing else may be included.
    #[must_use]
    pub fn include(&mut self, number: usize, chunk: Opaque) -> Option<Opaque> {
        let accumulators = self.accumulators;
        let after = if self.exact {
            accumulators.advance(accumulators.same_value(&self.value), &chunk)
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

    /// Whether the value is what the loop has there, and whether it will be after the chunks of this rank. It says the same of two
    /// trees that are the same.
    fn fit_before_and_after(&self, mine: Tree<Opaque>) -> [bool; 2] {
        if !self.limited {
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

/// The running value after all chunks of a tree.
fn after_all(accumulators: &dyn Collector, tree: &Tree<Opaque>) -> Opaque {
    accumulators.after(total_so_far(accumulators, tree).as_ref())
}

fn total_so_far(accumulators: &dyn Collector, tree: &Tree<Opaque>) -> Option<Opaque> {
    let same = |chunk: &Opaque| accumulators.same_chunk(chunk);
    tree.total_so_far(same, &mut |earlier, later| accumulators.merge(earlier, later))
}

/// What chunks come to, before the running value before them is known.
pub(super) struct Totals<'k> {
    pub accumulators: &'k dyn Collector,
    pub traits: Traits,
    pub bodies: &'k Bodies<'k>,
    pub plan: &'k Plan,
    pub runner: &'k Runner<'k>,
    /// The value before the loop.
    first: Opaque,
}

/// What a rank knows before its workers start.
pub(super) struct Start<'k> {
    /// The running value before this rank.
    pub running: Running<'k>,
    /// What each chunk comes to, where that had to be found out for other ranks or levels.
    pub totals: Option<Vec<Opaque>>,
    /// Whether no rank before this one failed to find out what its chunks come to.
    pub known: bool,
    /// Whether this is so, and this rank found out its own.
    pub sound: bool,
    /// Whether the next rank knows the running value before it: else this one tells it.
    pub goes_on: bool,
    /// What panicked meanwhile.
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

    /// What a range comes to in a level, from the values of the levels below before it; the chunk has what is known.
    fn from(&self, level: usize, before: &Opaque, mut chunk: Opaque, range: Range<usize>) -> Opaque {
        let total = self.bodies.total;
        self.runner.run(range, &mut |arrays, range| total(level, before, &mut chunk, arrays, range));
        chunk
    }

    /// What a chunk comes to.
    pub fn of(&self, number: usize) -> Opaque {
        match self.within(number, usize::MAX) {
            Some(total) => total,
            None => unreachable!("without a limit there is a total"),
        }
    }

    /// What a chunk comes to, from its end backwards as far as it matters; at most `limit` iterations.
    pub fn within(&self, number: usize, limit: usize) -> Option<Opaque> {
        let total_of = |range| self.from(0, &self.first, self.accumulators.chunk(), range);
        let Range { start, mut end } = self.plan.positions(number);
        if !self.traits.settles {
            return Some(total_of(start..end));
        }
        let (mut part, least) = (256, end.saturating_sub(limit).max(start));
        let mut total = None;
        loop {
            let begin = end.saturating_sub(part).max(least);
            let earlier = total_of(begin..end);
            let chunk = match total.take() {
                Some(later) => self.accumulators.merge(earlier, later),
                None => earlier,
            };
            if begin == start || self.accumulators.settled(&chunk) {
                return Some(chunk);
            }
            if begin == least {
                return None;
            }
            (end, part, total) = (begin, 2 * part, Some(chunk));
        }
    }

    /// Finds out with all ranks what comes before each, level by level. `agreed` is what earlier ranks come to in each level, as
    /// far as it is known: the ranks exchange it once.
    ///
    /// Every rank but the last tells the later ones what its chunks come to, before it can know its own start. The last one has
    /// time to find out too, and does so where it needs the totals in any case.
    pub fn agree(
        &self,
        call: &Call,
        ordered_ranks: &IterationOrder<'_>,
        mut agreed: Vec<Option<Tree<Opaque>>>,
    ) -> Start<'k> {
        let (accumulators, levels) = (self.accumulators, self.bodies.levels);
        // Totals start from the identity, where the sequential loop has other values: what panics there need not panic.
        let (speculation, begin) = (Panics::new(), self.plan.mine.start);
        let (mut known, mut goes_on) = (true, true);
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
            let told = agreed.get_mut(level).map(Option::take);
            let asks = told.is_none();
            let tells = known && !speculation.stopped();
            let same = match asks && tells && self.traits.limited {
                true => mine.same(|chunk| accumulators.same_chunk(chunk)),
                false => Tree::new(),
            };
            let before = told.unwrap_or_else(|| {
                let before = before(ordered_ranks, accumulators, tells.then_some(mine), &speculation);
                known &= before.is_some();
                goes_on &= tells && known;
                before.flatten()
            });
            let after = || {
                let running = Running::after(accumulators, before);
                let fit = if asks { running.fit_before_and_after(same) } else { [true; 2] };
                (running, fit)
            };
            let (after, fit) = speculation
                .guard_speculative(begin, after)
                .unwrap_or_else(|| (Running::after(accumulators, None), [true; 2]));
            // A rank and the one before it come to the same answer: the one asks for its value, the other tells it.
            (running, known, goes_on) = (after, known && fit[0], goes_on && fit[1]);
        }
        // Where the author's function panics while ranks put together what they come to, they do not all learn it from each other.
        if self.traits.by_function && any_rank(call, speculation.stopped() || !known || !goes_on) {
            return Start { running, totals, known: false, sound: false, goes_on: false, speculation };
        }
        Start { running, totals, known, sound: known && goes_on && !speculation.stopped(), goes_on, speculation }
    }

    /// What the chunks come to in a level, where they are known for the levels below.
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
            tried(|| self.from(level, before, chunk, self.plan.positions(number)))
        })
    }
}

/// The running value before this rank, where a device has found out what this rank's part of a level comes to; `agreed` keeps
/// what earlier ranks come to, for the case that the device fails later.
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
    // What a device has found out is known.
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

/// What the chunks of all earlier ranks come to, if there are any; nothing where one of these ranks does not know what its own
/// come to.
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

/// A single node, where the grouping makes no difference.
fn condensed(accumulators: &dyn Collector, tree: Tree<Opaque>) -> Tree<Opaque> {
    if accumulators.traits().exact {
        tree.condensed(&mut |earlier, later| accumulators.merge(earlier, later))
    } else {
        tree
    }
}
