//! Arrays that iterations fold into, element by element.

use super::accumulator::{Accumulator, no_chunk, no_shed};
use super::counted::{By, Tally};
use super::number::{Counted, CountedProduct, Integer, Number};
use super::rounding;
use crate::call::Call;
use crate::codec;
use crate::comm::collective;
use crate::element::Element;
use crate::lock::lock;
use crate::node::{Node, Serial};
use crate::partners::{Algorithm, Costs, Load, Operator, Own, Partners, Whither, all_blank, coverage, reduce};
use crate::runtime::{Context, Header, Label, MERGING, Rank, Value, enter_loop};
use std::any::TypeId;
use std::cmp::Ordering;
use std::collections::HashMap;
use std::marker::PhantomData;
use std::ptr::NonNull;
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

/// How the frames of ranks become one, as the author has it.
#[derive(Debug, Clone, Default)]
pub struct Ranks {
    /// By this algorithm; else by the one that is likely to be done first.
    pub algorithm: Option<Algorithm>,
    /// The rank that has the result; else all have it.
    pub root: Option<usize>,
    /// Where this rank comes in the order in which frames merge, and the name of the author's variable; else they merge in rank order.
    pub order: Option<(&'static str, f64)>,
}

/// A frame of so many bytes is worth a measurement of links and operators.
const WORTH_A_MEASUREMENT: usize = 1 << 18;

/// What was measured.
#[derive(Debug, Default)]
struct Known {
    /// A message, and a byte.
    costs: Option<[f64; 2]>,
    /// A byte that is merged, by function, frame and type of its elements. All ranks measure together, so that their keys must agree.
    merged: HashMap<(&'static str, &'static str, TypeId), f64>,
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
/// A rank runs its iterations in order, in the author's own array: the rank that comes first from what it holds, the others from the
/// identity. Then the arrays of all ranks merge. No element is copied but to travel.
#[derive(Debug)]
pub struct Frame<'a, T, M> {
    function: &'static str,
    name: &'static str,
    target: Mutex<Option<&'a mut [T]>>,
    /// All ranks, in the order in which their frames merge.
    order: Vec<usize>,
    /// Whether this rank is the first of them.
    first: bool,
    /// Whether there is no other rank.
    alone: bool,
    start: Start<T>,
    operator: Operator<T, M>,
    ranks: Ranks,
}

/// The layers that a rank folds into its frame, element by element: they are noted, and merge when the frames of ranks do.
#[derive(Debug)]
pub struct Layers<'a, T, M>(Frame<'a, T, M>);

/// A frame, and the layers that come after what it holds.
#[derive(Debug)]
pub struct Layered<'a, T> {
    frame: &'a mut [T],
    holds: bool,
    /// What the frame starts from, where what it holds does not count.
    identity: Option<T>,
    noted: Vec<NonNull<[T]>>,
}

// SAFETY: the layers are only looked at.
unsafe impl<T: Sync> Send for Layered<'_, T> where for<'a> &'a mut [T]: Send {}

/// How many layers are noted, at most.
const NOTED: usize = 16;

impl<T: Element> Layered<'_, T> {
    /// How many elements the frame has.
    pub fn len(&self) -> usize {
        self.frame.len()
    }

    /// Whether it has none.
    pub fn is_empty(&self) -> bool {
        self.frame.is_empty()
    }

    /// The next layer, which lies in an array that the loop reads.
    pub fn fold(&mut self, layer: &[T], merge: impl Fn(T, T) -> T + Sync) {
        if let (false, true, Some(identity)) = (self.holds, self.noted.is_empty(), self.identity)
            && layer.len() < self.frame.len()
        {
            self.frame.fill(identity);
            self.holds = true;
        }
        if self.noted.len() == NOTED {
            self.settle(&Serial, &Operator { merge, blank: None });
        }
        self.noted.push(NonNull::from(layer));
    }

    /// Merges all that is noted.
    fn settle<M: Fn(T, T) -> T + Sync>(&mut self, node: &dyn Node, operator: &Operator<T, M>) {
        let layers: Vec<&[T]> = self.layers().collect();
        Own { frame: self.frame, holds: self.holds, layers: &layers }.settle(node, operator);
        self.holds = true;
        self.noted.clear();
    }

    fn layers<'l>(&self) -> impl Iterator<Item = &'l [T]> + use<'l, T> {
        // SAFETY: a layer lies in an array that the loop only reads, or in what a slot holds of it: both stay where they are until
        // the accumulators are finished (`Kernel::fold`).
        self.noted.clone().into_iter().map(|layer| unsafe { layer.as_ref() })
    }
}

/// Numbers that are never out of range.
pub trait Float: Element {}

impl Float for f32 {}

impl Float for f64 {}

/// Sees to it that these are what the author calls them.
pub fn floats<T: Float>(numbers: &mut [T]) -> &mut [T] {
    numbers
}

/// The same for whole layers: `for (d, s) in frame.iter_mut().zip(layer) { *d = op(*d, *s) }`.
pub fn layers<'a, T: Element, M: Fn(T, T) -> T + Sync>(
    call: &Call,
    name: &'static str,
    target: &'a mut [T],
    start: Start<T>,
    merge: M,
    ranks: Ranks,
) -> Layers<'a, T, M> {
    Layers(frame(call, name, target, start, merge, ranks))
}

impl<'a, T: Element, M: Fn(T, T) -> T + Sync> Accumulator for Layers<'a, T, M> {
    no_chunk!();
    no_shed!();
    type Carry = Layered<'a, T>;
    type Out = ();
    const ALONE: bool = true;

    fn carry(&self, _: bool) -> Layered<'a, T> {
        let frame = lock(&self.0.target).take().unwrap_or_default();
        let blank = self.0.operator.blank;
        let identity = match self.0.start {
            Start::Number(identity, _) => Some(identity),
            Start::Identity(_) | Start::Same => blank,
        };
        let all_blank = || blank.is_some_and(|blank| !self.0.alone && all_blank(frame, blank));
        let holds = if self.0.first { !all_blank() } else { identity.is_none() };
        Layered { frame, holds, identity, noted: Vec::new() }
    }

    fn finish(self, _: (), mut carries: Vec<Layered<'a, T>>, context: &Context) {
        let Some(mut carry) = carries.pop() else { return self.0.merge_ranks(None, context) };
        if let (false, true, Some(identity)) = (carry.holds, carry.noted.is_empty(), carry.identity) {
            // Iterations that have folded nothing.
            carry.frame.fill(identity);
            carry.holds = true;
        }
        let layers: Vec<&[T]> = carry.layers().collect();
        self.0.merge_ranks(Some(Own { frame: carry.frame, holds: carry.holds, layers: &layers }), context);
    }
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
    let (function, alone) = (call.meta.name, call.alone());
    let order = order_of_ranks(call, &ranks);
    let first = order[0] == call.context().rank();
    let blank = match start {
        Start::Identity(identity) => Some(identity),
        Start::Number(..) | Start::Same => None,
    };
    let (target, operator) = (Mutex::new(Some(target)), Operator { merge, blank });
    Frame { function, name, target, order, first, alone, start, operator, ranks }
}

/// All ranks, in the order in which their frames merge.
///
/// # Panics
/// When a rank has no place in it, on all ranks.
fn order_of_ranks(call: &Call, how: &Ranks) -> Vec<usize> {
    let mut order: Vec<usize> = (0..call.context().ranks()).collect();
    if let (Some((name, place)), false) = (how.order, call.alone()) {
        let values = [Value::own("the place of its array in the order", place.to_bits())];
        let agreed = call.context().agree(&Header { function: call.meta.name, number: MERGING, values: &values });
        let places: Vec<f64> = agreed.of(0).map(f64::from_bits).collect();
        if let Some(rank) = places.iter().position(|place| place.is_nan()) {
            panic!(
                "the arrays of ranks merge in the order of `{name}`, which is no number on rank {rank}: give each rank one"
            );
        }
        order.sort_by(|one, other| places[*one].partial_cmp(&places[*other]).unwrap_or(Ordering::Equal));
    }
    order
}

/// A [`Frame`] of integers under `+` or `*`, where overflow is a mistake.
///
/// The elements of a rank start from the identity, so they can leave their type although the elements of the sequential loop do not. They
/// are tallies, which record how far they went. The tallies of the ranks merge by the algorithm of the attribute. The values before
/// the loop then tell whether an element left its type.
#[derive(Debug)]
pub struct CountedFrame<'a, T, M, K> {
    /// The user's array.
    frame: Frame<'a, T, M>,
    by: By,
    tally: PhantomData<fn() -> K>,
}

/// The element type of a frame, by which method resolution finds [`Counts`] or [`NeverLeaves`].
#[derive(Debug)]
pub struct ElementsOf<T>(PhantomData<fn(&T)>);

impl<T> ElementsOf<T> {
    /// The type of these elements.
    pub fn of(_: &[T]) -> Self {
        ElementsOf(PhantomData)
    }
}

/// Found for integers.
pub trait Counts<T> {
    /// `frame[k] += e`, and `frame[k] -= e`.
    fn sums<'a, M>(&self, frame: Frame<'a, T, M>, by: By) -> CountedFrame<'a, T, M, Counted<T>>;
    /// `frame[k] *= e`.
    fn products<'a, M>(&self, frame: Frame<'a, T, M>, by: By) -> CountedFrame<'a, T, M, CountedProduct<T>>;
}

impl<T: Integer> Counts<T> for ElementsOf<T> {
    fn sums<'a, M>(&self, frame: Frame<'a, T, M>, by: By) -> CountedFrame<'a, T, M, Counted<T>> {
        CountedFrame { frame, by, tally: PhantomData }
    }
    fn products<'a, M>(&self, frame: Frame<'a, T, M>, by: By) -> CountedFrame<'a, T, M, CountedProduct<T>> {
        CountedFrame { frame, by, tally: PhantomData }
    }
}

/// Found for all other types: their sums do not leave them.
pub trait NeverLeaves<T> {
    /// The frame as it is.
    fn sums<'a, M>(&self, frame: Frame<'a, T, M>, by: By) -> Frame<'a, T, M>;
    /// The frame as it is.
    fn products<'a, M>(&self, frame: Frame<'a, T, M>, by: By) -> Frame<'a, T, M>;
}

impl<T> NeverLeaves<T> for &ElementsOf<T> {
    fn sums<'a, M>(&self, frame: Frame<'a, T, M>, _: By) -> Frame<'a, T, M> {
        frame
    }
    fn products<'a, M>(&self, frame: Frame<'a, T, M>, _: By) -> Frame<'a, T, M> {
        frame
    }
}

/// A tally as plain data.
type Packed = [[u8; 8]; 10];

fn packed<T: Element, K: Tally<T>>(tally: &K) -> Packed {
    let (mut packed, mut bytes) = (Packed::default(), Vec::with_capacity(size_of::<Packed>()));
    tally.encode(&codec::Plain, &mut bytes);
    packed.as_flattened_mut()[..bytes.len()].copy_from_slice(&bytes);
    packed
}

fn unpacked<T: Element, K: Tally<T>>(packed: &Packed) -> K {
    K::decode(&codec::Plain, &mut packed.as_flattened())
}

impl<'a, T: Number + Element, M: Fn(T, T) -> T + Sync, K: Tally<T>> Accumulator for CountedFrame<'a, T, M, K> {
    no_chunk!();
    no_shed!();
    type Carry = Vec<K>;
    type Out = ();
    const ALONE: bool = true;
    const FINDS_OUT: bool = true;

    fn carry(&self, _: bool) -> Vec<K> {
        let (target, first) = (lock(&self.frame.target), self.frame.first);
        let elements = target.iter().flat_map(|elements| elements.iter());
        elements.map(|element| if first { K::starting(*element, self.by) } else { K::none() }).collect()
    }

    fn finish(self, _: (), mut carries: Vec<Vec<K>>, context: &Context) {
        let CountedFrame { frame, by, .. } = self;
        let Frame { function, name, target, order, first, alone, ranks, .. } = frame;
        let Some(target) = target.into_inner().unwrap_or_else(PoisonError::into_inner) else { return };
        let none = packed(&K::none());
        let folded = carries.pop().map(|tallies| tallies.iter().map(packed).collect());
        let has = folded.is_some();
        let mut tallies: Vec<Packed> = folded.unwrap_or_else(|| vec![none; target.len()]);
        // All ranks get the tallies, so that all panic if one does.
        let ranks = Ranks { root: None, ..ranks };
        let merge = |earlier: Packed, later: Packed| packed(&unpacked::<T, K>(&earlier).and_then(unpacked(&later)));
        let (start, operator) = (Start::Identity(none), Operator { merge, blank: Some(none) });
        let (blank, own) = match has {
            true => (None, Some(Own::from(&mut tallies[..]))),
            false => (Some(&mut tallies[..]), None),
        };
        let merged = Frame { function, name, target: Mutex::new(blank), order, first, alone, start, operator, ranks };
        merged.merge_ranks(own, context);
        for (element, tally) in target.iter_mut().zip(&tallies) {
            *element = unpacked::<T, K>(tally).after(*element, by);
        }
    }
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
        self.merge_ranks(carries.pop().map(Own::from), context);
    }
}

impl<T: Element, M: Fn(T, T) -> T + Sync> Frame<'_, T, M> {
    /// Merges what this rank's iterations came to, if there were any, with that of all other ranks.
    fn merge_ranks(self, folded: Option<Own<'_, T>>, context: &Context) {
        let ranks = context.ranks();
        let node = InLoop { node: context.node(), rank: context.this_rank() };
        if self.alone {
            let _inside = enter_loop(node.rank);
            return folded.into_iter().for_each(|mut own| own.settle(&node, &self.operator));
        }
        let has = folded.is_some() || self.first;
        let mut own = match folded {
            Some(own) => own,
            None => match lock(&self.target).take() {
                Some(frame) => Own::from(frame),
                None => return,
            },
        };
        let partners = self.partners(&own, has, context);
        if context.settings().verify {
            let _inside = enter_loop(node.rank);
            own.settle(&node, &self.operator);
            (own.holds, own.layers) = (true, &[]);
            rounding::merges_others(ranks);
            match self.start {
                Start::Number(_, magnitude) => {
                    own.frame.iter().for_each(|number| rounding::partial(|| magnitude(*number)));
                }
                // What is not seen was of about this size.
                Start::Identity(_) | Start::Same => {
                    own.frame.iter().for_each(|element| rounding::partial(|| rounding::of_data(element).max(1.0)));
                }
            }
        }
        let _inside = enter_loop(node.rank);
        reduce(context.comm(), &node, &partners, &self.operator, own, &mut context.rooms());
    }

    /// Who merges with whom, as all ranks agree on it.
    fn partners(&self, own: &Own<'_, T>, has: bool, context: &Context) -> Partners {
        let Rank { rank, ranks } = context.this_rank();
        let values = [
            Value { label: Label::Length(self.name), value: own.frame.len() as u64, must_agree: true },
            Value::own("whether there is anything to merge", has.into()),
            Value::own("how much of it is not blank, in eighths", self.eighths(own)),
        ];
        let agreed = context.agree(&Header { function: self.function, number: MERGING, values: &values });
        let members: Vec<usize> = self.order.iter().copied().filter(|rank| agreed.value(*rank, 1) == 1).collect();
        // Results that are compared are wanted everywhere.
        let root = self.ranks.root.filter(|_| !context.settings().verify);
        let whither = root.map_or(Whither::All, |root| Whither::Root(root.min(ranks - 1)));
        let algorithm = self.ranks.algorithm.clone().unwrap_or_else(|| {
            let eighths: u64 = members.iter().map(|rank| agreed.value(*rank, 2)).sum();
            let coverage = eighths as f64 / (8 * members.len()) as f64;
            let load = Load { ranks: members.len(), bytes: size_of_val(own.frame), coverage, whither };
            let costs = self.costs(&load, context);
            let [(best, least), (next, more)] = Algorithm::choose(&load, &costs);
            if context.settings().explain && rank == 0 {
                let Load { ranks, bytes, .. } = load;
                crate::explain::decided(format!(
                    "frame `{}`: {best} for {bytes} bytes on {ranks} ranks, of which {:.0} % are not blank: about {:.3} ms; {next} \
                     would take about {:.3} ms; a message takes {:.1} us, a byte {:.3} ns, and {:.3} ns more where it is merged",
                    self.name,
                    1e2 * coverage,
                    1e3 * least,
                    1e3 * more,
                    1e6 * costs.message,
                    1e9 * costs.byte,
                    1e9 * costs.merged,
                ));
            }
            best
        });
        Partners { algorithm, ranks, members, length: own.frame.len(), whither }
    }

    /// How much of what this rank brings is not blank, by a few elements.
    fn eighths(&self, own: &Own<'_, T>) -> u64 {
        let brought = own.layers.first().map_or(&*own.frame, |layer| *layer);
        self.operator.blank.map_or(8, |blank| (8.0 * coverage(brought, blank)).ceil() as u64)
    }

    /// What messages and merging take: measured once by all ranks, when a frame is long enough for it to matter.
    fn costs(&self, load: &Load, context: &Context) -> Costs {
        if load.bytes < WORTH_A_MEASUREMENT {
            return Costs::MEMORY;
        }
        let known = context.cache().get::<Known>().costs;
        let [message, byte] = known.unwrap_or_else(|| Costs::measured(context.comm()));
        let key = (self.function, self.name, typeid::of::<T>());
        let merged = context.cache().get::<Known>().merged.get(&key).copied();
        let merged = merged.unwrap_or_else(|| self.merging(context));
        let mut known = context.cache().get::<Known>();
        known.costs = Some([message, byte]);
        known.merged.insert(key, merged);
        Costs { message, byte, merged }
    }

    /// What merging a byte takes, on all workers of the slower half of the ranks. All ranks call it, and get the same.
    fn merging(&self, context: &Context) -> f64 {
        let Some(blank) = self.operator.blank else { return Costs::MEMORY.merged };
        let length = (WORTH_A_MEASUREMENT / size_of::<T>().max(1)).max(1);
        let (mut frame, layer) = (vec![blank; length], vec![blank; length]);
        let once = |_| {
            let start = Instant::now();
            Own { frame: &mut frame, holds: true, layers: &[&layer] }.settle(context.node(), &self.operator);
            start.elapsed().as_secs_f64() / size_of_val(&layer[..]).max(1) as f64
        };
        let own = (0..3).map(once).fold(f64::INFINITY, f64::min);
        let mut all = collective::allgather(context.comm(), &[own]);
        all.sort_unstable_by(f64::total_cmp);
        all[all.len() / 2]
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
