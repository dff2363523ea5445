//! Linear recurrences.

use super::accumulator::{Accumulator, LANES, plain_value};
use super::number::Number;
use super::operators::flag;
use crate::codec::Codec;
use crate::device::Received;
use crate::runtime::Context;

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
        // The last value that a chunk sets is the loop's, and so is what comes after it.
        if V::EXACT || chunk.reset && chunk.term.magnitude().is_finite() {
            return true;
        }
        let apart = self.advance(*before, chunk).minus(*after).magnitude();
        let [factor, term, before, after] = [chunk.factor, chunk.term, *before, *after].map(V::magnitude);
        let [least, last] = V::digits();
        let made = factor * before;
        // Factors that grow and a term that takes away what they make of the value leave few of its digits.
        let taken_away = factor > 16.0 && made > 64.0 * after;
        // What is composed of all chunks before is another value than what this one makes of the value before it.
        let drifted = apart > 4096.0 * last * made.max(term);
        // A factor that has lost its digits says little of what it makes of the value, unless the term is larger by far.
        let lost = factor < least && before > 0.0 && term < before * least / last;
        factor.is_finite() && term.is_finite() && after.is_finite() && !taken_away && !drifted && !lost
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
