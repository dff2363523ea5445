//! Cells that blocks exchange: ghost cells, and cells below finer ones.

use super::level_box::LevelBox;
use super::mesh::{AdaptiveMesh, Near, Patch};
use crate::blocks::decomposition::axes;
use crate::blocks::mail::Receiver;
use serde::{Deserialize, Serialize};

/// Cells of one block of an [`AdaptiveMesh`], and the cells of another block in the same place.
///
/// The first one sends the values of `source`, and the second one sets `target`. The levels may differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Overlap<const D: usize> {
    /// The number of the sender.
    pub from: usize,
    /// The number of the receiver.
    pub to: usize,
    /// The cells of the sender, in its indices.
    pub source: LevelBox<D>,
    /// The cells of the receiver, in its indices.
    pub target: LevelBox<D>,
    /// How far the receiver's cells are shifted to the place of the sender's, in cells of the receiver: 0, or a multiple of the domain.
    #[serde(with = "axes")]
    pub shift: [i64; D],
    /// The number of cells of the finer block in place of one of the coarser one, along each axis.
    #[serde(with = "axes")]
    pub ratio: [usize; D],
}

impl<const D: usize> Overlap<D> {
    /// The cells of the sender in the place of one of the receiver's: one, or several if the sender is finer.
    ///
    /// ```
    /// use forall_core::blocks::{AdaptiveMesh, LevelBox};
    ///
    /// let mesh = AdaptiveMesh::new([8], &[[2]], vec![LevelBox::new(0, [0..8]), LevelBox::new(1, [4..8])])?.ghost(1);
    /// let below = mesh.covers_of(0)[0];
    /// assert_eq!((below.target.range(0), below.source_of([3]).range(0)), (2..4, 6..8));
    /// let ghost = mesh.ghosts_of(1)[0];
    /// assert_eq!((ghost.target.range(0), ghost.source_of([3]).range(0)), (3..4, 1..2));
    /// # Ok::<(), forall_core::blocks::MeshError>(())
    /// ```
    pub fn source_of(&self, cell: [i64; D]) -> LevelBox<D> {
        let (level, here) = (self.source.level, LevelBox::cell(self.target.level, cell).shifted(self.shift));
        if level < here.level { here.coarsened(level, self.ratio) } else { here.refined(level, self.ratio) }
    }
}

impl<const D: usize> Receiver for Overlap<D> {
    fn block(&self) -> usize {
        self.to
    }
}

impl<const D: usize> AdaptiveMesh<D> {
    /// The ghost cells of a block, and the cells that fill them. Each ghost cell occurs once, if boxes cover it: with a neighbour of the same level,
    /// or otherwise of the next coarser one that covers it. In order of the senders.
    ///
    /// # Panics
    /// If there is no such box.
    #[track_caller]
    pub fn ghosts_of(&self, number: usize) -> Vec<Overlap<D>> {
        let patch = self.patch(number);
        let mut near: Vec<Near<D>> = (0..=patch.level).flat_map(|level| self.near(&patch.with_ghost, level)).collect();
        near.sort_unstable();
        near.iter().flat_map(|near| self.ghosts_between(near, &patch)).collect()
    }

    /// The ghost cells of other blocks that this block fills: the same overlaps as those of the [receivers](AdaptiveMesh::ghosts_of), in their order.
    ///
    /// # Panics
    /// If there is no such box.
    #[track_caller]
    pub fn ghosts_from(&self, number: usize) -> Vec<Overlap<D>> {
        let patch = self.patch(number);
        let mut near = self.neighbours(&patch);
        near.retain(|near| self.boxes()[near.number].level >= patch.level);
        // In the order in which the receivers see this block.
        near.iter_mut().for_each(|near| near.wrap = near.wrap.map(|domains| -domains));
        near.sort_unstable();
        let between = |near: &Near<D>| self.ghosts_between(&Near { number, wrap: near.wrap }, &self.patch(near.number));
        near.iter().flat_map(between).collect()
    }

    /// The cells of a block that the next finer level covers, and the finer cells. Each covered cell occurs once. In order of the senders.
    ///
    /// If the finer cells lie below even finer ones themselves, they must have been set first: go from the finest level to the coarsest.
    ///
    /// # Panics
    /// If there is no such box.
    #[track_caller]
    pub fn covers_of(&self, number: usize) -> Vec<Overlap<D>> {
        let patch = self.patch(number);
        let finer = Some(patch.level + 1).filter(|level| *level < self.levels());
        let near = finer.map_or(Vec::new(), |level| self.near(&patch.own, level));
        near.iter().filter_map(|near| self.cover_between(near, &patch)).collect()
    }

    /// The cells of the next coarser level below this block: the same overlaps as those of the [receivers](AdaptiveMesh::covers_of).
    ///
    /// # Panics
    /// If there is no such box.
    #[track_caller]
    pub fn covers_from(&self, number: usize) -> Vec<Overlap<D>> {
        let patch = self.patch(number);
        let near = patch.level.checked_sub(1).map_or(Vec::new(), |level| self.near(&patch.own, level));
        let between = |near: &Near<D>| {
            let back = Near { number, wrap: near.wrap.map(|domains| -domains) };
            self.cover_between(&back, &self.patch(near.number))
        };
        near.iter().filter_map(between).collect()
    }

    fn overlap(&self, from: &Near<D>, to: usize, target: LevelBox<D>) -> Overlap<D> {
        let level = self.boxes()[from.number].level;
        let shift = self.shift(target.level, from.wrap.map(|domains| -domains));
        let source = self.at_level(&target.shifted(shift), level);
        Overlap { from: from.number, to, source, target, shift, ratio: self.ratio(level, target.level) }
    }

    /// The ghost cells that one block fills in another one, which is not coarser.
    fn ghosts_between(&self, from: &Near<D>, to: &Patch<D>) -> Vec<Overlap<D>> {
        let seen = self.seen(from, to.level);
        let mut parts = to.with_ghost.common(&seen).minus(&to.own);
        // Finer blocks come first.
        for level in self.boxes()[from.number].level + 1..=to.level {
            parts = self.outside_of(parts, level);
        }
        parts.into_iter().map(|part| self.overlap(from, to.number, part)).collect()
    }

    /// The cells that one block covers in another one, which is coarser by a level.
    fn cover_between(&self, from: &Near<D>, to: &Patch<D>) -> Option<Overlap<D>> {
        let common = to.own.common(&self.seen(from, to.level));
        (!common.is_empty()).then(|| self.overlap(from, to.number, common))
    }
}
