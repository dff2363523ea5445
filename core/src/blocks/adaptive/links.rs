//! The neighbours of a box, on all levels.

use super::level_box::LevelBox;
use super::mesh::{AdaptiveMesh, Near, Patch};
use crate::blocks::decomposition::axes;
use crate::blocks::link::Link;
use crate::blocks::mail::Receiver;
use crate::blocks::parts::Parts;
use serde::{Deserialize, Serialize};

/// A neighbour of a box in an [`AdaptiveMesh`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct MeshLink<const D: usize> {
    /// The number of the other block.
    pub to: usize,
    /// Its level.
    pub level: usize,
    /// The number of its cells in place of one of level 0, along each axis.
    #[serde(with = "axes")]
    pub refinement: [usize; D],
    /// Its cells, in its indices.
    pub own: LevelBox<D>,
    /// Its cells with its ghost cells, in its indices.
    pub with_ghost: LevelBox<D>,
    /// How far the neighbour is shifted if the link goes around a periodic axis, in its cells: 0, or a multiple of the domain.
    #[serde(with = "axes")]
    pub shift: [i64; D],
}

impl<const D: usize> MeshLink<D> {
    /// The cells of the neighbour where this block sees them: beyond the domain if the link goes around a periodic axis.
    pub fn seen(&self) -> LevelBox<D> {
        self.own.shifted(self.shift)
    }
}

impl<const D: usize> Receiver for MeshLink<D> {
    fn block(&self) -> usize {
        self.to
    }
}

impl<const D: usize> AdaptiveMesh<D> {
    /// The neighbours of a box on the same, finer and coarser levels, by their numbers. Boxes are neighbours if they have common cells or touch, also at
    /// a corner, or if one has ghost cells in the other one. If there are few boxes and the mesh is periodic, a box may be
    /// a neighbour on several sides, and of itself. If a box has a link, the other one has the link back.
    ///
    /// ```
    /// use forall_core::blocks::{AdaptiveMesh, LevelBox};
    ///
    /// let boxes = vec![LevelBox::new(0, [0..6]), LevelBox::new(0, [6..8]), LevelBox::new(1, [4..8])];
    /// let mesh = AdaptiveMesh::new([8], &[[2]], boxes)?.periodic([true]);
    /// let links = mesh.links(0);
    /// let coarse: Vec<_> = links.iter().filter(|link| link.level == 0).map(|link| (link.to, link.seen().low)).collect();
    /// assert_eq!(coarse, [(1, [-2]), (1, [6])]);
    /// # Ok::<(), forall_core::blocks::MeshError>(())
    /// ```
    ///
    /// # Panics
    /// If there is no such box.
    #[track_caller]
    pub fn links(&self, number: usize) -> Vec<MeshLink<D>> {
        let link = |near: Near<D>| {
            let Patch { level, refinement, own, with_ghost, .. } = self.patch(near.number);
            MeshLink { to: near.number, level, refinement, own, with_ghost, shift: self.shift(level, near.wrap) }
        };
        self.neighbours(&self.patch(number)).into_iter().map(link).collect()
    }

    /// The same as links of [`Blocks`](crate::blocks::Blocks), in the same order. The direction is 0 along axes on which the boxes have common cells.
    ///
    /// # Panics
    /// If there is no such box.
    #[track_caller]
    pub fn plain_links(&self, number: usize) -> Vec<Link> {
        let patch = self.patch(number);
        let link = |near: &Near<D>| {
            let level = patch.level.max(self.boxes()[near.number].level);
            let (own, seen) = (self.at_level(&patch.own, level), self.seen(near, level));
            let is_behind = |axis: usize| i8::from(own.high[axis] <= seen.low[axis]);
            let is_before = |axis: usize| i8::from(seen.high[axis] <= own.low[axis]);
            let along = |axis: usize| if axis < D { is_behind(axis) - is_before(axis) } else { 0 };
            let direction = std::array::from_fn(along);
            Link { to: near.number, direction }
        };
        self.neighbours(&patch).iter().map(link).collect()
    }

    /// The boxes near a patch, on all levels.
    pub(super) fn neighbours(&self, patch: &Patch<D>) -> Vec<Near<D>> {
        let mut all = Vec::new();
        for level in 0..self.levels() {
            // The neighbour's layers behind it lie before this box.
            let reached =
                self.at_level(&patch.own, level).grown(self.layers().map(|[before, behind]| [behind, before]));
            let wider = reached.hull(&self.at_level(&patch.with_ghost, level));
            all.extend(self.near(&wider, level).into_iter().filter(|near| self.are_neighbours(patch, near)));
        }
        all.sort_unstable();
        all
    }

    fn are_neighbours(&self, patch: &Patch<D>, near: &Near<D>) -> bool {
        let other = self.patch(near.number);
        let level = patch.level.max(other.level);
        let [own, with_ghost] = [&patch.own, &patch.with_ghost].map(|cells| self.at_level(cells, level));
        let shift = self.shift(level, near.wrap);
        let [seen, seen_with_ghost] =
            [&other.own, &other.with_ghost].map(|cells| self.at_level(cells, level).shifted(shift));
        let is_itself = patch.number == near.number && near.wrap == [0; D];
        let touches = own.touches(&seen) || !with_ghost.common(&seen).is_empty();
        !is_itself && (touches || !own.common(&seen_with_ghost).is_empty())
    }
}

/// A block for each box, with links to its neighbours.
impl<const D: usize> Parts for AdaptiveMesh<D> {
    type Part = Patch<D>;

    fn count(&self) -> usize {
        self.len()
    }

    fn numbered(&self, number: usize) -> (Patch<D>, Vec<Link>) {
        (self.patch(number), self.plain_links(number))
    }
}
