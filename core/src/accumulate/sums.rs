//! Reductions and scans under the arithmetic operators: `+=`, `-=`, `*=`, `^=`.

use super::accumulator::{Accumulator, LANES, plain_value};
use super::number::{Counted, Number, Partial};
use super::rounding;
use crate::codec::Codec;
use crate::device::Received;
use crate::runtime::Context;

/// Notes how large partial sums of floats are.
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
        note(earlier, later);
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
        note(earlier, later);
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
        note(earlier.sum, later.sum);
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
        note(earlier, later);
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
