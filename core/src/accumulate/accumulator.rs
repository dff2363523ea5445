//! What every accumulator can do, and lists of them.

use crate::device::Received;
use crate::runtime::{Context, Rank};

/// How many interleaved partial results a reduction runs in: iteration `p` of a chunk goes to lane `p % LANES`.
///
/// Lanes do not wait for each other, so that the processor can work on all of them at once. The number is fixed: results
/// do not depend on the machine.
pub const LANES: usize = 16;

/// How what chunks of all ranks come to is put together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Shares {
    /// Up a tree of ranks, whole.
    Whole,
    /// Each rank puts together its own part, and goes on with that alone.
    Kept,
    /// Each rank puts together its own part, and gets those of the others.
    Gathered,
}

/// One outer variable of a loop that collects something over the iterations.
pub trait Accumulator: Sync {
    /// What a chunk collects, starting from the operator's identity; merged in the order of the chunks.
    type Chunk: Send + Sync + Clone;
    /// What a worker carries from chunk to chunk: pushed elements, a state, a scratch buffer.
    type Carry: Send;
    /// The running value that the body of a scan sees.
    type Value: Send + Sync + Clone;
    /// A chunk's collection in interleaved lanes: an array of chunks for each variable.
    type Lanes;
    /// What the author's variable is after the loop.
    type Out;

    /// Whether merging gives the same bits in any grouping.
    const EXACT: bool;
    /// Whether merging in any order gives the same bits too.
    const COMMUTES: bool = false;
    /// Whether one carry for each worker is wanted, rather than one for each piece that a worker takes.
    const ONE_PER_WORKER: bool = false;
    /// Whether what a chunk collects is large, so that there should be few chunks.
    const BULKY: bool = false;
    /// Whether one worker runs all iterations of a rank, in their order.
    const ALONE: bool = false;
    /// Whether there may be chunks before which nothing matters.
    const SETTLES: bool = false;
    /// Whether what comes after a chunk finds out that an iteration of it was a mistake.
    const FINDS_OUT: bool = false;
    /// Whether chunks cannot tell if the variable leaves its type, and this is a mistake: then the iterations run in order, from the
    /// variable's value.
    const NEEDS_ORDER: bool = false;
    /// Whether merging runs a function of the author's, which may panic where the sequential loop does not.
    const BY_FUNCTION: bool = false;

    /// Whether a running value may be lost in what chunks come to, as they leave the range of their numbers: see [`Accumulator::fits`].
    const LIMITED: bool = false;

    /// What a carry gives away after each chunk, to be put together in the order of the chunks while the loop runs.
    type Shed: Send;

    /// Takes what the carry has collected in a chunk, and gives it an empty buffer for the next one.
    fn shed(&self, carry: &mut Self::Carry, empty: Option<Self::Shed>) -> Self::Shed;
    /// Finds the place of a chunk's part. Called in the order of the chunks, by one worker at a time.
    fn assign(&self, part: &mut Self::Shed);
    /// Puts a part into its place. Several workers do so at once.
    fn place(&self, part: &mut Self::Shed);

    /// The operator's identity.
    fn chunk(&self) -> Self::Chunk;
    /// The operator's identity, for a chunk of which the running value before it is known. Where the chunk can tell by itself that an
    /// iteration is a mistake, it panics there, as the author's operator does.
    fn chunk_from(&self, _value: &Self::Value) -> Self::Chunk {
        self.chunk()
    }
    /// The operator's identity in every lane.
    fn lanes(&self) -> Self::Lanes;
    /// The same for a chunk that goes on after what it has.
    #[inline(always)]
    fn lanes_after(&self, _: &Self::Chunk) -> Self::Lanes {
        self.lanes()
    }
    /// All lanes, one after the other.
    fn merge_lanes(&self, lanes: Self::Lanes) -> Self::Chunk;
    /// A fresh carry; `first` says that it will hold what the first iterations of this rank leave.
    fn carry(&self, first: bool) -> Self::Carry;
    /// The value before the first iteration.
    fn value(&self) -> Self::Value;
    /// `earlier` and then `later`.
    fn merge(&self, earlier: Self::Chunk, later: Self::Chunk) -> Self::Chunk;
    /// Whether what comes before this chunk makes no difference to the value after it.
    #[inline]
    fn settled(&self, _: &Self::Chunk) -> bool {
        false
    }
    /// The running value after a chunk.
    fn advance(&self, value: Self::Value, chunk: &Self::Chunk) -> Self::Value;
    /// Whether the value after a chunk is what its iterations make of the value before it, but for rounding. What they come to from
    /// the identity may be infinite where the running value is not.
    fn fits(&self, _before: &Self::Value, _chunk: &Self::Chunk, _after: &Self::Value) -> bool {
        true
    }
    /// Whether what iterations come to may be in range though the variable was not on the way, or does not tell that it was.
    fn hides_mistakes(&self) -> bool {
        false
    }
    /// For other ranks.
    fn encode(&self, chunk: &Self::Chunk, to: &mut Vec<u8>);
    /// From another rank.
    fn decode(&self, from: &mut &[u8]) -> Self::Chunk;
    /// How many elements chunks collect in, where it hangs on that how they are put together: ranks have to agree on it.
    fn collects(&self, _to: &mut Vec<u64>) {}
    /// How chunks of so many ranks are put together. The same on all ranks.
    fn shares(&self, _ranks: usize) -> Shares {
        Shares::Whole
    }
    /// What a rank is to have of it, where ranks have [parts](Shares).
    fn encode_for(&self, _rank: Rank, chunk: &Self::Chunk, to: &mut Vec<u8>) {
        self.encode(chunk, to);
    }
    /// What this rank is to have of its own.
    fn own(&self, _rank: Rank, chunk: Self::Chunk) -> Self::Chunk {
        chunk
    }
    /// What this rank is to have, from another one.
    fn decode_own(&self, _rank: Rank, from: &mut &[u8]) -> Self::Chunk {
        self.decode(from)
    }
    /// What this rank has put together, for all others.
    fn encode_part(&self, _rank: Rank, _own: &Self::Chunk, _to: &mut Vec<u8>) {}
    /// What all ranks have put together: what the others have sent, in rank order, with nothing in the place of this one.
    fn gathered(&self, _rank: Rank, own: Self::Chunk, _parts: &mut [&[u8]]) -> Self::Chunk {
        own
    }
    /// For other ranks.
    fn encode_value(&self, value: &Self::Value, to: &mut Vec<u8>);
    /// From another rank.
    fn decode_value(&self, from: &mut &[u8]) -> Self::Value;
    /// From a device: the fields of a chunk, one after the other. The value comes first, then what else a chunk knows.
    fn receive(&self, from: &mut Received<'_>) -> Self::Chunk {
        self.decode(&mut from.fields)
    }
    /// For a device: the same fields, of which the first ones hold a running value.
    fn send(&self, value: &Self::Value, fields: &mut Vec<u8>) {
        self.encode_value(value, fields);
    }
    /// For a device: what the bins of a chunk start from, of a histogram.
    fn bins(&self, _: &mut Vec<Vec<u8>>) {}
    /// The carry that holds what this rank's iterations pushed on a device.
    fn pushed(&self, _: &mut std::vec::IntoIter<Vec<u8>>) -> Self::Carry {
        self.carry(true)
    }
    /// The author's variable, from the value after the last iteration and this rank's carries in the order of iterations.
    fn finish(self, value: Self::Value, carries: Vec<Self::Carry>, context: &Context) -> Self::Out;
}

/// The accumulators that give nothing away.
macro_rules! no_shed {
    () => {
        type Shed = ();

        fn shed(&self, _: &mut Self::Carry, _: Option<()>) {}
        fn assign(&self, _: &mut ()) {}
        fn place(&self, _: &mut ()) {}
    };
}

/// The accumulators that have no chunk.
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

/// The accumulators that carry nothing, whose value is the author's variable and travels with `self.codec`.
///
/// `$merge` is how they merge where nobody wants to know how large partial results are.
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
            let mut lanes = lanes.into_iter();
            let first = lanes.next().unwrap_or_else(|| self.chunk());
            // Whether anybody wants to know how large they are is asked once, so that they can be added side by side.
            match $crate::accumulate::rounding::noting() {
                true => lanes.fold(first, |earlier, later| self.merge(earlier, later)),
                false => lanes.fold(first, |earlier, later| $merge(self, earlier, later)),
            }
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
    const FINDS_OUT: bool = A::FINDS_OUT || B::FINDS_OUT;
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
