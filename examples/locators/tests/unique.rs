//! Which points are the same, against a map of all of them, on any number of threads and ranks and under every schedule.

use forall::{DistVec, Schedule};
use locators::{Boxes, Extent, Grid, Locked, Own, Unique, key};
use proptest::prelude::*;
use std::collections::HashMap;

/// The result of the sequential loop.
fn expected(points: &[[f32; 3]]) -> (Vec<u64>, Vec<[u32; 3]>, Vec<u64>) {
    let (mut seen, mut unique) = (HashMap::new(), Vec::new());
    let (mut first, mut numbers) = (Vec::new(), Vec::new());
    for (i, point) in points.iter().enumerate() {
        let (at, number) = *seen.entry(key(*point)).or_insert_with(|| {
            unique.push(key(*point));
            (i as u64, unique.len() as u64 - 1)
        });
        first.push(at);
        numbers.push(number);
    }
    (first, unique, numbers)
}

fn check(points: &[[f32; 3]], builder: &forall::Builder) {
    let (first, unique, numbers) = expected(points);
    for found in builder.clone().run(|| {
        let at = DistVec::from_fn(points.len(), |i| points[i]);
        let grid = Grid::around(&at, points.len());
        [Locked::firsts, Own::firsts].map(|firsts| {
            let first = firsts(&at, grid);
            let Unique { points, numbers } = Unique::of(&at, &first);
            (first.to_all(), points.to_all(), numbers.to_all())
        })
    }) {
        for (by, (of_first, points, of_all)) in ["locked", "own"].into_iter().zip(found) {
            assert_eq!(of_first, first, "{by}, {builder:?}");
            assert!(points.into_iter().map(key).eq(unique.iter().copied()), "{by}, {builder:?}");
            assert_eq!(of_all, numbers, "{by}, {builder:?}");
        }
    }
}

fn builder(ranks: usize, threads: usize) -> forall::Builder {
    forall::Runtime::builder().backend("threads").ranks(ranks).threads(threads)
}

/// The same on the ranks of a launcher, where there is one.
#[forall::test(ranks = 3)]
fn points_are_found_on_this_launch() {
    for n in [1, 13, 2003] {
        let points = crowded(n, 9);
        let (first, unique, numbers) = expected(&points);
        let at = DistVec::from_fn(n, |i| points[i]);
        let grid = Grid::around(&at, n);
        for firsts in [Locked::firsts, Own::firsts] {
            let of_first = firsts(&at, grid);
            let found = Unique::of(&at, &of_first);
            assert_eq!((of_first.to_all(), found.numbers.to_all()), (first.clone(), numbers.clone()));
            assert!(found.points.to_all().into_iter().map(key).eq(unique.iter().copied()));
        }
    }
}

/// Points that are often the same.
fn crowded(n: usize, values: u64) -> Vec<[f32; 3]> {
    let mut state = 7_u64;
    let mut next = || {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        ((state >> 33) % values) as f32 / 7.0
    };
    (0..n).map(|_| [next(), next(), next()]).collect()
}

#[test]
fn points_are_found_on_all_ranks_threads_and_schedules() {
    for n in [0, 1, 2, 13, 3001] {
        let points = crowded(n, 9);
        for ranks in [1, 2, 3, 4, 7] {
            check(&points, &builder(ranks, 2));
        }
        for schedule in Schedule::ALL {
            for threads in [1, 2, 7] {
                // Chunks of 50 points: all threads get some.
                check(&points, &builder(1, threads).schedule(schedule).grain(50));
            }
        }
    }
}

#[test]
fn odd_points_are_points_too() {
    let all = [
        [0.0, -0.0, f32::NAN],
        [-0.0, 0.0, -f32::NAN],
        [f32::INFINITY, 1.0, 1.0],
        [f32::NEG_INFINITY, 1.0, 1.0],
        [f32::MAX, f32::MIN, f32::MIN_POSITIVE],
        [1e-40, 0.0, 0.0],
        [0.0, 0.0, 0.0],
        [-0.0, 0.0, -0.0],
    ];
    let points: Vec<[f32; 3]> = (0..64).map(|i| all[i * i % all.len()]).collect();
    check(&points, &builder(1, 2).grain(3));
    check(&points, &builder(3, 1));
}

/// The triangles of an octahedron, each divided into four so often, and their corners pushed to the unit sphere: a closed surface.
fn sphere(levels: u32) -> Vec<[f32; 3]> {
    fn divide([a, b, c]: [[f64; 3]; 3], levels: u32, out: &mut Vec<[f32; 3]>) {
        if levels == 0 {
            return out.extend([a, b, c].map(|corner| corner.map(|x| x as f32)));
        }
        let middle = |a: [f64; 3], b: [f64; 3]| {
            let sum = [0, 1, 2].map(|k| a[k] + b[k]);
            let length = sum.iter().map(|x| x * x).sum::<f64>().sqrt();
            sum.map(|x| x / length)
        };
        let (ab, bc, ca) = (middle(a, b), middle(b, c), middle(c, a));
        for part in [[a, ab, ca], [ab, b, bc], [ca, bc, c], [ab, bc, ca]] {
            divide(part, levels - 1, out);
        }
    }
    let mut out = Vec::new();
    for octant in 0..8 {
        let axis = |k: usize| {
            let mut at = [0.0; 3];
            at[k] = if octant >> k & 1 == 0 { 1.0 } else { -1.0 };
            at
        };
        let even = u32::count_ones(octant) % 2 == 0;
        let corners = if even { [axis(0), axis(1), axis(2)] } else { [axis(0), axis(2), axis(1)] };
        divide(corners, levels, &mut out);
    }
    out
}

#[test]
fn closed_surfaces_stay_closed() {
    let corners = sphere(4);
    for (ranks, threads) in [(1, 1), (1, 2), (1, 7), (2, 1), (3, 2), (4, 1), (7, 1)] {
        for (points, triangles) in builder(ranks, threads).grain(100).run(|| {
            let at = DistVec::from_fn(corners.len(), |i| corners[i]);
            let unique = Unique::of(&at, &Own::firsts(&at, Grid::around(&at, at.len() / 6)));
            let again = Unique::of(&at, &Locked::firsts(&at, Grid::around(&at, at.len() / 6)));
            assert_eq!(unique.numbers.to_all(), again.numbers.to_all());
            (unique.points.len(), unique.numbers.to_all())
        }) {
            // Euler: a closed surface without holes has two more points and triangles than edges.
            let mut edges: HashMap<(u64, u64), i32> = HashMap::new();
            for triangle in triangles.chunks(3) {
                for k in 0..3 {
                    let (a, b) = (triangle[k], triangle[(k + 1) % 3]);
                    // Each edge is gone along once in each direction.
                    *edges.entry((a.min(b), a.max(b))).or_default() += if a < b { 1 } else { 100 };
                }
            }
            assert!(edges.values().all(|count| *count == 101));
            assert_eq!(points + triangles.len() / 3, edges.len() + 2);
        }
    }
}

/// Boxes of all sizes: points, flat ones, one around all, and some that hold nothing.
fn boxes(count: usize) -> Vec<Extent> {
    let corners = crowded(2 * count, 50);
    let extents = corners.as_chunks::<2>().0.iter().enumerate().map(|(i, [low, more])| match i % 7 {
        0 => [*low, *low],
        1 => [*low, [low[0] + more[0], low[1], low[2] + 0.1]],
        2 if i % 5 == 0 => [[-1.0; 3], [9.0; 3]],
        3 => [[low[0] + 1.0, low[1], low[2]], *low],
        4 if i % 3 == 0 => [[f32::NAN; 3], *low],
        _ => [*low, [0, 1, 2].map(|axis| low[axis] + 0.2 * more[axis])],
    });
    extents.collect()
}

#[test]
fn boxes_are_found_that_hold_a_point() {
    for count in [0, 1, 2, 13, 2003] {
        let boxes = boxes(count);
        let mut points = crowded(300, 60);
        points.extend([[-5.0; 3], [50.0; 3], [f32::NAN; 3], [f32::INFINITY, 0.0, 0.0]]);
        let holds = |point: [f32; 3], [low, high]: Extent| (0..3).all(|k| low[k] <= point[k] && point[k] <= high[k]);
        for (ranks, threads) in [(1, 1), (1, 2), (3, 1), (4, 2), (7, 1)] {
            let found = builder(ranks, threads).grain(50).run(|| Boxes::new(&DistVec::from_fn(count, |i| boxes[i])));
            assert!(found.iter().all(|other| *other == found[0]));
            for &point in &points {
                let near: Vec<usize> = found[0].near(point).collect();
                assert!(near.is_sorted_by(|a, b| a < b) && near.iter().all(|number| *number < count));
                let expected = (0..count).filter(|number| holds(point, boxes[*number]));
                let holding = near.iter().copied().filter(|number| holds(point, boxes[*number]));
                assert!(expected.eq(holding), "{point:?}");
            }
        }
    }
}

#[test]
fn ranks_keep_what_others_do_not_have() {
    // Each rank has points of its own, and some of the next one's.
    let points: Vec<[f32; 3]> = (0..4000).map(|i| [(i / 1000 * 900 + i % 1000) as f32, 0.5, 0.0]).collect();
    for ranks in [2, 4] {
        check(&points, &builder(ranks, 2).grain(100));
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_points_on_any_ranks(
        points in prop::collection::vec(prop::array::uniform3(prop_oneof![-2.0f32..2.0, (0..4).prop_map(|k| k as f32)]), 0..400),
        ranks in 1usize..5,
        threads in 1usize..4,
        grain in 1usize..60,
    ) {
        check(&points, &builder(ranks, threads).grain(grain));
    }
}
