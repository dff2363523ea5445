//! Merges results over all ranks.

use super::collector::Collector;
use super::opaque::Opaque;
use super::plan::Plan;
use super::site::Instance;
use super::tree::Tree;
use crate::accumulate::Shares;
use crate::call::Call;
use crate::comm::{Comm, collective};
use crate::runtime::{Header, MERGING, Rank, Value};

/// Merges the chunks of all ranks along a k-ary tree; the result is on every rank.
///
/// If the operator is exact, each rank sends a single value and not the nodes of its tree.
#[cold]
pub(super) fn over_ranks(
    call: &Call,
    plan: &Plan,
    site: &Instance,
    accumulators: &dyn Collector,
    tree: Tree<Opaque>,
    merge: &dyn Fn(Opaque, Opaque) -> Opaque,
) -> Option<Opaque> {
    let mut counts = Vec::new();
    accumulators.collects(&mut counts);
    // Whether there are any counts depends only on the loop.
    if !counts.is_empty() {
        let same = |count: u64| Value::same("the number of elements that the loop collects in", count);
        let values: Vec<Value> = counts.into_iter().map(same).collect();
        call.context.agree(&Header { function: call.meta.name, number: MERGING, values: &values });
    }
    let exact = accumulators.traits().exact;
    let condensed =
        |tree: Tree<Opaque>| if exact { tree.condensed(&mut |earlier, later| merge(earlier, later)) } else { tree };
    let tree = condensed(tree);
    let own = |tree: Tree<Opaque>| in_shares(call, plan, accumulators, tree, merge, &condensed);
    match accumulators.shares(call.context.ranks()) {
        Shares::Whole => {}
        Shares::Kept => return own(tree),
        Shares::Gathered => return own(tree).map(|own| gathered(call, accumulators, own)),
    }
    let ordered_ranks = IterationOrder { comm: call.context.comm(), backwards: plan.backwards };
    let whole = collective::reduce_all(
        &ordered_ranks,
        site.arity,
        tree,
        |tree| {
            let mut bytes = Vec::new();
            tree.encode(&mut bytes, |chunk, to| accumulators.encode(chunk, to));
            bytes
        },
        |mut bytes| Tree::decode(&mut bytes, |from| accumulators.decode(from)),
        |mut earlier, later| {
            earlier.append(later, &mut |earlier, later| merge(earlier, later));
            condensed(earlier)
        },
    );
    whole.total(&mut |earlier, later| merge(earlier, later))
}

/// Merges the chunks of all ranks in parts: each rank merges its own part.
fn in_shares(
    call: &Call,
    plan: &Plan,
    accumulators: &dyn Collector,
    tree: Tree<Opaque>,
    merge: &dyn Fn(Opaque, Opaque) -> Opaque,
    condensed: &dyn Fn(Tree<Opaque>) -> Tree<Opaque>,
) -> Option<Opaque> {
    let me = call.context.this_rank();
    let parts: Vec<Vec<u8>> = (0..me.ranks)
        .map(|rank| {
            let mut bytes = Vec::new();
            if rank != me.rank {
                let other = Rank { rank, ..me };
                tree.encode(&mut bytes, |chunk, to| accumulators.encode_for(other, chunk, to));
            }
            bytes
        })
        .collect();
    let received = collective::all_to_all(call.context.comm(), &parts);
    let (mut own, mut whole) = (Some(tree.map(|chunk| accumulators.own(me, chunk))), Tree::new());
    let mut add = |(rank, mut bytes): (usize, &[u8])| {
        let mut other = || Tree::decode(&mut bytes, |from| accumulators.decode_own(me, from));
        let later = if rank == me.rank { own.take().unwrap_or_else(Tree::new) } else { other() };
        let mut earlier = std::mem::replace(&mut whole, Tree::new());
        earlier.append(later, &mut |earlier, later| merge(earlier, later));
        whole = condensed(earlier);
    };
    let received = received.iter().map(|bytes| &bytes[..]).enumerate();
    match plan.backwards {
        false => received.for_each(&mut add),
        true => received.rev().for_each(&mut add),
    }
    whole.total(&mut |earlier, later| merge(earlier, later))
}

/// Concatenates the merged parts of all ranks.
fn gathered(call: &Call, accumulators: &dyn Collector, own: Opaque) -> Opaque {
    let me = call.context.this_rank();
    let Rank { rank, ranks } = me;
    let mut bytes = Vec::new();
    accumulators.encode_part(me, &own, &mut bytes);
    let others: Vec<usize> = (1..ranks).map(|distance| (rank + distance) % ranks).collect();
    let sends: Vec<(usize, &[u8])> = others.iter().rev().map(|&other| (other, &bytes[..])).collect();
    let received = call.context.comm().exchange_messages(&sends, &others);
    let mut parts: Vec<&[u8]> = vec![&[]; ranks];
    others.iter().zip(&received).for_each(|(&other, bytes)| parts[other] = bytes);
    accumulators.gathered(me, own, &mut parts)
}

/// Broadcasts the value after the last iteration from the rank that ran it.
pub(super) fn of_last(call: &Call, accumulators: &dyn Collector, end: Option<Opaque>) -> Opaque {
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

/// A communicator with the ranks in the order of their iterations. A loop that runs down its arrays visits the last rank's share first.
pub(super) struct IterationOrder<'a> {
    pub(super) comm: &'a dyn Comm,
    pub(super) backwards: bool,
}

impl IterationOrder<'_> {
    fn position(&self, rank: usize) -> usize {
        if self.backwards { self.comm.ranks() - 1 - rank } else { rank }
    }
}

impl Comm for IterationOrder<'_> {
    fn name(&self) -> &'static str {
        self.comm.name()
    }

    fn rank(&self) -> usize {
        self.position(self.comm.rank())
    }

    fn ranks(&self) -> usize {
        self.comm.ranks()
    }

    fn exchange(&self, sends: &[(usize, &[u8])], receives: &mut [(usize, &mut [u8])]) {
        let sends: Vec<(usize, &[u8])> = sends.iter().map(|&(rank, bytes)| (self.position(rank), bytes)).collect();
        for (rank, _) in receives.iter_mut() {
            *rank = self.position(*rank);
        }
        self.comm.exchange(&sends, receives);
    }

    fn exchange_messages(&self, sends: &[(usize, &[u8])], from: &[usize]) -> Vec<Vec<u8>> {
        let sends: Vec<(usize, &[u8])> = sends.iter().map(|&(rank, bytes)| (self.position(rank), bytes)).collect();
        let from: Vec<usize> = from.iter().map(|&rank| self.position(rank)).collect();
        self.comm.exchange_messages(&sends, &from)
    }

    fn exchange_in_order(
        &self,
        sends: &[(usize, &[u8])],
        rooms: &mut [(usize, &mut [u8])],
        arrived: &mut dyn FnMut(usize, &[u8]),
    ) {
        let sends: Vec<(usize, &[u8])> = sends.iter().map(|&(rank, bytes)| (self.position(rank), bytes)).collect();
        for (rank, _) in rooms.iter_mut() {
            *rank = self.position(*rank);
        }
        self.comm.exchange_in_order(&sends, rooms, arrived);
    }

    fn abort(&self, message: &str) -> ! {
        self.comm.abort(message)
    }
}
