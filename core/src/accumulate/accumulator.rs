//! The trait of all accumulators, and lists of accumulators.

use crate::device::Received;
use crate::runtime::{Context, Rank};

/// The number of interleaved partial results of a reduction: iteration `p` of a chunk goes to lane `p % LANES`.
///
/// Lanes are independent of each other, which gives instruction-level parallelism. The number is fixed, so results do not depend on the
/// machine.
pub const LANES: usize = 16;

/// How the chunks of all ranks merge.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Shares {
    /// As a whole, along a tree of ranks.
    Whole,
    /// Each rank merges its own part, and keeps only this part.
    Kept,
    /// Each rank merges its own part, and receives the parts of the others.
    Gathered,
}

/// Whether one variable's part of a chunk depends on earlier chunks.
#[derive(Debug, Clone, Copy)]
pub struct Settling {
    /// [`Accumulator::EXACT`].
    pub exact: bool,
    /// [`Accumulator::SETTLES`].
    pub settles: bool,
    /// [`Accumulator::settled`].
    pub settled: bool,
}

/// An outer variable of a loop that iterations update by an operator.
pub trait Accumulator: Sync {
    /// The partial result of a chunk, starting from the identity element. Chunks merge in their order.
    type Chunk: Send + Sync + Clone;
    /// The carry of a worker from chunk to chunk: pushed elements, a state, a scratch buffer.
    type Carry: Send;
    /// The scan state that the body reads.
    type Value: Send + Sync + Clone;
    /// The partial result of a chunk in interleaved lanes.
    type Lanes;
    /// The type of the user's variable after the loop.
    type Out;

    /// Whether the operator is exact: any grouping gives the same bits.
    const EXACT: bool;
    /// Whether the operator commutes: any order gives the same bits.
    const COMMUTES: bool = false;
    /// Whether there should be one carry for each worker, and not one for each piece.
    const ONE_PER_WORKER: bool = false;
    /// Whether a partial result is large, so that there should be few chunks.
    const BULKY: bool = false;
    /// Whether one worker runs all iterations of a rank, in their order.
    const ALONE: bool = false;
    /// Whether a chunk may make all earlier chunks irrelevant.
    const SETTLES: bool = false;
    /// Whether an overflow in a chunk is detected only after it, when the value before the chunk is known.
    const DETECTS_LATE: bool = false;
    /// Whether overflow is an error that chunks cannot detect. The iterations then run in order, from the variable's value.
    const NEEDS_ORDER: bool = false;
    /// Whether merging calls a function of the user, which may panic although the sequential loop does not.
    const BY_FUNCTION: bool = false;

    /// Whether the combined factors of a chunk may overflow or underflow: see [`Accumulator::fits`].
    const LIMITED: bool = false;

    /// A part of the carry that a worker hands over after each chunk. The parts are concatenated in the order of the chunks while the loop
    /// runs.
    type Shed: Send;

    /// Takes the part of a chunk out of the carry, and leaves an empty buffer for the next one.
    fn shed(&self, carry: &mut Self::Carry, empty: Option<Self::Shed>) -> Self::Shed;
    /// Assigns a part its position in the result. Called in the order of the chunks, by one worker at a time.
    fn assign(&self, part: &mut Self::Shed);
    /// Copies a part to its position. Several workers do so concurrently.
    fn place(&self, part: &mut Self::Shed);

    /// The identity element.
    fn chunk(&self) -> Self::Chunk;
    /// The identity element, for a chunk that starts from a known value. If the chunk can detect an overflow, it panics at the same
    /// iteration as the sequential loop.
    fn chunk_from(&self, _value: &Self::Value) -> Self::Chunk {
        self.chunk()
    }
    /// The identity element in each lane.
    fn lanes(&self) -> Self::Lanes;
    /// The same, for lanes that continue a chunk.
    #[inline(always)]
    fn lanes_after(&self, _: &Self::Chunk) -> Self::Lanes {
        self.lanes()
    }
    /// Merges the lanes, in their order.
    fn merge_lanes(&self, lanes: Self::Lanes) -> Self::Chunk;
    /// A new carry. `first` says whether it belongs to the first iterations of this rank.
    fn carry(&self, first: bool) -> Self::Carry;
    /// Whether a new carry still has nothing in it, so that it may be used again or dropped.
    fn is_untouched(&self, _: &Self::Carry) -> bool {
        size_of::<Self::Carry>() == 0
    }
    /// The value before the first iteration.
    fn value(&self) -> Self::Value;
    /// Merges two neighbouring chunks.
    fn merge(&self, earlier: Self::Chunk, later: Self::Chunk) -> Self::Chunk;
    /// Whether the value after this chunk is independent of all earlier chunks.
    #[inline]
    fn settled(&self, _: &Self::Chunk) -> bool {
        false
    }
    /// Passes on whether each variable's part of a chunk is settled, in their order.
    fn settling(&self, chunk: &Self::Chunk, with: &mut dyn FnMut(Settling)) {
        with(Settling { exact: Self::EXACT, settles: Self::SETTLES, settled: self.settled(chunk) });
    }
    /// Whether an iteration of the chunk has ended the loop, so that later chunks do not count.
    #[inline]
    fn ends(&self, _: &Self::Chunk) -> bool {
        false
    }
    /// The scan state after a chunk.
    fn advance(&self, value: Self::Value, chunk: &Self::Chunk) -> Self::Value;
    /// Whether the value after a chunk is right, up to rounding. The partial result may be infinite although the scan state is finite.
    fn fits(&self, _before: &Self::Value, _chunk: &Self::Chunk, _after: &Self::Value) -> bool {
        true
    }
    /// Whether a partial result may be in range although the variable overflowed on the way.
    fn hides_mistakes(&self) -> bool {
        false
    }
    /// Serializes a chunk for other ranks.
    fn encode(&self, chunk: &Self::Chunk, to: &mut Vec<u8>);
    /// Deserializes a chunk of another rank.
    fn decode(&self, from: &mut &[u8]) -> Self::Chunk;
    /// The number of bins or elements of a chunk, if merging depends on it. The ranks compare these numbers.
    fn collects(&self, _to: &mut Vec<u64>) {}
    /// How the chunks of this number of ranks merge. All ranks return the same.
    fn shares(&self, _ranks: usize) -> Shares {
        Shares::Whole
    }
    /// Serializes another rank's [part](Shares) of a chunk.
    fn encode_for(&self, _rank: Rank, chunk: &Self::Chunk, to: &mut Vec<u8>) {
        self.encode(chunk, to);
    }
    /// This rank's part of a chunk.
    fn own(&self, _rank: Rank, chunk: Self::Chunk) -> Self::Chunk {
        chunk
    }
    /// Deserializes this rank's part of a chunk from another rank.
    fn decode_own(&self, _rank: Rank, from: &mut &[u8]) -> Self::Chunk {
        self.decode(from)
    }
    /// Serializes this rank's merged part for all others.
    fn encode_part(&self, _rank: Rank, _own: &Self::Chunk, _to: &mut Vec<u8>) {}
    /// Concatenates the merged parts of all ranks. `parts` is in rank order; the entry of this rank is empty.
    fn gathered(&self, _rank: Rank, own: Self::Chunk, _parts: &mut [&[u8]]) -> Self::Chunk {
        own
    }
    /// Serializes a scan state for other ranks.
    fn encode_value(&self, value: &Self::Value, to: &mut Vec<u8>);
    /// Deserializes a scan state of another rank.
    fn decode_value(&self, from: &mut &[u8]) -> Self::Value;
    /// Whether the carry of iterations that ran on another rank can be sent to the rank whose iterations they are. All ranks return the same.
    fn moves(&self) -> bool {
        size_of::<Self::Carry>() == 0
    }
    /// Serializes a carry, if it [moves](Accumulator::moves).
    fn encode_carry(&self, _carry: Self::Carry, _to: &mut Vec<u8>) {}
    /// Deserializes a carry of another rank.
    fn decode_carry(&self, _from: &mut &[u8]) -> Self::Carry {
        self.carry(false)
    }
    /// A chunk from a device: its fields, one after the other, beginning with the value.
    fn receive(&self, from: &mut Received<'_>) -> Self::Chunk {
        self.decode(&mut from.fields)
    }
    /// A scan state for a device, as the fields of a chunk.
    fn send(&self, value: &Self::Value, fields: &mut Vec<u8>) {
        self.encode_value(value, fields);
    }
    /// For a device: the initial bins of a histogram.
    fn bins(&self, _: &mut Vec<Vec<u8>>) {}
    /// The carry with the elements that this rank's iterations pushed on a device.
    fn pushed(&self, _: &mut std::vec::IntoIter<Vec<u8>>) -> Self::Carry {
        self.carry(true)
    }
    /// The user's variable, from the value after the last iteration and this rank's carries in the order of the iterations.
    fn finish(self, value: Self::Value, carries: Vec<Self::Carry>, context: &Context) -> Self::Out;
}

/// For accumulators whose carry has no parts to pass on.
macro_rules! no_shed {
    () => {
        type Shed = ();

        fn shed(&self, _: &mut Self::Carry, _: Option<()>) {}
        fn assign(&self, _: &mut ()) {}
        fn place(&self, _: &mut ()) {}
    };
}

/// For accumulators without a chunk.
macro_rules! no_chunk {
    () => {
        type Chunk = ();
        type Value = ();
        type Lanes = ();
        const EXACT: bool = true;
        const COMMUTES: bool = true;
        const SETTLES: bool = true;

        fn settled(&self, _: &()) -> bool {
            true
        }
        fn chunk(&self) {}
        fn lanes(&self) {}
        fn merge_lanes(&self, _: ()) {}
        fn value(&self) {}
        fn merge(&self, _: (), _: ()) {}
        fn advance(&self, _: (), _: &()) {}
        fn encode(&self, _: &(), _: &mut Vec<u8>) {}
        fn decode(&self, _: &mut &[u8]) {}
        fn encode_value(&self, _: &(), _: &mut Vec<u8>) {}
        fn decode_value(&self, _: &mut &[u8]) {}
    };
}

/// For accumulators without a carry, whose value is the user's variable and is serialized by `self.codec`.
///
/// `$merge` merges chunks if the magnitudes of partial results are not recorded.
macro_rules! plain_value {
    () => {
        $crate::accumulate::accumulator::plain_value!(Self::merge);
    };
    ($merge:expr) => {
        $crate::accumulate::accumulator::no_shed!();
        type Carry = ();
        type Value = V;
        type Lanes = [Self::Chunk; LANES];
        type Out = V;

        #[inline(always)]
        fn lanes(&self) -> Self::Lanes {
            std::array::from_fn(|_| self.chunk())
        }
        #[inline(always)]
        fn merge_lanes(&self, lanes: Self::Lanes) -> Self::Chunk {
            let [mut merged, others @ ..] = lanes;
            // Checked once and not for each lane, so that the loop vectorizes.
            if $crate::accumulate::rounding::noting() {
                for lane in others {
                    merged = self.merge(merged, lane);
                }
            } else {
                for lane in others {
                    merged = $merge(self, merged, lane);
                }
            }
            merged
        }

        fn carry(&self, _: bool) {}
        fn value(&self) -> V {
            self.init.clone()
        }
        fn encode_value(&self, value: &V, to: &mut Vec<u8>) {
            self.codec.encode(value, to);
        }
        fn decode_value(&self, from: &mut &[u8]) -> V {
            self.codec.decode(from)
        }
        fn finish(self, value: V, _: Vec<()>, _: &Context) -> V {
            value
        }
    };
}

pub(super) use {no_chunk, no_shed, plain_value};

impl Accumulator for () {
    no_chunk!();
    no_shed!();
    type Carry = ();
    type Out = ();

    fn carry(&self, _: bool) {}
    fn finish(self, _: (), _: Vec<()>, _: &Context) {}
}

impl<A: Accumulator, B: Accumulator> Accumulator for (A, B) {
    type Chunk = (A::Chunk, B::Chunk);
    type Carry = (A::Carry, B::Carry);
    type Value = (A::Value, B::Value);
    type Lanes = (A::Lanes, B::Lanes);
    type Shed = (A::Shed, B::Shed);
    type Out = (A::Out, B::Out);

    const EXACT: bool = A::EXACT && B::EXACT;
    const COMMUTES: bool = A::COMMUTES && B::COMMUTES;
    const ONE_PER_WORKER: bool = A::ONE_PER_WORKER || B::ONE_PER_WORKER;
    const BULKY: bool = A::BULKY || B::BULKY;
    const ALONE: bool = A::ALONE || B::ALONE;
    const SETTLES: bool = A::SETTLES && B::SETTLES;
    const DETECTS_LATE: bool = A::DETECTS_LATE || B::DETECTS_LATE;
    const NEEDS_ORDER: bool = A::NEEDS_ORDER || B::NEEDS_ORDER;
    const BY_FUNCTION: bool = A::BY_FUNCTION || B::BY_FUNCTION;
    const LIMITED: bool = A::LIMITED || B::LIMITED;

    fn shed(&self, carry: &mut Self::Carry, empty: Option<Self::Shed>) -> Self::Shed {
        let (first, second) = empty.map_or((None, None), |(first, second)| (Some(first), Some(second)));
        (self.0.shed(&mut carry.0, first), self.1.shed(&mut carry.1, second))
    }
    fn assign(&self, part: &mut Self::Shed) {
        self.0.assign(&mut part.0);
        self.1.assign(&mut part.1);
    }
    fn place(&self, part: &mut Self::Shed) {
        self.0.place(&mut part.0);
        self.1.place(&mut part.1);
    }

    #[inline]
    fn chunk(&self) -> Self::Chunk {
        (self.0.chunk(), self.1.chunk())
    }
    #[inline(always)]
    fn lanes(&self) -> Self::Lanes {
        (self.0.lanes(), self.1.lanes())
    }
    fn chunk_from(&self, value: &Self::Value) -> Self::Chunk {
        (self.0.chunk_from(&value.0), self.1.chunk_from(&value.1))
    }
    #[inline(always)]
    fn lanes_after(&self, chunk: &Self::Chunk) -> Self::Lanes {
        (self.0.lanes_after(&chunk.0), self.1.lanes_after(&chunk.1))
    }
    #[inline(always)]
    fn merge_lanes(&self, lanes: Self::Lanes) -> Self::Chunk {
        (self.0.merge_lanes(lanes.0), self.1.merge_lanes(lanes.1))
    }
    #[inline]
    fn carry(&self, first: bool) -> Self::Carry {
        (self.0.carry(first), self.1.carry(first))
    }
    fn is_untouched(&self, carry: &Self::Carry) -> bool {
        self.0.is_untouched(&carry.0) && self.1.is_untouched(&carry.1)
    }
    #[inline]
    fn value(&self) -> Self::Value {
        (self.0.value(), self.1.value())
    }
    #[inline]
    fn merge(&self, earlier: Self::Chunk, later: Self::Chunk) -> Self::Chunk {
        (self.0.merge(earlier.0, later.0), self.1.merge(earlier.1, later.1))
    }
    #[inline]
    fn settled(&self, chunk: &Self::Chunk) -> bool {
        self.0.settled(&chunk.0) && self.1.settled(&chunk.1)
    }
    fn settling(&self, chunk: &Self::Chunk, with: &mut dyn FnMut(Settling)) {
        self.0.settling(&chunk.0, with);
        self.1.settling(&chunk.1, with);
    }
    #[inline]
    fn advance(&self, value: Self::Value, chunk: &Self::Chunk) -> Self::Value {
        (self.0.advance(value.0, &chunk.0), self.1.advance(value.1, &chunk.1))
    }
    #[inline]
    fn fits(&self, before: &Self::Value, chunk: &Self::Chunk, after: &Self::Value) -> bool {
        self.0.fits(&before.0, &chunk.0, &after.0) && self.1.fits(&before.1, &chunk.1, &after.1)
    }
    fn encode(&self, chunk: &Self::Chunk, to: &mut Vec<u8>) {
        self.0.encode(&chunk.0, to);
        self.1.encode(&chunk.1, to);
    }
    fn decode(&self, from: &mut &[u8]) -> Self::Chunk {
        let first = self.0.decode(from);
        (first, self.1.decode(from))
    }
    fn moves(&self) -> bool {
        self.0.moves() && self.1.moves()
    }
    fn encode_carry(&self, carry: Self::Carry, to: &mut Vec<u8>) {
        self.0.encode_carry(carry.0, to);
        self.1.encode_carry(carry.1, to);
    }
    fn decode_carry(&self, from: &mut &[u8]) -> Self::Carry {
        let first = self.0.decode_carry(from);
        (first, self.1.decode_carry(from))
    }
    fn hides_mistakes(&self) -> bool {
        self.0.hides_mistakes() || self.1.hides_mistakes()
    }
    fn collects(&self, to: &mut Vec<u64>) {
        self.0.collects(to);
        self.1.collects(to);
    }
    fn shares(&self, ranks: usize) -> Shares {
        self.0.shares(ranks).max(self.1.shares(ranks))
    }
    fn encode_for(&self, rank: Rank, chunk: &Self::Chunk, to: &mut Vec<u8>) {
        self.0.encode_for(rank, &chunk.0, to);
        self.1.encode_for(rank, &chunk.1, to);
    }
    fn own(&self, rank: Rank, chunk: Self::Chunk) -> Self::Chunk {
        (self.0.own(rank, chunk.0), self.1.own(rank, chunk.1))
    }
    fn decode_own(&self, rank: Rank, from: &mut &[u8]) -> Self::Chunk {
        let first = self.0.decode_own(rank, from);
        (first, self.1.decode_own(rank, from))
    }
    fn encode_part(&self, rank: Rank, own: &Self::Chunk, to: &mut Vec<u8>) {
        self.0.encode_part(rank, &own.0, to);
        self.1.encode_part(rank, &own.1, to);
    }
    fn gathered(&self, rank: Rank, own: Self::Chunk, parts: &mut [&[u8]]) -> Self::Chunk {
        let first = self.0.gathered(rank, own.0, parts);
        (first, self.1.gathered(rank, own.1, parts))
    }
    fn receive(&self, from: &mut Received<'_>) -> Self::Chunk {
        let first = self.0.receive(from);
        (first, self.1.receive(from))
    }
    fn bins(&self, to: &mut Vec<Vec<u8>>) {
        self.0.bins(to);
        self.1.bins(to);
    }
    fn send(&self, value: &Self::Value, fields: &mut Vec<u8>) {
        self.0.send(&value.0, fields);
        self.1.send(&value.1, fields);
    }
    fn pushed(&self, parts: &mut std::vec::IntoIter<Vec<u8>>) -> Self::Carry {
        let first = self.0.pushed(parts);
        (first, self.1.pushed(parts))
    }
    fn encode_value(&self, value: &Self::Value, to: &mut Vec<u8>) {
        self.0.encode_value(&value.0, to);
        self.1.encode_value(&value.1, to);
    }
    fn decode_value(&self, from: &mut &[u8]) -> Self::Value {
        let first = self.0.decode_value(from);
        (first, self.1.decode_value(from))
    }
    #[inline]
    fn finish(self, value: Self::Value, carries: Vec<Self::Carry>, context: &Context) -> Self::Out {
        let (mut first, mut second) = (Vec::with_capacity(carries.len()), Vec::with_capacity(carries.len()));
        for (one, other) in carries {
            first.push(one);
            second.push(other);
        }
        (self.0.finish(value.0, first, context), self.1.finish(value.1, second, context))
    }
}
