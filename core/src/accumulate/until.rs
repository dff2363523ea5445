//! The accumulators of a loop that an iteration may end.

use super::accumulator::{Accumulator, no_shed};
use crate::runtime::Context;

/// Accumulators, and whether an iteration has ended the loop.
#[derive(Debug)]
pub struct Until<A>(A);

/// The accumulators of a loop that ends early: `for v in x { if *v < 0 { break; } sum += v; }`.
///
/// Each chunk runs up to its own exit. Chunks after one with an exit do not count, so the result is that of the sequential loop; workers
/// skip them as soon as they know.
pub fn until<A: Accumulator>(accumulators: A) -> Until<A> {
    Until(accumulators)
}

impl<A: Accumulator> Accumulator for Until<A> {
    no_shed!();
    type Chunk = (A::Chunk, bool);
    type Carry = A::Carry;
    type Value = (A::Value, bool);
    type Lanes = A::Lanes;
    type Out = A::Out;

    const EXACT: bool = A::EXACT;
    const DETECTS_LATE: bool = A::DETECTS_LATE;
    const NEEDS_ORDER: bool = A::NEEDS_ORDER;
    const BY_FUNCTION: bool = A::BY_FUNCTION;
    const LIMITED: bool = A::LIMITED;

    fn chunk(&self) -> Self::Chunk {
        (self.0.chunk(), false)
    }
    fn chunk_from(&self, value: &Self::Value) -> Self::Chunk {
        (self.0.chunk_from(&value.0), value.1)
    }
    fn lanes(&self) -> Self::Lanes {
        self.0.lanes()
    }
    fn merge_lanes(&self, lanes: Self::Lanes) -> Self::Chunk {
        (self.0.merge_lanes(lanes), false)
    }
    fn carry(&self, first: bool) -> Self::Carry {
        self.0.carry(first)
    }
    fn value(&self) -> Self::Value {
        (self.0.value(), false)
    }
    fn merge(&self, earlier: Self::Chunk, later: Self::Chunk) -> Self::Chunk {
        match earlier.1 {
            true => earlier,
            false => (self.0.merge(earlier.0, later.0), later.1),
        }
    }
    fn ends(&self, chunk: &Self::Chunk) -> bool {
        chunk.1
    }
    fn advance(&self, value: Self::Value, chunk: &Self::Chunk) -> Self::Value {
        match value.1 {
            true => value,
            false => (self.0.advance(value.0, &chunk.0), chunk.1),
        }
    }
    fn fits(&self, before: &Self::Value, chunk: &Self::Chunk, after: &Self::Value) -> bool {
        before.1 || self.0.fits(&before.0, &chunk.0, &after.0)
    }
    fn hides_mistakes(&self) -> bool {
        self.0.hides_mistakes()
    }
    fn encode(&self, chunk: &Self::Chunk, to: &mut Vec<u8>) {
        to.push(u8::from(chunk.1));
        self.0.encode(&chunk.0, to);
    }
    fn decode(&self, from: &mut &[u8]) -> Self::Chunk {
        let ended = from.split_off_first() == Some(&1);
        (self.0.decode(from), ended)
    }
    fn moves(&self) -> bool {
        self.0.moves()
    }
    fn encode_carry(&self, carry: Self::Carry, to: &mut Vec<u8>) {
        self.0.encode_carry(carry, to);
    }
    fn decode_carry(&self, from: &mut &[u8]) -> Self::Carry {
        self.0.decode_carry(from)
    }
    fn encode_value(&self, value: &Self::Value, to: &mut Vec<u8>) {
        to.push(u8::from(value.1));
        self.0.encode_value(&value.0, to);
    }
    fn decode_value(&self, from: &mut &[u8]) -> Self::Value {
        let ended = from.split_off_first() == Some(&1);
        (self.0.decode_value(from), ended)
    }
    fn finish(self, value: Self::Value, carries: Vec<Self::Carry>, context: &Context) -> Self::Out {
        self.0.finish(value.0, carries, context)
    }
}
