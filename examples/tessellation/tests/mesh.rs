//! The Delaunay mesh: tetrahedra with empty spheres that fill the hull, on any number of ranks, workers and blocks.

use forall::{DistVec, Runtime};
use tessellation::particles::random_place;
use tessellation::space::{Bounds, Space};
use tessellation::{
    Tetrahedron, densities_of_mesh, density_of_mesh, dual, mesh_sums, polyhedra, tessellate, tetrahedra,
};

const UNIT: Bounds = Bounds { low: [0.0; 3], high: [1.0; 3] };

fn random(count: usize, clusters: u64) -> Vec<[f64; 3]> {
    (0..count as u64).map(|id| random_place(id, clusters)).collect()
}

/// Places in a cube, the outer ones on its sides.
fn lattice(sides: usize) -> Vec<[f64; 3]> {
    let place = |at: usize| at as f64 / (sides - 1) as f64;
    (0..sides.pow(3)).map(|id| [place(id % sides), place(id / sides % sides), place(id / sides / sides)]).collect()
}

/// The mesh, its number of particles on the hull, and its volume.
fn mesh(space: &Space, places: &[[f64; 3]]) -> (Vec<Tetrahedron>, u64, f64) {
    let (regions, _) = tessellate(space, places.len(), |number| places[number]).expect("no two at the same place");
    let sums = mesh_sums(&regions);
    let mut all = DistVec::default();
    tetrahedra(&regions, &mut all);
    let mut all = all.to_all();
    all.sort_unstable();
    assert_eq!((all.len() as u64, sums.crowded), (sums.tetrahedra, None));
    (all, sums.hull, sums.volume)
}

fn minus(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [0, 1, 2].map(|axis| a[axis] - b[axis])
}

fn determinant([a, b, c]: [[f64; 3]; 3]) -> f64 {
    a[0] * (b[1] * c[2] - b[2] * c[1]) - a[1] * (b[0] * c[2] - b[2] * c[0]) + a[2] * (b[0] * c[1] - b[1] * c[0])
}

/// How far a place is inside of the sphere of a tetrahedron, relative to its distances.
fn inside(corners: [[f64; 3]; 4], place: [f64; 3]) -> f64 {
    let rows = corners.map(|corner| minus(corner, place));
    let squares = rows.map(|row| row.iter().map(|part| part * part).sum::<f64>());
    let minors = [0, 1, 2, 3].map(|without| {
        let others: Vec<[f64; 3]> = (0..4).filter(|row| *row != without).map(|row| rows[row]).collect();
        determinant([others[0], others[1], others[2]])
    });
    let sum: f64 = (0..4).map(|row| if row % 2 == 0 { squares[row] } else { -squares[row] } * minors[row]).sum();
    let turns = determinant([1, 2, 3].map(|corner| minus(corners[corner], corners[0])));
    -sum * turns.signum()
}

/// The number of triangles that belong to one tetrahedron only.
fn borders(all: &[Tetrahedron]) -> usize {
    let mut count = std::collections::BTreeMap::new();
    for Tetrahedron { particles, .. } in all {
        for without in 0..4 {
            let triangle: Vec<u64> =
                (0..4).filter(|corner| *corner != without).map(|corner| particles[corner]).collect();
            *count.entry(triangle).or_insert(0) += 1;
        }
    }
    assert!(count.values().all(|count| *count <= 2));
    count.values().filter(|count| **count == 1).count()
}

#[test]
fn spheres_are_empty_and_the_mesh_fills_its_hull() {
    for (places, clusters) in
        [(random(4, 0), 0), (random(5, 0), 0), (random(40, 0), 0), (random(300, 0), 0), (random(250, 3), 3)]
    {
        let space = |blocks| Space::new(UNIT, false, blocks, places.clone()).meshed();
        let (expected, hull, volume) =
            Runtime::builder().ranks(1).threads(1).run(|| mesh(&space(1), &places)).remove(0);
        for four in &expected {
            let corners = four.particles.map(|id| places[id as usize]);
            assert!(dual::volume(corners) > 0.0);
            let others = (0..places.len()).filter(|id| !four.particles.contains(&(*id as u64)));
            assert!(others.into_iter().all(|id| inside(corners, places[id]) >= -1e-12), "{four:?}");
        }
        // Euler: a closed surface of triangles has twice as many as corners, less four.
        assert_eq!(borders(&expected) as u64, 2 * hull - 4, "{} particles, {clusters} clusters", places.len());
        for (ranks, threads, blocks) in [(1, 2, 3), (2, 1, 8), (3, 2, 5), (7, 1, 13)] {
            let runtime = Runtime::builder().ranks(ranks).threads(threads);
            for (found, on_hull, content) in runtime.run(|| mesh(&space(blocks), &places)) {
                assert!(
                    found == expected && on_hull == hull && (content - volume).abs() < 1e-12 * volume,
                    "{blocks} blocks"
                );
            }
        }
    }
}

#[test]
fn lattices_are_filled_once() {
    for sides in [2, 3, 5] {
        let places = lattice(sides);
        let space = |blocks| Space::new(UNIT, false, blocks, places.clone()).meshed();
        let (expected, hull, volume) = mesh(&space(1), &places);
        assert!((volume - 1.0).abs() < 1e-12, "{sides}: {volume}");
        assert_eq!(hull as usize, sides.pow(3) - (sides - 2).pow(3));
        assert_eq!(borders(&expected), 12 * (sides - 1).pow(2));
        assert_eq!(mesh(&space(6), &places).0, expected);
    }
}

/// Particles whose cells all, or nearly all, end at the bounds, and bounds far away from them.
#[test]
fn cells_beyond_the_bounds_are_made_whatever_the_blocks() {
    let on_a_ball: Vec<[f64; 3]> = random(150, 0)
        .into_iter()
        .enumerate()
        .map(|(id, [turn, height, _])| {
            let (angle, height) = (std::f64::consts::TAU * turn, 2.0 * height - 1.0);
            let (round, size) = ((1.0 - height * height).sqrt(), 0.4 + 1e-4 * (id % 7) as f64);
            [0.5 + size * round * angle.cos(), 0.5 + size * round * angle.sin(), 0.5 + size * height]
        })
        .collect();
    let small: Vec<[f64; 3]> = random(200, 0).into_iter().map(|at| at.map(|at| 0.3 + 0.01 * at)).collect();
    let flat: Vec<[f64; 3]> = random(200, 0).into_iter().map(|[x, y, z]| [x, y, 0.5 + 1e-3 * z]).collect();
    for places in [on_a_ball, small, flat] {
        let space = |blocks| Space::new(UNIT, false, blocks, places.clone()).meshed();
        let (expected, hull, volume) = mesh(&space(1), &places);
        for four in &expected {
            let corners = four.particles.map(|id| places[id as usize]);
            let others = (0..places.len()).filter(|id| !four.particles.contains(&(*id as u64)));
            assert!(others.into_iter().all(|id| inside(corners, places[id]) >= -1e-12), "{four:?}");
        }
        assert_eq!(borders(&expected) as u64, 2 * hull - 4);
        for (ranks, blocks) in [(1, 2), (2, 9), (3, 64), (7, 16)] {
            for (found, on_hull, content) in Runtime::builder().ranks(ranks).run(|| mesh(&space(blocks), &places)) {
                assert!(found == expected && on_hull == hull, "{blocks} blocks");
                assert!((content - volume).abs() < 1e-12 * volume);
            }
        }
    }
}

/// Atoms of a crystal, the outer ones in the sides of a cube: each sphere has six of them.
#[test]
fn a_crystal_is_filled_once() {
    let corners = lattice(5).into_iter();
    let middles = lattice(5).into_iter().filter(|at| at.iter().all(|at| *at < 1.0)).map(|at| at.map(|at| at + 0.125));
    let places: Vec<[f64; 3]> = corners.chain(middles).collect();
    let space = |blocks| Space::new(UNIT, false, blocks, places.clone()).meshed();
    let (expected, hull, volume) = mesh(&space(1), &places);
    // Four tetrahedra for each face between two middles, and a pyramid of two for each square in the sides.
    assert_eq!((expected.len(), hull), (4 * 3 * 4 * 4 * 3 + 2 * 6 * 16, 98));
    assert!((volume - 1.0).abs() < 1e-12);
    for (ranks, blocks) in [(1, 2), (2, 8), (3, 64)] {
        for (found, on_hull, _) in Runtime::builder().ranks(ranks).run(|| mesh(&space(blocks), &places)) {
            assert!(found == expected && on_hull == hull, "{blocks} blocks");
        }
    }
}

#[test]
fn places_in_a_plane_or_a_line_have_no_tetrahedra() {
    let plane: Vec<[f64; 3]> = lattice(6).into_iter().filter(|at| at[1] == 0.4).collect();
    let line = (0..17).map(|id| [f64::from(id) / 16.0; 3]).collect();
    for places in [plane, line, random(3, 0), random(1, 0), Vec::new()] {
        for blocks in [1, 7] {
            let space = Space::new(UNIT, false, blocks, places.clone()).meshed();
            assert_eq!(mesh(&space, &places), (Vec::new(), places.len() as u64, 0.0));
        }
    }
}

#[test]
fn a_periodic_mesh_fills_the_space() {
    for (places, blocks) in [(random(200, 0), 1), (random(200, 0), 6), (random(400, 5), 4)] {
        let space = Space::new(UNIT, true, blocks, places.clone()).meshed();
        let (_, hull, volume) = mesh(&space, &places);
        assert!(hull == 0 && (volume - 1.0).abs() < 1e-12, "{volume}");
    }
}

#[test]
fn densities_are_linear_between_particles() {
    for periodic in [false, true] {
        let places = random(400, 0);
        let space = |blocks| Space::new(UNIT, periodic, blocks, places.clone()).meshed();
        let field = |blocks| {
            let (regions, _) = tessellate(&space(blocks), places.len(), |number| places[number]).expect("cells");
            let at_particles = densities_of_mesh(&regions, places.len());
            density_of_mesh(&regions, &space(blocks), &at_particles, [24; 3]).to_all()
        };
        let expected = field(1);
        let mass = expected.iter().map(|density| f64::from(*density)).sum::<f64>() / 13_824.0;
        assert!((mass / 400.0 - 1.0).abs() < 0.1, "{mass}");
        for found in Runtime::builder().ranks(3).threads(2).run(|| field(7)) {
            let near = |(one, other): (&f32, &f32)| (one - other).abs() <= 1e-5 * one.abs();
            assert!(found.iter().zip(&expected).all(near));
        }
    }
}

#[test]
fn polyhedra_have_the_volumes_of_their_cells() {
    let places = random(60, 0);
    let space = Space::new(UNIT, false, 5, places.clone());
    let (regions, _) = tessellate(&space, places.len(), |number| places[number]).expect("cells");
    let (mut numbers, mut corners) = (DistVec::default(), DistVec::default());
    polyhedra(&regions, &space, &mut numbers, &mut corners);
    let (numbers, corners) = (numbers.to_all(), corners.to_all());
    let (mut at, mut first, mut volume, mut count) = (0, 0, 0.0, 0);
    while at < numbers.len() {
        let [id, places_of, faces] = [numbers[at] as usize, numbers[at + 1] as usize, numbers[at + 2] as usize];
        at += 3;
        for _ in 0..faces {
            let face = &numbers[at + 1..][..numbers[at] as usize];
            let corner = |k: usize| corners[first + face[k] as usize];
            volume +=
                (2..face.len()).map(|k| dual::volume([places[id], corner(0), corner(k - 1), corner(k)])).sum::<f64>();
            at += 1 + face.len();
        }
        first += places_of;
        count += 1;
    }
    assert_eq!((count, first), (60, corners.len()));
    assert!((volume - 1.0).abs() < 1e-9, "{volume}");
}
