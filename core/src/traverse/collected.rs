//! What a part of a traversal has collected.

use crate::accumulate::Accumulator;

/// What calls collect in: a chunk, and what a worker carries.
pub(super) type State<A> = (<A as Accumulator>::Chunk, <A as Accumulator>::Carry);

/// All that the calls of a part have collected, in their order.
pub(super) struct Collected<A: Accumulator> {
    /// Chunks that merge as they come.
    merged: Option<A::Chunk>,
    /// Where the grouping makes a difference, those of all calls: they merge from the first to the last.
    chunks: Vec<A::Chunk>,
    carries: Vec<A::Carry>,
    /// Whether nothing comes before it on this rank: then its chunks merge as they come.
    first: bool,
}

impl<A: Accumulator> Collected<A> {
    pub(super) fn new(first: bool) -> Self {
        Collected { merged: None, chunks: Vec::new(), carries: Vec::new(), first }
    }

    #[inline]
    pub(super) fn add_chunk(&mut self, accumulators: &A, chunk: A::Chunk) {
        if size_of::<A::Chunk>() == 0 {
            return;
        }
        if A::EXACT || self.first {
            self.merged = Some(match self.merged.take() {
                Some(earlier) => accumulators.merge(earlier, chunk),
                None => chunk,
            });
        } else {
            self.chunks.push(chunk);
        }
    }

    /// What later calls have collected. Where the grouping makes a difference, the chunk is empty.
    pub(super) fn add(&mut self, accumulators: &A, (chunk, carry): State<A>) {
        if A::EXACT {
            self.add_chunk(accumulators, chunk);
        }
        if size_of::<A::Carry>() > 0 {
            self.carries.push(carry);
        }
    }

    /// What a later part has collected.
    pub(super) fn append(&mut self, accumulators: &A, later: Collected<A>) {
        later.merged.into_iter().chain(later.chunks).for_each(|chunk| self.add_chunk(accumulators, chunk));
        self.carries.extend(later.carries);
    }

    /// All carries, and one chunk: all of them, from the first to the last.
    pub(super) fn total(self, accumulators: &A) -> (Option<A::Chunk>, Vec<A::Carry>) {
        let chunks = self.merged.into_iter().chain(self.chunks);
        (chunks.reduce(|earlier, later| accumulators.merge(earlier, later)), self.carries)
    }
}
