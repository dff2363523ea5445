//! Histograms whose updates all apply one function to an element: `if h[k] < 255 { h[k] += 1; }`, `h[k] = (h[k] + 1) % 12`.
//!
//! Equal updates commute, whatever the function is. So a chunk counts the updates of each element, and the function is applied as often
//! when the value before the chunk is known.

use super::accumulator::{Accumulator, Shares, no_shed};
use super::bins::Container;
use super::division::Division;
use super::number::note_mistake;
use crate::codec::Codec;
use crate::element::{Element, bytes_of};
use crate::runtime::{Context, Rank};
use std::fmt;
use std::marker::PhantomData;
use std::ops::Range;
use std::slice::from_ref;

/// A histogram whose updates all apply one function. `LATE` says whether the function may panic.
#[allow(missing_debug_implementations)] // It holds a closure.
pub struct Repeated<'a, B: Container, C, F, const LATE: bool> {
    target: &'a mut B,
    division: Division,
    codec: C,
    same: fn(&B::Element, &B::Element) -> bool,
    update: F,
}

/// `update(&mut h[k])` at indices that depend on data. `same` says whether two elements have the same bits: further updates then change
/// nothing.
pub fn repeated<const LATE: bool, B, C, F>(
    target: &mut B,
    codec: C,
    same: fn(&B::Element, &B::Element) -> bool,
    update: F,
) -> Repeated<'_, B, C, F, LATE>
where
    B: Container,
    C: Codec<B::Element>,
    F: Fn(&mut B::Element) + Copy + Send + Sync,
{
    let division = Division::of(target.elements(), true);
    Repeated { target, division, codec, same, update }
}

/// Compares elements of a type.
#[derive(Debug)]
pub struct SameBits<T>(PhantomData<fn() -> T>);

impl<T> SameBits<T> {
    /// For the type of these elements.
    pub fn of(_: &[T]) -> Self {
        SameBits(PhantomData)
    }
}

/// Plain data has the same bits or not.
pub trait BitsCompared<T> {
    /// Whether two elements have the same bits.
    fn __same(&self) -> fn(&T, &T) -> bool;
}

impl<T: Element> BitsCompared<T> for SameBits<T> {
    fn __same(&self) -> fn(&T, &T) -> bool {
        |one, other| bytes_of(from_ref(one)) == bytes_of(from_ref(other))
    }
}

/// Other values are not compared.
pub trait BitsUnknown<T> {
    /// `false` for all elements.
    fn __same(&self) -> fn(&T, &T) -> bool;
}

impl<T> BitsUnknown<T> for &SameBits<T> {
    fn __same(&self) -> fn(&T, &T) -> bool {
        |_, _| false
    }
}

/// The updates of a part of the iterations.
#[derive(Clone)]
pub struct Updates<T, F> {
    /// How often each element is still to be updated; empty if there are no such updates.
    counts: Vec<u64>,
    /// The elements after the other updates; empty if the elements before them are unknown.
    elements: Vec<T>,
    update: F,
}

impl<T, F> fmt::Debug for Updates<T, F> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Updates").field("counts", &self.counts).finish_non_exhaustive()
    }
}

impl<T, F: Fn(&mut T)> Updates<T, F> {
    /// Updates an element.
    ///
    /// # Panics
    /// If the index is out of bounds, or if the function panics for a known element.
    #[inline(always)]
    #[track_caller]
    pub fn update(&mut self, index: usize) {
        if self.elements.is_empty() {
            self.counts[index] += 1;
            return;
        }
        let element = &mut self.elements[index];
        let mistake = Mistake;
        (self.update)(element);
        std::mem::forget(mistake);
    }
}

/// Notes a panic of the function, which other chunks do not notice.
struct Mistake;

impl Drop for Mistake {
    fn drop(&mut self) {
        note_mistake();
    }
}

impl<B, C, F, const LATE: bool> Repeated<'_, B, C, F, LATE>
where
    B: Container,
    C: Codec<B::Element>,
    F: Fn(&mut B::Element) + Copy + Send + Sync,
{
    fn encode_part_of(&self, chunk: &Updates<B::Element, F>, part: Range<usize>, to: &mut Vec<u8>) {
        let Updates { counts, elements, .. } = chunk;
        to.extend([!counts.is_empty(), !elements.is_empty()].map(u8::from));
        if !counts.is_empty() {
            counts[part.clone()].iter().for_each(|count| to.extend_from_slice(&count.to_le_bytes()));
        }
        if !elements.is_empty() {
            self.codec.encode_all(&elements[part], to);
        }
    }

    fn decode_many(&self, length: usize, from: &mut &[u8]) -> Updates<B::Element, F> {
        let (&[counts, elements], rest) = from.split_first_chunk().unwrap_or((&[0; 2], &[]));
        *from = rest;
        let [counts, elements] = [counts, elements].map(|flag| flag == 1);
        let mut count = || {
            let (count, rest) = from.split_first_chunk().unwrap_or((&[0; 8], &[]));
            *from = rest;
            u64::from_le_bytes(*count)
        };
        let counts = if counts { (0..length).map(|_| count()).collect() } else { Vec::new() };
        let elements = if elements { self.codec.decode_all(length, from) } else { Vec::new() };
        Updates { counts, elements, update: self.update }
    }

    fn len(&self) -> usize {
        self.target.elements().len()
    }
}

/// The part of a vector, or nothing of nothing.
fn part_of<T>(all: Vec<T>, part: Range<usize>) -> Vec<T> {
    if all.is_empty() { all } else { all.into_iter().skip(part.start).take(part.len()).collect() }
}

impl<B, C, F, const LATE: bool> Accumulator for Repeated<'_, B, C, F, LATE>
where
    B: Container,
    C: Codec<B::Element>,
    F: Fn(&mut B::Element) + Copy + Send + Sync,
{
    no_shed!();
    type Chunk = Updates<B::Element, F>;
    type Carry = ();
    type Value = B;
    type Lanes = Self::Chunk;
    type Out = ();
    const EXACT: bool = true;
    const COMMUTES: bool = true;
    const BULKY: bool = true;
    const DETECTS_LATE: bool = LATE;

    fn lanes(&self) -> Self::Lanes {
        self.chunk()
    }
    fn merge_lanes(&self, lanes: Self::Lanes) -> Self::Chunk {
        lanes
    }
    fn chunk(&self) -> Self::Chunk {
        Updates { counts: vec![0; self.len()], elements: Vec::new(), update: self.update }
    }
    fn chunk_from(&self, value: &B) -> Self::Chunk {
        Updates { counts: Vec::new(), elements: value.elements().to_vec(), update: self.update }
    }
    fn carry(&self, _: bool) {}
    fn value(&self) -> B {
        self.target.clone()
    }
    fn merge(&self, mut earlier: Self::Chunk, later: Self::Chunk) -> Self::Chunk {
        if earlier.counts.is_empty() {
            earlier.counts = later.counts;
        } else {
            earlier.counts.iter_mut().zip(later.counts).for_each(|(earlier, later)| *earlier += later);
        }
        if !later.elements.is_empty() {
            earlier.elements = later.elements;
        }
        earlier
    }
    fn advance(&self, mut value: B, chunk: &Self::Chunk) -> B {
        let all = value.elements_mut();
        if !chunk.elements.is_empty() {
            all.clone_from_slice(&chunk.elements);
        }
        for (element, count) in all.iter_mut().zip(&chunk.counts) {
            for _ in 0..*count {
                let before = element.clone();
                (self.update)(element);
                if (self.same)(&before, element) {
                    break;
                }
            }
        }
        value
    }
    fn encode(&self, chunk: &Self::Chunk, to: &mut Vec<u8>) {
        self.encode_part_of(chunk, 0..chunk.counts.len().max(chunk.elements.len()), to);
    }
    fn decode(&self, from: &mut &[u8]) -> Self::Chunk {
        self.decode_many(self.len(), from)
    }
    fn collects(&self, to: &mut Vec<u64>) {
        to.push(self.len() as u64);
    }
    fn shares(&self, ranks: usize) -> Shares {
        self.division.shares(ranks)
    }
    fn encode_for(&self, rank: Rank, chunk: &Self::Chunk, to: &mut Vec<u8>) {
        self.encode_part_of(chunk, self.division.part(rank), to);
    }
    fn own(&self, rank: Rank, chunk: Self::Chunk) -> Self::Chunk {
        let part = self.division.part(rank);
        let Updates { counts, elements, update } = chunk;
        Updates { counts: part_of(counts, part.clone()), elements: part_of(elements, part), update }
    }
    fn decode_own(&self, rank: Rank, from: &mut &[u8]) -> Self::Chunk {
        self.decode_many(self.division.part(rank).len(), from)
    }
    fn encode_part(&self, rank: Rank, own: &Self::Chunk, to: &mut Vec<u8>) {
        if self.division.is_divided(rank) {
            self.encode(own, to);
        }
    }
    fn gathered(&self, rank: Rank, own: Self::Chunk, parts: &mut [&[u8]]) -> Self::Chunk {
        if !self.division.is_divided(rank) {
            return own;
        }
        let mut all = Updates { counts: Vec::new(), elements: Vec::new(), update: self.update };
        let mut own = Some(own);
        for (number, from) in parts.iter_mut().enumerate() {
            let of = Rank { rank: number, ..rank };
            let part = match own.take_if(|_| number == rank.rank) {
                Some(own) => own,
                None => self.decode_many(self.division.part(of).len(), from),
            };
            all.counts.extend(part.counts);
            all.elements.extend(part.elements);
        }
        all
    }
    fn encode_value(&self, value: &B, to: &mut Vec<u8>) {
        self.codec.encode_all(value.elements(), to);
    }
    fn decode_value(&self, from: &mut &[u8]) -> B {
        self.target.with(self.codec.decode_all(self.len(), from))
    }
    fn finish(self, value: B, _: Vec<()>, _: &Context) {
        *self.target = value;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::codec::Probe;
    use crate::codec::ProbePlain as _;

    /// The first part of the iterations knows the elements. Two ranks exchange parts of the bins.
    #[test]
    fn chunks_merge_in_any_form() {
        for bins in [3, 3000] {
            let mut target: Vec<u64> = (0..bins).map(|k| k % 9).collect();
            let keys: Vec<usize> = (0..40_000).map(|i| i * i % bins as usize).collect();
            let mut expected = target.clone();
            keys.iter().for_each(|k| expected[*k] = (expected[*k] + 3).min(20));
            let same = SameBits::of(&target[..]).__same();
            let codec = (&&&Probe::of_elements(&target[..])).__codec();
            let all = repeated::<true, _, _, _>(&mut target, codec, same, |h| *h = (*h + 3).min(20));
            let chunk = |known: bool, keys: &[usize]| {
                let mut chunk = if known { all.chunk_from(&all.value()) } else { all.chunk() };
                keys.iter().for_each(|k| chunk.update(*k));
                chunk
            };
            let (first, second) = (chunk(true, &keys[..9000]), chunk(false, &keys[9000..20_000]));
            let ranks = [all.merge(second, first), chunk(false, &keys[20_000..])];
            let mut own = Vec::new();
            for rank in [0, 1] {
                let of = Rank { rank, ranks: 2 };
                let mut bytes = Vec::new();
                all.encode_for(of, &ranks[1 - rank], &mut bytes);
                let other = all.decode_own(of, &mut &bytes[..]);
                let mine = all.own(of, ranks[rank].clone());
                own.push(if rank == 0 { all.merge(mine, other) } else { all.merge(other, mine) });
            }
            let of = Rank { rank: 0, ranks: 2 };
            let mut bytes = Vec::new();
            all.encode_part(Rank { rank: 1, ranks: 2 }, &own[1], &mut bytes);
            let total = all.gathered(of, own.swap_remove(0), &mut [&[], &bytes[..]]);
            assert_eq!(all.advance(all.value(), &total), expected, "{bins} bins");
        }
    }
}
