//! Segmented scans, which restart if a condition holds.

use super::accumulator::{Accumulator, LANES, plain_value};
use super::exactness::{AsNumber, Exactness, Never};
use super::number::Number;
use super::operators::{decode_option, encode_option, flag};
use super::rounding;
use crate::codec::Codec;
use crate::device::Received;
use crate::runtime::Context;
use std::marker::PhantomData;

/// A segmented scan, with resets such as `if flag[i] { acc = e }`.
#[derive(Debug)]
pub struct Segmented<V, M, C, E> {
    init: V,
    merge: M,
    codec: C,
    largest: fn(&V) -> f64,
    exact: PhantomData<fn() -> E>,
}

/// A chunk of a segmented scan.
#[derive(Debug, Clone)]
pub struct Segment<V> {
    /// The accumulated value since the start of the chunk or the last reset; initially `None`.
    pub value: Option<V>,
    /// Whether the chunk has a reset, so that earlier chunks are irrelevant.
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
    /// `acc = if acc > value { acc } else { value }`. If `value` is not comparable (NaN), the comparison is false, so this is a reset.
    #[inline]
    pub fn follow(&mut self, value: V, merge: impl FnOnce(V, V) -> V) {
        match value.partial_cmp(&value) {
            Some(_) => self.include(value, merge),
            None => self.restart(value),
        }
    }
}

/// For operators that may round.
pub fn never<V>(_: &V) -> PhantomData<fn() -> Never> {
    PhantomData
}

/// Exact if sums and products of the type are.
pub fn as_number<V: Number>(_: &V) -> PhantomData<fn() -> AsNumber<V>> {
    PhantomData
}

/// A segmented scan with the user's operator. `largest` is the largest magnitude of the floats in a value.
pub fn segmented<V, M, C, E>(
    init: V,
    _: PhantomData<fn() -> E>,
    codec: C,
    merge: M,
    largest: fn(&V) -> f64,
) -> Segmented<V, M, C, E>
where
    V: Clone + Send + Sync,
    M: Fn(V, V) -> V + Sync,
    C: Codec<V>,
    E: Exactness,
{
    Segmented { init, merge, codec, largest, exact: PhantomData }
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
            (Some(earlier), Some(later)) => {
                rounding::partial(|| (self.largest)(&earlier).max((self.largest)(&later)));
                Some((self.merge)(earlier, later))
            }
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
