//! The boxes of a mesh: their check, and the search for boxes near others.

use super::error::{BoxProblem, MeshError};
use super::level_box::{LevelBox, without};
use crate::blocks::decomposition::axes;
use rstar::primitives::{GeomWithData, Rectangle};
use rstar::{AABB, RTree};
use serde::{Deserialize, Serialize};

/// A grid of `D` dimensions, from 1 to 4, with boxes of finer cells where they are needed: adaptive mesh refinement (AMR) by boxes.
///
/// Each box is a block. The boxes of level 0 lie in the domain. Those of a finer level lie within boxes of the level before, which keep
/// their cells there (Berger and Colella, "Local adaptive mesh refinement for shock hydrodynamics", 1989). Boxes of one level have no common cells.
///
/// All ranks have the whole list of boxes. Each block computes its own links, and the cells that it exchanges with its neighbours:
///
/// | method | cells |
/// |---|---|
/// | [`links`](AdaptiveMesh::links) | the neighbours on the same, finer and coarser levels |
/// | [`ghosts_from`](AdaptiveMesh::ghosts_from), [`ghosts_of`](AdaptiveMesh::ghosts_of) | ghost cells, and the neighbour's cells that fill them (prolongation) |
/// | [`covers_from`](AdaptiveMesh::covers_from), [`covers_of`](AdaptiveMesh::covers_of) | coarse cells, and the finer cells that cover them (restriction) |
/// | [`borders_from`](AdaptiveMesh::borders_from), [`borders_of`](AdaptiveMesh::borders_of) | faces between fine and coarse cells (conservation of fluxes) |
///
/// Their cost grows with the number of neighbours. A block that exchanges cells often keeps the results, which serde can write.
///
/// ```
/// use forall_core::blocks::{AdaptiveMesh, Blocks, LevelBox};
///
/// let coarse = LevelBox::new(0, [0..8, 0..8]);
/// let fine = LevelBox::new(1, [4..8, 4..12]);
/// let mesh = AdaptiveMesh::new([8, 8], &[[2, 2]], vec![coarse, fine])?.ghost(1);
/// assert_eq!(mesh.patch(1).with_ghost, LevelBox::new(1, [3..9, 3..13]));
/// assert_eq!(mesh.links(0)[0].own, fine);
///
/// // The fine box covers 2 x 4 cells of the coarse one.
/// let covered = mesh.covers_from(1)[0].target;
/// assert_eq!(covered, LevelBox::new(0, [2..4, 2..6]));
///
/// let cells = Blocks::over(&mesh, |patch| vec![0.0; patch.with_ghost.len()]);
/// assert_eq!(cells.len(), 2);
/// # Ok::<(), forall_core::blocks::MeshError>(())
/// ```
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(try_from = "Plain<D>", into = "Plain<D>")]
pub struct AdaptiveMesh<const D: usize> {
    plain: Plain<D>,
    /// The number of cells in place of one of level 0, for each level.
    refinements: Vec<[i64; D]>,
    /// The boxes of each level.
    trees: Vec<RTree<Entry>>,
}

/// The parts that the user gives.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Plain<const D: usize> {
    #[serde(with = "axes")]
    shape: [usize; D],
    ratios: Vec<Ratio<D>>,
    #[serde(with = "axes")]
    periodic: [bool; D],
    #[serde(with = "axes")]
    ghost: [[usize; 2]; D],
    boxes: Vec<LevelBox<D>>,
}

/// The number of cells in place of one of the level before, along each axis.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
struct Ratio<const D: usize>(#[serde(with = "axes")] [usize; D]);

/// A box in the index of its level, with its number. Axes beyond the mesh's are 0.
type Entry = GeomWithData<Rectangle<[i64; 4]>, usize>;

/// One box of an [`AdaptiveMesh`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Patch<const D: usize> {
    /// The number of the box, and of its block.
    pub number: usize,
    /// The level, from 0 on.
    pub level: usize,
    /// The number of cells in place of one of level 0, along each axis.
    #[serde(with = "axes")]
    pub refinement: [usize; D],
    /// The cells of the box.
    pub own: LevelBox<D>,
    /// The same cells with the [ghost cells](AdaptiveMesh::ghost) around them: within the domain, and beyond it along periodic axes.
    pub with_ghost: LevelBox<D>,
}

/// A box near another one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Near<const D: usize> {
    pub number: usize,
    /// How far it is shifted, in domains.
    pub wrap: [i64; D],
}

impl<const D: usize> AdaptiveMesh<D> {
    const DIMENSIONS: () = assert!(D >= 1 && D <= 4, "a mesh has one to four dimensions");

    /// A mesh of these boxes, numbered in this order. `shape` is the number of cells of level 0. There is a ratio for each finer level: the number of
    /// cells in place of one of the level before, along each axis.
    ///
    /// # Errors
    /// If a ratio is 0, the finest level has more than 2^60 cells along an axis, or a box does not fit. A box must have cells, lie in the domain, and
    /// have no common cells with others of its level. It must be aligned with the cells of the next coarser level, and lie within the boxes of that level.
    /// The error names the box.
    pub fn new(shape: [usize; D], ratios: &[[usize; D]], boxes: Vec<LevelBox<D>>) -> Result<Self, MeshError> {
        let mesh = Self::without_index(shape, ratios, boxes)?;
        (0..mesh.len()).try_for_each(|number| mesh.check_alone(number))?;
        let mesh = mesh.indexed();
        (0..mesh.len()).try_for_each(|number| mesh.check_among(number))?;
        Ok(mesh)
    }

    /// A mesh of boxes that fit.
    pub(super) fn unchecked(
        shape: [usize; D],
        ratios: &[[usize; D]],
        boxes: Vec<LevelBox<D>>,
    ) -> Result<Self, MeshError> {
        Ok(Self::without_index(shape, ratios, boxes)?.indexed())
    }

    fn without_index(shape: [usize; D], ratios: &[[usize; D]], boxes: Vec<LevelBox<D>>) -> Result<Self, MeshError> {
        let () = Self::DIMENSIONS;
        let refinements = refinements(shape, ratios)?;
        let ratios = ratios.iter().map(|ratio| Ratio(*ratio)).collect();
        let plain = Plain { shape, ratios, periodic: [false; D], ghost: [[0; 2]; D], boxes };
        Ok(AdaptiveMesh { plain, refinements, trees: Vec::new() })
    }

    fn indexed(mut self) -> Self {
        let mut entries = vec![Vec::new(); self.levels()];
        for (number, cells) in self.plain.boxes.iter().enumerate() {
            let [low, high] = [cells.low, cells.high].map(corner);
            entries[cells.level].push(GeomWithData::new(Rectangle::from_corners(low, high), number));
        }
        self.trees = entries.into_iter().map(RTree::bulk_load).collect();
        self
    }

    /// Sets the number of layers of [ghost cells](Patch::with_ghost) on each side, in cells of each level.
    ///
    /// # Panics
    /// If there are more than 2^16 layers.
    #[must_use]
    #[track_caller]
    pub fn ghost(self, cells: usize) -> Self {
        self.ghosts([[cells; 2]; D])
    }

    /// The same for each side: the number of layers before the box and behind it, along each axis.
    ///
    /// # Panics
    /// As [`AdaptiveMesh::ghost`].
    #[must_use]
    #[track_caller]
    pub fn ghosts(mut self, cells: [[usize; 2]; D]) -> Self {
        let most = cells.iter().flatten().max();
        assert!(most <= Some(&(1 << 16)), "a box has at most 65536 layers of ghost cells on a side, not {most:?}");
        self.plain.ghost = cells;
        self
    }

    /// Sets the axes along which the last cells of the domain and the first ones are neighbours.
    #[must_use]
    pub fn periodic(mut self, axes: [bool; D]) -> Self {
        self.plain.periodic = axes;
        self
    }

    /// The number of boxes.
    pub fn len(&self) -> usize {
        self.plain.boxes.len()
    }

    /// Whether there are no boxes.
    pub fn is_empty(&self) -> bool {
        self.plain.boxes.is_empty()
    }

    /// The number of levels. The finer ones may have no boxes.
    pub fn levels(&self) -> usize {
        self.refinements.len()
    }

    /// The boxes, in the order of their numbers.
    pub fn boxes(&self) -> &[LevelBox<D>] {
        &self.plain.boxes
    }

    /// The cells of the domain at a level.
    ///
    /// # Panics
    /// If there is no such level.
    #[track_caller]
    pub fn domain(&self, level: usize) -> LevelBox<D> {
        let refinement = self.refinement(level);
        LevelBox::new(level, std::array::from_fn(|axis| 0..(self.plain.shape[axis] * refinement[axis]) as i64))
    }

    /// The number of cells of a level in place of one of level 0, along each axis.
    ///
    /// # Panics
    /// If there is no such level.
    #[track_caller]
    pub fn refinement(&self, level: usize) -> [usize; D] {
        assert!(level < self.levels(), "there is no level {level}: there are {}, from 0 on", self.levels());
        self.refinements[level].map(|cells| cells as usize)
    }

    /// The number of cells of the finer one of two levels in place of one of the coarser one, along each axis.
    ///
    /// # Panics
    /// If there is no such level.
    #[must_use]
    #[track_caller]
    pub fn ratio(&self, one: usize, two: usize) -> [usize; D] {
        let [coarse, fine] = [one.min(two), one.max(two)].map(|level| self.refinement(level));
        std::array::from_fn(|axis| fine[axis] / coarse[axis])
    }

    /// The cells of another level that cover a box.
    ///
    /// # Panics
    /// If there is no such level.
    #[must_use]
    #[track_caller]
    pub fn at_level(&self, cells: &LevelBox<D>, level: usize) -> LevelBox<D> {
        let ratio = self.ratio(cells.level, level);
        if level < cells.level { cells.coarsened(level, ratio) } else { cells.refined(level, ratio) }
    }

    /// A box with its ghost cells.
    ///
    /// # Panics
    /// If there is no such box.
    #[track_caller]
    pub fn patch(&self, number: usize) -> Patch<D> {
        assert!(number < self.len(), "there is no box {number}: there are {}, from 0 on", self.len());
        let own = self.plain.boxes[number];
        let mut with_ghost = own.grown(self.plain.ghost);
        for (axis, end) in self.domain(own.level).high.into_iter().enumerate() {
            if !self.plain.periodic[axis] {
                with_ghost.low[axis] = with_ghost.low[axis].max(0);
                with_ghost.high[axis] = with_ghost.high[axis].min(end);
            }
        }
        Patch { number, level: own.level, refinement: self.refinement(own.level), own, with_ghost }
    }

    /// The layers of ghost cells.
    pub(super) fn layers(&self) -> [[usize; 2]; D] {
        self.plain.ghost
    }

    /// Domains along each axis as cells of a level.
    pub(super) fn shift(&self, level: usize, wrap: [i64; D]) -> [i64; D] {
        let domain = self.domain(level);
        std::array::from_fn(|axis| wrap[axis] * domain.high[axis])
    }

    /// The boxes of a level that have common cells with these or touch them, by their numbers and wraps. These may lie beyond the domain.
    pub(super) fn near(&self, cells: &LevelBox<D>, level: usize) -> Vec<Near<D>> {
        let here = self.at_level(cells, level);
        let domain = self.domain(level);
        let wraps = LevelBox::new(
            level,
            std::array::from_fn(|axis| match domain.high[axis] {
                end if self.plain.periodic[axis] && end > 0 => {
                    -(-here.low[axis]).div_euclid(end) - 1..here.high[axis].div_euclid(end) + 1
                }
                _ => 0..1,
            }),
        );
        let mut found = Vec::new();
        for wrap in wraps.iter() {
            let back = here.shifted(self.shift(level, wrap.map(|domains| -domains)));
            let touched = AABB::from_corners(corner(back.low), corner(back.high));
            let numbers = self.trees[level].locate_in_envelope_intersecting(&touched).map(|entry| entry.data);
            found.extend(numbers.map(|number| Near { number, wrap }));
        }
        found.sort_unstable();
        found
    }

    /// A box as a neighbour sees it, as cells of a level: exact if the level is that of the box or a finer one.
    pub(super) fn seen(&self, near: &Near<D>, level: usize) -> LevelBox<D> {
        self.at_level(&self.plain.boxes[near.number], level).shifted(self.shift(level, near.wrap))
    }

    /// The cells of these boxes that no box of a level covers. The level is that of the boxes.
    pub(super) fn outside_of(&self, mut parts: Vec<LevelBox<D>>, level: usize) -> Vec<LevelBox<D>> {
        let Some(hull) = parts.iter().copied().reduce(|one, two| one.hull(&two)) else { return parts };
        for near in self.near(&hull, level) {
            let seen = self.seen(&near, hull.level);
            parts = without(parts, &seen);
        }
        parts
    }

    fn wrong(&self, number: usize, problem: BoxProblem) -> Result<(), MeshError> {
        let LevelBox { level, low, high } = self.plain.boxes[number];
        Err(MeshError::Box { number, level, low: low.to_vec(), high: high.to_vec(), problem })
    }

    /// Checks a box by itself.
    fn check_alone(&self, number: usize) -> Result<(), MeshError> {
        let cells = self.plain.boxes[number];
        let LevelBox { level, low, high } = cells;
        if level >= self.levels() {
            return self.wrong(number, BoxProblem::Level { levels: self.levels() });
        }
        if cells.is_empty() {
            return self.wrong(number, BoxProblem::Empty);
        }
        let domain = self.domain(level).high;
        if (0..D).any(|axis| low[axis] < 0 || high[axis] > domain[axis]) {
            return self.wrong(number, BoxProblem::Outside { domain: domain.to_vec() });
        }
        let ratio = self.ratio(level, level.saturating_sub(1));
        let mut sides = (0..D).flat_map(|axis| [(axis, low[axis]), (axis, high[axis])]);
        match sides.find(|(axis, at)| at % ratio[*axis] as i64 != 0) {
            Some((axis, at)) => self.wrong(number, BoxProblem::Unaligned { axis, at, ratio: ratio[axis] }),
            None => Ok(()),
        }
    }

    /// Checks a box among the others, which are right by themselves.
    fn check_among(&self, number: usize) -> Result<(), MeshError> {
        let cells = self.plain.boxes[number];
        // The domain is not periodic yet.
        let overlaps =
            |near: &Near<D>| near.number != number && !self.seen(near, cells.level).common(&cells).is_empty();
        if let Some(other) = self.near(&cells, cells.level).iter().find(|near| overlaps(near)) {
            return self.wrong(number, BoxProblem::Overlap { other: other.number });
        }
        match cells.level.checked_sub(1).map(|coarser| self.outside_of(vec![cells], coarser)) {
            Some(rest) if !rest.is_empty() => {
                let cell = rest.iter().map(|part| part.low).min().map_or(Vec::new(), |cell| cell.to_vec());
                self.wrong(number, BoxProblem::Uncovered { cell })
            }
            _ => Ok(()),
        }
    }
}

/// The number of cells in place of one of level 0, for each level.
fn refinements<const D: usize>(shape: [usize; D], ratios: &[[usize; D]]) -> Result<Vec<[i64; D]>, MeshError> {
    let mut all = vec![[1_i64; D]];
    for (level, ratio) in ratios.iter().enumerate() {
        if ratio.contains(&0) {
            return Err(MeshError::Ratio { level, ratio: ratio.to_vec() });
        }
        let coarse = all[level];
        all.push(std::array::from_fn(|axis| coarse[axis].saturating_mul(ratio[axis].try_into().unwrap_or(i64::MAX))));
    }
    for (level, refinement) in all.iter().enumerate() {
        let cells = |axis: usize| refinement[axis] as u128 * shape[axis].max(1) as u128;
        if let Some(axis) = (0..D).find(|axis| cells(*axis) > 1 << 60) {
            return Err(MeshError::Large { level, axis });
        }
    }
    Ok(all)
}

/// A corner in the index.
fn corner<const D: usize>(at: [i64; D]) -> [i64; 4] {
    std::array::from_fn(|axis| at.get(axis).copied().unwrap_or(0))
}

impl<const D: usize> PartialEq for AdaptiveMesh<D> {
    fn eq(&self, other: &Self) -> bool {
        self.plain == other.plain
    }
}

impl<const D: usize> Eq for AdaptiveMesh<D> {}

impl<const D: usize> From<AdaptiveMesh<D>> for Plain<D> {
    fn from(mesh: AdaptiveMesh<D>) -> Self {
        mesh.plain
    }
}

impl<const D: usize> TryFrom<Plain<D>> for AdaptiveMesh<D> {
    type Error = MeshError;

    fn try_from(plain: Plain<D>) -> Result<Self, MeshError> {
        let ratios: Vec<[usize; D]> = plain.ratios.iter().map(|ratio| ratio.0).collect();
        let mesh = AdaptiveMesh::new(plain.shape, &ratios, plain.boxes)?;
        Ok(mesh.ghosts(plain.ghost).periodic(plain.periodic))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn damaged_boxes_are_not_read() {
        let boxes = vec![LevelBox::new(0, [0..4, 0..4]), LevelBox::new(1, [2..4, 0..6])];
        let mesh =
            AdaptiveMesh::new([4, 4], &[[2, 3]], boxes).expect("boxes that fit").ghost(1).periodic([true, false]);
        let mut plain = Plain::from(mesh.clone());
        let written = postcard::to_stdvec(&mesh).expect("a mesh is written");
        assert_eq!(postcard::to_stdvec(&plain).expect("and its parts"), written);
        assert_eq!(postcard::from_bytes::<AdaptiveMesh<2>>(&written).expect("and read"), mesh);
        plain.boxes[1].low[0] = 1;
        let written = postcard::to_stdvec(&plain).expect("other parts are written");
        assert!(postcard::from_bytes::<AdaptiveMesh<2>>(&written).is_err());
    }
}
