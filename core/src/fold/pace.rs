//! The length of pieces, from the measured time of earlier pieces.

use std::time::Duration;

/// The target time of a piece: long enough that taking a piece costs nothing in comparison, short enough that its elements stay in the cache
/// and that all workers end together.
pub(super) const TAKEN_FOR: Duration = Duration::from_micros(50);

/// The largest growth from one piece to the next.
const GROWTH: usize = 4;

/// The number of chunks that a worker takes next.
#[derive(Debug, Clone, Copy)]
pub(super) struct Pace {
    length: usize,
    /// No piece is longer than this.
    most: usize,
    /// Whether the length follows the measured time.
    follows: bool,
}

impl Pace {
    /// Pieces of one length.
    pub fn fixed(length: usize) -> Self {
        Pace { length, most: length, follows: false }
    }

    /// Pieces of at most `most` chunks. About `fit` chunks are estimated to take [`TAKEN_FOR`]. The first pieces are shorter, in case the
    /// estimate is wrong.
    pub fn following(fit: usize, most: usize) -> Self {
        let most = most.max(1);
        Pace { length: (fit / (GROWTH * GROWTH)).clamp(1, most), most, follows: true }
    }

    /// The length of the next piece.
    pub fn length(&self) -> usize {
        self.length
    }

    /// Whether the caller has to measure pieces.
    pub fn follows(&self) -> bool {
        self.follows
    }

    /// Records the time of a piece.
    pub fn took(&mut self, chunks: usize, time: Duration) {
        let fit = chunks as u128 * TAKEN_FOR.as_nanos() / time.as_nanos().max(1);
        let fit = usize::try_from(fit).unwrap_or(usize::MAX);
        self.length = fit.min(chunks.saturating_mul(GROWTH)).clamp(1, self.most);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_shrink_at_once_and_grow_by_steps() {
        let mut pace = Pace::following(1600, 10_000);
        assert_eq!(pace.length(), 100);
        // Each chunk takes ten times as long as estimated.
        pace.took(100, TAKEN_FOR * 20);
        assert_eq!(pace.length(), 5);
        // Later chunks take almost no time.
        let mut lengths = Vec::new();
        for _ in 0..7 {
            pace.took(pace.length(), Duration::ZERO);
            lengths.push(pace.length());
        }
        assert_eq!(lengths, [20, 80, 320, 1280, 5120, 10_000, 10_000]);
        pace.took(1, TAKEN_FOR * 3);
        assert_eq!(pace.length(), 1);
    }

    #[test]
    fn there_is_always_a_piece() {
        assert_eq!(Pace::following(0, 0).length(), 1);
        assert_eq!(Pace::following(usize::MAX, 3).length(), 3);
        assert!(!Pace::fixed(7).follows());
    }
}
