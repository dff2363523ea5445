//! The cost model that selects an algorithm.

use super::algorithm::{Algorithm, Step};
use super::round::Whither;
use crate::comm::{Comm, collective};
use std::time::Instant;

/// The costs of messages and merging, in seconds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Costs {
    /// The latency of a message.
    pub message: f64,
    /// The transfer of a byte.
    pub byte: f64,
    /// The merge of a byte.
    pub merged: f64,
}

impl Costs {
    /// Between processes of one machine: an estimate, until the costs are measured.
    pub const MEMORY: Costs = Costs { message: 2e-6, byte: 2.5e-10, merged: 1.5e-10 };

    /// The length of the long messages in the measurement.
    const LONG: usize = 1 << 18;

    /// Measures the latency and the cost of a byte while all ranks send at once, to near and to distant ranks. Collective; all ranks get
    /// the same result.
    pub fn measured(comm: &dyn Comm) -> [f64; 2] {
        let (rank, ranks) = (comm.rank(), comm.ranks());
        let (sent, mut room) = (vec![0; Costs::LONG], vec![0; Costs::LONG]);
        let mut seconds = |distance: usize, length: usize| {
            let (to, from) = ((rank + distance) % ranks, (rank + ranks - distance) % ranks);
            // The first message opens the connection.
            let once = |_| {
                let start = Instant::now();
                comm.exchange(&[(to, &sent[..length])], &mut [(from, &mut room[..length])]);
                start.elapsed().as_secs_f64()
            };
            (0..4).map(once).skip(1).fold(f64::INFINITY, f64::min)
        };
        let distances = [1, ranks / 2];
        let message = distances.map(|distance| seconds(distance, 8)).into_iter().fold(0.0, f64::max);
        let long = distances.map(|distance| seconds(distance, Costs::LONG)).into_iter().fold(0.0, f64::max);
        let own = [message, (long - message).max(0.0) / Costs::LONG as f64];
        let all = collective::allgather(comm, &own);
        [0, 1].map(|what| {
            let mut all: Vec<f64> = all.iter().skip(what).step_by(2).copied().collect();
            all.sort_unstable_by(f64::total_cmp);
            // The median ignores a rank that was briefly interrupted.
            all[all.len() / 2]
        })
    }
}

/// The frames to reduce.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Load {
    /// The number of ranks with a frame.
    pub ranks: usize,
    /// The length of each frame.
    pub bytes: usize,
    /// The fraction of each frame that is not blank, from 0 to 1; 1 if all elements are sent.
    pub coverage: f64,
    /// The destination of the result.
    pub whither: Whither,
}

impl Load {
    /// The time of a chain in both directions: of the last link, and of the first slice on its way there.
    fn passed(&self, slices: usize, costs: &Costs) -> [f64; 2] {
        let Load { ranks, bytes, coverage, whither } = *self;
        let head = if let Whither::Root(root) = whither { root.min(ranks - 1) } else { 0 };
        let rounds = Step::Pass(slices).rounds(ranks, head) as f64;
        let slice = bytes as f64 / slices as f64;
        let comes = |from: usize| match from {
            0 => 0.0,
            from => costs.message + (coverage * from as f64).min(1.0) * slice * (costs.byte + costs.merged),
        };
        let looks = if coverage < 1.0 { 2.0 * slice * costs.merged } else { 0.0 };
        let all = (coverage * ranks as f64).min(1.0);
        let back = costs.message + all * slice * costs.byte;
        [comes(head) + comes(ranks - 1 - head) + looks, back].map(|of_round| rounds * of_round)
    }
}

impl Algorithm {
    /// The largest time of the algorithm: the sum over the rounds of the time of the slowest rank.
    pub fn seconds(&self, load: &Load, costs: &Costs) -> f64 {
        let Load { ranks, bytes, coverage, whither } = *load;
        let (mut holders, mut region, mut there, mut back, mut regions) = (ranks, bytes as f64, 0.0, 0.0, 1);
        let all = (coverage * ranks as f64).min(1.0);
        for step in self.steps(ranks) {
            // The largest group is the last one of a split, and any group but the last of a merge.
            let (others, piece) = match step {
                Step::Split(parts) => (holders - (step.left(holders) - 1) * parts - 1, region / parts as f64),
                Step::Merge(k) => (k.min(holders) - 1, region),
                Step::Pass(slices) => {
                    let [passed, passed_back] = load.passed(slices, costs);
                    (there, back, holders) = (there + passed, back + passed_back, step.left(holders));
                    continue;
                }
            };
            // Merged frames cover more elements.
            let travels = (coverage * ranks as f64 / holders as f64).min(1.0) * piece;
            there += others as f64 * (costs.message + travels * (costs.byte + costs.merged));
            if coverage < 1.0 {
                // The sender scans all elements for blank ones, and the receiver expands them.
                there += costs.merged * if matches!(step, Step::Merge(_)) { 2.0 * piece } else { region };
            }
            back += others as f64 * (costs.message + all * piece * costs.byte);
            regions *= step.parts();
            (holders, region) = (step.left(holders), piece);
        }
        there
            + match whither {
                Whither::Scattered => 0.0,
                Whither::Root(_) => {
                    (regions - 1) as f64 * (costs.message + all * bytes as f64 / regions as f64 * costs.byte)
                }
                Whither::All => back,
            }
    }

    /// The algorithms to consider for this number of ranks.
    fn candidates(ranks: usize, costs: &Costs) -> Vec<Algorithm> {
        let mut all = vec![Algorithm::DirectSend, Algorithm::BinarySwap, Algorithm::SerialDirectSend];
        all.extend([2, 4, 8].map(|k| Algorithm::Tree { k }));
        let radices = |k: usize| vec![k; ranks.max(k).ilog(k) as usize];
        all.extend([4, 8, 16].map(|k| Algorithm::RadixK { radices: radices(k) }));
        // If processors copy the messages, ranks wait for the processors of others, and not for links.
        if costs.byte > 4.0 * costs.merged {
            all.extend([4, 8, 16, 32, 64].map(|slices| Algorithm::Pipeline { slices }));
        }
        let localities = [4, 8, 16, 32, 64].into_iter().filter(|regions| 2 * regions <= ranks);
        all.extend(localities.flat_map(|regions| [2, 4, 8].map(|k| Algorithm::TodTree { regions, k })));
        all
    }

    /// The best algorithm for this load with its time, and the next best one of another name.
    pub fn choose(load: &Load, costs: &Costs) -> [(Algorithm, f64); 2] {
        let seconds = |algorithm: Algorithm| {
            let seconds = algorithm.seconds(load, costs);
            (algorithm, seconds)
        };
        let mut all: Vec<(Algorithm, f64)> =
            Algorithm::candidates(load.ranks, costs).into_iter().map(seconds).collect();
        all.sort_by(|(_, one), (_, other)| one.total_cmp(other));
        let best = all[0].clone();
        let next = all.into_iter().find(|(algorithm, _)| algorithm.name() != best.0.name());
        [best.clone(), next.unwrap_or(best)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::comm::Local;

    fn load(ranks: usize, bytes: usize, whither: Whither) -> Load {
        Load { ranks, bytes, coverage: 1.0, whither }
    }

    #[test]
    fn what_is_measured_is_the_same_on_all_ranks() {
        let found = Local::run(3, |comm| Costs::measured(&comm));
        assert!(found[0][0] > 0.0 && found[0][1] >= 0.0 && found.iter().all(|other| *other == found[0]));
    }

    #[test]
    fn what_is_blank_does_not_count() {
        let costs = Costs { message: 0.0, byte: 1.0, merged: 0.0 };
        let seconds = |algorithm: Algorithm| {
            algorithm.seconds(&Load { coverage: 0.25, ..load(4, 1600, Whither::Root(0)) }, &costs)
        };
        assert_eq!(seconds(Algorithm::SerialDirectSend), 1200.0);
        assert_eq!(seconds(Algorithm::DirectSend), 300.0 + 1200.0);
        assert_eq!(seconds(Algorithm::Tree { k: 2 }), 400.0 + 800.0);
    }

    #[test]
    fn the_cost_is_that_of_the_table() {
        let costs = Costs { message: 1.0, byte: 0.0, merged: 0.0 };
        let messages = |algorithm: Algorithm, whither| algorithm.seconds(&load(16, 1600, whither), &costs);
        assert_eq!(messages(Algorithm::DirectSend, Whither::Scattered), 15.0);
        assert_eq!(messages(Algorithm::BinarySwap, Whither::Scattered), 4.0);
        assert_eq!(messages(Algorithm::BinarySwap, Whither::All), 8.0);
        assert_eq!(messages(Algorithm::Tree { k: 4 }, Whither::Root(0)), 6.0);
        assert_eq!(messages(Algorithm::TodTree { regions: 4, k: 4 }, Whither::Root(0)), 9.0);
        let pipeline = Algorithm::Pipeline { slices: 4 };
        assert_eq!(messages(pipeline.clone(), Whither::Root(0)), 18.0);
        assert_eq!(messages(pipeline.clone(), Whither::Root(3)), 30.0);
        assert_eq!(messages(pipeline.clone(), Whither::All), 36.0);
        let costs = Costs { message: 0.0, byte: 1.0, merged: 0.0 };
        let bytes = |algorithm: Algorithm, whither| algorithm.seconds(&load(16, 1600, whither), &costs);
        assert_eq!(bytes(Algorithm::DirectSend, Whither::Scattered), 1500.0);
        assert_eq!(bytes(Algorithm::BinarySwap, Whither::Scattered), 1500.0);
        assert_eq!(bytes(Algorithm::BinarySwap, Whither::Root(3)), 3000.0);
        assert_eq!(bytes(Algorithm::Tree { k: 4 }, Whither::Scattered), 9600.0);
        assert_eq!(bytes(pipeline, Whither::Root(15)), 7200.0);
    }

    #[test]
    fn few_messages_are_chosen_for_small_frames_and_few_bytes_for_large_ones() {
        let chosen =
            |ranks, bytes| Algorithm::choose(&load(ranks, bytes, Whither::Root(0)), &Costs::MEMORY)[0].0.clone();
        assert_eq!(chosen(64, 16), Algorithm::Tree { k: 2 });
        assert!(matches!(chosen(4, 1 << 26), Algorithm::DirectSend | Algorithm::BinarySwap));
        let gigabit = Costs { message: 1e-4, byte: 8e-9, ..Costs::MEMORY };
        let [(slow, _), _] = Algorithm::choose(&load(4, 1 << 24, Whither::Root(0)), &gigabit);
        assert!(matches!(slow, Algorithm::Pipeline { .. }), "{slow}");
        for ranks in 1..70 {
            let [(best, least), (next, more)] = Algorithm::choose(&load(ranks, 1 << 20, Whither::All), &Costs::MEMORY);
            assert!(least <= more && (best.name() != next.name()), "{ranks}: {best}, {next}");
        }
    }
}
