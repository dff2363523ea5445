//! Which rank has which blocks, and how assigners decide it.

use super::weights::by_weights;
use crate::data::Cuts;
use std::io;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

/// The ranks of all blocks. All ranks know it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Placement {
    /// The cuts of the array of tokens: if each rank has consecutive blocks, those of the blocks.
    cuts: Cuts,
    /// The rank of each block, if a rank has others than consecutive ones.
    owners: Option<Arc<[usize]>>,
}

impl Placement {
    /// Consecutive blocks.
    pub fn contiguous(cuts: Cuts) -> Self {
        Placement { cuts, owners: None }
    }

    /// The rank of each block.
    pub fn of(owners: Vec<usize>, ranks: usize) -> Self {
        if owners.is_sorted() {
            let mut lengths = vec![0; ranks];
            owners.iter().for_each(|rank| lengths[*rank] += 1);
            return Placement::contiguous(Cuts::from_lengths(&lengths));
        }
        Placement { cuts: Cuts::even(owners.len(), ranks), owners: Some(owners.into()) }
    }

    pub fn ranks(&self) -> usize {
        self.cuts.ranks()
    }

    pub fn total(&self) -> usize {
        self.cuts.total()
    }

    /// The cuts of the array of tokens.
    pub fn cuts(&self) -> &Cuts {
        &self.cuts
    }

    /// The numbers of a rank's tokens.
    pub fn tokens(&self, rank: usize) -> Range<usize> {
        self.cuts.range(rank)
    }

    pub fn owners(&self) -> Option<&Arc<[usize]>> {
        self.owners.as_ref()
    }

    /// The rank of a block; `None` if there is no such block.
    pub fn owner(&self, number: usize) -> Option<usize> {
        match &self.owners {
            Some(owners) => owners.get(number).copied(),
            None => self.cuts.owner(number),
        }
    }

    /// The numbers of a rank's blocks, in order.
    pub fn numbers(&self, rank: usize) -> Vec<usize> {
        match &self.owners {
            Some(owners) => (0..owners.len()).filter(|number| owners[*number] == rank).collect(),
            None => self.cuts.range(rank).collect(),
        }
    }
}

/// A rule that gives each block a rank: [`Blocks::assigned`](super::Blocks::assigned), [`Blocks::assign`](super::Blocks::assign).
///
/// No result depends on it: loops over blocks have the results of the sequential program, in the order of the numbers. It decides about the work of
/// the ranks and about messages between them. Loops cost least if each rank has consecutive blocks.
///
/// ```
/// use forall_core::blocks::{Assigner, Blocks};
///
/// let blocks = Blocks::assigned(5, &Assigner::RoundRobin, |number| (number, Vec::new()));
/// assert_eq!((blocks.to_all(), blocks.rank_of(3)), (vec![0, 1, 2, 3, 4], Some(0)));
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Assigner {
    /// Consecutive blocks, about equally many on each rank: that of [`Blocks::from_fn`](super::Blocks::from_fn).
    Contiguous,
    /// Block `i` is on rank `i % ranks`.
    RoundRobin,
    /// Consecutive blocks. The greatest sum of weights of a rank is as small as possible. There is a weight for each block.
    ByWeights(Vec<usize>),
    /// The rank of each block.
    Ranks(Vec<usize>),
}

impl Assigner {
    /// The ranks in a text file: a number for each block, with spaces or line breaks between them. Each rank reads the file.
    ///
    /// ```
    /// use forall_core::blocks::Assigner;
    ///
    /// # let folder = tempfile::tempdir().unwrap();
    /// # let path = folder.path().join("ranks.txt");
    /// std::fs::write(&path, "0 1 1\n0\n")?;
    /// assert_eq!(Assigner::read(&path)?, Assigner::Ranks(vec![0, 1, 1, 0]));
    /// # Ok::<(), std::io::Error>(())
    /// ```
    ///
    /// # Errors
    /// If the file cannot be read, or a word in it is no rank. The error names the file and the word.
    pub fn read(path: impl AsRef<Path>) -> io::Result<Assigner> {
        let path = path.as_ref();
        let text = std::fs::read_to_string(path).map_err(|error| {
            io::Error::new(error.kind(), format!("the ranks of blocks in {}: {error}", path.display()))
        })?;
        let rank = |(block, word): (usize, &str)| {
            word.parse::<usize>().map_err(|_| {
                let message =
                    format!("{}: `{word}`, the rank of block {block}, is no number from 0 on", path.display());
                io::Error::new(io::ErrorKind::InvalidData, message)
            })
        };
        text.split_whitespace().enumerate().map(rank).collect::<io::Result<_>>().map(Assigner::Ranks)
    }

    /// The placement of this number of blocks.
    ///
    /// # Panics
    /// If the list has another length, or a rank that does not exist.
    #[track_caller]
    pub(super) fn place(&self, n: usize, ranks: usize) -> Placement {
        let must_fit = |length: usize, what: &str| {
            assert!(length == n, "an assigner has {length} {what} for {n} blocks: give one for each block");
        };
        match self {
            Assigner::Contiguous => Placement::contiguous(Cuts::even(n, ranks)),
            Assigner::RoundRobin => Placement::of((0..n).map(|number| number % ranks).collect(), ranks),
            Assigner::ByWeights(weights) => {
                must_fit(weights.len(), "weights");
                let weights: Vec<u64> = weights.iter().map(|weight| *weight as u64).collect();
                Placement::contiguous(by_weights(&weights, ranks))
            }
            Assigner::Ranks(list) => {
                must_fit(list.len(), "ranks");
                if let Some(block) = list.iter().position(|rank| *rank >= ranks) {
                    panic!(
                        "an assigner gives block {block} to rank {}, but there are only {ranks} ranks, from 0 on",
                        list[block]
                    );
                }
                Placement::of(list.clone(), ranks)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn placements_know_the_blocks_of_each_rank() {
        let numbers = |assigner: Assigner, n: usize, ranks: usize| -> Vec<Vec<usize>> {
            let placement = assigner.place(n, ranks);
            let all: Vec<Vec<usize>> = (0..ranks).map(|rank| placement.numbers(rank)).collect();
            for (rank, numbers) in all.iter().enumerate() {
                assert!(numbers.iter().all(|number| placement.owner(*number) == Some(rank)));
            }
            assert_eq!(all.iter().map(Vec::len).sum::<usize>(), n);
            assert_eq!(placement.owner(n), None);
            all
        };
        assert_eq!(numbers(Assigner::Contiguous, 5, 2), [vec![0, 1, 2], vec![3, 4]]);
        assert_eq!(numbers(Assigner::RoundRobin, 5, 2), [vec![0, 2, 4], vec![1, 3]]);
        assert_eq!(numbers(Assigner::RoundRobin, 2, 3), [vec![0], vec![1], vec![]]);
        assert_eq!(numbers(Assigner::Ranks(vec![2, 0, 2]), 3, 4), [vec![1], vec![], vec![0, 2], vec![]]);
        assert_eq!(numbers(Assigner::ByWeights(vec![9, 1, 1]), 3, 2), [vec![0], vec![1, 2]]);
        assert_eq!(Assigner::Ranks(vec![0, 0, 2]).place(3, 3), Placement::contiguous(Cuts::from_lengths(&[2, 0, 1])));
    }

    #[test]
    fn mistakes_are_errors_that_name_them() {
        let message = |assigner: Assigner| {
            let payload = std::panic::catch_unwind(|| assigner.place(3, 2)).unwrap_err();
            crate::error::panic_message(&*payload).to_owned()
        };
        assert!(message(Assigner::Ranks(vec![0, 1])).contains("2 ranks for 3 blocks"));
        assert!(message(Assigner::Ranks(vec![0, 1, 2])).contains("block 2 to rank 2, but there are only 2 ranks"));
        assert!(message(Assigner::ByWeights(vec![1; 4])).contains("4 weights for 3 blocks"));
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("ranks");
        let error = Assigner::read(&path).unwrap_err().to_string();
        assert!(error.contains("the ranks of blocks in"), "{error}");
        std::fs::write(&path, "0 1\n-1").unwrap();
        let error = Assigner::read(&path).unwrap_err().to_string();
        assert!(error.contains("`-1`, the rank of block 2"), "{error}");
    }
}
