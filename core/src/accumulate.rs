//! What a loop leaves behind beside its arrays: reductions, running values, pushed sequences, states.
//!
//! Every annotated loop is a fold over chunks: run, then merge. An [`Accumulator`] says how one outer variable of the loop
//! takes part: what a chunk starts from, how the results of neighbouring chunks merge, and what the variable is afterwards.
//! The accumulators of a loop form a list of nested pairs, `(first, (second, ()))`.

use crate::codec::Codec;
use crate::device::Received;
use crate::runtime::Context;
use std::marker::PhantomData;

/// How many interleaved partial results a reduction runs in: iteration `p` of a chunk goes to lane `p % LANES`.
///
/// Lanes do not wait for each other, so that the processor can work on all of them at once. The number is fixed: results
/// do not depend on the machine.
pub const LANES: usize = 16;

/// One outer variable of a loop that collects something over the iterations.
pub trait Accumulator: Sync {
    /// What a chunk collects, starting from the operator's identity; merged in the order of the chunks.
    type Chunk: Send + Sync + Clone;
    /// What a worker carries from chunk to chunk: pushed elements, a state, a scratch buffer.
    type Carry: Send;
    /// The running value that the body of a scan sees.
    type Value: Send + Sync + Clone;
    /// A chunk's collection in interleaved lanes: an array of chunks for each variable.
    type Lanes;
    /// What the author's variable is after the loop.
    type Out;

    /// Whether merging gives the same bits in any grouping.
    const EXACT: bool;
    /// Whether merging in any order gives the same bits too.
    const COMMUTES: bool = false;
    /// Whether one carry for each worker is wanted, rather than one for each piece that a worker takes.
    const ONE_PER_WORKER: bool = false;
    /// Whether what a chunk collects is large, so that there should be few chunks.
    const BULKY: bool = false;
    /// Whether there may be chunks before which nothing matters.
    const SETTLES: bool = false;

    /// What a carry gives away after each chunk, to be put together in the order of the chunks while the loop runs.
    type Shed: Send;

    /// Takes what the carry has collected in a chunk, and gives it an empty buffer for the next one.
    fn shed(&self, carry: &mut Self::Carry, empty: Option<Self::Shed>) -> Self::Shed;
    /// Finds the place of a chunk's part. Called in the order of the chunks, by one worker at a time.
    fn assign(&self, part: &mut Self::Shed);
    /// Puts a part into its place. Several workers do so at once.
    fn place(&self, part: &mut Self::Shed);

    /// The operator's identity.
    fn chunk(&self) -> Self::Chunk;
    /// The operator's identity in every lane.
    fn lanes(&self) -> Self::Lanes;
    /// All lanes, one after the other.
    fn merge_lanes(&self, lanes: Self::Lanes) -> Self::Chunk;
    /// A fresh carry; `first` says that it will hold what the first iterations of this rank leave.
    fn carry(&self, first: bool) -> Self::Carry;
    /// The value before the first iteration.
    fn value(&self) -> Self::Value;
    /// `earlier` and then `later`.
    fn merge(&self, earlier: Self::Chunk, later: Self::Chunk) -> Self::Chunk;
    /// Whether what comes before this chunk makes no difference to the value after it.
    #[inline]
    fn settled(&self, _: &Self::Chunk) -> bool {
        false
    }
    /// The running value after a chunk.
    fn advance(&self, value: Self::Value, chunk: &Self::Chunk) -> Self::Value;
    /// For other ranks.
    fn encode(&self, chunk: &Self::Chunk, to: &mut Vec<u8>);
    /// From another rank.
    fn decode(&self, from: &mut &[u8]) -> Self::Chunk;
    /// For other ranks.
    fn encode_value(&self, value: &Self::Value, to: &mut Vec<u8>);
    /// From another rank.
    fn decode_value(&self, from: &mut &[u8]) -> Self::Value;
    /// From a device: the fields of a chunk, one after the other. The value comes first, then what else a chunk knows.
    fn receive(&self, from: &mut Received<'_>) -> Self::Chunk {
        self.decode(&mut from.fields)
    }
    /// For a device: the same fields, of which the first ones hold a running value.
    fn send(&self, value: &Self::Value, fields: &mut Vec<u8>) {
        self.encode_value(value, fields);
    }
    /// For a device: what the bins of a chunk start from, of a histogram.
    fn bins(&self, _: &mut Vec<Vec<u8>>) {}
    /// The carry that holds what this rank's iterations pushed on a device.
    fn pushed(&self, _: &mut std::vec::IntoIter<Vec<u8>>) -> Self::Carry {
        self.carry(true)
    }
    /// The author's variable, from the value after the last iteration and this rank's carries in the order of iterations.
    fn finish(self, value: Self::Value, carries: Vec<Self::Carry>, context: &Context) -> Self::Out;
}

/// The accumulators that give nothing away.
macro_rules! no_shed {
    () => {
        type Shed = ();

        fn shed(&self, _: &mut Self::Carry, _: Option<()>) {}
        fn assign(&self, _: &mut ()) {}
        fn place(&self, _: &mut ()) {}
    };
}

/// The accumulators that have no chunk.
macro_rules! no_chunk {
    () => {
        type Chunk = ();
        type Value = ();
        type Lanes = ();
        const EXACT: bool = true;
        const COMMUTES: bool = true;
        const SETTLES: bool = true;

        fn settled(&self, _: &()) -> bool {
            true
        }
        fn chunk(&self) {}
        fn lanes(&self) {}
        fn merge_lanes(&self, _: ()) {}
        fn value(&self) {}
        fn merge(&self, _: (), _: ()) {}
        fn advance(&self, _: (), _: &()) {}
        fn encode(&self, _: &(), _: &mut Vec<u8>) {}
        fn decode(&self, _: &mut &[u8]) {}
        fn encode_value(&self, _: &(), _: &mut Vec<u8>) {}
        fn decode_value(&self, _: &mut &[u8]) {}
    };
}

/// The accumulators that carry nothing, whose value is the author's variable and travels with `self.codec`.
macro_rules! plain_value {
    () => {
        no_shed!();
        type Carry = ();
        type Value = V;
        type Lanes = [Self::Chunk; LANES];
        type Out = V;

        #[inline(always)]
        fn lanes(&self) -> Self::Lanes {
            std::array::from_fn(|_| self.chunk())
        }
        #[inline(always)]
        fn merge_lanes(&self, lanes: Self::Lanes) -> Self::Chunk {
            let mut lanes = lanes.into_iter();
            let first = lanes.next().unwrap_or_else(|| self.chunk());
            lanes.fold(first, |earlier, later| self.merge(earlier, later))
        }

        fn carry(&self, _: bool) {}
        fn value(&self) -> V {
            self.init.clone()
        }
        fn encode_value(&self, value: &V, to: &mut Vec<u8>) {
            self.codec.encode(value, to);
        }
        fn decode_value(&self, from: &mut &[u8]) -> V {
            self.codec.decode(from)
        }
        fn finish(self, value: V, _: Vec<()>, _: &Context) -> V {
            value
        }
    };
}

pub mod keyed;
mod pushes;

pub use pushes::{Blocks, Part, Pushes, keep, pushes};

impl Accumulator for () {
    no_chunk!();
    no_shed!();
    type Carry = ();
    type Out = ();

    fn carry(&self, _: bool) {}
    fn finish(self, _: (), _: Vec<()>, _: &Context) {}
}

impl<A: Accumulator, B: Accumulator> Accumulator for (A, B) {
    type Chunk = (A::Chunk, B::Chunk);
    type Carry = (A::Carry, B::Carry);
    type Value = (A::Value, B::Value);
    type Lanes = (A::Lanes, B::Lanes);
    type Shed = (A::Shed, B::Shed);
    type Out = (A::Out, B::Out);

    const EXACT: bool = A::EXACT && B::EXACT;
    const COMMUTES: bool = A::COMMUTES && B::COMMUTES;
    const ONE_PER_WORKER: bool = A::ONE_PER_WORKER || B::ONE_PER_WORKER;
    const BULKY: bool = A::BULKY || B::BULKY;
    const SETTLES: bool = A::SETTLES && B::SETTLES;

    fn shed(&self, carry: &mut Self::Carry, empty: Option<Self::Shed>) -> Self::Shed {
        let (first, second) = empty.map_or((None, None), |(first, second)| (Some(first), Some(second)));
        (self.0.shed(&mut carry.0, first), self.1.shed(&mut carry.1, second))
    }
    fn assign(&self, part: &mut Self::Shed) {
        self.0.assign(&mut part.0);
        self.1.assign(&mut part.1);
    }
    fn place(&self, part: &mut Self::Shed) {
        self.0.place(&mut part.0);
        self.1.place(&mut part.1);
    }

    #[inline]
    fn chunk(&self) -> Self::Chunk {
        (self.0.chunk(), self.1.chunk())
    }
    #[inline(always)]
    fn lanes(&self) -> Self::Lanes {
        (self.0.lanes(), self.1.lanes())
    }
    #[inline(always)]
    fn merge_lanes(&self, lanes: Self::Lanes) -> Self::Chunk {
        (self.0.merge_lanes(lanes.0), self.1.merge_lanes(lanes.1))
    }
    #[inline]
    fn carry(&self, first: bool) -> Self::Carry {
        (self.0.carry(first), self.1.carry(first))
    }
    #[inline]
    fn value(&self) -> Self::Value {
        (self.0.value(), self.1.value())
    }
    #[inline]
    fn merge(&self, earlier: Self::Chunk, later: Self::Chunk) -> Self::Chunk {
        (self.0.merge(earlier.0, later.0), self.1.merge(earlier.1, later.1))
    }
    #[inline]
    fn settled(&self, chunk: &Self::Chunk) -> bool {
        self.0.settled(&chunk.0) && self.1.settled(&chunk.1)
    }
    #[inline]
    fn advance(&self, value: Self::Value, chunk: &Self::Chunk) -> Self::Value {
        (self.0.advance(value.0, &chunk.0), self.1.advance(value.1, &chunk.1))
    }
    fn encode(&self, chunk: &Self::Chunk, to: &mut Vec<u8>) {
        self.0.encode(&chunk.0, to);
        self.1.encode(&chunk.1, to);
    }
    fn decode(&self, from: &mut &[u8]) -> Self::Chunk {
        let first = self.0.decode(from);
        (first, self.1.decode(from))
    }
    fn receive(&self, from: &mut Received<'_>) -> Self::Chunk {
        let first = self.0.receive(from);
        (first, self.1.receive(from))
    }
    fn bins(&self, to: &mut Vec<Vec<u8>>) {
        self.0.bins(to);
        self.1.bins(to);
    }
    fn send(&self, value: &Self::Value, fields: &mut Vec<u8>) {
        self.0.send(&value.0, fields);
        self.1.send(&value.1, fields);
    }
    fn pushed(&self, parts: &mut std::vec::IntoIter<Vec<u8>>) -> Self::Carry {
        let first = self.0.pushed(parts);
        (first, self.1.pushed(parts))
    }
    fn encode_value(&self, value: &Self::Value, to: &mut Vec<u8>) {
        self.0.encode_value(&value.0, to);
        self.1.encode_value(&value.1, to);
    }
    fn decode_value(&self, from: &mut &[u8]) -> Self::Value {
        let first = self.0.decode_value(from);
        (first, self.1.decode_value(from))
    }
    #[inline]
    fn finish(self, value: Self::Value, carries: Vec<Self::Carry>, context: &Context) -> Self::Out {
        let (first, second) = carries.into_iter().unzip();
        (self.0.finish(value.0, first, context), self.1.finish(value.1, second, context))
    }
}

/// A number with an additive and a multiplicative identity.
#[diagnostic::on_unimplemented(
    message = "FA032: forall does not know that `+` or `*` of `{Self}` is associative, nor its identity",
    note = "write the operator as a function and name it: `#[kary_reduce(combine = path)]`, with `acc = path(acc, value)`"
)]
pub trait Number:
    Copy + Send + Sync + std::ops::Add<Output = Self> + std::ops::Sub<Output = Self> + std::ops::Mul<Output = Self>
{
    /// `ZERO + x` is `x`, bit by bit.
    const ZERO: Self;
    /// `ONE * x` is `x`, bit by bit.
    const ONE: Self;
    /// Whether sums and products have the same bits in any grouping.
    const EXACT: bool;

    /// `self + other`. Integers wrap around: what a chunk adds up may be out of range where the whole never is.
    fn plus(self, other: Self) -> Self;
    /// `self - other`, likewise.
    fn minus(self, other: Self) -> Self;
    /// `self * other`, likewise.
    fn times(self, other: Self) -> Self;
    /// `self + other`, and how often the sum wrapped around: once upwards, or once downwards, which counts as minus one.
    fn plus_counted(self, other: Self) -> (Self, i64);
    /// `self - other`, likewise.
    fn minus_counted(self, other: Self) -> (Self, i64);
}

macro_rules! integers {
    ($($type:ty)*) => {$(
        impl Number for $type {
            const ZERO: Self = 0;
            const ONE: Self = 1;
            const EXACT: bool = true;

            #[inline(always)]
            fn plus(self, other: Self) -> Self {
                self.wrapping_add(other)
            }
            #[inline(always)]
            fn minus(self, other: Self) -> Self {
                self.wrapping_sub(other)
            }
            #[inline(always)]
            fn times(self, other: Self) -> Self {
                self.wrapping_mul(other)
            }
            #[inline]
            fn plus_counted(self, other: Self) -> (Self, i64) {
                let (sum, wraps) = self.overflowing_add(other);
                (sum, if !wraps { 0 } else if other < Self::ZERO { -1 } else { 1 })
            }
            #[inline]
            fn minus_counted(self, other: Self) -> (Self, i64) {
                let (difference, wraps) = self.overflowing_sub(other);
                (difference, if !wraps { 0 } else if other < Self::ZERO { 1 } else { -1 })
            }
        }
        impl Number for std::num::Wrapping<$type> {
            const ZERO: Self = std::num::Wrapping(0);
            const ONE: Self = std::num::Wrapping(1);
            const EXACT: bool = true;
            plain_operators!();
        }
        impl Operand<std::num::Wrapping<$type>> for $type {
            #[inline(always)]
            fn value(self) -> std::num::Wrapping<$type> {
                std::num::Wrapping(self)
            }
        }
    )*};
}

macro_rules! plain_operators {
    () => {
        #[inline(always)]
        fn plus(self, other: Self) -> Self {
            self + other
        }
        #[inline(always)]
        fn minus(self, other: Self) -> Self {
            self - other
        }
        #[inline(always)]
        fn times(self, other: Self) -> Self {
            self * other
        }
        #[inline]
        fn plus_counted(self, other: Self) -> (Self, i64) {
            (self + other, 0)
        }
        #[inline]
        fn minus_counted(self, other: Self) -> (Self, i64) {
            (self - other, 0)
        }
    };
}
integers!(i8 i16 i32 i64 i128 isize u8 u16 u32 u64 u128 usize);

macro_rules! floats {
    ($($type:ty)*) => {$(
        impl Number for $type {
            // Minus zero is the one float that changes no other: `0.0 + -0.0` is `0.0`.
            const ZERO: Self = -0.0;
            const ONE: Self = 1.0;
            const EXACT: bool = false;
            plain_operators!();
        }
    )*};
}
floats!(f32 f64);

/// What may stand on the right of `acc += e`: a number, or a reference to one.
#[diagnostic::on_unimplemented(
    message = "FA032: forall does not know how to add `{Self}` to `{V}`, nor that the operator is associative",
    label = "of type `{Self}`",
    note = "of two number types, convert one: `acc += e as f64`",
    note = "write any other operator as a function and name it: `#[kary_reduce(combine = path)]`, with `acc = path(acc, value)`"
)]
pub trait Operand<V> {
    /// The number.
    fn value(self) -> V;
}

impl<V: Number> Operand<V> for V {
    #[inline(always)]
    fn value(self) -> V {
        self
    }
}

impl<V: Number> Operand<V> for &V {
    #[inline(always)]
    fn value(self) -> V {
        *self
    }
}

/// [`Number::plus`], as a function.
#[inline(always)]
pub fn plus<V: Number>(earlier: V, later: V) -> V {
    earlier.plus(later)
}

/// [`Number::minus`], as a function.
#[inline(always)]
pub fn minus<V: Number>(number: V, other: V) -> V {
    number.minus(other)
}

/// [`Number::times`], as a function.
#[inline(always)]
pub fn times<V: Number>(earlier: V, later: V) -> V {
    earlier.times(later)
}

/// What numbers are added to in a part of the iterations. It may be out of range where the whole never is.
pub trait Partial<V> {
    /// Adds a number.
    fn add(&mut self, value: V);
    /// Subtracts a number.
    fn subtract(&mut self, value: V);
}

impl<V: Number> Partial<V> for V {
    #[inline(always)]
    fn add(&mut self, value: V) {
        *self = self.plus(value);
    }
    #[inline(always)]
    fn subtract(&mut self, value: V) {
        *self = self.minus(value);
    }
}

/// A partial sum that wraps around and counts how often, upwards less downwards.
#[derive(Debug, Clone, Copy)]
pub struct Counted<V> {
    sum: V,
    wraps: i64,
}

impl<V: Number> Partial<V> for Counted<V> {
    #[inline]
    fn add(&mut self, value: V) {
        let (sum, wraps) = self.sum.plus_counted(value);
        *self = Counted { sum, wraps: self.wraps + wraps };
    }
    #[inline]
    fn subtract(&mut self, value: V) {
        let (sum, wraps) = self.sum.minus_counted(value);
        *self = Counted { sum, wraps: self.wraps + wraps };
    }
}

impl<V: Number, E: Operand<V>> std::ops::AddAssign<E> for Counted<V> {
    #[inline]
    fn add_assign(&mut self, e: E) {
        self.add(e.value());
    }
}

/// `acc += e` in a part of the iterations.
#[inline(always)]
pub fn add<V>(to: &mut impl Partial<V>, value: impl Operand<V>) {
    to.add(value.value());
}

/// `acc -= e` in a part of the iterations.
#[inline(always)]
pub fn subtract<V>(from: &mut impl Partial<V>, value: impl Operand<V>) {
    from.subtract(value.value());
}

/// `acc *= e` in a part of the iterations.
#[inline(always)]
pub fn multiply<V: Number>(number: &mut V, value: impl Operand<V>) {
    *number = number.times(value.value());
}

/// `acc += e`, with partial sums from zero.
#[derive(Debug)]
pub struct Sum<V, C, const WRAPS: bool> {
    init: V,
    codec: C,
}

/// `acc += e`, where a partial sum that is out of range is a mistake, as it is in the whole.
pub fn sum<V: Number, C: Codec<V>>(init: V, codec: C) -> Sum<V, C, false> {
    Sum { init, codec }
}

/// `acc += e` and `acc -= e`, or a sum that is looked at: partial sums of integers may be out of range.
pub fn running_sum<V: Number, C: Codec<V>>(init: V, codec: C) -> Sum<V, C, true> {
    Sum { init, codec }
}

impl<V: Number, C: Codec<V>, const WRAPS: bool> Accumulator for Sum<V, C, WRAPS> {
    plain_value!();
    type Chunk = V;
    const EXACT: bool = V::EXACT;
    const COMMUTES: bool = V::EXACT;

    #[inline]
    fn chunk(&self) -> V {
        V::ZERO
    }
    #[inline]
    fn merge(&self, earlier: V, later: V) -> V {
        if WRAPS { earlier.plus(later) } else { earlier + later }
    }
    #[inline]
    fn advance(&self, value: V, chunk: &V) -> V {
        self.merge(value, *chunk)
    }
    fn encode(&self, chunk: &V, to: &mut Vec<u8>) {
        self.codec.encode(chunk, to);
    }
    fn decode(&self, from: &mut &[u8]) -> V {
        self.codec.decode(from)
    }
}

/// `acc -= e`, with partial sums of what is subtracted, so that a chunk of unsigned numbers never goes below zero.
#[derive(Debug)]
pub struct Difference<V, C, const WRAPS: bool> {
    init: V,
    codec: C,
}

/// `acc -= e`, where a partial sum that is out of range is a mistake.
pub fn difference<V: Number, C: Codec<V>>(init: V, codec: C) -> Difference<V, C, false> {
    Difference { init, codec }
}

/// `acc -= e`, where the difference is looked at: partial sums of integers may be out of range.
pub fn running_difference<V: Number, C: Codec<V>>(init: V, codec: C) -> Difference<V, C, true> {
    Difference { init, codec }
}

impl<V: Number, C: Codec<V>, const WRAPS: bool> Accumulator for Difference<V, C, WRAPS> {
    plain_value!();
    type Chunk = V;
    const EXACT: bool = V::EXACT;
    const COMMUTES: bool = V::EXACT;

    #[inline]
    fn chunk(&self) -> V {
        // Plus zero is the one float that changes no other when it is subtracted, and this is what the product of two
        // minus zeros is.
        V::ZERO * V::ZERO
    }
    #[inline]
    fn merge(&self, earlier: V, later: V) -> V {
        if WRAPS { earlier.plus(later) } else { earlier + later }
    }
    #[inline]
    fn advance(&self, value: V, chunk: &V) -> V {
        if WRAPS { value.minus(*chunk) } else { value - *chunk }
    }
    fn encode(&self, chunk: &V, to: &mut Vec<u8>) {
        self.codec.encode(chunk, to);
    }
    fn decode(&self, from: &mut &[u8]) -> V {
        self.codec.decode(from)
    }
}

/// `acc += e` and `acc -= e` where overflow is a mistake: a chunk may be out of range, the whole may not.
///
/// A partial sum that starts from zero can be out of range though the author's never is. It wraps around then; only if the
/// whole did so, more often one way than the other, is the author's value out of range.
#[derive(Debug)]
pub struct CountedSum<V, C, const SUBTRACTED: bool> {
    init: V,
    codec: C,
}

/// `acc += e`, beside which there may be `acc -= e`.
pub fn counted_sum<V: Number, C: Codec<V>>(init: V, codec: C) -> CountedSum<V, C, false> {
    CountedSum { init, codec }
}

/// `acc -= e`, with partial sums of what is subtracted.
pub fn counted_difference<V: Number, C: Codec<V>>(init: V, codec: C) -> CountedSum<V, C, true> {
    CountedSum { init, codec }
}

impl<V: Number, C: Codec<V>, const SUBTRACTED: bool> Accumulator for CountedSum<V, C, SUBTRACTED> {
    plain_value!();
    type Chunk = Counted<V>;
    const EXACT: bool = V::EXACT;
    const COMMUTES: bool = V::EXACT;

    #[inline]
    fn chunk(&self) -> Counted<V> {
        // As in `Sum` and in `Difference`.
        Counted { sum: if SUBTRACTED { V::ZERO * V::ZERO } else { V::ZERO }, wraps: 0 }
    }
    #[inline]
    fn merge(&self, mut earlier: Counted<V>, later: Counted<V>) -> Counted<V> {
        earlier.add(later.sum);
        earlier.wraps += later.wraps;
        earlier
    }
    fn advance(&self, value: V, chunk: &Counted<V>) -> V {
        let (value, wraps) = match SUBTRACTED {
            true => value.minus_counted(chunk.sum),
            false => value.plus_counted(chunk.sum),
        };
        let wraps = if SUBTRACTED { wraps - chunk.wraps } else { wraps + chunk.wraps };
        assert!(wraps == 0, "attempt to {} with overflow", if SUBTRACTED { "subtract" } else { "add" });
        value
    }
    fn encode(&self, chunk: &Counted<V>, to: &mut Vec<u8>) {
        to.extend_from_slice(&chunk.wraps.to_le_bytes());
        self.codec.encode(&chunk.sum, to);
    }
    fn decode(&self, from: &mut &[u8]) -> Counted<V> {
        let (wraps, rest) = from.split_first_chunk().unwrap_or((&[0; 8], &[]));
        *from = rest;
        Counted { wraps: i64::from_le_bytes(*wraps), sum: self.codec.decode(from) }
    }
    fn receive(&self, from: &mut Received<'_>) -> Counted<V> {
        let sum = self.codec.decode(&mut from.fields);
        // Sums of floats do not wrap around.
        let wraps = if V::EXACT { from.wraps.split_first_chunk() } else { None };
        let wraps = wraps.map_or(0, |(wraps, rest)| {
            from.wraps = rest;
            i32::from_ne_bytes(*wraps)
        });
        Counted { sum, wraps: wraps.into() }
    }
}

/// `acc *= e`, with partial products from one.
#[derive(Debug)]
pub struct Product<V, C> {
    init: V,
    codec: C,
}

/// `acc *= e`.
pub fn product<V: Number, C: Codec<V>>(init: V, codec: C) -> Product<V, C> {
    Product { init, codec }
}

impl<V: Number, C: Codec<V>> Accumulator for Product<V, C> {
    plain_value!();
    type Chunk = V;
    const EXACT: bool = V::EXACT;
    const COMMUTES: bool = V::EXACT;

    #[inline]
    fn chunk(&self) -> V {
        V::ONE
    }
    #[inline]
    fn merge(&self, earlier: V, later: V) -> V {
        earlier.times(later)
    }
    #[inline]
    fn advance(&self, value: V, chunk: &V) -> V {
        value.times(*chunk)
    }
    fn encode(&self, chunk: &V, to: &mut Vec<u8>) {
        self.codec.encode(chunk, to);
    }
    fn decode(&self, from: &mut &[u8]) -> V {
        self.codec.decode(from)
    }
}

/// `acc ^= e`, with partial results from zero.
#[derive(Debug)]
pub struct Parity<V, C> {
    init: V,
    codec: C,
}

/// `acc ^= e`.
pub fn parity<V, C: Codec<V>>(init: V, codec: C) -> Parity<V, C>
where
    V: Copy + Send + Sync + std::ops::BitXor<Output = V>,
{
    Parity { init, codec }
}

impl<V, C: Codec<V>> Accumulator for Parity<V, C>
where
    V: Copy + Send + Sync + std::ops::BitXor<Output = V>,
{
    plain_value!();
    type Chunk = V;
    const EXACT: bool = true;

    #[inline]
    #[allow(clippy::eq_op)] // The identity of a type that need not have another name for it.
    fn chunk(&self) -> V {
        self.init ^ self.init
    }
    #[inline]
    fn merge(&self, earlier: V, later: V) -> V {
        earlier ^ later
    }
    #[inline]
    fn advance(&self, value: V, chunk: &V) -> V {
        value ^ *chunk
    }
    fn encode(&self, chunk: &V, to: &mut Vec<u8>) {
        self.codec.encode(chunk, to);
    }
    fn decode(&self, from: &mut &[u8]) -> V {
        self.codec.decode(from)
    }
}

/// An operator for which `x op x` is `x`, such as `max`, `&` or `||`: chunks start from the author's initial value, so no
/// identity of the type is needed.
#[derive(Debug)]
pub struct Idempotent<V, M, C> {
    init: V,
    merge: M,
    codec: C,
}

/// `acc = acc.max(e)`, `acc &= e`, `if e > acc { acc = e }` and their kin.
pub fn idempotent<V, M, C>(init: V, codec: C, merge: M) -> Idempotent<V, M, C>
where
    V: Clone + Send + Sync,
    M: Fn(V, V) -> V + Sync,
    C: Codec<V>,
{
    Idempotent { init, merge, codec }
}

impl<V, M, C> Accumulator for Idempotent<V, M, C>
where
    V: Clone + Send + Sync,
    M: Fn(V, V) -> V + Sync,
    C: Codec<V>,
{
    plain_value!();
    type Chunk = V;
    const EXACT: bool = true;

    #[inline]
    fn chunk(&self) -> V {
        self.init.clone()
    }
    #[inline]
    fn merge(&self, earlier: V, later: V) -> V {
        (self.merge)(earlier, later)
    }
    #[inline]
    fn advance(&self, value: V, chunk: &V) -> V {
        (self.merge)(value, chunk.clone())
    }
    fn encode(&self, chunk: &V, to: &mut Vec<u8>) {
        self.codec.encode(chunk, to);
    }
    fn decode(&self, from: &mut &[u8]) -> V {
        self.codec.decode(from)
    }
}

/// A user's associative function: chunks start from nothing, so no identity is needed.
#[derive(Debug)]
pub struct Combine<V, M, C> {
    init: V,
    merge: M,
    codec: C,
}

/// `acc = combine(acc, e)`.
pub fn combine<V, M, C>(init: V, codec: C, merge: M) -> Combine<V, M, C>
where
    V: Clone + Send + Sync,
    M: Fn(V, V) -> V + Sync,
    C: Codec<V>,
{
    Combine { init, merge, codec }
}

impl<V, M, C> Accumulator for Combine<V, M, C>
where
    V: Clone + Send + Sync,
    M: Fn(V, V) -> V + Sync,
    C: Codec<V>,
{
    plain_value!();
    type Chunk = Option<V>;
    const EXACT: bool = false;

    #[inline]
    fn chunk(&self) -> Option<V> {
        None
    }
    #[inline]
    fn merge(&self, earlier: Option<V>, later: Option<V>) -> Option<V> {
        match (earlier, later) {
            (Some(earlier), Some(later)) => Some((self.merge)(earlier, later)),
            (one, None) | (None, one) => one,
        }
    }
    #[inline]
    fn advance(&self, value: V, chunk: &Option<V>) -> V {
        match chunk {
            Some(chunk) => (self.merge)(value, chunk.clone()),
            None => value,
        }
    }
    fn encode(&self, chunk: &Option<V>, to: &mut Vec<u8>) {
        encode_option(&self.codec, chunk.as_ref(), to);
    }
    fn decode(&self, from: &mut &[u8]) -> Option<V> {
        decode_option(&self.codec, from)
    }
    fn receive(&self, from: &mut Received<'_>) -> Option<V> {
        let value = self.codec.decode(&mut from.fields);
        flag(&mut from.fields).then_some(value)
    }
    fn send(&self, value: &V, fields: &mut Vec<u8>) {
        self.codec.encode(value, fields);
        fields.push(0);
    }
}

/// `acc = combine(acc, value)` in a chunk, which starts from nothing.
#[inline]
pub fn include<V>(accumulator: &mut Option<V>, value: V, merge: impl FnOnce(V, V) -> V) {
    *accumulator = Some(match accumulator.take() {
        Some(earlier) => merge(earlier, value),
        None => value,
    });
}

/// One, of whatever number type the place asks for.
pub fn one<V: Number>() -> V {
    V::ONE
}

/// `e`, of whatever number type the place asks for.
#[inline(always)]
pub fn number<V: Number>(e: impl Operand<V>) -> V {
    e.value()
}

/// `-e`. Unsigned numbers wrap around.
#[inline(always)]
pub fn negative<V: Number>(e: V) -> V {
    // Plus zero would make `-0.0` of `0.0` into `0.0`.
    V::ZERO.minus(e)
}

/// Zero, of whatever number type the place asks for.
pub fn zero<V: Number>() -> V {
    V::ZERO
}

fn encode_option<V>(codec: &impl Codec<V>, value: Option<&V>, to: &mut Vec<u8>) {
    to.push(u8::from(value.is_some()));
    if let Some(value) = value {
        codec.encode(value, to);
    }
}

fn decode_option<V>(codec: &impl Codec<V>, from: &mut &[u8]) -> Option<V> {
    let (some, rest) = from.split_first()?;
    *from = rest;
    (*some == 1).then(|| codec.decode(from))
}

/// The flag behind the fields of a chunk that may be empty.
fn flag(fields: &mut &[u8]) -> bool {
    fields.split_off_first().is_some_and(|&flag| flag == 1)
}

/// The best value and what goes with it: `if e > best { best = e; place = i }`.
#[derive(Debug)]
pub struct Best<V, M, C> {
    init: V,
    better: M,
    codec: C,
}

/// `better(new, old)` is the author's condition.
pub fn best<V, M, C>(init: V, codec: C, better: M) -> Best<V, M, C>
where
    V: Clone + Send + Sync,
    M: Fn(&V, &V) -> bool + Sync,
    C: Codec<V>,
{
    Best { init, better, codec }
}

impl<V, M, C> Accumulator for Best<V, M, C>
where
    V: Clone + Send + Sync,
    M: Fn(&V, &V) -> bool + Sync,
    C: Codec<V>,
{
    plain_value!();
    /// The values, and whether an iteration of the chunk set them.
    type Chunk = (V, bool);
    const EXACT: bool = true;

    #[inline]
    fn chunk(&self) -> (V, bool) {
        (self.init.clone(), false)
    }
    #[inline]
    fn merge(&self, earlier: (V, bool), later: (V, bool)) -> (V, bool) {
        match (earlier.1, later.1) {
            (true, true) if (self.better)(&later.0, &earlier.0) => later,
            (false, true) => later,
            _ => earlier,
        }
    }
    #[inline]
    fn advance(&self, value: V, chunk: &(V, bool)) -> V {
        if chunk.1 && (self.better)(&chunk.0, &value) { chunk.0.clone() } else { value }
    }
    fn encode(&self, chunk: &(V, bool), to: &mut Vec<u8>) {
        encode_option(&self.codec, chunk.1.then_some(&chunk.0), to);
    }
    fn decode(&self, from: &mut &[u8]) -> (V, bool) {
        match decode_option(&self.codec, from) {
            Some(value) => (value, true),
            None => self.chunk(),
        }
    }
    fn receive(&self, from: &mut Received<'_>) -> (V, bool) {
        let value = self.codec.decode(&mut from.fields);
        (value, flag(&mut from.fields))
    }
    fn send(&self, value: &V, fields: &mut Vec<u8>) {
        self.codec.encode(value, fields);
        fields.push(0);
    }
}

/// A scan that starts afresh where a condition holds: `if flag[i] { acc = e }`.
#[derive(Debug)]
pub struct Segmented<V, M, C, E> {
    init: V,
    merge: M,
    codec: C,
    exact: PhantomData<fn() -> E>,
}

/// Whether merging gives the same bits in any grouping.
pub trait Exactness {
    /// The answer.
    const EXACT: bool;
}

/// It does.
#[derive(Debug)]
pub struct Always;

/// It may not.
#[derive(Debug)]
pub struct Never;

impl Exactness for Always {
    const EXACT: bool = true;
}

impl Exactness for Never {
    const EXACT: bool = false;
}

/// What a chunk of a segmented scan knows.
#[derive(Debug, Clone)]
pub struct Segment<V> {
    /// What was accumulated since the chunk began, or since the last reset; nothing yet at first.
    pub value: Option<V>,
    /// Whether a reset makes everything before the chunk irrelevant.
    pub reset: bool,
}

impl<V> Segment<V> {
    /// `acc = value`, where `value` does not depend on `acc`.
    #[inline]
    pub fn restart(&mut self, value: V) {
        *self = Segment { value: Some(value), reset: true };
    }

    /// `acc = acc op value`.
    #[inline]
    pub fn include(&mut self, value: V, merge: impl FnOnce(V, V) -> V) {
        self.value = Some(match self.value.take() {
            Some(earlier) => merge(earlier, value),
            None => value,
        });
    }
}

impl<V: PartialOrd> Segment<V> {
    /// `acc = if acc > value { acc } else { value }`: nothing is greater than what cannot be compared, so that what comes
    /// before it does not matter.
    #[inline]
    pub fn follow(&mut self, value: V, merge: impl FnOnce(V, V) -> V) {
        match value.partial_cmp(&value) {
            Some(_) => self.include(value, merge),
            None => self.restart(value),
        }
    }
}

/// Any grouping gives the same bits.
pub fn always<V>(_: &V) -> PhantomData<fn() -> Always> {
    PhantomData
}

/// Another grouping may give other bits.
pub fn never<V>(_: &V) -> PhantomData<fn() -> Never> {
    PhantomData
}

/// As for sums and products of the type.
pub fn as_number<V: Number>(_: &V) -> PhantomData<fn() -> AsNumber<V>> {
    PhantomData
}

/// A scan with resets, under the author's operator.
pub fn segmented<V, M, C, E>(init: V, _: PhantomData<fn() -> E>, codec: C, merge: M) -> Segmented<V, M, C, E>
where
    V: Clone + Send + Sync,
    M: Fn(V, V) -> V + Sync,
    C: Codec<V>,
    E: Exactness,
{
    Segmented { init, merge, codec, exact: PhantomData }
}

impl<V, M, C, E> Accumulator for Segmented<V, M, C, E>
where
    V: Clone + Send + Sync,
    M: Fn(V, V) -> V + Sync,
    C: Codec<V>,
    E: Exactness,
{
    plain_value!();
    type Chunk = Segment<V>;
    const EXACT: bool = E::EXACT;
    const SETTLES: bool = true;

    #[inline]
    fn chunk(&self) -> Segment<V> {
        Segment { value: None, reset: false }
    }
    #[inline]
    fn merge(&self, earlier: Segment<V>, later: Segment<V>) -> Segment<V> {
        if later.reset {
            return later;
        }
        let value = match (earlier.value, later.value) {
            (Some(earlier), Some(later)) => Some((self.merge)(earlier, later)),
            (one, None) | (None, one) => one,
        };
        Segment { value, reset: earlier.reset }
    }
    #[inline]
    fn settled(&self, chunk: &Segment<V>) -> bool {
        chunk.reset
    }
    #[inline]
    fn advance(&self, value: V, chunk: &Segment<V>) -> V {
        match &chunk.value {
            Some(chunk_value) if chunk.reset => chunk_value.clone(),
            Some(chunk_value) => (self.merge)(value, chunk_value.clone()),
            None => value,
        }
    }
    fn encode(&self, chunk: &Segment<V>, to: &mut Vec<u8>) {
        to.push(u8::from(chunk.reset));
        encode_option(&self.codec, chunk.value.as_ref(), to);
    }
    fn decode(&self, from: &mut &[u8]) -> Segment<V> {
        let (reset, rest) = from.split_first().unwrap_or((&0, &[]));
        *from = rest;
        Segment { reset: *reset == 1, value: decode_option(&self.codec, from) }
    }
    fn receive(&self, from: &mut Received<'_>) -> Segment<V> {
        let value = self.codec.decode(&mut from.fields);
        Segment { value: flag(&mut from.fields).then_some(value), reset: flag(&mut from.fields) }
    }
    fn send(&self, value: &V, fields: &mut Vec<u8>) {
        self.codec.encode(value, fields);
        fields.extend([0, 0]);
    }
}

/// The linear recurrence `y = a * y + b`: a chunk is the composition of its iterations' maps.
#[derive(Debug)]
pub struct Linear<V, C> {
    init: V,
    codec: C,
}

/// What a chunk does to the value before it: `y` becomes `factor * y + term`.
#[derive(Debug, Clone, Copy)]
pub struct LinearMap<V> {
    factor: V,
    term: V,
    /// Whether it does not depend on the value before it, not even where that is infinite.
    reset: bool,
}

impl<V: Number> LinearMap<V> {
    /// `y = factor * y + term`, after what is there.
    #[inline]
    pub fn then(&mut self, factor: V, term: V) {
        self.term = factor.times(self.term).plus(term);
        self.factor = factor.times(self.factor);
    }

    /// `y = value`.
    #[inline]
    pub fn restart(&mut self, value: V) {
        *self = LinearMap { factor: V::ZERO, term: value, reset: true };
    }
}

/// `y = a * y + b`, with `a` and `b` of each iteration.
pub fn linear<V: Number, C: Codec<V>>(init: V, codec: C) -> Linear<V, C> {
    Linear { init, codec }
}

impl<V: Number, C: Codec<V>> Accumulator for Linear<V, C> {
    plain_value!();
    type Chunk = LinearMap<V>;
    const EXACT: bool = V::EXACT;

    #[inline]
    fn chunk(&self) -> LinearMap<V> {
        LinearMap { factor: V::ONE, term: V::ZERO, reset: false }
    }
    #[inline]
    fn merge(&self, earlier: LinearMap<V>, later: LinearMap<V>) -> LinearMap<V> {
        if later.reset {
            return later;
        }
        let mut both = earlier;
        both.then(later.factor, later.term);
        both
    }
    #[inline]
    fn advance(&self, value: V, chunk: &LinearMap<V>) -> V {
        if chunk.reset {
            return chunk.term;
        }
        chunk.factor.times(value).plus(chunk.term)
    }
    fn encode(&self, chunk: &LinearMap<V>, to: &mut Vec<u8>) {
        to.push(u8::from(chunk.reset));
        self.codec.encode(&chunk.factor, to);
        self.codec.encode(&chunk.term, to);
    }
    fn decode(&self, from: &mut &[u8]) -> LinearMap<V> {
        let (reset, rest) = from.split_first().unwrap_or((&0, &[]));
        *from = rest;
        let factor = self.codec.decode(from);
        LinearMap { factor, term: self.codec.decode(from), reset: *reset == 1 }
    }
    fn receive(&self, from: &mut Received<'_>) -> LinearMap<V> {
        let term = self.codec.decode(&mut from.fields);
        let factor = self.codec.decode(&mut from.fields);
        LinearMap { factor, term, reset: flag(&mut from.fields) }
    }
    fn send(&self, value: &V, fields: &mut Vec<u8>) {
        self.codec.encode(value, fields);
        self.codec.encode(&V::ONE, fields);
        fields.push(0);
    }
}

/// What the elements of a histogram are kept in: an array or a vector, as the author has it.
pub trait Container: Clone + Send + Sync {
    /// One bin.
    type Element: Clone + Send + Sync;
    /// All bins.
    fn elements(&self) -> &[Self::Element];
    /// All bins.
    fn elements_mut(&mut self) -> &mut [Self::Element];
}

impl<T: Clone + Send + Sync, const N: usize> Container for [T; N] {
    type Element = T;
    fn elements(&self) -> &[T] {
        self
    }
    fn elements_mut(&mut self) -> &mut [T] {
        self
    }
}

impl<T: Clone + Send + Sync> Container for Vec<T> {
    type Element = T;
    fn elements(&self) -> &[T] {
        self
    }
    fn elements_mut(&mut self) -> &mut [T] {
        self
    }
}

/// A histogram: elements of an array, each with the same operator.
#[derive(Debug)]
pub struct Bins<'a, B, M, C, E> {
    target: &'a mut B,
    /// What a chunk starts from: zeros, ones, or (for an idempotent operator) the author's initial values.
    fresh: B,
    merge: M,
    codec: C,
    exact: PhantomData<fn() -> E>,
}

/// What the bins of a chunk start from; nothing stands for the author's initial values.
#[derive(Debug)]
pub struct Fresh<T, E>(From<T>, PhantomData<fn() -> E>);

#[derive(Debug)]
enum From<T> {
    Initial,
    Identity(T),
    Parts(fn(&mut T)),
}

/// Exact if sums of the numbers are.
#[derive(Debug)]
pub struct AsNumber<T>(PhantomData<T>);

impl<T: Number> Exactness for AsNumber<T> {
    const EXACT: bool = T::EXACT;
}

/// `h[k] ⊕= e` at places that the data choose, for an operator with an identity.
pub fn bins<'a, B, M, C, E>(target: &'a mut B, fresh: Fresh<B::Element, E>, codec: C, merge: M) -> Bins<'a, B, M, C, E>
where
    B: Container,
    M: Fn(B::Element, B::Element) -> B::Element + Sync,
    C: Codec<B::Element>,
    E: Exactness,
{
    let mut bins = target.clone();
    match fresh.0 {
        From::Initial => {}
        From::Identity(identity) => bins.elements_mut().fill(identity),
        From::Parts(set) => bins.elements_mut().iter_mut().for_each(set),
    }
    Bins { target, fresh: bins, merge, codec, exact: PhantomData }
}

/// Zero, of the type of the elements.
pub fn zero_of<T: Number>(_: &[T]) -> Fresh<T, AsNumber<T>> {
    Fresh(From::Identity(T::ZERO), PhantomData)
}

/// One, of the type of the elements.
pub fn one_of<T: Number>(_: &[T]) -> Fresh<T, AsNumber<T>> {
    Fresh(From::Identity(T::ONE), PhantomData)
}

/// No identity: chunks start from the author's initial values.
pub fn initial<T>(_: &[T]) -> Fresh<T, Always> {
    Fresh(From::Initial, PhantomData)
}

/// For elements of which parts are updated: an element of which `identity` sets these parts.
///
/// The elements of one array are alike but for what is updated, or the parts that are not updated stay as they were: a
/// chunk's bins are the author's, with the parts set.
pub fn parts_of<T: Clone, X: Parts>(_: &[T], _: X, identity: fn(&mut T)) -> Fresh<T, X> {
    Fresh(From::Parts(identity), PhantomData)
}

/// A number in an element, for its type.
pub fn number_in<T, V: Number>(_: &[T], _: impl Fn(&T) -> &V) -> AsNumber<V> {
    AsNumber(PhantomData)
}

/// Which numbers are in an element.
pub trait Parts: Exactness {}

impl Exactness for () {
    const EXACT: bool = true;
}

impl<A: Exactness, B: Exactness> Exactness for (A, B) {
    const EXACT: bool = A::EXACT && B::EXACT;
}

impl Parts for () {}

impl<A: Exactness, B: Parts> Parts for (A, B) {}

/// `x ^ x`, of the type of the elements.
#[allow(clippy::eq_op)] // As above.
pub fn xor_identity<T: Copy + std::ops::BitXor<Output = T>>(elements: &[T]) -> Fresh<T, Always> {
    Fresh(elements.first().map_or(From::Initial, |&x| From::Identity(x ^ x)), PhantomData)
}

impl<B, M, C, E> Accumulator for Bins<'_, B, M, C, E>
where
    B: Container,
    M: Fn(B::Element, B::Element) -> B::Element + Sync,
    C: Codec<B::Element>,
    E: Exactness,
{
    no_shed!();
    type Chunk = B;
    type Carry = ();
    type Value = B;
    type Lanes = B;
    type Out = ();
    const EXACT: bool = E::EXACT;
    const COMMUTES: bool = E::EXACT;
    const BULKY: bool = true;

    fn lanes(&self) -> B {
        self.chunk()
    }
    fn merge_lanes(&self, lanes: B) -> B {
        lanes
    }
    fn chunk(&self) -> B {
        self.fresh.clone()
    }
    fn carry(&self, _: bool) {}
    fn value(&self) -> B {
        self.target.clone()
    }
    fn merge(&self, mut earlier: B, later: B) -> B {
        for (earlier, later) in earlier.elements_mut().iter_mut().zip(later.elements()) {
            *earlier = (self.merge)(earlier.clone(), later.clone());
        }
        earlier
    }
    fn advance(&self, value: B, chunk: &B) -> B {
        self.merge(value, chunk.clone())
    }
    fn encode(&self, chunk: &B, to: &mut Vec<u8>) {
        for element in chunk.elements() {
            self.codec.encode(element, to);
        }
    }
    fn decode(&self, from: &mut &[u8]) -> B {
        let mut bins = self.fresh.clone();
        for element in bins.elements_mut() {
            *element = self.codec.decode(from);
        }
        bins
    }
    fn receive(&self, from: &mut Received<'_>) -> B {
        match from.bins.next() {
            Some(bins) => self.decode(&mut &bins[..]),
            None => self.chunk(),
        }
    }
    fn bins(&self, to: &mut Vec<Vec<u8>>) {
        let mut bytes = Vec::new();
        self.encode(&self.fresh, &mut bytes);
        to.push(bytes);
    }
    fn send(&self, _: &B, _: &mut Vec<u8>) {}
    fn encode_value(&self, value: &B, to: &mut Vec<u8>) {
        self.encode(value, to);
    }
    fn decode_value(&self, from: &mut &[u8]) -> B {
        self.decode(from)
    }
    fn finish(self, value: B, _: Vec<()>, _: &Context) {
        *self.target = value;
    }
}

/// A state that is made once for each worker that gets work, and merged in the order of iterations; every rank gets the
/// merged whole.
#[derive(Debug)]
pub struct State<S, I, M> {
    state: S,
    init: I,
    merge: M,
}

/// A state of the author's own type.
pub fn state<S, I, M>(state: S, init: I, merge: M) -> State<S, I, M>
where
    S: Send + Sync,
    I: Fn() -> S + Sync,
    M: Fn(&mut S, S) + Sync,
{
    State { state, init, merge }
}

impl<S, I, M> Accumulator for State<S, I, M>
where
    S: Send + Sync,
    I: Fn() -> S + Sync,
    M: Fn(&mut S, S) + Sync,
{
    no_chunk!();
    no_shed!();
    type Carry = S;
    type Out = Collected<S, M>;
    const ONE_PER_WORKER: bool = true;

    fn carry(&self, _: bool) -> S {
        (self.init)()
    }
    fn finish(self, _: (), carries: Vec<S>, _: &Context) -> Collected<S, M> {
        let State { state, merge, .. } = self;
        let mut mine = None;
        for carry in carries {
            match &mut mine {
                None => mine = Some(carry),
                Some(mine) => merge(mine, carry),
            }
        }
        Collected { state, mine, merge }
    }
}

/// What this rank's iterations have collected, beside the state before the loop.
///
/// It is put together over ranks in a second step: only the loop's body, which the compiler sees in between, may tell the
/// type of what a collection holds, and so how it travels.
#[derive(Debug)]
pub struct Collected<S, M> {
    state: S,
    mine: Option<S>,
    merge: M,
}

impl<S, M: Fn(&mut S, S)> Collected<S, M> {
    /// The state before the loop.
    pub fn state(&self) -> &S {
        &self.state
    }

    /// The state after the loop. All ranks take part.
    pub fn on_all_ranks(self, codec: impl Codec<S>, call: &crate::call::Call) -> S {
        let Collected { mut state, mut mine, merge } = self;
        let context = call.context();
        if context.place().ranks > 1 {
            mine = crate::comm::collective::reduce_all(
                context.comm(),
                2,
                mine,
                |mine| {
                    let mut bytes = Vec::new();
                    encode_option(&codec, mine.as_ref(), &mut bytes);
                    bytes
                },
                |mut bytes| decode_option(&codec, &mut bytes),
                |earlier: Option<S>, later| match (earlier, later) {
                    (Some(mut earlier), Some(later)) => {
                        merge(&mut earlier, later);
                        Some(earlier)
                    }
                    (one, None) | (None, one) => one,
                },
            );
        }
        if let Some(mine) = mine {
            merge(&mut state, mine);
        }
        state
    }
}

/// A type that can be filled by several workers and put together in the order of iterations.
///
/// # Examples
/// ```
/// use forall_core::accumulate::Merge;
/// let mut all = vec![1, 2];
/// all.merge(vec![3]);
/// assert_eq!(all, [1, 2, 3]);
/// ```
#[diagnostic::on_unimplemented(
    message = "FA033: `{Self}` has no `Merge`, so states of several workers cannot be put together",
    note = "implement `forall::Merge`, or name functions: `#[foreach_tls(init = path, merge = path)]`"
)]
pub trait Merge: Sized {
    /// A state that holds nothing: merging it changes nothing.
    fn fresh() -> Self;
    /// Adds what later iterations collected.
    fn merge(&mut self, later: Self);
}

impl<T> Merge for Vec<T> {
    fn fresh() -> Self {
        Vec::new()
    }
    fn merge(&mut self, mut later: Self) {
        if self.is_empty() {
            *self = later;
        } else {
            self.append(&mut later);
        }
    }
}

impl Merge for String {
    fn fresh() -> Self {
        String::new()
    }
    fn merge(&mut self, later: Self) {
        self.push_str(&later);
    }
}

impl<T> Merge for std::collections::VecDeque<T> {
    fn fresh() -> Self {
        Self::new()
    }
    fn merge(&mut self, later: Self) {
        self.extend(later);
    }
}

impl<K: Ord, V> Merge for std::collections::BTreeMap<K, V> {
    fn fresh() -> Self {
        Self::new()
    }
    fn merge(&mut self, later: Self) {
        self.extend(later);
    }
}

impl<K: Ord> Merge for std::collections::BTreeSet<K> {
    fn fresh() -> Self {
        Self::new()
    }
    fn merge(&mut self, later: Self) {
        self.extend(later);
    }
}

impl<K: Eq + std::hash::Hash, V, H: std::hash::BuildHasher + Default> Merge for std::collections::HashMap<K, V, H> {
    fn fresh() -> Self {
        Self::default()
    }
    fn merge(&mut self, later: Self) {
        self.extend(later);
    }
}

impl<K: Eq + std::hash::Hash, H: std::hash::BuildHasher + Default> Merge for std::collections::HashSet<K, H> {
    fn fresh() -> Self {
        Self::default()
    }
    fn merge(&mut self, later: Self) {
        self.extend(later);
    }
}

impl<A: Merge, B: Merge> Merge for (A, B) {
    fn fresh() -> Self {
        (A::fresh(), B::fresh())
    }
    fn merge(&mut self, later: Self) {
        self.0.merge(later.0);
        self.1.merge(later.1);
    }
}

/// How a state is made, and how two of them are put together.
pub type Both<S> = (fn() -> S, fn(&mut S, S));

/// For states of the type of this one.
pub fn by_merge<S: Merge>(_: &S) -> Both<S> {
    (S::fresh, S::merge)
}

/// A buffer that every iteration fills before it reads it: each worker has one of its own.
#[derive(Debug)]
pub struct Scratch<V>(V);

/// A buffer like this one for each worker.
pub fn scratch<V: Clone + Send + Sync>(buffer: V) -> Scratch<V> {
    Scratch(buffer)
}

impl<V: Clone + Send + Sync> Accumulator for Scratch<V> {
    no_chunk!();
    no_shed!();
    type Carry = V;
    type Out = V;

    fn carry(&self, _: bool) -> V {
        self.0.clone()
    }
    fn finish(self, _: (), mut carries: Vec<V>, _: &Context) -> V {
        carries.pop().unwrap_or(self.0)
    }
}
