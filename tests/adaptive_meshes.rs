//! Meshes with several levels: links, ghost cells, covered cells and borders are those that a search cell by cell finds.

use forall::blocks::{AdaptiveMesh, Bounds, Decomposition, LevelBox};
use forall::checkpoint::Same;
use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use std::collections::BTreeMap;

/// A random number from a seed and the numbers of the item that it is for.
fn hashed(seed: u64, values: &[i64]) -> u64 {
    values.iter().fold(seed ^ 0x9E37_79B9_7F4A_7C15, |hash, value| {
        let hash = (hash ^ *value as u64).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        hash ^ (hash >> 29)
    })
}

/// A mesh, and what is random in it.
#[derive(Debug, Clone)]
struct Random<const D: usize> {
    seed: u64,
    shape: [usize; D],
    divisions: [usize; D],
    ratios: Vec<[usize; D]>,
    periodic: [bool; D],
    ghost: [[usize; 2]; D],
    /// Boxes one by one, or parts that are refined.
    is_list: bool,
}

fn random<const D: usize>(longest: usize, levels: usize) -> impl Strategy<Value = Random<D>> {
    let along = |range: std::ops::RangeInclusive<usize>| proptest::collection::vec(range, D);
    let ratios = proptest::collection::vec(along(1..=3), 0..=levels);
    let ghost = proptest::collection::vec((0_usize..=2, 0_usize..=2), D);
    let periodic = proptest::collection::vec(any::<bool>(), D);
    (any::<u64>(), along(1..=longest), along(1..=3), ratios, periodic, ghost, any::<bool>()).prop_map(
        |(seed, shape, divisions, ratios, periodic, ghost, is_list)| Random {
            seed,
            shape: shape.try_into().unwrap(),
            divisions: divisions.try_into().unwrap(),
            ratios: ratios.into_iter().map(|ratio| ratio.try_into().unwrap()).collect(),
            periodic: periodic.try_into().unwrap(),
            ghost: std::array::from_fn(|axis| [ghost[axis].0, ghost[axis].1]),
            is_list,
        },
    )
}

impl<const D: usize> Random<D> {
    fn parts(&self) -> Decomposition<D> {
        Decomposition::divided(self.shape, self.divisions).ghosts(self.ghost).periodic(self.periodic)
    }

    fn is_fine(&self, bounds: &Bounds<D>, level: usize) -> bool {
        let corner: Vec<i64> = bounds.low.iter().map(|at| (at * 36.0).round() as i64).collect();
        hashed(self.seed, &[&corner[..], &[level as i64]].concat()).is_multiple_of(3)
    }

    fn mesh(&self) -> AdaptiveMesh<D> {
        if !self.is_list {
            return AdaptiveMesh::refined(&self.parts(), &self.ratios, |bounds, level| self.is_fine(bounds, level))
                .unwrap();
        }
        // Some of the parts, and boxes anywhere that fit.
        let made = |boxes: Vec<LevelBox<D>>| AdaptiveMesh::new(self.shape, &self.ratios, boxes);
        let parts = self.parts();
        let own = (0..parts.len()).map(|number| LevelBox::of_cells(0, &parts.part(number).own));
        let mut boxes: Vec<LevelBox<D>> =
            own.filter(|own| !own.is_empty() && !hashed(self.seed, &own.low).is_multiple_of(8)).collect();
        let bare = made(Vec::new()).unwrap();
        for k in 0..40 {
            let number = |what: i64, below: i64| (hashed(self.seed, &[k, what]) % below.max(1) as u64) as i64;
            let level = 1 + number(0, self.ratios.len() as i64) as usize;
            if level > self.ratios.len() {
                break;
            }
            let coarse = bare.domain(level - 1);
            let low: [i64; D] = std::array::from_fn(|axis| number(1 + axis as i64, coarse.high[axis]));
            let side = |axis: usize| low[axis]..low[axis] + 1 + number(9 + axis as i64, 3);
            let fine = LevelBox::new(level - 1, std::array::from_fn(side)).refined(level, self.ratios[level - 1]);
            // Not in the order of levels.
            let at = number(20, boxes.len() as i64 + 1) as usize;
            boxes.insert(at, fine);
            if made(boxes.clone()).is_err() {
                boxes.remove(at);
            }
        }
        made(boxes).unwrap().ghosts(self.ghost).periodic(self.periodic)
    }
}

/// A search without an index: all boxes, and cells one by one.
struct Search<'m, const D: usize> {
    mesh: &'m AdaptiveMesh<D>,
    periodic: [bool; D],
    finest: usize,
}

impl<const D: usize> Search<'_, D> {
    /// A cell at the other side of periodic axes, if it lies beyond the domain.
    fn wrapped(&self, level: usize, mut cell: [i64; D]) -> Option<[i64; D]> {
        let domain = self.mesh.domain(level).high;
        for axis in 0..D {
            if self.periodic[axis] {
                cell[axis] = cell[axis].rem_euclid(domain[axis]);
            } else if !(0..domain[axis]).contains(&cell[axis]) {
                return None;
            }
        }
        Some(cell)
    }

    /// The box of a level that has the first of the finest cells in a cell.
    fn at(&self, level: usize, cell: [i64; D], of: usize) -> Option<(usize, [i64; D])> {
        let ratio = self.mesh.ratio(of, self.finest);
        let first: [i64; D] = std::array::from_fn(|axis| cell[axis] * ratio[axis] as i64);
        let ratio = self.mesh.ratio(level, self.finest);
        let there = std::array::from_fn(|axis| first[axis].div_euclid(ratio[axis] as i64));
        let found = self.mesh.boxes().iter().position(|cells| cells.level == level && cells.contains(there));
        Some((found?, there))
    }

    fn finest(&self, cells: &LevelBox<D>) -> LevelBox<D> {
        self.mesh.at_level(cells, self.finest)
    }

    /// The neighbours and their shifts in finest cells.
    fn links(&self, number: usize) -> Vec<(usize, [i64; D])> {
        let domain = self.mesh.domain(self.finest).high;
        let wraps = LevelBox::new(0, self.periodic.map(|wraps| if wraps { -5..6 } else { 0..1 }));
        let mine = self.mesh.patch(number);
        let [own, ghost] = [mine.own, mine.with_ghost].map(|cells| self.finest(&cells));
        let mut found = Vec::new();
        for to in 0..self.mesh.len() {
            let other = self.mesh.patch(to);
            for wrap in wraps.iter().filter(|wrap| to != number || *wrap != [0; D]) {
                let shift = std::array::from_fn(|axis| wrap[axis] * domain[axis]);
                let [seen, seen_ghost] = [other.own, other.with_ghost].map(|cells| self.finest(&cells).shifted(shift));
                let meet = |one: &LevelBox<D>, two: &LevelBox<D>| !one.common(two).is_empty();
                if meet(&own.grown([[1; 2]; D]), &seen) || meet(&ghost, &seen) || meet(&own, &seen_ghost) {
                    found.push((to, shift));
                }
            }
        }
        found.sort_unstable();
        found
    }
}

type Found<const D: usize> = BTreeMap<[i64; D], Vec<(usize, LevelBox<D>)>>;

fn check<const D: usize>(random: &Random<D>) {
    let mesh = random.mesh();
    let search = Search { mesh: &mesh, periodic: random.periodic, finest: random.ratios.len() };
    let all = 0..mesh.len();
    for number in all.clone() {
        check_links(&search, number);
        check_ghosts(&search, number);
        check_covers(&search, number);
        check_borders(&search, number);
    }
    // Senders have the overlaps of the receivers, in their order.
    macro_rules! check_from {
        ($of:ident $from:ident) => {
            let of: Vec<_> = all.clone().flat_map(|to| mesh.$of(to)).collect();
            for from in all.clone() {
                let expected: Vec<_> = of.iter().filter(|part| part.from == from).copied().collect();
                assert_eq!(mesh.$from(from), expected, "of block {from} of {:?}", mesh.boxes());
            }
        };
    }
    check_from!(ghosts_of ghosts_from);
    check_from!(covers_of covers_from);
    for to in all.clone() {
        let mut expected: Vec<_> = all.clone().flat_map(|from| mesh.borders_from(from)).collect();
        expected.retain(|border| border.to == to);
        assert_eq!(mesh.borders_of(to), expected);
    }
    if !random.is_list {
        check_refined(&search, random);
    }
}

fn check_links<const D: usize>(search: &Search<'_, D>, number: usize) {
    let mesh = search.mesh;
    let links = mesh.links(number);
    let shifts = links.iter().map(|link| {
        let ratio = mesh.ratio(link.level, search.finest);
        (link.to, std::array::from_fn(|axis| link.shift[axis] * ratio[axis] as i64))
    });
    assert_eq!(shifts.collect::<Vec<_>>(), search.links(number), "box {number} of {:?}", mesh.boxes());
    for (link, plain) in links.iter().zip(mesh.plain_links(number)) {
        let other = mesh.patch(link.to);
        assert_eq!((link.own, link.with_ghost, link.level), (other.own, other.with_ghost, other.own.level));
        assert_eq!(plain.to, link.to);
        let [own, seen] = [mesh.boxes()[number], link.seen()].map(|cells| search.finest(&cells));
        for axis in 0..D {
            let step = i8::from(own.high[axis] <= seen.low[axis]) - i8::from(seen.high[axis] <= own.low[axis]);
            assert_eq!(plain.direction[axis], step);
        }
    }
}

fn check_ghosts<const D: usize>(search: &Search<'_, D>, number: usize) {
    let patch = search.mesh.patch(number);
    let mut found: Found<D> = BTreeMap::new();
    for part in search.mesh.ghosts_of(number) {
        for cell in part.target.iter() {
            let source = part.source_of(cell);
            assert!(source.iter().all(|cell| part.source.contains(cell)));
            found.entry(cell).or_default().push((part.from, source));
        }
    }
    let mut expected: Found<D> = BTreeMap::new();
    for cell in patch.with_ghost.iter().filter(|cell| !patch.own.contains(*cell)) {
        let there =
            search.wrapped(patch.level, cell).expect("ghost cells are inside the domain, or beyond periodic axes");
        let best = (0..=patch.level).rev().find_map(|level| Some((level, search.at(level, there, patch.level)?)));
        if let Some((level, (from, at))) = best {
            expected.insert(cell, vec![(from, LevelBox::cell(level, at))]);
        }
    }
    assert_eq!(found, expected, "box {number} of {:?}", search.mesh.boxes());
}

fn check_covers<const D: usize>(search: &Search<'_, D>, number: usize) {
    let own = search.mesh.boxes()[number];
    let mut found: Found<D> = BTreeMap::new();
    for part in search.mesh.covers_of(number) {
        for cell in part.target.iter() {
            found.entry(cell).or_default().push((part.from, part.source_of(cell)));
        }
    }
    let mut expected: Found<D> = BTreeMap::new();
    let finer = own.level + 1;
    for cell in own.iter().filter(|_| finer < search.mesh.levels()) {
        if let Some((from, _)) = search.at(finer, cell, own.level) {
            let covers = LevelBox::cell(own.level, cell).refined(finer, search.mesh.ratio(own.level, finer));
            expected.insert(cell, vec![(from, covers)]);
        }
    }
    assert_eq!(found, expected);
}

fn check_borders<const D: usize>(search: &Search<'_, D>, number: usize) {
    let (mesh, own) = (search.mesh, search.mesh.boxes()[number]);
    let mut found = Vec::new();
    for border in mesh.borders_from(number) {
        assert_eq!(border.from, number);
        for inner in border.inner.iter() {
            let outer = border.outer_of(inner);
            assert!(border.outer.contains(outer));
            found.push((inner, border.axis, border.behind, border.to, outer));
        }
    }
    let mut expected = Vec::new();
    for inner in own.iter() {
        let is_covered = own.level + 1 < mesh.levels() && search.at(own.level + 1, inner, own.level).is_some();
        for (axis, behind) in (0..D).flat_map(|axis| [(axis, false), (axis, true)]).filter(|_| !is_covered) {
            let mut next = inner;
            next[axis] += if behind { 1 } else { -1 };
            let Some(next) = search.wrapped(own.level, next).filter(|_| !own.contains(next)) else { continue };
            let best = (0..=own.level).rev().find_map(|level| Some((level, search.at(level, next, own.level)?)));
            if let Some((level, (to, outer))) = best
                && level < own.level
            {
                expected.push((inner, axis, behind, to, outer));
            }
        }
    }
    found.sort_unstable();
    expected.sort_unstable();
    assert_eq!(found, expected, "box {number} of {:?}", mesh.boxes());
}

/// The boxes would pass the check of a list, boxes are refined where they should be, and the levels of neighbours are close.
fn check_refined<const D: usize>(search: &Search<'_, D>, random: &Random<D>) {
    let mesh = search.mesh;
    let again = AdaptiveMesh::new(random.shape, &random.ratios, mesh.boxes().to_vec()).unwrap();
    assert_eq!(again.ghosts(random.ghost).periodic(random.periodic), *mesh);
    for cells in mesh.boxes() {
        let is_refined = |cell: [i64; D]| search.at(cells.level + 1, cell, cells.level).is_some();
        if cells.level < random.ratios.len() && random.is_fine(&mesh.bounds(cells), cells.level) {
            assert!(cells.iter().all(is_refined), "{cells:?}");
        }
        if cells.level > 0 {
            let coarse = mesh.at_level(cells, cells.level - 1);
            for cell in coarse.grown([[1; 2]; D]).iter() {
                let there = search.wrapped(coarse.level, cell);
                assert!(there.is_none_or(|cell| search.at(coarse.level, cell, coarse.level).is_some()), "{cells:?}");
            }
        }
    }
}

fn config(cases: u32) -> ProptestConfig {
    ProptestConfig { cases, rng_seed: RngSeed::Fixed(7), failure_persistence: None, ..ProptestConfig::default() }
}

proptest! {
    #![proptest_config(config(96))]

    #[test]
    fn one_dimension(random in random::<1>(12, 3)) {
        check(&random);
    }

    #[test]
    fn two_dimensions(random in random::<2>(7, 2)) {
        check(&random);
    }
}

proptest! {
    #![proptest_config(config(12))]

    #[test]
    fn three_dimensions(random in random::<3>(3, 1)) {
        check(&random);
    }

    #[test]
    fn four_dimensions(random in random::<4>(2, 1)) {
        check(&random);
    }
}

fn error<const D: usize>(shape: [usize; D], ratios: &[[usize; D]], boxes: &[LevelBox<D>]) -> String {
    AdaptiveMesh::new(shape, ratios, boxes.to_vec()).unwrap_err().to_string()
}

#[test]
fn wrong_boxes_are_named() {
    let boxes = |level: usize, axes: [[i64; 4]; 3]| axes.map(|[a, b, c, d]| LevelBox::new(level, [a..b, c..d]));
    let coarse = boxes(0, [[0, 4, 0, 8], [4, 8, 0, 4], [4, 8, 4, 6]]);
    let with = |fine: LevelBox<2>| [&coarse[..], &[fine]].concat();
    let ratio = [[2, 3]];
    for (boxes, message) in [
        (
            with(LevelBox::new(1, [3..5, 0..3])),
            "box 3 of level 1, from [3, 0] to [5, 3], is not aligned with the coarser level: along axis 0, 3 is no multiple of the ratio 2",
        ),
        (with(LevelBox::new(1, [0..2, 0..4])), "along axis 1, 4 is no multiple of the ratio 3"),
        (
            with(LevelBox::new(1, [8..16, 15..24])),
            "box 3 of level 1, from [8, 15] to [16, 24], has cells outside of the boxes of the next coarser level, the first is [8, 18]",
        ),
        (
            with(LevelBox::new(0, [3..5, 3..5])),
            "box 0 of level 0, from [0, 0] to [4, 8], overlaps box 3 of the same level",
        ),
        (
            with(LevelBox::new(0, [4..9, 6..8])),
            "box 3 of level 0, from [4, 6] to [9, 8], lies outside of the domain, which has [8, 8] cells",
        ),
        (with(LevelBox::new(1, [-2..2, 0..3])), "lies outside of the domain, which has [16, 24] cells at this level"),
        (with(LevelBox::new(0, [i64::MIN..i64::MAX, 0..1])), "lies outside of the domain"),
        (with(LevelBox::new(0, [5..5, 6..8])), "box 3 of level 0, from [5, 6] to [5, 8], has no cells: remove it"),
        (with(LevelBox { level: 0, low: [i64::MAX, 0], high: [i64::MIN, 1] }), "has no cells"),
        (
            with(LevelBox::new(2, [0..4, 0..9])),
            "box 3 of level 2, from [0, 0] to [4, 9], has a level that does not exist: there are 2, from 0 on",
        ),
    ] {
        let found = error([8, 8], &ratio, &boxes);
        assert!(found.contains(message), "{found}\n{message}");
    }
    let found = error([8, 8], &[[2, 2], [2, 0]], &[]);
    assert!(found.contains("the ratio between levels 1 and 2 is [2, 0]"), "{found}");
    let found = error([1 << 40, 8], &[[1 << 21, 1]], &[]);
    assert!(found.contains("level 1 has more than 2^60 cells along axis 0"), "{found}");
    assert!(error([usize::MAX, 1], &[], &[]).contains("level 0"));
    assert!(error([1, 1], &[[usize::MAX, 1]; 3], &[]).contains("level 1 has more than 2^60"));
    assert!(AdaptiveMesh::new([0, 3], &[[2, 2]], Vec::new()).unwrap().is_empty());
    let wide = AdaptiveMesh::new([1 << 60, 1], &[], vec![LevelBox::new(0, [0..1 << 60, 0..1])]).unwrap();
    let wide = wide.ghost(3).periodic([true, true]);
    assert_eq!(wide.patch(0).with_ghost.range(0), -3..(1 << 60) + 3);
    assert_eq!((wide.links(0).len(), wide.ghosts_of(0).len()), (20, 20));
    assert_eq!(wide.ghosts_of(0), wide.ghosts_from(0));
}

#[test]
fn boxes_that_do_not_exist_are_named() {
    let mesh = AdaptiveMesh::new([4, 4], &[], vec![LevelBox::new(0, [0..4, 0..4])]).unwrap();
    let panic = std::panic::catch_unwind(|| mesh.links(1)).unwrap_err();
    let text = panic.downcast_ref::<String>().unwrap();
    assert!(text.contains("there is no box 1: there are 1, from 0 on"), "{text}");
}

#[test]
fn meshes_are_saved() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("mesh");
    let parts = Decomposition::new([9, 7], 4).ghosts([[1, 2], [0, 3]]).periodic([true, false]);
    let mesh = AdaptiveMesh::refined(&parts, &[[3, 2]], |bounds, _| bounds.low[0] < 2.0).unwrap();
    forall::checkpoint::save(&path, &Same(mesh.clone())).unwrap();
    let Same(again): Same<AdaptiveMesh<2>> = forall::checkpoint::load(&path).unwrap();
    assert_eq!(again, mesh);
    assert_eq!(again.links(3), mesh.links(3));
}
