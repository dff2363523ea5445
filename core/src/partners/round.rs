//! The rounds of one rank, as plain data.

use super::algorithm::{Algorithm, Step};
use std::ops::Range;

/// The destination of the result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Whither {
    /// Each region on the rank that merged it.
    Scattered,
    /// On this rank.
    Root(usize),
    /// On all ranks.
    All,
}

/// A reduction of frames to one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Partners {
    /// The algorithm.
    pub algorithm: Algorithm,
    /// The number of ranks.
    pub ranks: usize,
    /// The ranks that have a frame, in the order in which frames merge; at least one.
    pub members: Vec<usize>,
    /// The number of elements in a frame.
    pub length: usize,
    /// The destination of the result.
    pub whither: Whither,
}

/// A region of the frame that is sent to a rank or received from it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Piece {
    /// The other rank.
    pub rank: usize,
    /// The elements of the frame.
    pub region: Range<usize>,
    /// Whether it merges before the receiver's elements, and not after them.
    pub earlier: bool,
}

/// The use of received pieces.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Does {
    /// They merge with the rank's region, one after the other.
    Merge,
    /// They are a part of the result.
    Copy,
}

/// The actions of a rank in one round. All ranks have the same number of rounds, and some rounds of a rank are empty.
///
/// The sent pieces do not overlap the region that the rank merges or copies in this round.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Round {
    /// The use of the received pieces.
    pub does: Does,
    /// The sent pieces, in this order. As far as possible, all ranks send to different ranks at any time.
    pub sends: Vec<Piece>,
    /// The received pieces, in the order in which they merge.
    pub receives: Vec<Piece>,
    /// The region with which the received pieces merge.
    pub merges: Range<usize>,
    /// The region that the rank keeps for later rounds. Usually it is the merged region.
    pub keeps: Range<usize>,
}

impl Partners {
    /// All ranks have a frame.
    pub fn of_all(algorithm: Algorithm, ranks: usize, length: usize, whither: Whither) -> Partners {
        Partners { algorithm, ranks, members: (0..ranks).collect(), length, whither }
    }

    /// The rounds of a rank.
    pub fn rounds(&self, rank: usize) -> Vec<Round> {
        let mut rounds = Vec::new();
        let (mut mine, mut left) = (self.members.contains(&rank).then(|| self.all()), self.members.len());
        for step in self.algorithm.steps(self.members.len()) {
            match mine {
                Some(holders) => {
                    rounds.extend(holders.rounds(step, rank));
                    mine = holders.after(step, rank);
                }
                None => rounds.extend(std::iter::repeat_n(Round::idle(), step.rounds(left, self.head()))),
            }
            left = step.left(left);
        }
        match self.whither {
            Whither::Scattered => {}
            Whither::Root(root) => rounds.push(self.gather(rank, root)),
            Whither::All => {
                // The merged regions go back to the ranks that sent them.
                let before = |step: usize| match step.checked_sub(1) {
                    Some(step) => rounds[step].keeps.clone(),
                    None if self.members.contains(&rank) => 0..self.length,
                    None => 0..0,
                };
                let back: Vec<Round> = (0..rounds.len()).rev().map(|step| rounds[step].back(before(step))).collect();
                rounds.extend(back);
                if self.members.len() < self.ranks {
                    rounds.push(self.send_to_others(rank));
                }
            }
        }
        rounds
    }

    /// The number of rounds.
    pub fn count(&self) -> usize {
        let (mut count, mut left) = (0, self.members.len());
        for step in self.algorithm.steps(left) {
            count += step.rounds(left, self.head());
            left = step.left(left);
        }
        match self.whither {
            Whither::Scattered => count,
            Whither::Root(_) => count + 1,
            Whither::All => 2 * count + usize::from(self.members.len() < self.ranks),
        }
    }

    /// One round of a rank, from 0; `None` if there is no such round.
    pub fn round(&self, rank: usize, round: usize) -> Option<Round> {
        self.rounds(rank).into_iter().nth(round)
    }

    /// The owner of each region of the result before it moves to its destination, in the order of the elements.
    pub fn owners(&self) -> Vec<(usize, Range<usize>)> {
        let steps = self.algorithm.steps(self.members.len());
        let all = steps.into_iter().fold(vec![self.all()], |all, step| {
            all.iter().flat_map(|holders| (0..step.parts()).map(|part| holders.of_part(step, part))).collect()
        });
        all.into_iter().map(|holders| (holders.members[0], holders.region)).collect()
    }

    /// The index of the member at the end of a chain.
    pub fn head(&self) -> usize {
        let is_root = |member: &usize| self.whither == Whither::Root(*member);
        self.members.iter().position(is_root).unwrap_or(0)
    }

    fn all(&self) -> Holders {
        Holders { region: 0..self.length, members: self.members.clone(), head: self.head() }
    }

    /// The root receives all regions.
    fn gather(&self, rank: usize, root: usize) -> Round {
        let mut round = Round::idle();
        for (owner, region) in self.owners() {
            if rank == root && owner != root {
                round.receives.extend(Piece::of(owner, region));
            } else if rank == owner && owner != root {
                round.sends.extend(Piece::of(root, region));
            }
        }
        if rank == root {
            round.keeps = 0..self.length;
        }
        round
    }

    /// The ranks without a frame get the result from members, each from another one as long as there are enough.
    fn send_to_others(&self, rank: usize) -> Round {
        let mut round = Round { keeps: 0..self.length, ..Round::idle() };
        let others = (0..self.ranks).filter(|other| !self.members.contains(other));
        for (other, &member) in others.zip(self.members.iter().cycle()) {
            if rank == other {
                round.receives.extend(Piece::of(member, 0..self.length));
            } else if rank == member {
                round.sends.extend(Piece::of(other, 0..self.length));
            }
        }
        round
    }
}

impl Piece {
    /// A piece of the result; `None` if it has no elements, because empty messages are not sent.
    fn of(rank: usize, region: Range<usize>) -> Option<Piece> {
        Piece::before(false, rank, region)
    }

    fn before(earlier: bool, rank: usize, region: Range<usize>) -> Option<Piece> {
        (!region.is_empty()).then_some(Piece { rank, region, earlier })
    }
}

impl Round {
    /// A round of a rank without actions and without a region.
    fn idle() -> Round {
        Round { does: Does::Copy, sends: Vec::new(), receives: Vec::new(), merges: 0..0, keeps: 0..0 }
    }

    /// The reverse round: receivers return the pieces, and all ranks get the whole region `keeps`.
    fn back(&self, keeps: Range<usize>) -> Round {
        Round { sends: self.receives.clone(), receives: self.sends.clone(), keeps, ..Round::idle() }
    }
}

impl Step {
    /// The size of the groups, except for the last one.
    fn group(self) -> usize {
        match self {
            Step::Split(size) | Step::Merge(size) => size,
            Step::Pass(_) => usize::MAX,
        }
    }
}

/// The ranks that hold a region, each with a part of the merge, in the order of the members.
struct Holders {
    region: Range<usize>,
    members: Vec<usize>,
    /// The index of the member at the end of a chain.
    head: usize,
}

impl Holders {
    /// A part of the region after a step.
    fn region(&self, step: Step, part: usize) -> Range<usize> {
        self.cut(step.parts(), part)
    }

    /// One of this number of pieces of the region.
    fn cut(&self, pieces: usize, number: usize) -> Range<usize> {
        let at = |number: usize| self.region.start + number * self.region.len() / pieces;
        at(number)..at(number + 1)
    }

    /// The ranks that hold a part of the region after a step: one of each group.
    fn of_part(&self, step: Step, part: usize) -> Holders {
        let first = if matches!(step, Step::Pass(_)) { self.head } else { part };
        let heads = self.members.iter().skip(first).step_by(step.group()).take(step.left(self.members.len()));
        Holders { region: self.region(step, part), members: heads.copied().collect(), head: 0 }
    }

    /// The group of a rank, and its index in the group.
    fn group(&self, step: Step, rank: usize) -> Option<(&[usize], usize)> {
        let place = self.members.iter().position(|member| *member == rank)?;
        let number = (place / step.group()).min(step.left(self.members.len()) - 1);
        let first = number * step.group();
        let last = number + 1 == step.left(self.members.len());
        let end = if last { self.members.len() } else { first + step.group() };
        Some((&self.members[first..end], place - first))
    }

    /// The ranks that hold this rank's region after a step, if the rank keeps a region.
    fn after(&self, step: Step, rank: usize) -> Option<Holders> {
        let (_, place) = self.group(step, rank)?;
        let part = if matches!(step, Step::Pass(_)) { place.abs_diff(self.head) } else { place };
        (part < step.parts()).then(|| self.of_part(step, part))
    }

    /// The rounds of a rank in a step.
    fn rounds(&self, step: Step, rank: usize) -> Vec<Round> {
        match step {
            Step::Pass(slices) => self.passes(slices, rank),
            _ => vec![self.round(step, rank)],
        }
    }

    /// The rounds of a rank in a chain. In each round the rank receives a slice while it sends the previous one.
    fn passes(&self, slices: usize, rank: usize) -> Vec<Round> {
        let (head, last) = (self.head, self.members.len() - 1);
        let Some(place) = self.members.iter().position(|member| *member == rank) else { return Vec::new() };
        let longest = head.max(last - head);
        // The slice that a rank at this distance from the head sends in a round.
        let leaves = |distance: usize, round: usize| {
            let number = (round + distance).checked_sub(longest)?;
            (number < slices).then(|| self.cut(slices, number))
        };
        let one = |round: usize| {
            let mut own = Round { does: Does::Merge, ..Round::idle() };
            let distance = place.abs_diff(head);
            let later = (place >= head && place < last).then(|| (place + 1, false));
            let earlier = (place <= head && place > 0).then(|| (place - 1, true));
            for (from, earlier) in later.into_iter().chain(earlier) {
                if let Some(slice) = leaves(from.abs_diff(head), round) {
                    own.merges = slice.clone();
                    own.receives.extend(Piece::before(earlier, self.members[from], slice));
                }
            }
            if place != head
                && let Some(slice) = leaves(distance, round)
            {
                let to = if place > head { place - 1 } else { place + 1 };
                own.sends.extend(Piece::before(place < head, self.members[to], slice));
            }
            if place == head || round + 1 + distance < longest + slices {
                own.keeps = self.region.clone();
            }
            own
        };
        (0..Step::Pass(slices).rounds(self.members.len(), head)).map(one).collect()
    }

    /// The round of a rank, for a step of one round.
    fn round(&self, step: Step, rank: usize) -> Round {
        let Some((group, place)) = self.group(step, rank) else { return Round::idle() };
        let mut round = Round { does: Does::Merge, ..Round::idle() };
        let parts = step.parts();
        // Receivers alternate above and below the rank's own index, so that at any time all ranks send to different ones. The receivers
        // nearest to the own piece in merge order are first.
        let takers = around(place % parts, parts).filter(|taker| *taker != place);
        let send = |taker: usize| Piece::before(place < taker, group[taker], self.region(step, taker));
        round.sends.extend(takers.filter_map(send));
        if place < parts {
            (round.merges, round.keeps) = (self.region(step, place), self.region(step, place));
            let (below, above) = ((0..place).rev(), place + 1..group.len());
            let receive = |from: usize| Piece::before(from < place, group[from], self.region(step, place));
            round.receives.extend(alternating(below, above).filter_map(receive));
        }
        round
    }
}

/// All numbers below `count`, alternating upwards and downwards from `place`, modulo `count`: `place`, `place + 1`, `place - 1`,
/// `place + 2`, ..
fn around(place: usize, count: usize) -> impl Iterator<Item = usize> {
    let up = (1..=count / 2).map(move |distance| (place + distance) % count);
    let down = (1..count.div_ceil(2)).map(move |distance| (place + count - distance) % count);
    std::iter::once(place).chain(alternating(up, down))
}

/// Alternates the items of two iterators.
fn alternating(
    mut one: impl Iterator<Item = usize>,
    mut other: impl Iterator<Item = usize>,
) -> impl Iterator<Item = usize> {
    let mut first = true;
    std::iter::from_fn(move || {
        first = !first;
        if first { other.next().or_else(|| one.next()) } else { one.next().or_else(|| other.next()) }
    })
}

/// The rounds of a rank that distribute the elements of the root to all ranks: a tree in which a rank sends to up to `k - 1` others at a
/// time.
pub fn broadcast(k: usize, ranks: usize, length: usize, root: usize, rank: usize) -> Vec<Round> {
    // The ranks from the root on, modulo the number of ranks. The rounds of a reduction to the root run backwards.
    let members = (0..ranks).map(|place| (root + place) % ranks).collect();
    let up = Partners { algorithm: Algorithm::Tree { k }, ranks, members, length, whither: Whither::All };
    let rounds = up.rounds(rank);
    let merging = rounds.len() / 2;
    rounds.into_iter().skip(merging).collect()
}
