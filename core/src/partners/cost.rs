//! What algorithms cost, to choose one.

use super::algorithm::{Algorithm, Step};
use super::round::Whither;

/// What messages and merging take, in seconds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Link {
    /// A message, however short.
    pub message: f64,
    /// A byte on its way.
    pub byte: f64,
    /// A byte that is merged.
    pub merged: f64,
}

impl Link {
    /// Between processes of one machine: a guess, as long as nobody has measured.
    pub const MEMORY: Link = Link { message: 2e-6, byte: 2.5e-10, merged: 1.5e-10 };
}

impl Algorithm {
    /// How long so many ranks take at most for frames of so many bytes: the slowest rank of each round, one after the other.
    pub fn seconds(&self, ranks: usize, bytes: usize, whither: Whither, link: &Link) -> f64 {
        let (mut holders, mut region, mut there, mut back, mut regions) = (ranks, bytes as f64, 0.0, 0.0, 1);
        for step in self.steps(ranks) {
            // The largest group is the last one of a split, and any other of a merge.
            let (others, piece) = match step {
                Step::Split(parts) => (holders - (step.left(holders) - 1) * parts - 1, region / parts as f64),
                Step::Merge(k) => (k.min(holders) - 1, region),
            };
            let moving = others as f64 * (link.message + piece * link.byte);
            there += moving + others as f64 * piece * link.merged;
            back += moving;
            regions *= step.parts();
            (holders, region) = (step.left(holders), piece);
        }
        there
            + match whither {
                Whither::Scattered => 0.0,
                Whither::Root(_) if regions == 1 => 0.0,
                Whither::Root(_) => regions as f64 * link.message + bytes as f64 * link.byte,
                Whither::All => back,
            }
    }

    /// Those worth a thought on so many ranks.
    fn candidates(ranks: usize) -> Vec<Algorithm> {
        let mut all = vec![Algorithm::DirectSend, Algorithm::BinarySwap];
        all.extend([2, 4, 8].map(|k| Algorithm::Tree { k }));
        let radices = |k: usize| vec![k; ranks.max(k).ilog(k) as usize];
        all.extend([4, 8, 16].map(|k| Algorithm::RadixK { radices: radices(k) }));
        let localities = [4, 8, 16, 32, 64].into_iter().filter(|regions| 2 * regions <= ranks);
        all.extend(localities.flat_map(|regions| [2, 4, 8].map(|k| Algorithm::TodTree { regions, k })));
        all
    }

    /// The one that takes least, of those worth a thought, and what it takes, with the next best that has another name.
    pub fn choose(ranks: usize, bytes: usize, whither: Whither, link: &Link) -> [(Algorithm, f64); 2] {
        let seconds = |algorithm: Algorithm| {
            let seconds = algorithm.seconds(ranks, bytes, whither, link);
            (algorithm, seconds)
        };
        let mut all: Vec<(Algorithm, f64)> = Algorithm::candidates(ranks).into_iter().map(seconds).collect();
        all.sort_by(|(_, one), (_, other)| one.total_cmp(other));
        let best = all[0].clone();
        let next = all.into_iter().find(|(algorithm, _)| algorithm.name() != best.0.name());
        [best.clone(), next.unwrap_or(best)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cost_is_that_of_the_table() {
        let link = Link { message: 1.0, byte: 0.0, merged: 0.0 };
        let messages = |algorithm: Algorithm, whither| algorithm.seconds(16, 1600, whither, &link);
        assert_eq!(messages(Algorithm::DirectSend, Whither::Scattered), 15.0);
        assert_eq!(messages(Algorithm::BinarySwap, Whither::Scattered), 4.0);
        assert_eq!(messages(Algorithm::BinarySwap, Whither::All), 8.0);
        assert_eq!(messages(Algorithm::Tree { k: 4 }, Whither::Root(0)), 6.0);
        assert_eq!(messages(Algorithm::TodTree { regions: 4, k: 4 }, Whither::Root(0)), 10.0);
        let link = Link { message: 0.0, byte: 1.0, merged: 0.0 };
        let bytes = |algorithm: Algorithm, whither| algorithm.seconds(16, 1600, whither, &link);
        assert_eq!(bytes(Algorithm::DirectSend, Whither::Scattered), 1500.0);
        assert_eq!(bytes(Algorithm::BinarySwap, Whither::Scattered), 1500.0);
        assert_eq!(bytes(Algorithm::BinarySwap, Whither::Root(3)), 3100.0);
        assert_eq!(bytes(Algorithm::Tree { k: 4 }, Whither::Scattered), 9600.0);
    }

    #[test]
    fn few_messages_are_chosen_for_small_frames_and_few_bytes_for_large_ones() {
        let chosen = |ranks, bytes| Algorithm::choose(ranks, bytes, Whither::Root(0), &Link::MEMORY)[0].0.clone();
        assert_eq!(chosen(64, 16), Algorithm::Tree { k: 2 });
        assert!(matches!(chosen(4, 1 << 26), Algorithm::DirectSend | Algorithm::BinarySwap));
        for ranks in 1..70 {
            let [(best, least), (next, more)] = Algorithm::choose(ranks, 1 << 20, Whither::All, &Link::MEMORY);
            assert!(least <= more && (best.name() != next.name()), "{ranks}: {best}, {next}");
        }
    }
}
