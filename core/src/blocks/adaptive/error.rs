//! Errors in the boxes of a mesh.

use std::fmt;

/// The boxes are no [`AdaptiveMesh`](super::AdaptiveMesh).
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum MeshError {
    /// A ratio of 0.
    #[error("the ratio between levels {level} and {} is {ratio:?}: give 1 or more along each axis", .level + 1)]
    Ratio {
        /// The coarser level.
        level: usize,
        /// The ratio along each axis.
        ratio: Vec<usize>,
    },
    /// The finest level has more cells along an axis than indices can count.
    #[error("level {level} has more than 2^60 cells along axis {axis}: give a smaller domain, or smaller ratios")]
    Large {
        /// The level.
        level: usize,
        /// The axis.
        axis: usize,
    },
    /// A box that does not fit.
    #[error("box {number} of level {level}, from {low:?} to {high:?}, {problem}")]
    Box {
        /// The position of the box in the list.
        number: usize,
        /// Its level.
        level: usize,
        /// Its first cell.
        low: Vec<i64>,
        /// The first cell behind it, along each axis.
        high: Vec<i64>,
        /// The reason.
        problem: BoxProblem,
    },
}

/// The reason why a box does not fit into a mesh.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum BoxProblem {
    /// It has no cells.
    Empty,
    /// Its level does not exist.
    Level {
        /// The number of levels.
        levels: usize,
    },
    /// It is partly or wholly outside of the domain.
    Outside {
        /// The cells of the domain along each axis, at the level of the box.
        domain: Vec<i64>,
    },
    /// A side of it lies within a cell of the next coarser level.
    Unaligned {
        /// The axis.
        axis: usize,
        /// The index of the side.
        at: i64,
        /// The ratio between the two levels along this axis.
        ratio: usize,
    },
    /// It has cells in common with another box of its level.
    Overlap {
        /// The position of the other box in the list.
        other: usize,
    },
    /// It has cells that no box of the next coarser level covers.
    Uncovered {
        /// The first of these cells.
        cell: Vec<i64>,
    },
}

impl fmt::Display for BoxProblem {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BoxProblem::Empty => write!(formatter, "has no cells: remove it"),
            BoxProblem::Level { levels } => {
                write!(
                    formatter,
                    "has a level that does not exist: there are {levels}, from 0 on; give a ratio for each finer level"
                )
            }
            BoxProblem::Outside { domain } => {
                write!(
                    formatter,
                    "lies outside of the domain, which has {domain:?} cells at this level, from 0 on: cut the box"
                )
            }
            BoxProblem::Unaligned { axis, at, ratio } => write!(
                formatter,
                "is not aligned with the coarser level: along axis {axis}, {at} is no multiple of the ratio {ratio}; move the side"
            ),
            BoxProblem::Overlap { other } => {
                write!(formatter, "overlaps box {other} of the same level: cut one of them")
            }
            BoxProblem::Uncovered { cell } => write!(
                formatter,
                "has cells outside of the boxes of the next coarser level, the first is {cell:?}: add a coarser box there"
            ),
        }
    }
}
