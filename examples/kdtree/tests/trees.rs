//! Trees over random, equal and real points, on any number of ranks, against brute force.

use forall::DistVec;
use kdtree::{Point, by_levels, directly, misplaced, nearest, nearest_to, pairs, sum, within};

fn random(n: usize) -> Vec<[f64; 3]> {
    let coordinate = |i: usize| ((i as f64 + 1.0) * 0.754_877_666).sin() * 43_758.545_3 % 1.0;
    (0..n).map(|i| [3 * i, 3 * i + 1, 3 * i + 2].map(coordinate)).collect()
}

fn points(at: &[[f64; 3]]) -> DistVec<Point> {
    DistVec::from_fn(at.len(), |i| Point::new(at[i], i as u32))
}

/// Stars of the Hipparcos catalogue (van Leeuwen 2007), with their number in the file.
fn stars() -> Vec<[f64; 3]> {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("data/hip2.dat");
    kdtree::read::points(&path, &[1, 2, 3], 500.0).expect("a catalogue").at
}

fn check(at: &[[f64; 3]], dims: usize, levels: bool) {
    let mut tree = points(at);
    if levels {
        by_levels(&mut tree, dims);
    } else {
        directly(&mut tree, dims, 2);
    }
    let whole = tree.to_all();
    let mut ids: Vec<u32> = whole.iter().map(|point| point.id).collect();
    ids.sort_unstable();
    assert!(ids.iter().copied().eq(0..at.len() as u32), "each point is in the tree once");
    assert_eq!(misplaced(&tree, &whole, dims), 0, "{} points in {dims} dimensions", at.len());
}

#[test]
fn every_node_divides_its_points_in_halves() {
    for ranks in [1, 2, 3, 4, 7] {
        forall::Runtime::builder().ranks(ranks).threads(2).run(|| {
            for n in [0, 1, 2, ranks - 1, ranks, ranks + 1, 500, 3001] {
                for (at, dims) in [(random(n), 3), (vec![[1.0, 2.0, 0.0]; n], 2), (random(n), 2)] {
                    check(&at, dims, false);
                    check(&at, dims, true);
                }
            }
        });
    }
}

#[test]
fn what_is_near_is_what_brute_force_finds() {
    for ranks in [1, 3] {
        forall::Runtime::builder().ranks(ranks).run(|| {
            let at = random(700);
            let mut tree = points(&at);
            directly(&mut tree, 3, 1);
            let whole = tree.to_all();
            let square = |a: &[f64; 3], b: &[f64; 3]| (0..3).map(|k| (a[k] - b[k]).powi(2)).sum::<f64>();
            let mut all = Vec::new();
            for point in &whole {
                let mut expected: Vec<(f64, u32)> = (0..at.len())
                    .filter(|&i| i != point.id as usize)
                    .map(|i| (square(&at[i], &point.at), i as u32))
                    .collect();
                expected.sort_by(|a, b| a.partial_cmp(b).unwrap());
                assert_eq!(nearest_to(&whole, 3, point, 5), expected[..5]);
                let mut near = within(&whole, 3, &point.at, 0.2);
                near.sort_unstable();
                let expected: Vec<u32> =
                    (0..at.len() as u32).filter(|&i| square(&at[i as usize], &point.at) <= 0.04).collect();
                assert_eq!(near, expected);
                all.extend(near.into_iter().filter(|&i| i > point.id).map(|i| [point.id, i]));
            }
            let mut found = DistVec::default();
            pairs(&tree, &whole, 3, 0.2, &mut found);
            let mut found = found.to_all();
            found.sort_unstable();
            all.sort_unstable();
            assert_eq!(found, all);
        });
    }
}

#[test]
fn stars_have_the_same_neighbours_on_any_number_of_ranks() {
    let at = stars();
    let mut means = Vec::new();
    for ranks in [1, 2, 5] {
        for levels in [false, true] {
            let mean = forall::Runtime::builder().ranks(ranks).run(|| {
                let mut tree = points(&at);
                if levels {
                    by_levels(&mut tree, 3)
                } else {
                    directly(&mut tree, 3, 1)
                }
                tree.rebalance();
                let (whole, mut distances) = (tree.to_all(), DistVec::zeroed_like(&tree));
                nearest(&tree, &whole, 3, 1, &mut distances);
                sum(&distances) / at.len() as f64
            });
            means.push(mean[0]);
        }
    }
    assert!(at.len() > 100 && means.iter().all(|mean| (mean - means[0]).abs() < 1e-9), "{means:?}");
}

#[test]
fn damaged_lines_are_named() {
    let folder = tempfile::TempDir::new().expect("a folder");
    for (name, text, said) in [
        ("a.csv", "x,y,z\n1,2,3\n4,5\n", "line 3: there is no column 3, but 2"),
        ("b.txt", "1 2 3\n1 nan 2\n", "line 2: `nan` is no finite number"),
        ("hip2.dat", "     1 5 0 1  0.0\n", "line 1: it ends before column 28"),
        (
            "c.ply",
            "ply\nformat ascii 1.0\nelement vertex 2\nproperty float x\nproperty float y\nproperty float z\nend_header\n1 2 3\n",
            "cut off",
        ),
    ] {
        let path = folder.path().join(name);
        std::fs::write(&path, text).expect("a file");
        let error = kdtree::read::points(&path, &[1, 2, 3], 1e9).expect_err("it is damaged").to_string();
        assert!(error.contains(said), "{error}");
    }
}
