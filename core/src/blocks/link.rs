//! Whom a block talks to.

use serde::{Deserialize, Serialize};

/// A neighbour of a block.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Link {
    /// The number of the other block.
    pub to: usize,
    /// Where it lies, seen from this block, along each axis of a [`Decomposition`](super::Decomposition), the slowest one first: before
    /// it (-1), beside it (0) or behind it (1). All zeros where no decomposition tells.
    pub direction: [i8; 3],
}

impl Link {
    /// A link to this block, of which nobody tells where it lies.
    pub fn to(block: usize) -> Self {
        Link { to: block, direction: [0; 3] }
    }

    /// The direction from the other block to this one.
    #[must_use]
    pub fn back(&self) -> [i8; 3] {
        self.direction.map(|step| -step)
    }
}
