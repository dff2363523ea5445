//! Links between neighbouring blocks.

use serde::{Deserialize, Serialize};

/// A neighbour of a block.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Link {
    /// The number of the other block.
    pub to: usize,
    /// The direction to the neighbour along each axis of a [`Decomposition`](super::Decomposition) or an [`AdaptiveMesh`](super::AdaptiveMesh),
    /// the slowest axis first: -1, 0 or 1. All zeros without them.
    pub direction: [i8; 4],
}

impl Link {
    /// A link to this block, without a direction.
    pub fn to(block: usize) -> Self {
        Link { to: block, direction: [0; 4] }
    }

    /// The direction from the other block to this one.
    #[must_use]
    pub fn back(&self) -> [i8; 4] {
        self.direction.map(|step| -step)
    }
}
