//! The end of work whose messages the data decide: all ranks are idle, and no message is under way.
//!
//! After Mattern, "Algorithms for distributed termination detection", Distributed Computing 2 (1987): the method of four counters. Rank 0 asks
//! all ranks along a binary tree how many messages they have sent and received. A rank answers when it is idle and its children have answered.
//! The work has ended if all ranks together had received as many messages in one round of questions as they have sent in the next one. Then
//! nothing happened in between, and no message was in transit.

/// A word between neighbours in the tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Word {
    /// The question of a parent.
    Ask,
    /// The answer of a child for all ranks below it: messages sent and received.
    Told([u64; 2]),
    /// The work has ended.
    End,
}

/// The counts of a rank, and its place in the tree of ranks.
#[derive(Debug)]
pub(super) struct Ending {
    rank: usize,
    ranks: usize,
    /// The number of messages that this rank has sent and received.
    own: [u64; 2],
    /// The number of answers and their sums, while this rank has a question to answer.
    round: Option<(usize, [u64; 2])>,
    /// The number of messages that all ranks had received in the last round. Known to rank 0.
    received: Option<u64>,
}

impl Ending {
    pub(super) fn new(rank: usize, ranks: usize) -> Ending {
        Ending { rank, ranks, own: [0; 2], round: None, received: None }
    }

    pub(super) fn sent(&mut self) {
        self.own[0] += 1;
    }

    pub(super) fn received(&mut self) {
        self.own[1] += 1;
    }

    fn children(&self) -> impl Iterator<Item = usize> + use<> {
        let ranks = self.ranks;
        [2 * self.rank + 1, 2 * self.rank + 2].into_iter().filter(move |child| *child < ranks)
    }

    fn tell_children(&self, word: Word, tell: &mut dyn FnMut(usize, Word)) {
        self.children().for_each(|child| tell(child, word));
    }

    /// A word of a neighbour has come. Returns whether the work has ended.
    pub(super) fn heard(&mut self, word: Word, tell: &mut dyn FnMut(usize, Word)) -> bool {
        match word {
            Word::Ask => {
                self.round = Some((0, [0; 2]));
                self.tell_children(Word::Ask, tell);
            }
            Word::Told([sent, received]) => {
                if let Some((answers, sums)) = &mut self.round {
                    *answers += 1;
                    *sums = [sums[0] + sent, sums[1] + received];
                }
            }
            Word::End => self.tell_children(Word::End, tell),
        }
        word == Word::End
    }

    /// This rank is idle. Returns whether the work has ended.
    pub(super) fn idle(&mut self, tell: &mut dyn FnMut(usize, Word)) -> bool {
        match self.round {
            None if self.rank == 0 => {
                self.heard(Word::Ask, tell);
            }
            Some((answers, [sent, received])) if answers == self.children().count() => {
                self.round = None;
                let sums = [sent + self.own[0], received + self.own[1]];
                if self.rank > 0 {
                    tell((self.rank - 1) / 2, Word::Told(sums));
                } else if self.received.replace(sums[1]) == Some(sums[0]) {
                    return self.heard(Word::End, tell);
                }
            }
            _ => {}
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::VecDeque;

    /// Ranks send each other messages with any delays, and a message may cause others. No rank ends before all are received.
    #[test]
    fn no_rank_ends_while_a_message_is_under_way() {
        for (ranks, mut seed) in (1..9).flat_map(|ranks| (1..40_u64).map(move |seed| (ranks, seed))) {
            let mut random = |n: usize| {
                seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
                (seed >> 33) as usize % n
            };
            let mut all: Vec<Ending> = (0..ranks).map(|rank| Ending::new(rank, ranks)).collect();
            let mut ended = vec![false; ranks];
            // Work in the inbox of a rank, and what is under way: to whom, work or a word. Messages between two ranks keep their order.
            let mut work: Vec<usize> = (0..ranks).map(|_| random(4)).collect();
            let mut under_way: Vec<VecDeque<Option<Word>>> = vec![VecDeque::new(); ranks * ranks];
            let mut left = 60;
            while ended.contains(&false) {
                let rank = random(ranks);
                let (other, happens) = (random(ranks), random(3));
                let mut words = Vec::new();
                let mut tell = |to: usize, word: Word| words.push((to, word));
                if happens == 0 && work[rank] > 0 {
                    work[rank] -= 1;
                    if left > 0 && ranks > 1 && random(3) > 0 {
                        left -= 1;
                        let to = (rank + 1 + random(ranks - 1)) % ranks;
                        all[rank].sent();
                        under_way[to * ranks + rank].push_back(None);
                    }
                } else if happens == 1
                    && let Some(message) = under_way[rank * ranks + other].pop_front()
                {
                    assert!(!ended[rank]);
                    match message {
                        None => {
                            all[rank].received();
                            work[rank] += 1;
                        }
                        Some(word) => ended[rank] |= all[rank].heard(word, &mut tell),
                    }
                } else if work[rank] == 0 && !ended[rank] {
                    ended[rank] |= all[rank].idle(&mut tell);
                }
                words.into_iter().for_each(|(to, word)| under_way[to * ranks + rank].push_back(Some(word)));
                if ended.contains(&true) {
                    assert!(work.iter().all(|work| *work == 0), "{ranks} ranks");
                    assert!(!under_way.iter().flatten().any(Option::is_none), "{ranks} ranks");
                }
            }
            assert!(under_way.iter().all(VecDeque::is_empty));
        }
    }
}
