//! How long the pieces of a loop are: by the time that the last ones took.

use std::time::Duration;

/// How long a piece should run at most where workers may take many: long enough for the next one to cost nothing, short enough for
/// its elements, and those that it pushes, to stay near (a copy of more than the cache holds is a slower copy) and for workers to
/// end together.
pub(super) const TAKEN_FOR: Duration = Duration::from_micros(50);

/// How many times as long as the last one a piece may be: iterations that take less time than others are found soon.
const GROWTH: usize = 4;

/// How many chunks a worker takes next.
#[derive(Debug, Clone, Copy)]
pub(super) struct Pace {
    length: usize,
    /// No piece is longer than this.
    most: usize,
    /// Whether the lengths follow the time.
    follows: bool,
}

impl Pace {
    /// Pieces of one length.
    pub fn fixed(length: usize) -> Self {
        Pace { length, most: length, follows: false }
    }

    /// Pieces of at most so many chunks, of which about `fit` are guessed to take [`TAKEN_FOR`]. It begins with less: they may take
    /// longer where it begins.
    pub fn following(fit: usize, most: usize) -> Self {
        let most = most.max(1);
        Pace { length: (fit / (GROWTH * GROWTH)).clamp(1, most), most, follows: true }
    }

    /// The length of the next piece.
    pub fn length(&self) -> usize {
        self.length
    }

    /// Whether it has to be told what pieces take.
    pub fn follows(&self) -> bool {
        self.follows
    }

    /// A piece of so many chunks took so long.
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
        // Each chunk takes ten times as long as was guessed.
        pace.took(100, TAKEN_FOR * 20);
        assert_eq!(pace.length(), 5);
        // And then next to nothing.
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
