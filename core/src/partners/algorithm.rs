//! The algorithms, as lists of steps.

use std::fmt;

/// A step of a reduction. The ranks that hold parts of the same region are in rank order, and neighbours form groups.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    /// Groups of this size; a remainder joins the last group. The first members of a group, as many as the size, each take a part of the
    /// region, which all others of the group send them.
    Split(usize),
    /// Groups of at most this size. The first member of a group takes the whole region, which all others send it.
    Merge(usize),
    /// All ranks form a chain, and the region passes along it in this number of slices. A rank merges a slice and sends it on while it
    /// receives the next one. The chain ends at its head: the root if it is a member, otherwise the first member.
    Pass(usize),
}

/// A reduction algorithm.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Algorithm {
    /// A tree in which a rank receives the frames of up to `k - 1` others at a time.
    Tree {
        /// The arity, at least two.
        k: usize,
    },
    /// Pairs swap halves, then halves of halves (Ma et al. 1994). If the number of ranks is odd, three ranks take part in a swap.
    BinarySwap,
    /// Groups split their region, with one radix after the other (Peterka et al. 2009). The product of the radices need not be the number
    /// of ranks: after the last radix, all remaining ranks split their region.
    RadixK {
        /// The sizes of the groups, each at least two.
        radices: Vec<usize>,
    },
    /// Each rank merges a part of the frame, which all others send it.
    DirectSend,
    /// One rank merges the whole frames, which all others send it.
    SerialDirectSend,
    /// Direct send among neighbours, then a tree for each part of the frame (TOD-Tree, Grosset et al. 2015).
    TodTree {
        /// The size of a group of neighbours, which is the number of parts of the frame.
        regions: usize,
        /// The arity of the trees, at least two.
        k: usize,
    },
    /// A chain of ranks, along which the frame passes in slices: each link carries one frame, for any number of ranks. MPI libraries reduce
    /// long vectors with such a pipelined chain.
    Pipeline {
        /// The number of slices, at least one.
        slices: usize,
    },
}

impl Algorithm {
    /// The name of the algorithm in attributes.
    pub const fn name(&self) -> &'static str {
        match self {
            Algorithm::Tree { .. } => "tree",
            Algorithm::BinarySwap => "binary_swap",
            Algorithm::RadixK { .. } => "radix_k",
            Algorithm::DirectSend => "direct_send",
            Algorithm::SerialDirectSend => "serial_direct_send",
            Algorithm::TodTree { .. } => "tod_tree",
            Algorithm::Pipeline { .. } => "pipeline",
        }
    }

    /// The steps for this number of ranks, until each region is on one of them.
    pub fn steps(&self, ranks: usize) -> Vec<Step> {
        match self {
            Algorithm::Tree { k } => merges(ranks, *k),
            Algorithm::BinarySwap => splits(ranks, std::iter::repeat(2)),
            Algorithm::RadixK { radices } => splits(ranks, radices.iter().copied()),
            Algorithm::DirectSend => splits(ranks, std::iter::empty()),
            Algorithm::SerialDirectSend => merges(ranks, ranks),
            Algorithm::TodTree { regions, k } => {
                let step = Step::Split((*regions).clamp(1, ranks));
                let mut steps = vec![step];
                steps.extend(merges(step.left(ranks), *k));
                steps
            }
            Algorithm::Pipeline { slices } if ranks > 1 => vec![Step::Pass((*slices).max(1))],
            Algorithm::Pipeline { .. } => Vec::new(),
        }
    }
}

impl fmt::Display for Algorithm {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())?;
        match self {
            Algorithm::Tree { k } => write!(formatter, " (k = {k})"),
            Algorithm::RadixK { radices } => write!(formatter, " (k = {radices:?})"),
            Algorithm::TodTree { regions, k } => write!(formatter, " (regions = {regions}, k = {k})"),
            Algorithm::Pipeline { slices } => write!(formatter, " (slices = {slices})"),
            Algorithm::BinarySwap | Algorithm::DirectSend | Algorithm::SerialDirectSend => Ok(()),
        }
    }
}

impl Step {
    /// The number of ranks that hold parts of the same region after the step, given the number before it.
    pub fn left(self, holders: usize) -> usize {
        match self {
            Step::Split(parts) => (holders / parts).max(1),
            Step::Merge(k) => holders.div_ceil(k),
            Step::Pass(_) => 1,
        }
    }

    /// The number of rounds of the step, if the head of a chain has this index.
    pub fn rounds(self, holders: usize, head: usize) -> usize {
        match self {
            Step::Split(_) | Step::Merge(_) => 1,
            Step::Pass(slices) => slices + head.max(holders - 1 - head) - 1,
        }
    }

    /// The number of parts of a region.
    pub fn parts(self) -> usize {
        match self {
            Step::Split(parts) => parts,
            Step::Merge(_) | Step::Pass(_) => 1,
        }
    }
}

/// A k-ary tree.
fn merges(mut holders: usize, k: usize) -> Vec<Step> {
    let step = Step::Merge(k.max(2));
    let mut steps = Vec::new();
    while holders > 1 {
        steps.push(step);
        holders = step.left(holders);
    }
    steps
}

/// Splits with these radices, then one split among all remaining ranks.
fn splits(mut holders: usize, mut radices: impl Iterator<Item = usize>) -> Vec<Step> {
    let mut steps = Vec::new();
    while holders > 1 {
        let step = Step::Split(radices.next().unwrap_or(holders).clamp(2, holders));
        steps.push(step);
        holders = step.left(holders);
    }
    steps
}

#[cfg(test)]
mod tests {
    use super::*;
    use Step::{Merge, Pass, Split};

    #[test]
    fn steps_are_those_of_the_papers() {
        let radix = |radices: &[usize]| Algorithm::RadixK { radices: radices.to_vec() };
        for (algorithm, ranks, steps) in [
            (Algorithm::Tree { k: 4 }, 17, vec![Merge(4), Merge(4), Merge(4)]),
            (Algorithm::BinarySwap, 8, vec![Split(2), Split(2), Split(2)]),
            (Algorithm::BinarySwap, 7, vec![Split(2), Split(2)]),
            (radix(&[4, 3]), 12, vec![Split(4), Split(3)]),
            (radix(&[4]), 12, vec![Split(4), Split(3)]),
            (radix(&[8, 8, 8]), 24, vec![Split(8), Split(3)]),
            (Algorithm::DirectSend, 5, vec![Split(5)]),
            (Algorithm::SerialDirectSend, 5, vec![Merge(5)]),
            (Algorithm::TodTree { regions: 16, k: 8 }, 64, vec![Split(16), Merge(8)]),
            (Algorithm::TodTree { regions: 4, k: 2 }, 19, vec![Split(4), Merge(2), Merge(2)]),
            (Algorithm::TodTree { regions: 16, k: 8 }, 3, vec![Split(3)]),
            (Algorithm::DirectSend, 1, vec![]),
            (Algorithm::Pipeline { slices: 8 }, 5, vec![Pass(8)]),
            (Algorithm::Pipeline { slices: 8 }, 1, vec![]),
        ] {
            assert_eq!(algorithm.steps(ranks), steps, "{algorithm} on {ranks} ranks");
        }
    }
}
