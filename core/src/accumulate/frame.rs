//! Frames: arrays that every rank has, reduced element by element.

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

/// The reduction of the ranks' frames, as the attribute configures it.
#[derive(Debug, Clone, Default)]
pub struct Ranks {
    /// The algorithm; by default the one with the least expected time.
    pub algorithm: Option<Algorithm>,
    /// The rank that gets the result; by default all ranks.
    pub root: Option<usize>,
    /// This rank's position in the merge order, and the name of the user's variable for it; by default rank order.
    pub order: Option<(&'static str, f64)>,
}

/// The size in bytes from which the costs of links and operators are measured.
const WORTH_A_MEASUREMENT: usize = 1 << 18;

/// Measured costs.
#[derive(Debug, Default)]
struct Known {
    /// The cost of a message, and of a byte.
    costs: Option<[f64; 2]>,
    /// The cost of merging a byte, by function, frame and element type. All ranks measure at the same time, so their keys must be equal.
    merged: HashMap<(&'static str, &'static str, TypeId), f64>,
}

/// The initial elements on the ranks after the first one.
#[derive(Debug, Clone, Copy)]
pub enum Start<T> {
    /// The identity element, on both sides. Such elements need not be sent.
    Identity(T),
    /// Zero or one, and a function that gives the magnitude of a number, for numbers whose sums depend on the order.
    Number(T, fn(T) -> f64),
    /// The elements of the user's array, for idempotent operators (`x op x` is `x`).
    Same,
}

/// An array that every rank has, and that iterations reduce into: `frame[k] = op(frame[k], e)`.
///
/// A rank runs its iterations in order, on the user's array. The first rank starts from the array's elements, and the others from the
/// identity. Then the arrays of all ranks merge. Elements are copied only to be sent.
#[derive(Debug)]
pub struct Frame<'a, T, M> {
    function: &'static str,
    name: &'static str,
    target: Mutex<Option<&'a mut [T]>>,
    /// All ranks, in the order in which their frames merge.
    order: Vec<usize>,
    /// Whether this rank is the first one in this order.
    first: bool,
    /// Whether there is no other rank.
    alone: bool,
    start: Start<T>,
    operator: Operator<T, M>,
    ranks: Ranks,
}

/// The layers that a rank merges into its frame element by element. They are recorded, and merge together with the frames of the ranks.
#[derive(Debug)]
pub struct Layers<'a, T, M>(Frame<'a, T, M>);

/// A frame, and the layers that merge after its elements.
#[derive(Debug)]
pub struct Layered<'a, T> {
    frame: &'a mut [T],
    holds: bool,
    /// The initial element of the frame, if its elements are not valid.
    identity: Option<T>,
    noted: Vec<NonNull<[T]>>,
}

// SAFETY: the layers are only read.
unsafe impl<T: Sync> Send for Layered<'_, T> where for<'a> &'a mut [T]: Send {}

/// The largest number of recorded layers.
const NOTED: usize = 16;

impl<T: Element> Layered<'_, T> {
    /// The number of elements of the frame.
    pub fn len(&self) -> usize {
        self.frame.len()
    }

    /// Whether the frame has no elements.
    pub fn is_empty(&self) -> bool {
        self.frame.is_empty()
    }

    /// Records the next layer, which is in an array that the loop reads.
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

    /// Merges all recorded layers.
    fn settle<M: Fn(T, T) -> T + Sync>(&mut self, node: &dyn Node, operator: &Operator<T, M>) {
        let layers: Vec<&[T]> = self.layers().collect();
        Own { frame: self.frame, holds: self.holds, layers: &layers }.settle(node, operator);
        self.holds = true;
        self.noted.clear();
    }

    fn layers<'l>(&self) -> impl Iterator<Item = &'l [T]> + use<'l, T> {
        // SAFETY: a layer is in an array that the loop only reads, or in a slot's copy of it. Both stay in place until the accumulators are
        // finished (`Kernel::fold`).
        self.noted.clone().into_iter().map(|layer| unsafe { layer.as_ref() })
    }
}

/// Numbers that cannot overflow.
pub trait Float: Element {}

impl Float for f32 {}

impl Float for f64 {}

/// Returns the numbers, which must be floats, as the compiler assumes.
pub fn floats<T: Float>(numbers: &mut [T]) -> &mut [T] {
    numbers
}

/// A frame for whole layers: `for (d, s) in frame.iter_mut().zip(layer) { *d = op(*d, *s) }`.
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
            // The iterations have merged nothing.
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
/// If a rank's position cannot be compared: on all ranks.
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

/// The element type of a frame. Method resolution finds [`Counts`] or [`NeverOverflows`] for it.
#[derive(Debug)]
pub struct ElementsOf<T>(PhantomData<fn(&T)>);

impl<T> ElementsOf<T> {
    /// The type of these elements.
    pub fn of(_: &[T]) -> Self {
        ElementsOf(PhantomData)
    }
}

/// Method resolution finds this trait for integers.
pub trait Counts<T> {
    /// `frame[k] += e`, and `frame[k] -= e`.
    fn __sums<'a, M>(&self, frame: Frame<'a, T, M>, by: By) -> CountedFrame<'a, T, M, Counted<T>>;
    /// `frame[k] *= e`.
    fn __products<'a, M>(&self, frame: Frame<'a, T, M>, by: By) -> CountedFrame<'a, T, M, CountedProduct<T>>;
}

impl<T: Integer> Counts<T> for ElementsOf<T> {
    fn __sums<'a, M>(&self, frame: Frame<'a, T, M>, by: By) -> CountedFrame<'a, T, M, Counted<T>> {
        CountedFrame { frame, by, tally: PhantomData }
    }
    fn __products<'a, M>(&self, frame: Frame<'a, T, M>, by: By) -> CountedFrame<'a, T, M, CountedProduct<T>> {
        CountedFrame { frame, by, tally: PhantomData }
    }
}

/// Method resolution finds this trait for all other types: their sums do not overflow.
pub trait NeverOverflows<T> {
    /// The frame as it is.
    fn __sums<'a, M>(&self, frame: Frame<'a, T, M>, by: By) -> Frame<'a, T, M>;
    /// The frame as it is.
    fn __products<'a, M>(&self, frame: Frame<'a, T, M>, by: By) -> Frame<'a, T, M>;
}

impl<T> NeverOverflows<T> for &ElementsOf<T> {
    fn __sums<'a, M>(&self, frame: Frame<'a, T, M>, _: By) -> Frame<'a, T, M> {
        frame
    }
    fn __products<'a, M>(&self, frame: Frame<'a, T, M>, _: By) -> Frame<'a, T, M> {
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
    const DETECTS_LATE: bool = true;

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
    /// Merges the result of this rank's iterations, if there were any, with those of all other ranks.
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
                // For partial results that are not recorded, this magnitude is assumed.
                Start::Identity(_) | Start::Same => {
                    own.frame.iter().for_each(|element| rounding::partial(|| rounding::of_data(element).max(1.0)));
                }
            }
        }
        let _inside = enter_loop(node.rank);
        reduce(context.comm(), &node, &partners, &self.operator, own, &mut context.rooms());
    }

    /// The partners of the reduction, on which all ranks agree.
    fn partners(&self, own: &Own<'_, T>, has: bool, context: &Context) -> Partners {
        let Rank { rank, ranks } = context.this_rank();
        let values = [
            Value { label: Label::Length(self.name), value: own.frame.len() as u64, must_agree: true },
            Value::own("whether there is anything to merge", has.into()),
            Value::own("how much of it is not blank, in eighths", self.eighths(own)),
        ];
        let agreed = context.agree(&Header { function: self.function, number: MERGING, values: &values });
        let members: Vec<usize> = self.order.iter().copied().filter(|rank| agreed.value(*rank, 1) == 1).collect();
        // If results are compared, all ranks need them.
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
                    "frame `{}`: {best} for {bytes} bytes on {ranks} ranks ({:.0} % are not blank): about {:.3} ms; {next} \
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

    /// An estimate of the fraction of this rank's elements that are not blank, in eighths.
    fn eighths(&self, own: &Own<'_, T>) -> u64 {
        let brought = own.layers.first().map_or(&*own.frame, |layer| *layer);
        self.operator.blank.map_or(8, |blank| (8.0 * coverage(brought, blank)).ceil() as u64)
    }

    /// The costs of messages and merging. All ranks measure them once, when a frame is long enough.
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

    /// Measures the cost of merging a byte on all workers: the median of the ranks. Collective; all ranks get the same result.
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

/// The workers of a loop's body: an annotated call in an operator runs as on a single rank.
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
