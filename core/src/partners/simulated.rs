//! A reduction in simulated time: the same rounds, without elements.

use super::algorithm::Step;
use super::round::{Does, Partners, Round};
use crate::comm::{Machine, Sim};
use std::cmp::{Ordering, Reverse};
use std::collections::{BinaryHeap, HashMap};

/// An activity of a rank.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Doing {
    /// It waits until its messages have left.
    Send,
    /// It receives the next message.
    Receive,
    /// It merges.
    Merge,
    /// It waits for the next message to begin to arrive.
    Wait,
}

/// An activity of a rank during an interval of time.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Span {
    /// The rank.
    pub rank: usize,
    /// The activity.
    pub doing: Doing,
    /// The start, in seconds.
    pub from: f64,
    /// The end, in seconds.
    pub to: f64,
}

/// The activities of all ranks.
#[derive(Debug, Clone, PartialEq)]
pub struct Timeline {
    /// The time at which the last rank finishes.
    pub seconds: f64,
    /// The spans of each rank, in the order of time.
    pub spans: Vec<Span>,
}

/// The elements that are sent.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Elements {
    /// The size of an element that is merged, in bytes.
    pub merging: usize,
    /// The size of an element of the result, in bytes: TOD-Tree gathers colours without their opacity.
    pub merged: usize,
    /// The fraction of each rank's frame that is not blank, from 0 to 1. Blank elements are not sent; with 1, all are.
    pub coverage: f64,
}

/// Simulates the reduction of frames of such elements on a machine.
pub fn simulated(partners: &Partners, elements: Elements, machine: Machine) -> Timeline {
    let Elements { merging, merged, coverage } = elements;
    let rounds: Vec<Vec<Round>> = (0..partners.ranks).map(|rank| partners.rounds(rank)).collect();
    // Merged frames cover more elements.
    let (mut holders, mut covered) = (partners.members.len(), Vec::new());
    for step in partners.algorithm.steps(holders) {
        let merged = match step {
            // In a chain, the last link carries the most.
            Step::Pass(_) => (holders - 1) as f64,
            Step::Split(_) | Step::Merge(_) => partners.members.len() as f64 / holders as f64,
        };
        let rounds = step.rounds(holders, partners.head());
        covered.extend(std::iter::repeat_n((coverage * merged).min(1.0), rounds));
        holders = step.left(holders);
    }
    let all = (coverage * partners.members.len() as f64).min(1.0);
    let bytes = |round: usize, length: usize| match covered.get(round) {
        Some(covered) => length as f64 * merging as f64 * covered,
        None => length as f64 * merged as f64 * all,
    };
    let mut run = Run {
        rounds: &rounds,
        bytes: &bytes,
        machine,
        sim: Sim::new(machine, partners.ranks),
        ranks: vec![State::default(); partners.ranks],
        arrived: HashMap::new(),
        events: BinaryHeap::new(),
        noted: 0,
        spans: Vec::new(),
    };
    (0..partners.ranks).for_each(|rank| run.at(0.0, Event::Begin { rank }));
    while let Some(Reverse(Timed { time, event, .. })) = run.events.pop() {
        run.happens(time, event);
    }
    Timeline { seconds: run.ranks.iter().map(|rank| rank.clock).fold(0.0, f64::max), spans: run.spans }
}

#[derive(Debug, Clone, Copy)]
enum Event {
    /// A rank begins its next round.
    Begin { rank: usize },
    /// A message begins to arrive at a node.
    Comes(Message),
    /// A message has arrived completely.
    Whole { message: Message, comes: f64 },
}

#[derive(Debug, Clone, Copy)]
struct Message {
    from: usize,
    to: usize,
    round: usize,
    elements: usize,
}

/// An event and its time. Simultaneous events run in the order of their creation.
#[derive(Debug, Clone, Copy)]
struct Timed {
    time: f64,
    number: usize,
    event: Event,
}

impl PartialEq for Timed {
    fn eq(&self, other: &Timed) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Timed {}

impl PartialOrd for Timed {
    fn partial_cmp(&self, other: &Timed) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Timed {
    fn cmp(&self, other: &Timed) -> Ordering {
        self.time.total_cmp(&other.time).then(self.number.cmp(&other.number))
    }
}

/// The progress of a rank.
#[derive(Debug, Clone, Default)]
struct State {
    round: usize,
    /// The number of received messages of the round.
    next: usize,
    clock: f64,
    /// The time at which all sent messages of this round have left.
    left: f64,
    begun: bool,
}

struct Run<'r> {
    rounds: &'r [Vec<Round>],
    bytes: &'r dyn Fn(usize, usize) -> f64,
    machine: Machine,
    sim: Sim,
    ranks: Vec<State>,
    /// The times at which messages began to arrive and were complete, by receiver, round and sender.
    arrived: HashMap<(usize, usize, usize), (f64, f64)>,
    events: BinaryHeap<Reverse<Timed>>,
    /// The number of events so far.
    noted: usize,
    spans: Vec<Span>,
}

impl Run<'_> {
    fn at(&mut self, time: f64, event: Event) {
        self.noted += 1;
        self.events.push(Reverse(Timed { time, number: self.noted, event }));
    }

    fn happens(&mut self, time: f64, event: Event) {
        match event {
            Event::Begin { rank } => {
                let number = self.ranks[rank].round;
                let Some(round) = self.rounds[rank].get(number) else { return };
                (self.ranks[rank].begun, self.ranks[rank].left) = (true, time);
                for piece in &round.sends {
                    let elements = piece.region.len();
                    let message = Message { from: rank, to: piece.rank, round: number, elements };
                    let sent = self.sim.send(time, rank, piece.rank, (self.bytes)(number, elements));
                    self.ranks[rank].left = self.ranks[rank].left.max(sent.left);
                    self.at(sent.comes, Event::Comes(message));
                }
                self.advance(rank);
            }
            Event::Comes(message) => {
                let Message { from, to, round, elements } = message;
                let whole = self.sim.let_in(time, from, to, (self.bytes)(round, elements));
                self.at(whole, Event::Whole { message, comes: time });
            }
            Event::Whole { message: Message { from, to, round, .. }, comes } => {
                self.arrived.insert((to, round, from), (comes, time));
                self.advance(to);
            }
        }
    }

    /// A rank merges the messages that have arrived, in order. After the last one it begins the next round.
    fn advance(&mut self, rank: usize) {
        let rounds = self.rounds;
        let State { round: number, begun, .. } = self.ranks[rank];
        let Some(round) = rounds[rank].get(number).filter(|_| begun) else { return };
        while let Some(piece) = round.receives.get(self.ranks[rank].next) {
            let Some((comes, whole)) = self.arrived.remove(&(rank, number, piece.rank)) else { return };
            self.spend(rank, Doing::Wait, comes);
            self.spend(rank, Doing::Receive, whole);
            if round.does == Does::Merge {
                let seconds = (self.bytes)(number, piece.region.len()) * self.machine.merged;
                self.spend(rank, Doing::Merge, self.ranks[rank].clock + seconds);
            }
            self.ranks[rank].next += 1;
        }
        self.spend(rank, Doing::Send, self.ranks[rank].left);
        let state = &mut self.ranks[rank];
        (state.round, state.next, state.begun) = (number + 1, 0, false);
        let clock = state.clock;
        self.at(clock, Event::Begin { rank });
    }

    /// The rank is active until a time, if this time is in the future.
    fn spend(&mut self, rank: usize, doing: Doing, to: f64) {
        let from = self.ranks[rank].clock;
        if to > from {
            self.spans.push(Span { rank, doing, from, to });
            self.ranks[rank].clock = to;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Algorithm, Whither};
    use super::*;

    /// A pixel has sixteen bytes.
    const EDISON: Machine = Machine {
        latency: 0.25e-6,
        byte: 1.86e-9 / 16.0,
        injection: 1.86e-9 / 16.0,
        merged: 8.1e-12 / 16.0,
        ranks_per_node: 1,
    };

    const PIXELS: Elements = Elements { merging: 16, merged: 16, coverage: 1.0 };

    fn seconds(algorithm: Algorithm, ranks: usize, whither: Whither, machine: Machine) -> f64 {
        // As published: the gathered colours have no opacity.
        let merged = if matches!(algorithm, Algorithm::TodTree { .. }) { 12 } else { 16 };
        let partners = Partners::of_all(algorithm, ranks, 1 << 22, whither);
        simulated(&partners, Elements { merged, ..PIXELS }, machine).seconds
    }

    #[test]
    fn two_ranks_take_what_their_messages_and_merging_do() {
        let machine = Machine { latency: 1.0, byte: 1e-6, injection: 0.0, merged: 1e-7, ranks_per_node: 1 };
        let half = 8.0 * f64::from(1 << 22);
        let taken = seconds(Algorithm::DirectSend, 2, Whither::Scattered, machine);
        assert!((taken - (1.0 + half * 1.1e-6)).abs() < 1e-6);
        let taken = seconds(Algorithm::DirectSend, 2, Whither::Root(1), machine);
        assert!((taken - (2.0 + half * 2.1e-6)).abs() < 1e-6);
    }

    #[test]
    fn a_rank_does_one_thing_at_a_time() {
        let partners = Partners::of_all(Algorithm::TodTree { regions: 4, k: 3 }, 37, 4096, Whither::Root(5));
        let Timeline { seconds, spans } =
            simulated(&partners, Elements { coverage: 0.1, ..PIXELS }, Machine { ranks_per_node: 4, ..EDISON });
        for rank in 0..37 {
            let mut at = 0.0;
            for span in spans.iter().filter(|span| span.rank == rank) {
                assert!(span.from == at && span.to > at && span.to <= seconds);
                at = span.to;
            }
        }
    }

    #[test]
    fn tod_trees_take_less_than_swaps_and_radices_as_in_the_paper() {
        for (ranks, regions) in [(64, 16), (256, 32), (1024, 64)] {
            let of = |algorithm| seconds(algorithm, ranks, Whither::Root(0), EDISON);
            let tod_tree = of(Algorithm::TodTree { regions, k: 8 });
            let radix_k = of(Algorithm::RadixK { radices: vec![8; 4] });
            let binary_swap = of(Algorithm::BinarySwap);
            assert!(tod_tree < radix_k.min(binary_swap), "{ranks} ranks: {tod_tree}, {radix_k}, {binary_swap}");
        }
    }
}
