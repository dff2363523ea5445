//! Bytes that all workers move to one place.

use crate::runtime::Context;
use std::sync::atomic::{AtomicUsize, Ordering};

/// From this number of bytes on, several workers move them.
pub(super) const WORTH_SHARING: usize = 1 << 20;

/// Pieces of memory that move behind each other. Not generic, so that it is compiled once for all types of elements.
pub(super) struct Moves {
    end: *mut u8,
    moves: Vec<Move>,
}

/// Bytes that move to a position.
struct Move {
    from: *const u8,
    to: *mut u8,
    bytes: usize,
}

// SAFETY: a worker reads and writes the bytes of a move that it alone has taken: see `Moves::run`.
unsafe impl Sync for Move {}

impl Moves {
    /// Moves to the memory from this address on.
    pub fn to(start: *mut u8) -> Self {
        Moves { end: start, moves: Vec::new() }
    }

    /// Adds bytes, which move behind the earlier ones.
    pub fn add(&mut self, from: *const u8, bytes: usize) {
        for start in (0..bytes).step_by(WORTH_SHARING) {
            let bytes = WORTH_SHARING.min(bytes - start);
            self.moves.push(Move { from: from.wrapping_add(start), to: self.end, bytes });
            self.end = self.end.wrapping_add(bytes);
        }
    }

    /// Moves all bytes, by all workers.
    ///
    /// # Safety
    /// All of them can be read, their new places can be written, no two of these overlap, and nothing else uses them meanwhile.
    pub unsafe fn run(self, context: &Context) {
        let next = AtomicUsize::new(0);
        let moves = &self.moves;
        context.node().run(context.node().workers(), &|_| {
            while let Some(one) = moves.get(next.fetch_add(1, Ordering::Relaxed)) {
                // SAFETY: the caller guarantees it, and only one worker takes this move.
                unsafe { std::ptr::copy_nonoverlapping(one.from, one.to, one.bytes) };
            }
        });
    }
}
