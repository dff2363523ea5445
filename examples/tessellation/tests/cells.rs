//! Cells are those that all particles give, on any number of ranks, workers and blocks, in memory or not.

use forall::{DistVec, Runtime, Settings};
use std::num::NonZeroUsize;
use tessellation::particles::random_place;
use tessellation::polyhedron::Polyhedron;
use tessellation::region::Sums;
use tessellation::space::{Bounds, Space};
use tessellation::{Measured, density, measured, sums, tessellate};

const UNIT: Bounds = Bounds { low: [0.0; 3], high: [1.0; 3] };

/// The volume of each cell and the number of its neighbours, where each particle, and each image of it, may cut it.
fn plainly(space: &Space, places: &[[f64; 3]]) -> Vec<(f64, u64)> {
    let images = if space.periodic { -2..=2 } else { 0..=0 };
    let shifts: Vec<[i32; 3]> = images
        .clone()
        .flat_map(|z| {
            images.clone().flat_map({
                let images = images.clone();
                move |y| images.clone().map(move |x| [x, y, z])
            })
        })
        .collect();
    let cell = |number: usize| {
        let at = places[number];
        let minus = |a: [f64; 3], b: [f64; 3]| [0, 1, 2].map(|axis| a[axis] - b[axis]);
        let mut polyhedron = Polyhedron::default();
        let extent = space.whole.extent();
        match space.periodic {
            true => polyhedron.set_box(extent.map(|side| -side), extent),
            false => polyhedron.set_box(minus(space.whole.low, at), minus(space.whole.high, at)),
        }
        let image =
            |shift: [i32; 3]| move |place: [f64; 3]| [0, 1, 2].map(|axis| place[axis] + space.shift(shift)[axis]);
        let all = shifts.iter().flat_map(|shift| {
            let shift = *shift;
            let others = places.iter().enumerate().filter(move |(other, _)| *other != number || shift != [0; 3]);
            others.map(move |(other, place)| {
                (minus(image(shift)(*place), at), other as u64, shift.map(|turns| turns as u16))
            })
        });
        let mut all: Vec<_> =
            all.map(|(to, other, shift)| (to[0].powi(2) + to[1].powi(2) + to[2].powi(2), other, shift, to)).collect();
        all.sort_by(|a, b| a.0.total_cmp(&b.0).then_with(|| (a.1, a.2).cmp(&(b.1, b.2))));
        for (_, other, _, to) in all {
            polyhedron.cut(to, other as u32);
        }
        (polyhedron.volume(), polyhedron.neighbours().count() as u64)
    };
    (0..places.len()).map(cell).collect()
}

/// The cells of places in so many blocks, in the order of the particles, and what they come to.
fn by_blocks(space: &Space, places: &[[f64; 3]]) -> (Vec<Measured>, Sums) {
    let (regions, _) = tessellate(space, places.len(), |number| places[number]).expect("no two at the same place");
    let mut all = DistVec::default();
    measured(&regions, &mut all);
    let mut all = all.to_all();
    all.sort_unstable_by_key(|measured| measured.id);
    (all, sums(&regions))
}

fn random(count: usize, clusters: u64) -> Vec<[f64; 3]> {
    (0..count as u64).map(|id| random_place(id, clusters)).collect()
}

fn lattice(sides: usize) -> Vec<[f64; 3]> {
    let place = |at: usize| (at as f64 + 0.5) / sides as f64;
    (0..sides.pow(3)).map(|id| [place(id % sides), place(id / sides % sides), place(id / sides / sides)]).collect()
}

/// Ranks, threads, blocks, and how many of these are in memory.
const PLANS: [(usize, usize, usize, Option<usize>); 7] = [
    (1, 1, 1, None),
    (1, 2, 3, Some(1)),
    (2, 1, 5, Some(2)),
    (3, 2, 4, None),
    (4, 1, 2, Some(1)),
    (7, 1, 13, None),
    (2, 7, 16, None),
];

#[test]
fn cells_are_those_that_all_particles_give() {
    for (places, periodic) in [
        (vec![], false),
        (vec![], true),
        (random(1, 0), false),
        (random(1, 0), true),
        (random(2, 0), false),
        (random(3, 0), true),
        (random(31, 3), true),
        (random(97, 0), false),
        (random(250, 2), false),
        (lattice(4), false),
        (lattice(3), true),
    ] {
        let space = |blocks| Space::new(UNIT, periodic, blocks, places.clone());
        let expected = plainly(&space(1), &places);
        for (ranks, threads, blocks, in_memory) in PLANS {
            let settings =
                Settings { blocks: in_memory.and_then(NonZeroUsize::new), ..Settings::from_env().expect("settings") };
            let runtime = Runtime::builder().settings(settings).ranks(ranks).threads(threads);
            for (found, sums) in runtime.run(|| by_blocks(&space(blocks), &places)) {
                let plan = format!("{} places, periodic {periodic}, {ranks} ranks, {blocks} blocks", places.len());
                assert_eq!(
                    found.iter().map(|cell| (cell.volume, cell.neighbours)).collect::<Vec<_>>(),
                    expected,
                    "{plan}"
                );
                assert!(found.iter().zip(&places).all(|(cell, at)| cell.at == *at), "{plan}");
                assert_eq!(sums.cells, places.len() as u64, "{plan}");
                assert_eq!(sums.faces, expected.iter().map(|(_, faces)| faces).sum::<u64>(), "{plan}");
                let whole = if places.is_empty() { 0.0 } else { 1.0 };
                assert!((sums.volume - whole).abs() < 1e-12, "{plan}: {}", sums.volume);
            }
        }
    }
}

#[test]
fn cells_of_a_lattice_are_cubes() {
    for (sides, periodic) in [(3, false), (5, true)] {
        let places = lattice(sides);
        let space = Space::new(UNIT, periodic, 6, places.clone());
        let (cells, _) = by_blocks(&space, &places);
        let cube = (sides as f64).powi(-3);
        assert!(cells.iter().all(|cell| (cell.volume / cube - 1.0).abs() < 1e-12));
        let inside = |cell: &Measured| periodic || cell.at.iter().all(|at| *at > 0.2 && *at < 0.8);
        assert!(cells.iter().filter(|cell| inside(cell)).all(|cell| cell.neighbours == 6));
    }
}

/// A periodic space has no place that differs from the others.
#[test]
fn a_periodic_space_may_be_moved() {
    let places = random(300, 4);
    let elsewhere = |by: [f64; 3]| {
        places.iter().map(move |at| [0, 1, 2].map(|axis| (at[axis] + by[axis]).rem_euclid(1.0))).collect()
    };
    let of = |places: Vec<[f64; 3]>| by_blocks(&Space::new(UNIT, true, 7, places.clone()), &places).0;
    let (here, there) = (of(places.clone()), of(elsewhere([0.37, 0.71, 0.05])));
    for (one, other) in here.iter().zip(&there) {
        assert!((one.volume / other.volume - 1.0).abs() < 1e-6, "{} and {}", one.volume, other.volume);
        assert_eq!(one.neighbours, other.neighbours);
    }
}

#[test]
fn the_density_is_that_of_the_nearest_particle() {
    for (periodic, shape) in [(false, [7, 5, 9]), (true, [6, 8, 4])] {
        let places = random(120, 2);
        let expected = plainly(&Space::new(UNIT, periodic, 1, vec![]), &places);
        let space = Space::new(UNIT, periodic, 5, places.clone());
        for ranks in [1, 3, 7] {
            let run = || {
                let (regions, _) = tessellate(&space, places.len(), |number| places[number]).expect("cells");
                density(&regions, &space, shape).to_all()
            };
            for found in Runtime::builder().ranks(ranks).threads(2).run(run) {
                assert_eq!(found.len(), shape.iter().product::<usize>());
                for (point, density) in found.iter().enumerate() {
                    let at = [point % shape[0], point / shape[0] % shape[1], point / shape[0] / shape[1]];
                    let at = [0, 1, 2].map(|axis| (at[axis] as f64 + 0.5) / shape[axis] as f64);
                    let away = |a: f64, b: f64| if periodic { (a - b).abs().min(1.0 - (a - b).abs()) } else { a - b };
                    let square = |place: &[f64; 3]| (0..3).map(|axis| away(place[axis], at[axis]).powi(2)).sum::<f64>();
                    let nearest = (0..places.len()).min_by(|a, b| square(&places[*a]).total_cmp(&square(&places[*b])));
                    assert_eq!(*density, (1.0 / expected[nearest.expect("a particle")].0) as f32);
                }
            }
        }
    }
}

#[test]
fn two_particles_at_one_place_are_named() {
    let mut places = random(50, 0);
    places[41] = places[7];
    places[30] = places[12];
    for blocks in [1, 4, 9] {
        let space = Space::new(UNIT, false, blocks, places.clone());
        for failed in Runtime::builder().ranks(3).run(|| tessellate(&space, 50, |number| places[number]).err()) {
            assert_eq!(failed, Some([7, 41]));
        }
    }
}

/// Flat data, and particles on the border.
#[test]
fn places_may_lie_in_a_plane_and_on_the_border() {
    let places: Vec<[f64; 3]> = (0..36).map(|id| [f64::from(id % 6) / 5.0, f64::from(id / 6) / 5.0, 0.0]).collect();
    let space = Space::new(UNIT, false, 8, places.clone());
    let (cells, sums) = by_blocks(&space, &places);
    assert!((sums.volume - 1.0).abs() < 1e-12);
    let corner = cells.iter().find(|cell| cell.at == [1.0, 1.0, 0.0]).expect("the last one");
    assert!((corner.volume - 0.01).abs() < 1e-12, "{corner:?}");
}

/// The same on the launcher's ranks.
#[forall::test]
fn on_this_launch() {
    let places = random(30, 2);
    let space = Space::new(UNIT, true, 5, places.clone());
    let (found, _) = by_blocks(&space, &places);
    assert_eq!(found.iter().map(|cell| (cell.volume, cell.neighbours)).collect::<Vec<_>>(), plainly(&space, &places));
}
