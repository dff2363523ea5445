//! Histograms with distributed bins.
//!
//! Each rank accumulates in private bins for the whole range. Then it sends to each other rank the bins of its share, and merges the received
//! ones (reduce-scatter).

use super::accumulator::{Accumulator, Shares, no_shed};
use super::bins::Fresh;
use super::exactness::Exactness;
use crate::call::Call;
use crate::codec::Codec;
use crate::device::Received;
use crate::element::Element;
use crate::parameter::Output;
use crate::runtime::{Context, Rank};
use std::marker::PhantomData;
use std::ops::{Index, Range, RangeFull};

/// The bins of a [`share_bins`].
#[derive(Debug)]
pub struct BinsTarget<'o, T> {
    share: &'o mut [T],
    /// All bins.
    len: usize,
    /// The layout of the bins.
    shares: Vec<Range<usize>>,
    own: Range<usize>,
}

/// No bins; used only for their type.
impl<T> Index<RangeFull> for BinsTarget<'_, T> {
    type Output = [T];

    fn index(&self, _: RangeFull) -> &[T] {
        &[]
    }
}

impl<T: Element> Output<'_, T> {
    /// The bins for [`share_bins`].
    pub fn bins(&mut self, _: &Call) -> BinsTarget<'_, T> {
        let (local, place) = self.parts();
        let shares = (0..place.ranks()).map(|rank| place.share_of(rank)).collect();
        let own = place.offset..place.offset + local.len();
        BinsTarget { len: place.len, shares, own, share: local.into_elements() }
    }
}

/// A histogram whose bins are a distributed array.
#[derive(Debug)]
pub struct ShareBins<'o, T, M, C, E> {
    target: BinsTarget<'o, T>,
    identity: T,
    merge: M,
    codec: C,
    exact: PhantomData<fn() -> E>,
}

/// `h[k] ⊕= e` at indices that depend on data, for an operator with a known identity element.
///
/// # Panics
/// If the identity element is not from [`zero_of`](super::zero_of) or [`one_of`](super::one_of).
pub fn share_bins<T, M, C, E>(
    target: BinsTarget<'_, T>,
    fresh: Fresh<T, E>,
    codec: C,
    merge: M,
) -> ShareBins<'_, T, M, C, E>
where
    T: Element,
    M: Fn(T, T) -> T + Sync,
    C: Codec<T>,
    E: Exactness,
{
    let identity = fresh.identity().expect("the operator has an identity");
    ShareBins { target, identity, merge, codec, exact: PhantomData }
}

impl<T, M, C, E> ShareBins<'_, T, M, C, E>
where
    T: Element,
    M: Fn(T, T) -> T + Sync,
{
    fn merge_into(&self, earlier: &mut [T], later: &[T]) {
        for (earlier, later) in earlier.iter_mut().zip(later) {
            *earlier = (self.merge)(*earlier, *later);
        }
    }
}

impl<T, M, C, E> Accumulator for ShareBins<'_, T, M, C, E>
where
    T: Element + Send + Sync,
    M: Fn(T, T) -> T + Sync,
    C: Codec<T>,
    E: Exactness,
{
    no_shed!();
    /// All bins during the loop; between ranks, the bins of a share.
    type Chunk = Vec<T>;
    type Carry = ();
    /// The results so far, without the values before the loop; `None` if there are none.
    type Value = Vec<T>;
    type Lanes = Vec<T>;
    type Out = ();
    const EXACT: bool = E::EXACT;
    const COMMUTES: bool = E::EXACT;
    const BULKY: bool = true;

    fn lanes(&self) -> Vec<T> {
        self.chunk()
    }
    fn merge_lanes(&self, lanes: Vec<T>) -> Vec<T> {
        lanes
    }
    fn chunk(&self) -> Vec<T> {
        vec![self.identity; self.target.len]
    }
    fn carry(&self, _: bool) {}
    fn value(&self) -> Vec<T> {
        Vec::new()
    }
    fn merge(&self, mut earlier: Vec<T>, later: Vec<T>) -> Vec<T> {
        self.merge_into(&mut earlier, &later);
        earlier
    }
    fn advance(&self, mut value: Vec<T>, chunk: &Vec<T>) -> Vec<T> {
        if value.is_empty() {
            return chunk.clone();
        }
        self.merge_into(&mut value, chunk);
        value
    }
    fn encode(&self, chunk: &Vec<T>, to: &mut Vec<u8>) {
        self.codec.encode_all(chunk, to);
    }
    fn shares(&self, _: usize) -> Shares {
        Shares::Kept
    }
    fn encode_for(&self, rank: Rank, chunk: &Vec<T>, to: &mut Vec<u8>) {
        self.codec.encode_all(&chunk[self.target.shares[rank.rank].clone()], to);
    }
    fn own(&self, _: Rank, mut chunk: Vec<T>) -> Vec<T> {
        chunk.truncate(self.target.own.end);
        chunk.drain(..self.target.own.start);
        chunk
    }
    fn decode(&self, from: &mut &[u8]) -> Vec<T> {
        self.codec.decode_all(self.target.len, from)
    }
    fn decode_own(&self, _: Rank, from: &mut &[u8]) -> Vec<T> {
        self.codec.decode_all(self.target.share.len(), from)
    }
    fn receive(&self, from: &mut Received<'_>) -> Vec<T> {
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
    fn send(&self, _: &Vec<T>, _: &mut Vec<u8>) {}
    fn encode_value(&self, value: &Vec<T>, to: &mut Vec<u8>) {
        to.extend_from_slice(&(value.len() as u64).to_le_bytes());
        self.codec.encode_all(value, to);
    }
    fn decode_value(&self, from: &mut &[u8]) -> Vec<T> {
        let (count, rest) = from.split_at(8);
        *from = rest;
        self.codec.decode_all(u64::from_le_bytes(count.try_into().unwrap_or([0; 8])) as usize, from)
    }
    fn finish(self, value: Vec<T>, _: Vec<()>, _: &Context) {
        for (bin, counted) in self.target.share.iter_mut().zip(value) {
            *bin = (self.merge)(*bin, counted);
        }
    }
}
