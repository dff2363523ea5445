//! Arrays that iterations fold into, element by element.

use super::accumulator::{Accumulator, no_chunk, no_shed};
use super::rounding;
use crate::call::Call;
use crate::element::Element;
use crate::lock::lock;
use crate::node::Node;
use crate::partners::{Algorithm, Link, Operator, Partners, Whither, reduce};
use crate::runtime::{Context, Header, Label, Rank, Value, enter_loop};
use std::sync::Mutex;

/// The handshake of the ranks that merge: no loop has this number.
const MERGING: u32 = u32::MAX;

/// How the frames of ranks become one, as the author has it.
#[derive(Debug, Clone, Default)]
pub struct Ranks {
    /// By this algorithm; else by the one that is likely to be done first.
    pub algorithm: Option<Algorithm>,
    /// The rank that has the result; else all have it.
    pub root: Option<usize>,
}

/// What the ranks after the first one start from.
#[derive(Debug, Clone, Copy)]
pub enum Start<T> {
    /// An element that changes no other, on either side of it: it need not travel.
    Identity(T),
    /// Zero or one; and how large a number is whose sums depend on their order.
    Number(T, fn(T) -> f64),
    /// What the author's array holds: of operators for which `x op x` is `x`.
    Same,
}

/// An array that every rank has, and iterations fold into: `frame[k] = op(frame[k], e)`.
///
/// A rank runs its iterations in order, in the author's own array: the first rank from what it holds, the others from the identity.
/// Then the arrays of all ranks merge. No element is copied but to travel.
#[derive(Debug)]
pub struct Frame<'a, T, M> {
    function: &'static str,
    name: &'static str,
    target: Mutex<Option<&'a mut [T]>>,
    first: bool,
    start: Start<T>,
    operator: Operator<T, M>,
    ranks: Ranks,
}

/// `frame[k] = op(frame[k], e)`.
pub fn frame<'a, T: Element, M: Fn(T, T) -> T + Sync>(
    call: &Call,
    name: &'static str,
    target: &'a mut [T],
    start: Start<T>,
    merge: M,
    ranks: Ranks,
) -> Frame<'a, T, M> {
    let (function, first) = (call.meta.name, call.context().rank() == 0);
    let blank = match start {
        Start::Identity(identity) => Some(identity),
        Start::Number(..) | Start::Same => None,
    };
    let (target, operator) = (Mutex::new(Some(target)), Operator { merge, blank });
    Frame { function, name, target, first, start, operator, ranks }
}

impl<'a, T: Element, M: Fn(T, T) -> T + Sync> Accumulator for Frame<'a, T, M> {
    no_chunk!();
    no_shed!();
    type Carry = &'a mut [T];
    type Out = ();
    const ALONE: bool = true;

    fn carry(&self, _: bool) -> &'a mut [T] {
        let frame = lock(&self.target).take().unwrap_or_default();
        match self.start {
            Start::Identity(identity) | Start::Number(identity, _) if !self.first => frame.fill(identity),
            _ => {}
        }
        frame
    }

    fn finish(self, _: (), mut carries: Vec<&'a mut [T]>, context: &Context) {
        let Rank { rank, ranks } = context.this_rank();
        if ranks == 1 {
            return;
        }
        let folded = carries.pop();
        let has = folded.is_some() || self.first;
        let Some(frame) = folded.or_else(|| lock(&self.target).take()) else { return };
        let values = [
            Value { label: Label::Length(self.name), value: frame.len() as u64, must_agree: true },
            Value::own("whether there is anything to merge", has.into()),
        ];
        let agreed = context.agree(&Header { function: self.function, number: MERGING, values: &values });
        let members: Vec<usize> = agreed.of(1).enumerate().filter(|(_, has)| *has == 1).map(|(rank, _)| rank).collect();
        // Results that are compared are wanted everywhere.
        let root = self.ranks.root.filter(|_| !context.settings().verify);
        let whither = root.map_or(Whither::All, |root| Whither::Root(root.min(ranks - 1)));
        let algorithm = self.ranks.algorithm.clone().unwrap_or_else(|| {
            let bytes = size_of_val(frame);
            let [(best, least), (next, more)] = Algorithm::choose(members.len(), bytes, whither, &Link::MEMORY);
            if context.settings().explain && rank == 0 {
                crate::explain::decided(format!(
                    "frame `{}`: {best} for {bytes} bytes on {} ranks, about {:.3} ms; {next} would take about {:.3} ms",
                    self.name,
                    members.len(),
                    1e3 * least,
                    1e3 * more
                ));
            }
            best
        });
        if context.settings().verify {
            rounding::merges(ranks);
            match self.start {
                Start::Number(_, magnitude) => frame.iter().for_each(|number| rounding::partial(|| magnitude(*number))),
                // Of the author's type only results are seen.
                Start::Identity(_) | Start::Same => rounding::partial(|| 1.0),
            }
        }
        let partners = Partners { algorithm, ranks, members, length: frame.len(), whither };
        let node = InLoop { node: context.node(), rank: context.this_rank() };
        let _inside = enter_loop(node.rank);
        reduce(context.comm(), &node, &partners, &self.operator, frame, &mut context.rooms());
    }
}

/// The workers of a loop's body: annotated calls that an operator makes run there as a single rank.
struct InLoop<'n> {
    node: &'n dyn Node,
    rank: Rank,
}

impl Node for InLoop<'_> {
    fn name(&self) -> &'static str {
        self.node.name()
    }

    fn workers(&self) -> usize {
        self.node.workers()
    }

    fn run(&self, workers: usize, work: &(dyn Fn(usize) + Sync)) {
        self.node.run(workers, &|worker| {
            let _inside = enter_loop(self.rank);
            work(worker);
        });
    }
}
