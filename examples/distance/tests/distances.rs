//! Distances are those that all pairs of points give: on any number of ranks, workers and blocks, in memory or not.

use distance::{Figures, distances, figures, plane_to_all, range, slabs};
use forall::{Runtime, Settings};
use forall_examples::grid::Grid;
use std::convert::Infallible;
use std::num::NonZeroUsize;

/// A value from -1 to 1 for each point, with balls of many sizes.
fn value(point: usize) -> f32 {
    let wave = |period: usize| ((point * 7919 % period) as f32 / period as f32 - 0.5) * 2.0;
    (wave(61) + wave(17) * wave(29)).clamp(-1.0, 1.0)
}

fn values(grid: &Grid, z: std::ops::Range<usize>) -> Vec<f32> {
    let plane = grid.shape()[0] * grid.shape()[1];
    (z.start * plane..z.end * plane).map(value).collect()
}

/// The distances by all pairs of points.
fn plainly(grid: &Grid, iso: f32) -> Vec<f32> {
    let [nx, ny, nz] = grid.shape();
    let point = |i: usize| [grid.axes[0][i % nx], grid.axes[1][i / nx % ny], grid.axes[2][i / nx / ny]];
    let inside: Vec<bool> = (0..nx * ny * nz).map(|i| value(i) > iso).collect();
    let nearest = |i: usize| {
        let others = (0..inside.len()).filter(|j| inside[*j] != inside[i]);
        let squares = others.map(|j| (0..3).map(|axis| (point(i)[axis] - point(j)[axis]).powi(2)).sum());
        let square: f64 = squares.fold(f64::INFINITY, f64::min);
        if inside[i] { -square as f32 } else { square as f32 }
    };
    (0..inside.len()).map(nearest).collect()
}

/// The squared distances of all points, what they come to, and the range of the values.
fn by_blocks(grid: &Grid, iso: f32, count: usize) -> (Vec<f32>, Figures, [f32; 2]) {
    let read = |planes| Ok::<_, Infallible>(values(grid, planes));
    let mut slabs = slabs(grid, count, read).unwrap_or_else(|never| match never {});
    let range = range(&slabs);
    distances(&mut slabs, iso);
    let planes = (0..grid.shape()[2]).flat_map(|z| plane_to_all(&slabs, grid.shape()[2], z));
    (planes.collect(), figures(&slabs), range)
}

fn grids() -> Vec<Grid> {
    let uneven = |n: usize| (0..n).map(|i| (i * i) as f64 * 0.25 + i as f64).collect::<Vec<_>>();
    let falling = |n: usize| (0..n).map(|i| -1.5 * i as f64).collect::<Vec<_>>();
    vec![
        Grid::even([1; 3], [0.0; 3], [1.0; 3]),
        Grid::even([7, 5, 11], [0.0; 3], [1.0; 3]),
        Grid::even([18, 3, 4], [5.0, -3.0, 0.5], [1.0, 1.0, 1.5]),
        Grid { axes: [uneven(6), falling(9), uneven(8)] },
    ]
}

#[test]
fn distances_are_those_of_all_pairs() {
    for grid in grids() {
        // Few points inside, half of them, almost all, all and none.
        for iso in [0.9, 0.0, -0.8, -2.0, 2.0] {
            let expected = plainly(&grid, iso);
            for (ranks, threads, blocks, in_memory) in [
                (1, 1, 1, None),
                (1, 2, 3, Some(1)),
                (2, 1, 5, Some(2)),
                (3, 2, 4, None),
                (4, 1, 2, Some(1)),
                (7, 1, 13, None),
            ] {
                let settings = Settings {
                    blocks: in_memory.and_then(NonZeroUsize::new),
                    ..Settings::from_env().expect("settings")
                };
                let runtime = Runtime::builder().settings(settings).ranks(ranks).threads(threads);
                for (found, figures, range) in runtime.run(|| by_blocks(&grid, iso, blocks)) {
                    let plan = format!("{:?} above {iso}, {ranks} ranks, {blocks} blocks", grid.shape());
                    assert_eq!(found, expected, "{plan}");
                    let inside = || found.iter().filter(|squared| squared.is_sign_negative());
                    assert_eq!(figures.inside, inside().count() as u64, "{plan}");
                    assert_eq!(figures.inside + figures.outside, found.len() as u64, "{plan}");
                    let most = inside().map(|squared| f64::from(-squared)).fold(0.0, f64::max);
                    assert_eq!(figures.most_inside, most, "{plan}");
                    let all = || (0..found.len()).map(value);
                    assert_eq!(range, [all().fold(1.0, f32::min), all().fold(-1.0, f32::max)], "{plan}");
                }
            }
        }
    }
}

/// The same on the launcher's ranks.
#[forall::test]
fn on_this_launch() {
    for grid in grids() {
        let (found, _, _) = by_blocks(&grid, 0.0, 5);
        assert_eq!(found, plainly(&grid, 0.0));
    }
}
