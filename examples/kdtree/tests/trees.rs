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
    forall_examples::points::points(&path, &[1, 2, 3], 500.0).expect("a catalogue").at
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
fn both_ways_make_the_same_tree_and_the_direct_one_with_fewer_messages() {
    for (n, dims) in [(0, 3), (1, 2), (2, 3), (3, 3), (500, 3), (3001, 2), (4096, 3)] {
        // Also points that lie at the same place, or in rows.
        let coarse = |mut at: [f64; 3]| {
            at[dims..].fill(0.0);
            at.map(|value| (value * 3.0).floor())
        };
        for at in [random(n), random(n).into_iter().map(coarse).collect()] {
            let mut trees: Vec<Vec<u32>> = Vec::new();
            for ranks in [1, 2, 3, 4, 7] {
                let built = forall::Runtime::builder().ranks(ranks).threads(2).run(|| {
                    let sent = || forall_core::runtime::current().map_or(0, |context| context.traffic().messages);
                    let build = |levels: bool| {
                        let (mut tree, before) = (points(&at), sent());
                        if levels {
                            by_levels(&mut tree, dims);
                        } else {
                            directly(&mut tree, dims, 2);
                        }
                        let messages = sent() - before;
                        (tree.to_all().iter().map(|point| point.id).collect::<Vec<_>>(), messages)
                    };
                    (build(true), build(false))
                });
                let messages =
                    |direct: bool| built.iter().map(|both| if direct { both.1.1 } else { both.0.1 }).sum::<u64>();
                if ranks > 1 && n > 1000 {
                    assert!(2 * messages(true) < messages(false), "{} of {}", messages(true), messages(false));
                }
                trees.extend(built.into_iter().flat_map(|((levels, _), (direct, _))| [levels, direct]));
            }
            assert!(trees.iter().all(|tree| *tree == trees[0]), "{n} points in {dims} dimensions");
        }
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
        ("d.ply", "ply\nformat ascii 1.0\nelement vertex many\nend_header\n", "`element vertex many` has no number"),
        (
            "e.ply",
            "ply\nformat ascii 1.0\nelement vertex 1\nproperty half x\nend_header\n1\n",
            "`half` is no kind of number",
        ),
        (
            "f.ply",
            "ply\nformat ascii 1.0\nelement camera 1\nproperty float x\nend_header\n1\n",
            "`camera` comes before",
        ),
        (
            "g.ply",
            "ply\nformat ascii 1.0\nelement vertex 1\nproperty list uchar int x\nend_header\n1\n",
            "vertices with lists",
        ),
        ("h.ply", "plx\nformat ascii 1.0\nelement vertex 1\nend_header\n1\n", "does not begin as PLY files do"),
        ("i.ply", "ply\nformat binary_big_endian 1.0\nelement vertex 1\nend_header\n1\n", "only little-endian"),
        ("hip2.dat", "\u{e9}\u{e9}\u{e9}\u{e9}\u{e9}\u{e9}\u{e9}\u{e9}\u{e9}\n", "line 1: it ends before column 28"),
    ] {
        let path = folder.path().join(name);
        std::fs::write(&path, text).expect("a file");
        let error = forall_examples::points::points(&path, &[1, 2, 3], 1e9).expect_err("it is damaged").to_string();
        assert!(error.contains(said), "{error}");
    }
}

#[test]
fn vertices_of_any_kind_of_number_are_read() {
    let folder = tempfile::TempDir::new().expect("a folder");
    let header = "property short x\r\nproperty uchar red\r\nproperty int y\r\nproperty double z\r\nelement face 0\r\nend_header\r\n";
    let header = format!("ply\r\nformat binary_little_endian 1.0\r\nelement vertex 2\r\n{header}");
    let mut bytes = header.into_bytes();
    for (x, y, z) in [(-3_i16, 70_000_i32, 0.5_f64), (4, -5, -1e300)] {
        bytes.extend(x.to_le_bytes());
        bytes.push(7);
        bytes.extend(y.to_le_bytes());
        bytes.extend(z.to_le_bytes());
    }
    let path = folder.path().join("kinds.ply");
    std::fs::write(&path, &bytes).expect("a file");
    let input = forall_examples::points::points(&path, &[1, 2, 3], 1e9).expect("it is a good file");
    assert_eq!(input.at, [[-3.0, 70_000.0, 0.5], [4.0, -5.0, -1e300]]);
    // Wherever it is cut off, that is said.
    for len in 0..bytes.len() {
        std::fs::write(&path, &bytes[..len]).expect("a file");
        forall_examples::points::points(&path, &[1, 2, 3], 1e9).expect_err("it is cut off");
    }
}
