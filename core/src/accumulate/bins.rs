//! Histograms.

use super::accumulator::{Accumulator, Shares, no_shed};
use super::counted::{By, Tally};
use super::division::Division;
use super::exactness::{Always, AsNumber, AsNumberInRange, Checked, Exactness};
use super::number::{Counted, CountedProduct, Number};
use crate::codec::Codec;
use crate::device::Received;
use crate::large_pages::request_large_pages;
use crate::runtime::{Context, Rank};
use std::marker::PhantomData;
use std::ops::Range;

/// The container of a histogram's bins: an array or a vector.
pub trait Container: Clone + Send + Sync {
    /// One bin.
    type Element: Clone + Send + Sync;
    /// All bins.
    fn elements(&self) -> &[Self::Element];
    /// All bins.
    fn elements_mut(&mut self) -> &mut [Self::Element];
    /// Whether the number of bins may change.
    const GROWS: bool;
    /// A container of this length, filled with one value.
    fn filled(&self, element: Self::Element) -> Self;
    /// Replaces the bins.
    fn with(&self, bins: Vec<Self::Element>) -> Self;
    /// A part of the bins, if the container can grow.
    fn part(self, part: Range<usize>) -> Self;
}

impl<T: Clone + Send + Sync, const N: usize> Container for [T; N] {
    type Element = T;
    fn elements(&self) -> &[T] {
        self
    }
    fn elements_mut(&mut self) -> &mut [T] {
        self
    }
    const GROWS: bool = false;
    fn filled(&self, element: T) -> Self {
        std::array::from_fn(|_| element.clone())
    }
    fn with(&self, bins: Vec<T>) -> Self {
        let mut all = self.clone();
        all.iter_mut().zip(bins).for_each(|(bin, other)| *bin = other);
        all
    }
    fn part(self, _: Range<usize>) -> Self {
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
    const GROWS: bool = true;
    fn filled(&self, element: T) -> Self {
        let mut all = Vec::with_capacity(self.len());
        request_large_pages(&mut all);
        all.resize(self.len(), element);
        all
    }
    fn with(&self, bins: Vec<T>) -> Self {
        bins
    }
    fn part(mut self, part: Range<usize>) -> Self {
        self.truncate(part.end);
        self.drain(..part.start);
        self
    }
}

/// A histogram: array elements that all have the same operator.
#[derive(Debug)]
pub struct Bins<'a, B: Container, M, C, E> {
    target: &'a mut B,
    division: Division,
    /// The initial bins of a chunk: zeros, ones, or (for an idempotent operator) the user's initial values.
    fresh: From<B::Element>,
    merge: M,
    codec: C,
    exact: PhantomData<fn() -> E>,
}

/// The initial bins of a chunk; `None` means the user's initial values.
#[derive(Debug)]
pub struct Fresh<T, E>(From<T>, PhantomData<fn() -> E>);

#[derive(Debug)]
enum From<T> {
    Initial,
    Identity(T),
    Parts(fn(&mut T)),
}

impl<T, E> Fresh<T, E> {
    /// The identity element, if it is the same for all bins.
    pub(super) fn identity(self) -> Option<T> {
        match self.0 {
            From::Identity(identity) => Some(identity),
            From::Initial | From::Parts(_) => None,
        }
    }
}

/// `h[k] ⊕= e` at indices that depend on data, for an operator with an identity element.
pub fn bins<'a, B, M, C, E>(target: &'a mut B, fresh: Fresh<B::Element, E>, codec: C, merge: M) -> Bins<'a, B, M, C, E>
where
    B: Container,
    M: Fn(B::Element, B::Element) -> B::Element + Sync,
    C: Codec<B::Element>,
    E: Exactness,
{
    let division = Division::of(target.elements(), B::GROWS);
    Bins { target, division, fresh: fresh.0, merge, codec, exact: PhantomData }
}

/// Zero, with the type of the elements.
pub fn zero_of<T: Number>(_: &[T]) -> Fresh<T, AsNumber<T>> {
    Fresh(From::Identity(T::ZERO), PhantomData)
}

/// One, with the type of the elements.
pub fn one_of<T: Number>(_: &[T]) -> Fresh<T, AsNumber<T>> {
    Fresh(From::Identity(T::ONE), PhantomData)
}

/// No identity element: chunks start from the user's initial values.
pub fn initial<T>(_: &[T]) -> Fresh<T, Always> {
    Fresh(From::Initial, PhantomData)
}

/// For updates of parts of elements, such as fields: `identity` sets these parts of an element.
///
/// A chunk's bins are copies of the user's bins with these parts set to the identity element. The other parts stay unchanged.
pub fn parts_of<T: Clone, X: Parts>(_: &[T], _: X, identity: fn(&mut T)) -> Fresh<T, X> {
    Fresh(From::Parts(identity), PhantomData)
}

/// A number in an element; only its type is used.
pub fn number_in<T, V: Number>(_: &[T], _: impl Fn(&T) -> &V) -> AsNumber<V> {
    AsNumber(PhantomData)
}

/// The type of a number in an element that is updated by a wrapping or saturating method.
pub fn number_in_range<T, V: Number>(_: &[T], _: impl Fn(&T) -> &V) -> AsNumberInRange<V> {
    AsNumberInRange(PhantomData)
}

/// The parts in a build with overflow checks, without tallies.
pub fn checked<X: Parts>(_: X) -> Checked<X> {
    Checked(PhantomData)
}

/// The numbers in an element.
pub trait Parts: Exactness {}

impl Parts for () {}

impl<A: Exactness, B: Parts> Parts for (A, B) {}

impl<X: Parts> Parts for Checked<X> {}

/// `x ^ x`, with the type of the elements.
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
    const NEEDS_ORDER: bool = E::NEEDS_ORDER;

    fn lanes(&self) -> B {
        self.chunk()
    }
    fn merge_lanes(&self, lanes: B) -> B {
        lanes
    }
    fn chunk(&self) -> B {
        match &self.fresh {
            From::Initial => self.target.clone(),
            From::Identity(identity) => self.target.filled(identity.clone()),
            From::Parts(set) => {
                let mut bins = self.target.clone();
                bins.elements_mut().iter_mut().for_each(set);
                bins
            }
        }
    }
    fn carry(&self, _: bool) {}
    fn value(&self) -> B {
        self.target.clone()
    }
    fn merge(&self, earlier: B, later: B) -> B {
        self.advance(earlier, &later)
    }
    fn advance(&self, mut value: B, chunk: &B) -> B {
        for (earlier, later) in value.elements_mut().iter_mut().zip(chunk.elements()) {
            *earlier = (self.merge)(earlier.clone(), later.clone());
        }
        value
    }
    fn encode(&self, chunk: &B, to: &mut Vec<u8>) {
        self.codec.encode_all(chunk.elements(), to);
    }
    fn decode(&self, from: &mut &[u8]) -> B {
        self.target.with(self.codec.decode_all(self.target.elements().len(), from))
    }
    fn collects(&self, to: &mut Vec<u64>) {
        to.extend(B::GROWS.then_some(self.target.elements().len() as u64));
    }
    fn shares(&self, ranks: usize) -> Shares {
        self.division.shares(ranks)
    }
    fn encode_for(&self, rank: Rank, chunk: &B, to: &mut Vec<u8>) {
        self.codec.encode_all(&chunk.elements()[self.division.part(rank)], to);
    }
    fn own(&self, rank: Rank, chunk: B) -> B {
        chunk.part(self.division.part(rank))
    }
    fn decode_own(&self, rank: Rank, from: &mut &[u8]) -> B {
        self.target.with(self.codec.decode_all(self.division.part(rank).len(), from))
    }
    fn encode_part(&self, rank: Rank, own: &B, to: &mut Vec<u8>) {
        if self.division.is_divided(rank) {
            self.encode(own, to);
        }
    }
    fn gathered(&self, rank: Rank, own: B, parts: &mut [&[u8]]) -> B {
        let decode = |count, from: &mut &[u8], all: &mut _| self.codec.decode_onto(count, from, all);
        match self.division.all(rank, own.elements(), parts, decode) {
            Some(all) => self.target.with(all),
            None => own,
        }
    }
    fn receive(&self, from: &mut Received<'_>) -> B {
        match from.bins.next() {
            Some(bins) => self.decode(&mut &bins[..]),
            None => self.chunk(),
        }
    }
    fn bins(&self, to: &mut Vec<Vec<u8>>) {
        let mut bytes = Vec::new();
        self.encode(&self.chunk(), &mut bytes);
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

/// A histogram of integers with overflow checks. A chunk's bins may be out of range although the user's never are.
#[derive(Debug)]
pub struct CountedBins<'a, B, C, K> {
    target: &'a mut B,
    division: Division,
    codec: C,
    by: By,
    tally: PhantomData<fn() -> K>,
}

/// `h[k] += e` and `h[k] -= e`.
pub fn counted_bins<B, C>(target: &mut B, codec: C, by: By) -> CountedBins<'_, B, C, Counted<B::Element>>
where
    B: Container<Element: Number>,
    C: Codec<B::Element>,
{
    let division = Division::of(target.elements(), true);
    CountedBins { target, division, codec, by, tally: PhantomData }
}

/// `h[k] *= e`.
pub fn multiplied_bins<B, C>(target: &mut B, codec: C) -> CountedBins<'_, B, C, CountedProduct<B::Element>>
where
    B: Container<Element: Number>,
    C: Codec<B::Element>,
{
    let division = Division::of(target.elements(), true);
    CountedBins { target, division, codec, by: By::Multiplying, tally: PhantomData }
}

impl<B, C, K> CountedBins<'_, B, C, K>
where
    B: Container<Element: Number>,
    C: Codec<B::Element>,
    K: Tally<B::Element>,
{
    fn each<T>(&self, make: impl FnMut(&B::Element) -> T) -> Vec<T> {
        self.target.elements().iter().map(make).collect()
    }
}

impl<B, C, K> Accumulator for CountedBins<'_, B, C, K>
where
    B: Container<Element: Number>,
    C: Codec<B::Element>,
    K: Tally<B::Element>,
{
    no_shed!();
    type Chunk = Vec<K>;
    type Carry = ();
    type Value = B;
    type Lanes = Vec<K>;
    type Out = ();
    const EXACT: bool = <B::Element as Number>::EXACT;
    const BULKY: bool = true;
    const DETECTS_LATE: bool = <B::Element as Number>::EXACT;

    fn lanes(&self) -> Vec<K> {
        self.chunk()
    }
    fn merge_lanes(&self, lanes: Vec<K>) -> Vec<K> {
        lanes
    }
    fn chunk(&self) -> Vec<K> {
        self.each(|_| K::none())
    }
    fn chunk_from(&self, value: &B) -> Vec<K> {
        if !Self::EXACT {
            return self.chunk();
        }
        value.elements().iter().map(|element| K::starting(*element, self.by)).collect()
    }
    fn hides_mistakes(&self) -> bool {
        Self::EXACT && self.by != By::Adding
    }
    fn carry(&self, _: bool) {}
    fn value(&self) -> B {
        self.target.clone()
    }
    fn merge(&self, mut earlier: Vec<K>, later: Vec<K>) -> Vec<K> {
        earlier.iter_mut().zip(later).for_each(|(earlier, later)| *earlier = earlier.and_then(later));
        earlier
    }
    fn advance(&self, mut value: B, chunk: &Vec<K>) -> B {
        for (value, tally) in value.elements_mut().iter_mut().zip(chunk) {
            *value = tally.after(*value, self.by);
        }
        value
    }
    fn encode(&self, chunk: &Vec<K>, to: &mut Vec<u8>) {
        chunk.iter().for_each(|tally| tally.encode(&self.codec, to));
    }
    fn decode(&self, from: &mut &[u8]) -> Vec<K> {
        self.each(|_| K::decode(&self.codec, from))
    }
    fn collects(&self, to: &mut Vec<u64>) {
        to.push(self.target.elements().len() as u64);
    }
    fn shares(&self, ranks: usize) -> Shares {
        self.division.shares(ranks)
    }
    fn encode_for(&self, rank: Rank, chunk: &Vec<K>, to: &mut Vec<u8>) {
        chunk[self.division.part(rank)].iter().for_each(|tally| tally.encode(&self.codec, to));
    }
    fn own(&self, rank: Rank, chunk: Vec<K>) -> Vec<K> {
        Container::part(chunk, self.division.part(rank))
    }
    fn decode_own(&self, rank: Rank, from: &mut &[u8]) -> Vec<K> {
        self.division.part(rank).map(|_| K::decode(&self.codec, from)).collect()
    }
    fn encode_part(&self, rank: Rank, own: &Vec<K>, to: &mut Vec<u8>) {
        if self.division.is_divided(rank) {
            self.encode(own, to);
        }
    }
    fn gathered(&self, rank: Rank, own: Vec<K>, parts: &mut [&[u8]]) -> Vec<K> {
        let decode = |count, from: &mut &[u8], all: &mut Vec<K>| {
            all.extend((0..count).map(|_| K::decode(&self.codec, from)));
        };
        self.division.all(rank, &own, parts, decode).unwrap_or(own)
    }
    fn receive(&self, from: &mut Received<'_>) -> Vec<K> {
        // A device returns the final values of the bins, but not how far they went.
        match from.bins.next() {
            Some(bins) => {
                let mut bins = &bins[..];
                self.each(|_| K::ending(self.codec.decode(&mut bins), self.by))
            }
            None => self.chunk(),
        }
    }
    fn bins(&self, to: &mut Vec<Vec<u8>>) {
        let fresh = if self.by == By::Multiplying { B::Element::ONE } else { B::Element::ZERO };
        let mut bytes = Vec::new();
        self.target.elements().iter().for_each(|_| self.codec.encode(&fresh, &mut bytes));
        to.push(bytes);
    }
    fn send(&self, _: &B, _: &mut Vec<u8>) {}
    fn encode_value(&self, value: &B, to: &mut Vec<u8>) {
        value.elements().iter().for_each(|element| self.codec.encode(element, to));
    }
    fn decode_value(&self, from: &mut &[u8]) -> B {
        let mut value = self.target.clone();
        value.elements_mut().iter_mut().for_each(|element| *element = self.codec.decode(from));
        value
    }
    fn finish(self, value: B, _: Vec<()>, _: &Context) {
        *self.target = value;
    }
}
