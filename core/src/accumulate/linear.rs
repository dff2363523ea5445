//! Linear recurrences.

use super::accumulator::{Accumulator, LANES, plain_value};
use super::number::Number;
use super::operators::flag;
use crate::codec::Codec;
use crate::device::Received;
use crate::runtime::Context;

/// The linear recurrence `y = a * y + b`. A chunk is the composition of its iterations' affine maps.
#[derive(Debug)]
pub struct Linear<V, C> {
    init: V,
    codec: C,
}

/// The affine map of a chunk: `y` becomes `factor * y + term`.
#[derive(Debug, Clone, Copy)]
pub struct LinearMap<V> {
    factor: V,
    term: V,
    /// Whether the map is constant, also for an infinite value.
    reset: bool,
}

impl<V: Number> LinearMap<V> {
    /// Appends `y = factor * y + term`.
    #[inline]
    pub fn then(&mut self, factor: V, term: V) {
        self.term = factor.times(self.term).plus(term);
        self.factor = factor.times(self.factor);
    }

    /// Appends `y = value`.
    #[inline]
    pub fn restart(&mut self, value: V) {
        *self = LinearMap { factor: V::ZERO, term: value, reset: true };
    }
}

/// The recurrence `y = a * y + b`, with other `a` and `b` in each iteration.
pub fn linear<V: Number, C: Codec<V>>(init: V, codec: C) -> Linear<V, C> {
    Linear { init, codec }
}

impl<V: Number, C: Codec<V>> Accumulator for Linear<V, C> {
    plain_value!();
    type Chunk = LinearMap<V>;
    const EXACT: bool = V::EXACT;
    const LIMITED: bool = !V::EXACT;

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
    fn fits(&self, before: &V, chunk: &LinearMap<V>, after: &V) -> bool {
        // After a constant map, the value is that of the sequential loop.
        if V::EXACT || chunk.reset && chunk.term.magnitude().is_finite() {
            return true;
        }
        let distance = self.advance(*before, chunk).minus(*after).magnitude();
        let [factor, term, before, after] = [chunk.factor, chunk.term, *before, *after].map(V::magnitude);
        let [least, last] = V::digits();
        let made = factor * before;
        // Cancellation: a growing factor and a term of the opposite sign leave few correct digits.
        let cancelled = factor > 16.0 && made > 64.0 * after;
        // The value from the composition of all chunks differs from the value from this chunk alone.
        let drifted = distance > 4096.0 * last * made.max(term);
        // Underflow: the factor has lost its digits, and the term does not dominate.
        let lost = factor < least && before > 0.0 && term < before * least / last;
        factor.is_finite() && term.is_finite() && after.is_finite() && !cancelled && !drifted && !lost
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
