//! Reductions and scans under the arithmetic operators: `+=`, `-=`, `*=`, `^=`.

use super::accumulator::{Accumulator, LANES, plain_value};
use super::counted::{By, Tally};
use super::number::{Alarm, Counted, CountedProduct, Number, Wide};
use super::rounding;
use crate::codec::Codec;
use crate::device::Received;
use crate::runtime::Context;

/// Records the magnitudes of partial sums of floats.
#[inline(always)]
fn note<V: Number>(one: V, other: V) {
    if !V::EXACT {
        rounding::partial(|| one.magnitude().max(other.magnitude()));
    }
}

/// `acc += e`, with partial sums from zero.
#[derive(Debug)]
pub struct Sum<V, C, const WRAPS: bool> {
    init: V,
    codec: C,
}

/// `acc += e`, if overflow of a partial sum implies overflow of the whole sum.
pub fn sum<V: Number, C: Codec<V>>(init: V, codec: C) -> Sum<V, C, false> {
    Sum { init, codec }
}

/// `acc += e` and `acc -= e`, or a sum that the body reads: partial sums of integers may be out of range.
pub fn running_sum<V: Number, C: Codec<V>>(init: V, codec: C) -> Sum<V, C, true> {
    Sum { init, codec }
}

/// The sum of two partial sums.
#[inline(always)]
fn add<V: Number, const WRAPS: bool>(earlier: V, later: V) -> V {
    if WRAPS { earlier.plus(later) } else { earlier + later }
}

impl<V: Number, C: Codec<V>, const WRAPS: bool> Accumulator for Sum<V, C, WRAPS> {
    plain_value!(|_, earlier, later| add::<V, WRAPS>(earlier, later));
    type Chunk = V;
    const EXACT: bool = V::EXACT;
    const COMMUTES: bool = V::EXACT;
    const LIMITED: bool = !V::EXACT;

    #[inline]
    fn chunk(&self) -> V {
        V::ZERO
    }
    #[inline]
    fn merge(&self, earlier: V, later: V) -> V {
        note(earlier, later);
        add::<V, WRAPS>(earlier, later)
    }
    #[inline]
    fn advance(&self, value: V, chunk: &V) -> V {
        self.merge(value, *chunk)
    }
    fn fits(&self, _: &V, chunk: &V, after: &V) -> bool {
        chunk.magnitude().is_finite() && after.magnitude().is_finite()
    }
    fn encode(&self, chunk: &V, to: &mut Vec<u8>) {
        self.codec.encode(chunk, to);
    }
    fn decode(&self, from: &mut &[u8]) -> V {
        self.codec.decode(from)
    }
}

/// `acc -= e`, with partial sums of the subtracted numbers, so that a chunk of unsigned numbers is never below zero.
#[derive(Debug)]
pub struct Difference<V, C, const WRAPS: bool> {
    init: V,
    codec: C,
}

/// `acc -= e`, if overflow of a partial sum implies overflow of the whole difference.
pub fn difference<V: Number, C: Codec<V>>(init: V, codec: C) -> Difference<V, C, false> {
    Difference { init, codec }
}

/// `acc -= e`, if the body reads the difference: partial sums of integers may be out of range.
pub fn running_difference<V: Number, C: Codec<V>>(init: V, codec: C) -> Difference<V, C, true> {
    Difference { init, codec }
}

impl<V: Number, C: Codec<V>, const WRAPS: bool> Accumulator for Difference<V, C, WRAPS> {
    plain_value!(|_, earlier, later| add::<V, WRAPS>(earlier, later));
    type Chunk = V;
    const EXACT: bool = V::EXACT;
    const COMMUTES: bool = V::EXACT;
    const LIMITED: bool = !V::EXACT;

    #[inline]
    fn chunk(&self) -> V {
        // Plus zero is the identity of float subtraction. It is the product of two minus zeros.
        V::ZERO * V::ZERO
    }
    #[inline]
    fn merge(&self, earlier: V, later: V) -> V {
        note(earlier, later);
        add::<V, WRAPS>(earlier, later)
    }
    #[inline]
    fn advance(&self, value: V, chunk: &V) -> V {
        if WRAPS { value.minus(*chunk) } else { value - *chunk }
    }
    fn fits(&self, _: &V, chunk: &V, after: &V) -> bool {
        chunk.magnitude().is_finite() && after.magnitude().is_finite()
    }
    fn encode(&self, chunk: &V, to: &mut Vec<u8>) {
        self.codec.encode(chunk, to);
    }
    fn decode(&self, from: &mut &[u8]) -> V {
        self.codec.decode(from)
    }
}

/// `acc += e` and `acc -= e` with overflow checks. A chunk may be out of range although the user's variable never is.
///
/// A partial sum wraps around, and records its least and greatest value. Together with the variable before the chunk, these show whether the
/// variable overflowed.
#[derive(Debug)]
pub struct CountedSum<V, C> {
    init: V,
    codec: C,
    by: By,
}

/// `acc += e`.
pub fn counted_sum<V: Number, C: Codec<V>>(init: V, codec: C) -> CountedSum<V, C> {
    CountedSum { init, codec, by: By::Adding }
}

/// `acc += e` and `acc -= e`.
pub fn counted_balance<V: Number, C: Codec<V>>(init: V, codec: C) -> CountedSum<V, C> {
    CountedSum { init, codec, by: By::Both }
}

/// `acc -= e`, with partial sums of the subtracted numbers.
pub fn counted_difference<V: Number, C: Codec<V>>(init: V, codec: C) -> CountedSum<V, C> {
    CountedSum { init, codec, by: By::Differences }
}

impl<V: Number, C: Codec<V>> Accumulator for CountedSum<V, C> {
    plain_value!(|_, earlier: Counted<V>, later| earlier.then(later));
    type Chunk = Counted<V>;
    const EXACT: bool = V::EXACT;
    const DETECTS_LATE: bool = V::EXACT;

    #[inline]
    fn chunk(&self) -> Counted<V> {
        // The same as in `Sum` and in `Difference`.
        Counted::of(Wide::of(if self.by == By::Differences { V::ZERO * V::ZERO } else { V::ZERO }))
    }
    fn chunk_from(&self, value: &V) -> Counted<V> {
        Counted { alarm: Alarm::of(*value, self.by == By::Differences), ..self.chunk() }
    }
    #[inline]
    fn lanes_after(&self, chunk: &Counted<V>) -> [Counted<V>; LANES] {
        let mut lanes = self.lanes();
        lanes[0].alarm = chunk.alarm;
        lanes
    }
    #[inline]
    fn merge(&self, earlier: Counted<V>, later: Counted<V>) -> Counted<V> {
        note(earlier.sum.rest, later.sum.rest);
        earlier.then(later)
    }
    fn advance(&self, value: V, chunk: &Counted<V>) -> V {
        chunk.after(value, self.by)
    }
    fn hides_mistakes(&self) -> bool {
        self.by == By::Both
    }
    fn encode(&self, chunk: &Counted<V>, to: &mut Vec<u8>) {
        chunk.encode(&self.codec, to);
    }
    fn decode(&self, from: &mut &[u8]) -> Counted<V> {
        Counted::decode(&self.codec, from)
    }
    fn receive(&self, from: &mut Received<'_>) -> Counted<V> {
        let rest = self.codec.decode(&mut from.fields);
        // Sums of floats do not wrap around.
        let wraps = if V::EXACT { from.wraps.split_first_chunk() } else { None };
        let wraps = wraps.map_or(0, |(wraps, rest)| {
            from.wraps = rest;
            i32::from_ne_bytes(*wraps)
        });
        Counted::of(Wide { wraps: wraps.into(), rest })
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
    plain_value!(|_, earlier: V, later| earlier.times(later));
    type Chunk = V;
    const EXACT: bool = V::EXACT;
    const COMMUTES: bool = V::EXACT;
    const LIMITED: bool = !V::EXACT;

    #[inline]
    fn chunk(&self) -> V {
        V::ONE
    }
    #[inline]
    fn merge(&self, earlier: V, later: V) -> V {
        note(earlier, later);
        earlier.times(later)
    }
    #[inline]
    fn advance(&self, value: V, chunk: &V) -> V {
        value.times(*chunk)
    }
    fn fits(&self, before: &V, chunk: &V, after: &V) -> bool {
        let [before, chunk, after] = [*before, *chunk, *after].map(V::magnitude);
        // Zero stays zero. Otherwise a subnormal product has lost digits, and the scan state after it would be wrong.
        let lost = chunk < V::digits()[0] && before > 0.0;
        chunk.is_finite() && after.is_finite() && !lost
    }
    fn encode(&self, chunk: &V, to: &mut Vec<u8>) {
        self.codec.encode(chunk, to);
    }
    fn decode(&self, from: &mut &[u8]) -> V {
        self.codec.decode(from)
    }
}

/// `acc *= e` with overflow checks: as a [`CountedSum`].
#[derive(Debug)]
pub struct ProductInRange<V, C> {
    init: V,
    codec: C,
}

/// `acc *= e` with overflow checks.
pub fn counted_product<V: Number, C: Codec<V>>(init: V, codec: C) -> ProductInRange<V, C> {
    ProductInRange { init, codec }
}

impl<V: Number, C: Codec<V>> Accumulator for ProductInRange<V, C> {
    plain_value!(|_, earlier: CountedProduct<V>, later| earlier.then(later));
    type Chunk = CountedProduct<V>;
    const EXACT: bool = V::EXACT;
    const DETECTS_LATE: bool = V::EXACT;

    #[inline]
    fn chunk(&self) -> CountedProduct<V> {
        CountedProduct::one()
    }
    fn chunk_from(&self, value: &V) -> CountedProduct<V> {
        CountedProduct { alarm: Alarm::of(*value, false), ..self.chunk() }
    }
    fn hides_mistakes(&self) -> bool {
        V::EXACT
    }
    #[inline]
    fn lanes_after(&self, chunk: &CountedProduct<V>) -> [CountedProduct<V>; LANES] {
        let mut lanes = self.lanes();
        lanes[0].alarm = chunk.alarm;
        lanes
    }
    #[inline]
    fn merge(&self, earlier: CountedProduct<V>, later: CountedProduct<V>) -> CountedProduct<V> {
        note(earlier.product, later.product);
        earlier.then(later)
    }
    fn advance(&self, value: V, chunk: &CountedProduct<V>) -> V {
        chunk.after(value, By::Multiplying)
    }
    fn encode(&self, chunk: &CountedProduct<V>, to: &mut Vec<u8>) {
        chunk.encode(&self.codec, to);
    }
    fn decode(&self, from: &mut &[u8]) -> CountedProduct<V> {
        CountedProduct::decode(&self.codec, from)
    }
    fn receive(&self, from: &mut Received<'_>) -> CountedProduct<V> {
        // A device does not tell how far it went.
        CountedProduct { product: self.codec.decode(&mut from.fields), ..CountedProduct::one() }
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
