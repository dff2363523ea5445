//! Domains that are divided into blocks with links.

use super::link::Link;

/// A domain in parts. [`Blocks::over`](super::Blocks::over) makes a block for each part.
///
/// [`Decomposition`](super::Decomposition) and [`AdaptiveMesh`](super::AdaptiveMesh) are such domains. All ranks have equal ones.
///
/// ```
/// use forall_core::blocks::{Blocks, Link, Parts};
///
/// /// The nodes of a tree: each has a link to its parent, and none to its children.
/// struct Tree {
///     parents: Vec<Option<usize>>,
/// }
///
/// impl Parts for Tree {
///     type Part = usize;
///
///     fn count(&self) -> usize {
///         self.parents.len()
///     }
///
///     fn numbered(&self, number: usize) -> (usize, Vec<Link>) {
///         (number, self.parents[number].map(Link::to).into_iter().collect())
///     }
/// }
///
/// let tree = Tree { parents: vec![None, Some(0), Some(0), Some(2)] };
/// let mut sums = Blocks::over(&tree, |number| *number as u64);
/// for block in sums.iter_mut() {
///     block.links().for_each(|parent| block.send(parent, &*block));
/// }
/// for mut block in sums.iter_mut() {
///     for message in block.inbox() {
///         *block += message.read::<u64>();
///     }
/// }
/// assert_eq!(sums.to_all(), [3, 1, 5, 3]);
/// ```
pub trait Parts {
    /// One part.
    type Part;

    /// The number of parts.
    fn count(&self) -> usize;

    /// A part, and its links. They may lead to any parts, and need not lead back. Only the rank that has the block calls it.
    fn numbered(&self, number: usize) -> (Self::Part, Vec<Link>);
}
