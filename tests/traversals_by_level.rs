//! Traversals level by level, against the sequential function: the device computes, and the order is that of the plain recursion.

use forall::traverse;
use forall_core::device::Moved;
use forall_core::node::Serial;
use forall_gpu::{Choice, Gpu};
use std::sync::OnceLock;

/// Whether there is a graphics processor. Where there is none, tests are skipped, unless `FORALL_REQUIRE_GPU=1`.
fn has_gpu() -> bool {
    static GPU: OnceLock<bool> = OnceLock::new();
    *GPU.get_or_init(|| match Gpu::open(Box::new(Serial), &Choice::LocalRank(0)) {
        Ok(_) => true,
        Err(error) if std::env::var("FORALL_REQUIRE_GPU").as_deref() == Ok("1") => panic!("{error}"),
        Err(error) => {
            eprintln!("SKIPPED: {error}");
            false
        }
    })
}

/// A tree in plain arrays: where the children of each node begin and how many there are, and a number.
#[derive(Debug, Clone, Default)]
struct Tree {
    first: Vec<u32>,
    count: Vec<u32>,
    value: Vec<i32>,
}

impl Tree {
    /// Of so many nodes, each with as many children as `children` says, as long as there are any.
    fn new(nodes: usize, children: impl Fn(usize) -> usize) -> Tree {
        let (mut tree, mut end) = (Tree::default(), 1);
        for node in 0..nodes {
            let more = if end > node + 1 || node == 0 { children(node) } else { children(node).max(1) };
            let more = more.min(nodes - end);
            tree.first.push(end as u32);
            tree.count.push(more as u32);
            tree.value.push((node as i32).wrapping_mul(7919) % 1009 - 300);
            end += more;
        }
        tree
    }
}

/// Numbers before, between and after those below, sums and the greatest.
#[allow(clippy::too_many_arguments)]
#[traverse]
fn around(
    #[replicated] first: &[u32],
    #[replicated] count: &[u32],
    #[replicated] value: &[i32],
    at: usize,
    depth: u32,
    out: &mut Vec<i32>,
    depths: &mut Vec<u32>,
    sum: &mut i32,
    total: &mut f32,
    most: &mut i32,
) {
    let here = value[at];
    out.push(here);
    depths.push(depth);
    *sum += here;
    *sum -= 1;
    // Division has other last bits on devices.
    *total += here as f32 * 0.37;
    *most = (*most).max(here);
    if here % 13 == 12 {
        return;
    }
    for child in first[at]..first[at] + count[at] {
        if child % 17 == 16 {
            out.push(-1);
            continue;
        }
        around(first, count, value, child as usize, depth + 1, out, depths, sum, total, most);
        *total += 0.1;
        out.push(here.wrapping_mul(2));
    }
    *total += 0.7;
    out.push(here.wrapping_mul(3));
}

/// All that is collected, as bits.
type Found = (Vec<i32>, Vec<u32>, i32, u32, i32);

macro_rules! found {
    ($function:expr, $tree:expr, $roots:expr) => {{
        let (mut out, mut depths, mut sum, mut total, mut most) = (vec![7], Vec::new(), 3, 0.5, i32::MIN);
        for root in $roots {
            $function(
                &$tree.first,
                &$tree.count,
                &$tree.value,
                root,
                0,
                &mut out,
                &mut depths,
                &mut sum,
                &mut total,
                &mut most,
            );
        }
        (out, depths, sum, f32::to_bits(total), most)
    }};
}

fn on(backend: &str, ranks: usize, grain: usize, tree: &Tree, roots: &[usize]) -> (Vec<Found>, bool) {
    let builder = forall::Runtime::builder().backend(backend).ranks(ranks).threads(2).grain(grain);
    let all = builder.run(|| {
        let before = Moved::so_far();
        let roots = roots.iter().copied();
        let found = found!(around, tree, roots);
        (found, Moved::since(before) != Moved::default())
    });
    let moved = all.iter().any(|(_, moved)| *moved);
    (all.into_iter().map(|(found, _)| found).collect(), moved)
}

/// The results of all ranks: the pushed elements are their shares, the rest is the same.
fn put_together(all: Vec<Found>) -> Found {
    let mut all = all.into_iter();
    let mut whole = all.next().unwrap();
    for (out, depths, sum, total, most) in all {
        assert_eq!((sum, total, most), (whole.2, whole.3, whole.4));
        // Each rank had one element before.
        whole.0.extend(&out[1..]);
        whole.1.extend(depths);
    }
    whole
}

fn check(name: &str, tree: &Tree, roots: &[usize], on_device: bool) {
    if !has_gpu() {
        return;
    }
    for (ranks, grain) in [(1, 2), (1, 13), (3, 2)] {
        // What several traversals push is together on each rank.
        let roots = &roots[..if ranks > 1 { 1 } else { roots.len() }];
        let (sequential, _) = on("serial", 1, 64, tree, roots);
        assert!(on("threads", 1, 64, tree, roots).0 == sequential, "{name}, on threads");
        let (found, moved) = on("gpu", ranks, grain, tree, roots);
        let (found, expected) = (put_together(found), sequential[0].clone());
        // Ranks add up what each of them has.
        let off = (f32::from_bits(found.3) / f32::from_bits(expected.3) - 1.0).abs();
        assert!(found.3 == expected.3 || ranks > 1 && off < 1e-4, "{name}, {ranks} ranks, {grain}: {off}");
        assert!(
            (found.0, found.1, found.2, found.4) == (expected.0, expected.1, expected.2, expected.4),
            "{name}, {ranks} ranks, {grain}"
        );
        assert!(moved == on_device || ranks > 1 || grain > 2, "{name}, {ranks} ranks, {grain}");
    }
}

#[test]
fn what_is_collected_is_in_the_order_of_the_recursion() {
    assert!(around::EXPLAIN.contains("gpu: yes, level by level"), "{}", around::EXPLAIN);
    for nodes in [1, 2, 13, 1009] {
        let tree = Tree::new(nodes, |node| [2, 3, 0, 1, 5][node % 5]);
        check("uneven", &tree, &[0], nodes > 2);
    }
    check("eight", &Tree::new(4001, |_| 8), &[0, 1, 0], true);
}

#[test]
fn trees_of_all_shapes_are_traversed() {
    let lopsided = Tree::new(3001, |node| if node % 10 == 0 { 11 } else { 0 });
    check("lopsided", &lopsided, &[0], true);
    // Levels of one call are not worth a launch, unless told; and the first 32 are made on threads.
    check("chain", &Tree::new(1201, |_| 1), &[0], false);
    let (sequential, _) = on("threads", 1, 64, &lopsided, &[0]);
    let (found, moved) = on("gpu", 1, 100_000, &lopsided, &[0]);
    assert!(found == sequential);
    assert!(!moved, "levels have fewer calls than are asked for");
}

/// The numbers of all nodes.
#[traverse]
fn numbers(#[replicated] next: &[[u32; 2]], at: usize, out: &mut Vec<u32>) {
    let [left, right] = next[at];
    if left as usize != at {
        numbers(next, left as usize, out);
        out.push(at as u32);
        numbers(next, right as usize, out);
    }
}

#[test]
fn a_deep_tree_has_many_levels() {
    if !has_gpu() {
        return;
    }
    const LEVELS: u32 = 1030;
    let comb: Vec<[u32; 2]> = (0..=2 * LEVELS)
        .map(|node| if node % 2 == 0 && node < 2 * LEVELS { [node + 1, node + 2] } else { [node, node] })
        .collect();
    let builder = forall::Runtime::builder().backend("gpu").grain(2);
    let found = builder.run(|| {
        let mut out = Vec::new();
        numbers(&comb, 0, &mut out);
        out
    });
    assert!(found[0].iter().copied().eq((0..LEVELS).map(|level| 2 * level)));
}

/// A tree whose children are computed.
#[traverse(depth = 40)]
fn halves(
    #[replicated] values: &[f32],
    from: usize,
    to: usize,
    least: f32,
    out: &mut Vec<[u32; 2]>,
    product: &mut f64,
) {
    if to - from <= 3 {
        for k in from..to {
            if values[k] > least {
                out.push([k as u32, (to - from) as u32]);
                *product *= values[k] as f64;
            }
        }
        return;
    }
    let middle = from + (to - from) / 2;
    halves(values, middle, to, least, out, product);
    halves(values, from, middle, least * 0.99, out, product);
}

#[test]
fn children_may_be_computed_and_several_numbers_handed_down() {
    if !has_gpu() {
        return;
    }
    assert!(halves::EXPLAIN.contains("gpu: yes"), "{}", halves::EXPLAIN);
    let values: Vec<f32> = (0..5003).map(|k| (k * 7919 % 1013) as f32 / 500.0).collect();
    let run = |backend: &str, ranks: usize, grain: usize| {
        let builder = forall::Runtime::builder().backend(backend).ranks(ranks).threads(2).grain(grain);
        let found = builder.run(|| {
            let (mut out, mut product) = (Vec::new(), 1.0);
            halves(&values, 0, values.len(), 1.5, &mut out, &mut product);
            (out, product.to_bits())
        });
        let product = found[0].1;
        assert!(found.iter().all(|(_, other)| *other == product));
        (found.into_iter().flat_map(|(out, _)| out).collect::<Vec<_>>(), product)
    };
    let expected = run("threads", 1, 64);
    let (mut out, mut product) = (Vec::new(), 1.0);
    halves::sequential(&values, 0, values.len(), 1.5, &mut out, &mut product);
    assert_eq!(expected.0, out);
    for (ranks, grain) in [(1, 1), (2, 7), (4, 1)] {
        let found = run("gpu", ranks, grain);
        assert!(found.0 == expected.0, "{ranks} ranks");
        let off = (f64::from_bits(found.1) / f64::from_bits(expected.1) - 1.0).abs();
        assert!(found.1 == expected.1 || ranks > 1 && off < 1e-9, "{ranks} ranks: {off}");
    }
}

/// A graph that may have circles.
#[traverse(depth = 100)]
fn along(#[replicated] next: &[[u32; 2]], at: usize, seen: &mut u64) {
    *seen += 1;
    let [a, b] = next[at];
    if a as usize != at {
        along(next, a as usize, seen);
    }
    if b as usize != at {
        along(next, b as usize, seen);
    }
}

#[test]
fn mistakes_are_those_of_the_workers() {
    if !has_gpu() {
        return;
    }
    let said = |next: &[[u32; 2]], backend: &str| {
        let builder = forall::Runtime::builder().backend(backend).threads(2).grain(4);
        let run = || {
            builder.run(|| {
                let mut seen = 0;
                along(next, 0, &mut seen);
                seen
            })
        };
        match std::panic::catch_unwind(std::panic::AssertUnwindSafe(run)) {
            Ok(seen) => format!("{seen:?}"),
            Err(panic) => panic.downcast_ref::<String>().cloned().unwrap_or_default(),
        }
    };
    // One circle, beside a tree of many levels: 0 leads to 1 and to the tree, 1 to 2, and so on back to 1.
    let mut next: Vec<[u32; 2]> = (0..50).map(|node| [node + 1, node]).collect();
    next[0] = [50, 1];
    next[49] = [1, 49];
    for node in 50..2000 {
        let child = |k: u32| Some(2 * (node - 50) + k + 50).filter(|child| *child < 2000).unwrap_or(node);
        next.push([child(1), child(2)]);
    }
    let circle = said(&next, "gpu");
    assert!(circle.starts_with("FA064") && circle == said(&next, "threads"), "{circle}");
    next[49] = [49, 49];
    assert_eq!(said(&next, "gpu"), said(&next, "threads"));
    assert_eq!(said(&next, "gpu"), "[2000]");
    // A child that is none.
    next[1999] = [5000, 1999];
    let outside = said(&next, "gpu");
    assert!(outside.contains("index out of bounds") && outside == said(&next, "threads"), "{outside}");
}

/// Work that devices do not do.
#[traverse]
fn words(#[replicated] first: &[usize], at: usize, name: &str, out: &mut Vec<String>) {
    out.push(format!("{name}{at}"));
    if first[at] > at {
        words(first, first[at], name, out);
    }
}

#[derive(Clone, Copy)]
struct Place(usize);

#[traverse]
fn places(#[replicated] first: &[usize], at: Place, sum: &mut usize) {
    *sum += at.0;
    if first[at.0] > at.0 {
        places(first, Place(first[at.0]), sum);
    }
}

#[test]
fn what_devices_do_not_do_is_said() {
    assert!(words::EXPLAIN.contains("gpu: no, the calls run on threads: "), "{}", words::EXPLAIN);
    let said =
        "gpu: no, the calls run on threads: calls hand down `at`, and devices take numbers and arrays of numbers alone";
    assert!(places::EXPLAIN.contains(said), "{}", places::EXPLAIN);
    let first = [1, 2, 2];
    let (mut out, mut sum) = (Vec::new(), 0);
    let run = forall::Runtime::builder().backend(if has_gpu() { "gpu" } else { "threads" }).run(|| {
        let (mut out, mut sum) = (Vec::new(), 0);
        words(&first, 0, "n", &mut out);
        places(&first, Place(0), &mut sum);
        (out, sum)
    });
    words::sequential(&first, 0, "n", &mut out);
    places::sequential(&first, Place(0), &mut sum);
    assert_eq!(run, [(out, sum)]);
}

#[test]
fn levels_run_on_the_device() {
    if !has_gpu() {
        return;
    }
    let settings = forall::Settings { backend: forall::Backend::Gpu, require_gpu: true, ..Default::default() };
    let tree = Tree::new(100, |_| 3);
    let found = forall::Runtime::builder().settings(settings).run(|| {
        let before = Moved::so_far();
        let (mut below, mut depths, mut events) = (Vec::new(), Vec::new(), Vec::new());
        let (mut a, mut b, mut c, mut d, mut e) = (Vec::new(), Vec::new(), Vec::new(), Vec::new(), Vec::new());
        around::around_level(
            &tree.first,
            &tree.count,
            &tree.value,
            &[1, 2],
            &mut below,
            &[7, 8],
            &mut depths,
            &mut events,
            &mut a,
            &mut b,
            &mut c,
            &mut d,
            &mut e,
        );
        assert!(Moved::since(before) != Moved::default(), "it runs on the device");
        (below, depths, events.len())
    });
    assert_eq!(found, [(vec![4, 5, 6, 7, 8, 9], vec![8, 8, 8, 9, 9, 9], 36)]);
}
