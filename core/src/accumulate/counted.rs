//! Tallies: the effect of a part of the iterations on a number, with detection of overflow.

use super::number::{Alarm, Counted, CountedProduct, Far, Number, Partial, PartialProduct, Wide};
use crate::codec::Codec;

/// The operators that update a number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum By {
    /// `acc += e`.
    Adding,
    /// `acc -= e`, as the sum of the subtracted numbers.
    Differences,
    /// `acc -= e`.
    Subtracting,
    /// `acc += e` and `acc -= e`.
    Both,
    /// `acc *= e`.
    Multiplying,
}

/// The effect of a part of the iterations on a number of the user.
///
/// It starts from the identity element, so it may be out of range although the user's number never is. It records the least and the greatest
/// partial result. Together with the number before this part, these show whether the number overflowed.
pub trait Tally<V>: Copy + Send + Sync {
    /// The identity element of the operator.
    const IDENTITY: V;

    /// The tally of no iterations.
    fn none() -> Self;
    /// The tally of no iterations, for a known number: it panics as soon as this number overflows.
    fn starting(value: V, by: By) -> Self;
    /// Adds a number, or multiplies by it.
    fn include(&mut self, value: V);
    /// Merges two neighbouring tallies.
    fn and_then(self, later: Self) -> Self;
    /// The tally of iterations whose wrapped result alone is known.
    fn ending(value: V, by: By) -> Self;
    /// The number after these iterations, if it was `value` before.
    ///
    /// # Panics
    /// As the user's operator, if the number overflowed.
    fn after(&self, value: V, by: By) -> V;
    /// Serializes a tally for other ranks.
    fn encode(&self, codec: &impl Codec<V>, to: &mut Vec<u8>);
    /// Deserializes a tally of another rank.
    fn decode(codec: &impl Codec<V>, from: &mut &[u8]) -> Self;
}

impl<V: Number> Tally<V> for Counted<V> {
    const IDENTITY: V = V::ZERO;

    #[inline]
    fn none() -> Self {
        Counted::of(Wide::of(V::ZERO))
    }
    fn starting(value: V, by: By) -> Self {
        Counted { alarm: Alarm::of(value, by == By::Differences), ..Counted::none() }
    }
    fn include(&mut self, value: V) {
        self.add(value);
    }
    #[inline]
    fn and_then(self, later: Self) -> Self {
        self.then(later)
    }
    fn ending(value: V, by: By) -> Self {
        let (_, wraps) = V::ZERO.minus_counted(V::ONE);
        // A wrapped result below zero looks like a large one.
        if by != By::Adding && wraps != 0 { Counted::unknown(value) } else { Counted::of(Wide::of(value)) }
    }
    fn after(&self, value: V, by: By) -> V {
        let before = Wide::of(value);
        if self.is_unknown() {
            return before.plus(self.sum).rest;
        }
        let [least, after, most] = match by {
            By::Differences => [self.most, self.sum, self.least].map(|sum| before.minus(sum)),
            _ => [self.least, self.sum, self.most].map(|sum| before.plus(sum)),
        };
        let by = match (by, self.steps) {
            (By::Both, [true, false]) => By::Adding,
            (By::Both, [false, true]) => By::Subtracting,
            _ => by,
        };
        let too_low = if by == By::Adding { "add" } else { "subtract" };
        let too_high = if matches!(by, By::Subtracting | By::Differences) { "subtract" } else { "add" };
        assert!(least.wraps >= 0, "attempt to {too_low} with overflow");
        assert!(most.wraps <= 0, "attempt to {too_high} with overflow");
        after.rest
    }
    fn encode(&self, codec: &impl Codec<V>, to: &mut Vec<u8>) {
        for part in [self.sum, self.least, self.most] {
            to.extend_from_slice(&part.wraps.to_le_bytes());
            codec.encode(&part.rest, to);
        }
        to.extend(self.steps.map(u8::from));
    }
    fn decode(codec: &impl Codec<V>, from: &mut &[u8]) -> Self {
        let mut part = || {
            let (wraps, rest) = from.split_first_chunk().unwrap_or((&[0; 8], &[]));
            *from = rest;
            Wide { wraps: i64::from_le_bytes(*wraps), rest: codec.decode(from) }
        };
        let (sum, least, most) = (part(), part(), part());
        let (steps, rest) = from.split_first_chunk().unwrap_or((&[0; 2], &[]));
        *from = rest;
        Counted { sum, least, most, steps: steps.map(|step| step == 1), alarm: None }
    }
}

impl<V: Number> Tally<V> for CountedProduct<V> {
    const IDENTITY: V = V::ONE;

    fn none() -> Self {
        CountedProduct::one()
    }
    fn starting(value: V, _: By) -> Self {
        CountedProduct { alarm: Alarm::of(value, false), ..CountedProduct::one() }
    }
    fn include(&mut self, value: V) {
        self.multiply(value);
    }
    fn and_then(self, later: Self) -> Self {
        self.then(later)
    }
    fn ending(value: V, _: By) -> Self {
        CountedProduct { product: value, ..CountedProduct::one() }
    }
    fn after(&self, value: V, _: By) -> V {
        let in_range = self.from(value.far()).into_iter().all(V::holds);
        assert!(in_range, "attempt to multiply with overflow");
        value.times(self.product)
    }
    fn encode(&self, codec: &impl Codec<V>, to: &mut Vec<u8>) {
        for Far { negative, size } in [self.far, self.least, self.most] {
            to.push(u8::from(negative) | u8::from(size.is_none()) << 1);
            to.extend_from_slice(&size.unwrap_or(0).to_le_bytes());
        }
        codec.encode(&self.product, to);
    }
    fn decode(codec: &impl Codec<V>, from: &mut &[u8]) -> Self {
        let mut far = || {
            let (&[how], rest) = from.split_first_chunk().unwrap_or((&[0], &[]));
            let (size, rest) = rest.split_first_chunk().unwrap_or((&[0; 16], &[]));
            *from = rest;
            Far { negative: how & 1 == 1, size: (how & 2 == 0).then_some(u128::from_le_bytes(*size)) }
        };
        let (far, least, most) = (far(), far(), far());
        CountedProduct { product: codec.decode(from), far, least, most, alarm: None }
    }
}
