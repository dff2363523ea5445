//! The results of a part of a traversal.

use crate::accumulate::Accumulator;

/// The current state of a worker: a chunk and a carry.
pub(super) type State<A> = (<A as Accumulator>::Chunk, <A as Accumulator>::Carry);

/// The results of a part, in the order of its calls.
pub(super) struct Collected<A: Accumulator> {
    /// Chunks that have merged already.
    merged: Option<A::Chunk>,
    /// If the operator is not exact: the chunks of all calls, which merge from the first to the last.
    chunks: Vec<A::Chunk>,
    carries: Vec<A::Carry>,
    /// Whether this is the first part on this rank. Its chunks then merge at once.
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

    /// Appends the results of later calls. If the operator is not exact, the chunk is empty.
    pub(super) fn add(&mut self, accumulators: &A, (chunk, carry): State<A>) {
        if A::EXACT {
            self.add_chunk(accumulators, chunk);
        }
        if size_of::<A::Carry>() > 0 {
            self.carries.push(carry);
        }
    }

    /// Appends a later part.
    pub(super) fn append(&mut self, accumulators: &A, later: Collected<A>) {
        later.merged.into_iter().chain(later.chunks).for_each(|chunk| self.add_chunk(accumulators, chunk));
        self.carries.extend(later.carries);
    }

    /// The merged chunk, and all carries in order.
    pub(super) fn total(self, accumulators: &A) -> (Option<A::Chunk>, Vec<A::Carry>) {
        let chunks = self.merged.into_iter().chain(self.chunks);
        (chunks.reduce(|earlier, later| accumulators.merge(earlier, later)), self.carries)
    }
}
