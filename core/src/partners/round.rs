//! What one rank does in each round, as plain data.

use super::algorithm::{Algorithm, Step};
use std::ops::Range;

/// Where the result is to lie.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Whither {
    /// Each region on the rank that merged it.
    Scattered,
    /// On this rank.
    Root(usize),
    /// On all ranks.
    All,
}

/// The frames that become one, and how.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Partners {
    /// How.
    pub algorithm: Algorithm,
    /// How many ranks there are.
    pub ranks: usize,
    /// Those that have a frame, in the order in which frames are merged; at least one.
    pub members: Vec<usize>,
    /// How many elements a frame has.
    pub length: usize,
    /// Where the result is to lie.
    pub whither: Whither,
}

/// A region of the frame on its way from or to a rank.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Piece {
    /// The other rank.
    pub rank: usize,
    /// The elements.
    pub region: Range<usize>,
    /// Whether it merges before what the receiver has, and not after it.
    pub earlier: bool,
}

/// What becomes of the pieces that a rank receives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Does {
    /// They merge with what the rank keeps, one after the other.
    Merge,
    /// They are a part of the result.
    Copy,
}

/// What a rank does in one round. All ranks have the same number of rounds; in some a rank does nothing.
///
/// The pieces that it sends are not part of what it merges or copies in this round.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Round {
    /// What becomes of what it receives.
    pub does: Does,
    /// What it sends, in this order: at any time, all ranks send to different ones, as far as that is possible.
    pub sends: Vec<Piece>,
    /// What it receives, in the order in which it merges.
    pub receives: Vec<Piece>,
    /// The region that what it receives merges with.
    pub merges: Range<usize>,
    /// The region that it goes on with: as a rule, no more than what has merged.
    pub keeps: Range<usize>,
}

impl Partners {
    /// All ranks have a frame.
    pub fn of_all(algorithm: Algorithm, ranks: usize, length: usize, whither: Whither) -> Partners {
        Partners { algorithm, ranks, members: (0..ranks).collect(), length, whither }
    }

    /// What a rank does, round by round.
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
                // What was sent to be merged comes back merged.
                let before = |step: usize| match step.checked_sub(1) {
                    Some(step) => rounds[step].keeps.clone(),
                    None if self.members.contains(&rank) => 0..self.length,
                    None => 0..0,
                };
                let back: Vec<Round> = (0..rounds.len()).rev().map(|step| rounds[step].back(before(step))).collect();
                rounds.extend(back);
                if self.members.len() < self.ranks {
                    rounds.push(self.tell_others(rank));
                }
            }
        }
        rounds
    }

    /// How many rounds there are.
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

    /// What a rank does in one round, the first of which is 0; `None` where there is no such round.
    pub fn round(&self, rank: usize, round: usize) -> Option<Round> {
        self.rounds(rank).into_iter().nth(round)
    }

    /// Who has which region of the result before it moves to where it is to lie, in the order of the elements.
    pub fn owners(&self) -> Vec<(usize, Range<usize>)> {
        let steps = self.algorithm.steps(self.members.len());
        let all = steps.into_iter().fold(vec![self.all()], |all, step| {
            all.iter().flat_map(|holders| (0..step.parts()).map(|part| holders.of_part(step, part))).collect()
        });
        all.into_iter().map(|holders| (holders.members[0], holders.region)).collect()
    }

    /// The place of the member with which a row ends.
    pub fn head(&self) -> usize {
        let is_root = |member: &usize| self.whither == Whither::Root(*member);
        self.members.iter().position(is_root).unwrap_or(0)
    }

    fn all(&self) -> Holders {
        Holders { region: 0..self.length, members: self.members.clone(), head: self.head() }
    }

    /// The root gets all regions.
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

    /// The ranks that have no frame get the result from those that had one, each from another as long as there are enough.
    fn tell_others(&self, rank: usize) -> Round {
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
    /// A piece of the result. Nothing where there are no elements: such a message is not sent.
    fn of(rank: usize, region: Range<usize>) -> Option<Piece> {
        Piece::before(false, rank, region)
    }

    fn before(earlier: bool, rank: usize, region: Range<usize>) -> Option<Piece> {
        (!region.is_empty()).then_some(Piece { rank, region, earlier })
    }
}

impl Round {
    /// A rank that does nothing, and has nothing to go on with.
    fn idle() -> Round {
        Round { does: Does::Copy, sends: Vec::new(), receives: Vec::new(), merges: 0..0, keeps: 0..0 }
    }

    /// The round in which those who got pieces give them back, and all have `keeps` whole.
    fn back(&self, keeps: Range<usize>) -> Round {
        Round { sends: self.receives.clone(), receives: self.sends.clone(), keeps, ..Round::idle() }
    }
}

impl Step {
    /// How many holders are in a group, but for the last one.
    fn group(self) -> usize {
        match self {
            Step::Split(size) | Step::Merge(size) => size,
            Step::Pass(_) => usize::MAX,
        }
    }
}

/// Those who hold one region, each a part of the merge, in the order of the members.
struct Holders {
    region: Range<usize>,
    members: Vec<usize>,
    /// The place of the member with which a row ends.
    head: usize,
}

impl Holders {
    /// One of the parts of the region.
    fn region(&self, step: Step, part: usize) -> Range<usize> {
        self.cut(step.parts(), part)
    }

    /// One of so many pieces of the region.
    fn cut(&self, pieces: usize, number: usize) -> Range<usize> {
        let at = |number: usize| self.region.start + number * self.region.len() / pieces;
        at(number)..at(number + 1)
    }

    /// Those who hold a part of the region after a step: one of each group.
    fn of_part(&self, step: Step, part: usize) -> Holders {
        let first = if matches!(step, Step::Pass(_)) { self.head } else { part };
        let heads = self.members.iter().skip(first).step_by(step.group()).take(step.left(self.members.len()));
        Holders { region: self.region(step, part), members: heads.copied().collect(), head: 0 }
    }

    /// The group of a rank, and its place in it.
    fn group(&self, step: Step, rank: usize) -> Option<(&[usize], usize)> {
        let place = self.members.iter().position(|member| *member == rank)?;
        let number = (place / step.group()).min(step.left(self.members.len()) - 1);
        let first = number * step.group();
        let last = number + 1 == step.left(self.members.len());
        let end = if last { self.members.len() } else { first + step.group() };
        Some((&self.members[first..end], place - first))
    }

    /// Those with whom this rank goes on after a step, if it has something to go on with.
    fn after(&self, step: Step, rank: usize) -> Option<Holders> {
        let (_, place) = self.group(step, rank)?;
        let part = if matches!(step, Step::Pass(_)) { place.abs_diff(self.head) } else { place };
        (part < step.parts()).then(|| self.of_part(step, part))
    }

    /// What a rank does in a step.
    fn rounds(&self, step: Step, rank: usize) -> Vec<Round> {
        match step {
            Step::Pass(slices) => self.passes(slices, rank),
            _ => vec![self.round(step, rank)],
        }
    }

    /// What a rank does in a row: in each round, a slice comes while the one that came before goes on.
    fn passes(&self, slices: usize, rank: usize) -> Vec<Round> {
        let (head, last) = (self.head, self.members.len() - 1);
        let Some(place) = self.members.iter().position(|member| *member == rank) else { return Vec::new() };
        let longest = head.max(last - head);
        // The slice that leaves the rank so far from the head in a round.
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

    /// What a rank does in a step of one round.
    fn round(&self, step: Step, rank: usize) -> Round {
        let Some((group, place)) = self.group(step, rank) else { return Round::idle() };
        let mut round = Round { does: Does::Merge, ..Round::idle() };
        let parts = step.parts();
        // Up and down from its own place, turn by turn, each rank sends to another one than all others do. What comes next to the
        // own piece in the order of the merge is sent first.
        let takers = around(place % parts, parts).filter(|taker| *taker != place);
        let send = |taker: usize| Piece::before(place < taker, group[taker], self.region(step, taker));
        round.sends.extend(takers.filter_map(send));
        if place < parts {
            (round.merges, round.keeps) = (self.region(step, place), self.region(step, place));
            let (below, above) = ((0..place).rev(), place + 1..group.len());
            let receive = |from: usize| Piece::before(from < place, group[from], self.region(step, place));
            round.receives.extend(in_turn(below, above).filter_map(receive));
        }
        round
    }
}

/// All numbers below `count`, from `place` on up and down, around the end: `place`, `place + 1`, `place - 1`, `place + 2`, ..
fn around(place: usize, count: usize) -> impl Iterator<Item = usize> {
    let up = (1..=count / 2).map(move |distance| (place + distance) % count);
    let down = (1..count.div_ceil(2)).map(move |distance| (place + count - distance) % count);
    std::iter::once(place).chain(in_turn(up, down))
}

/// One of these and one of those, by turns.
fn in_turn(
    mut one: impl Iterator<Item = usize>,
    mut other: impl Iterator<Item = usize>,
) -> impl Iterator<Item = usize> {
    let mut first = true;
    std::iter::from_fn(move || {
        first = !first;
        if first { other.next().or_else(|| one.next()) } else { one.next().or_else(|| other.next()) }
    })
}

/// What a rank does so that all have the elements of the root: a tree in which a rank tells up to `k - 1` others at a time.
pub fn broadcast(k: usize, ranks: usize, length: usize, root: usize, rank: usize) -> Vec<Round> {
    // The ranks from the root on, around the end; what comes together on the first of them goes back to all.
    let members = (0..ranks).map(|place| (root + place) % ranks).collect();
    let up = Partners { algorithm: Algorithm::Tree { k }, ranks, members, length, whither: Whither::All };
    let rounds = up.rounds(rank);
    let merging = rounds.len() / 2;
    rounds.into_iter().skip(merging).collect()
}
