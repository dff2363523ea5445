//! Traversals of many trees, against the sequential function: on several threads and ranks.

// Children are reached in every way that people write.
#![allow(clippy::unnecessary_unwrap)]

use forall::{DistVec, Merge, traverse};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Mutex;
use std::time::{Duration, Instant};

/// A node of a tree: its children are neighbours.
#[derive(Debug, Clone)]
struct Node {
    value: i64,
    weight: f64,
    children: std::ops::Range<usize>,
}

/// Trees of many shapes, each with its name.
fn trees() -> Vec<(String, Vec<Node>)> {
    let shape = |name: &str, count: usize, children: &dyn Fn(usize) -> usize| {
        let mut nodes: Vec<Node> = Vec::new();
        let mut end = 1;
        for number in 0..count {
            let more = children(number).min(count - end);
            let value = (number as i64 * 7919) % 1009 - 300;
            nodes.push(Node { value, weight: 1.0 / (number as f64 + 0.3), children: end..end + more });
            end += more;
            if end == number + 1 {
                break;
            }
        }
        (format!("{name} of {}", nodes.len()), nodes)
    };
    let mut all = vec![
        shape("one node", 1, &|_| 0),
        shape("two", 2, &|_| 1),
        shape("chain", 600, &|_| 1),
        shape("star", 5000, &|number| if number == 0 { 5000 } else { 0 }),
    ];
    for count in [7, 100, 40_000] {
        all.push(shape("binary", count, &|_| 2));
        all.push(shape("eight", count, &|_| 8));
        // The sequential function needs a stack.
        all.push(shape("comb", count.min(1000), &|number| if number % 2 == 0 { 2 } else { 0 }));
        all.push(shape("comb to the left", count.min(1000), &|number| {
            if number % 2 == 1 || number == 0 { 2 } else { 0 }
        }));
        all.push(shape("uneven", count, &|number| number * 7 % 5));
    }
    all
}

/// Long enough for others to get a part.
fn work(nanoseconds: u64) {
    let start = Instant::now();
    while start.elapsed() < Duration::from_nanos(nanoseconds) {
        std::hint::spin_loop();
    }
}

/// Values before those below.
#[traverse]
fn before(#[replicated] nodes: &[Node], at: usize, depth: u32, slow: u64, out: &mut Vec<(i64, u32)>, sum: &mut i64) {
    work(slow);
    let node = &nodes[at];
    out.push((node.value, depth));
    *sum += node.value;
    if node.value % 13 == 12 {
        return;
    }
    for child in node.children.clone() {
        before(nodes, child, depth + 1, slow, out, sum);
    }
}

/// Values before, between and after those below, of some children only.
#[traverse]
fn around(#[replicated] nodes: &[Node], at: usize, slow: u64, out: &mut Vec<i64>, visited: &mut u64) {
    work(slow);
    let node = &nodes[at];
    *visited += 1;
    out.push(node.value);
    for child in node.children.clone().rev() {
        if nodes[child].value % 5 == 0 {
            out.push(-nodes[child].value);
            continue;
        }
        around(nodes, child, slow, out, visited);
        out.push(node.value * 2);
    }
    out.push(node.value * 3);
}

/// Operators that do not commute, or not exactly.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
struct Text {
    text: String,
    calls: usize,
}

impl Text {
    fn add(&mut self, value: i64) {
        self.text.push_str(&value.to_string());
        self.calls += 1;
    }
}

impl Merge for Text {
    fn fresh() -> Self {
        Text::default()
    }
    fn merge(&mut self, later: Self) {
        self.text.push_str(&later.text);
        self.calls += later.calls;
    }
}

fn compose(earlier: [i64; 2], later: [i64; 2]) -> [i64; 2] {
    [earlier[0].wrapping_mul(later[0]) % 1009, (later[0].wrapping_mul(earlier[1]) + later[1]) % 1009]
}

#[allow(clippy::too_many_arguments)]
#[traverse(combine = compose)]
fn everything(
    #[replicated] nodes: &[Node],
    at: usize,
    slow: u64,
    text: &mut Text,
    total: &mut f64,
    most: &mut i64,
    least: &mut f64,
    place: &mut usize,
    composed: &mut [i64; 2],
) {
    work(slow);
    let Node { value, weight, ref children } = nodes[at];
    text.add(value);
    *total += weight;
    *most = value.max(*most);
    if weight < *least {
        *least = weight;
        *place = at;
    }
    *composed = compose(*composed, [value, at as i64]);
    for child in children.clone() {
        everything(nodes, child, slow, text, total, most, least, place, composed);
    }
}

/// Runs a check on one, two and seven threads, and on several ranks.
fn on_all(check: impl Fn() + Sync) {
    for (ranks, threads) in [(1, 1), (1, 2), (1, 7), (2, 1), (3, 2), (4, 1), (7, 2)] {
        forall::Runtime::builder().ranks(ranks).threads(threads).run(&check);
    }
}

/// The pushed elements of all ranks, in their order.
fn whole<T: forall::Element>(mine: Vec<T>) -> Vec<T> {
    DistVec::from_local(mine).to_all()
}

const SLOW: [u64; 2] = [0, 2000];

/// Fewer slow calls of large trees.
fn pace(slow: u64, nodes: &[Node]) -> u64 {
    if nodes.len() > 10_000 { slow / 10 } else { slow }
}

#[test]
fn what_is_collected_before_calls_is_in_order() {
    let trees = trees();
    on_all(|| {
        for (name, nodes) in &trees {
            for slow in SLOW {
                let slow = pace(slow, nodes);
                let (mut expected, mut sum) = (vec![(7, 7)], 5);
                before::sequential(nodes, 0, 0, 0, &mut expected, &mut sum);
                let first = forall::rank() == 0;
                let (mut found, mut found_sum) = (if first { vec![(7, 7)] } else { Vec::new() }, 5);
                before(nodes, 0, 0, slow, &mut found, &mut found_sum);
                assert_eq!(found_sum, sum, "{name}");
                let (values, depths): (Vec<i64>, Vec<u32>) = found.into_iter().unzip();
                let found: Vec<(i64, u32)> = whole(values).into_iter().zip(whole(depths)).collect();
                assert!(found == expected, "{name}");
            }
        }
    });
}

#[test]
fn what_is_collected_between_calls_is_in_order() {
    let trees = trees();
    on_all(|| {
        for (name, nodes) in &trees {
            for slow in SLOW {
                let (mut expected, mut visited) = (Vec::new(), 0);
                around::sequential(nodes, 0, 0, &mut expected, &mut visited);
                let (mut found, mut found_visited) = (DistVec::from_local(Vec::new()), 0);
                around(nodes, 0, pace(slow, nodes), &mut found, &mut found_visited);
                assert_eq!(found_visited, visited, "{name}");
                assert!(found.to_all() == expected, "{name}");
            }
        }
    });
}

/// A sum before, between and after calls.
#[traverse]
fn weights(#[replicated] nodes: &[Node], at: usize, slow: u64, total: &mut f64, product: &mut f32) {
    work(slow);
    let Node { weight, ref children, .. } = nodes[at];
    *total += weight;
    for child in children.clone() {
        weights(nodes, child, slow, total, product);
        *total += 0.1;
        *total += weight * 0.7;
    }
    *total -= 0.3;
    *product *= 1.0 + weight as f32 * 0.001;
}

#[test]
fn sums_between_calls_are_grouped_by_the_tree_alone() {
    for (name, nodes) in trees().iter().filter(|(_, nodes)| nodes.len() < 10_000) {
        let mut bits: Vec<(u64, u32)> = [(1, 0), (2, 0), (2, 2000), (7, 1000)]
            .into_iter()
            .flat_map(|(threads, slow)| {
                forall::Runtime::builder().threads(threads).run(|| {
                    let (mut total, mut product) = (0.5, 1.0);
                    weights(nodes, 0, slow, &mut total, &mut product);
                    (total.to_bits(), product.to_bits())
                })
            })
            .collect();
        bits.dedup();
        assert_eq!(bits.len(), 1, "{name}");
    }
}

#[test]
fn whatever_is_collected_is_the_same_on_any_number_of_threads() {
    for (name, nodes) in &trees() {
        let bits = Mutex::new(Vec::new());
        let check = |slow: u64| {
            let collect = |slow: u64, sequential: bool| {
                let (mut text, mut total, mut most, mut least) = (Text::default(), 0.5, i64::MIN, f64::MAX);
                let (mut place, mut composed) = (0, [1, 0]);
                let call = if sequential { everything::sequential } else { everything };
                call(nodes, 0, slow, &mut text, &mut total, &mut most, &mut least, &mut place, &mut composed);
                (total, (text, most, least, place, composed))
            };
            let (expected, found) = (collect(0, true), collect(slow, false));
            assert_eq!(found.1, expected.1, "{name}");
            assert!((found.0 - expected.0).abs() < 1e-9, "{name}: {} and {}", found.0, expected.0);
            found.0.to_bits()
        };
        on_all(|| {
            for slow in SLOW {
                let found = check(pace(slow, nodes));
                if forall::ranks() == 1 {
                    bits.lock().unwrap().push(found);
                }
            }
        });
        let mut bits = bits.into_inner().unwrap();
        bits.dedup();
        assert_eq!(bits.len(), 1, "{name}");
    }
}

/// Puts words into a map.
struct Index;

impl Index {
    #[traverse]
    fn count(&self, node: &Tree, depth: usize, counts: &mut BTreeMap<usize, u64>) {
        *counts.entry(depth).or_insert(0) += node.0.len() as u64;
        for child in &node.0 {
            self.count(child, depth + 1, counts);
        }
    }

    #[traverse(associated)]
    fn leaves(node: &Tree, count: &mut u64) {
        if node.0.is_empty() {
            *count += 1;
        }
        for child in &node.0 {
            Self::leaves(child, count);
        }
    }
}

struct Tree(Vec<Tree>);

fn full(levels: usize) -> Tree {
    Tree(if levels == 0 { Vec::new() } else { (0..3).map(|_| full(levels - 1)).collect() })
}

#[test]
fn methods_and_trees_of_references() {
    let tree = full(8);
    on_all(|| {
        let (mut counts, mut leaves) = (BTreeMap::new(), 0);
        Index.count(&tree, 0, &mut counts);
        Index::leaves(&tree, &mut leaves);
        assert_eq!(counts.len(), 9);
        assert_eq!((counts[&2], leaves), (27, 6561));
    });
}

/// Panics at some nodes.
/// A tree that owns its nodes, as most are written.
#[derive(Debug, Default)]
struct Owned {
    value: i64,
    left: Option<Box<Owned>>,
    right: Option<std::sync::Arc<Owned>>,
    others: Vec<Owned>,
}

impl Owned {
    /// So many levels, with children of all kinds.
    fn new(levels: u32, value: i64) -> Owned {
        let below = |k: i64| Owned::new(levels - 1, 5 * value + k);
        match levels {
            0 => Owned { value, ..Owned::default() },
            _ => Owned {
                value,
                left: (value % 3 != 0).then(|| Box::new(below(1))),
                right: (value % 4 != 2).then(|| below(2).into()),
                others: (0..value.rem_euclid(3)).map(|k| below(3 + k)).collect(),
            },
        }
    }

    fn child(&self, number: usize) -> &Owned {
        &self.others[number]
    }

    #[traverse]
    fn walk(&self, depth: u32, slow: u64, out: &mut Vec<(i64, u32)>, sum: &mut i64) {
        work(slow);
        out.push((self.value, depth));
        *sum += self.value;
        if let Some(left) = &self.left {
            left.walk(depth + 1, slow, out, sum);
        }
        for k in 0..self.others.len() {
            if k % 2 == 0 {
                self.others[k].walk(depth + 1, slow, out, sum);
            } else {
                self.child(k).walk(depth + 1, slow, out, sum);
            }
        }
        if self.right.is_some() {
            self.right.as_ref().unwrap().walk(depth + 2, slow, out, sum);
        }
        out.push((-self.value, depth));
    }

    /// By the path of the type, and on itself too.
    #[traverse]
    fn weigh(&self, again: bool, total: &mut f64) {
        *total += 1.0 / (self.value as f64 + 0.5);
        if again && self.value % 7 == 1 {
            self.weigh(false, total);
        }
        for child in &self.others {
            Self::weigh(child, again, total);
        }
        for child in self.left.iter() {
            child.weigh(again, total);
        }
    }
}

#[test]
fn methods_of_children() {
    let tree = Owned::new(7, 1);
    let (mut out, mut sum, mut total) = (Vec::new(), 0, 0.0);
    tree.walk_sequential(0, 0, &mut out, &mut sum);
    tree.weigh_sequential(true, &mut total);
    assert!(out.len() > 1000, "{}", out.len());
    let totals = Mutex::new(Vec::new());
    on_all(|| {
        for slow in [0, 2_000] {
            let (mut found, mut sum_found) = (Vec::new(), 0);
            tree.walk(0, slow, &mut found, &mut sum_found);
            // What each rank found, in the order of the ranks.
            let flat: Vec<i64> = found.iter().flat_map(|(value, depth)| [*value, i64::from(*depth)]).collect();
            let expected: Vec<i64> = out.iter().flat_map(|(value, depth)| [*value, i64::from(*depth)]).collect();
            assert_eq!(whole(flat), expected);
            assert_eq!(sum_found, sum);
        }
        let mut found = 0.0;
        tree.weigh(true, &mut found);
        assert!((found - total).abs() < 1e-9 * total.abs(), "{found}");
        totals.lock().unwrap().push((forall::ranks(), found.to_bits()));
    });
    // On as many ranks, sums of floats have the same bits on any threads.
    let totals = totals.into_inner().unwrap();
    let bits: BTreeMap<usize, u64> = totals.iter().copied().collect();
    assert!(totals.iter().all(|(ranks, total)| bits[ranks] == *total), "{totals:?}");
    assert!(Owned::WALK_EXPLAIN.contains("handed down: `self`, `depth`"), "{}", Owned::WALK_EXPLAIN);
}

#[traverse]
fn fragile(#[replicated] nodes: &[Node], at: usize, bad: [usize; 2], seen: &mut Vec<usize>) {
    let node = &nodes[at];
    work(300);
    seen.push(at);
    for child in node.children.clone() {
        fragile(nodes, child, bad, seen);
        assert!(!bad.contains(&child), "node {child} is bad");
    }
}

#[test]
fn a_panic_is_the_first_in_order_or_none() {
    let (_, nodes) = trees().into_iter().find(|(name, _)| name == "binary of 40000").unwrap();
    for threads in [1, 2, 7] {
        forall::Runtime::builder().threads(threads).run(|| {
            for bad in [[3, 4], [39_000, 20_000], [39_999, 39_998], [1, 2]] {
                let mut seen = Vec::new();
                let message = |traversal: &mut dyn FnMut()| {
                    let panic = catch_unwind(AssertUnwindSafe(traversal)).unwrap_err();
                    panic.downcast_ref::<String>().unwrap().clone()
                };
                let expected = message(&mut || fragile::sequential(&nodes, 0, bad, &mut Vec::new()));
                assert_eq!(message(&mut || fragile(&nodes, 0, bad, &mut seen)), expected);
            }
        });
    }
}

/// Adds up in few bits.
#[traverse]
fn tiny(#[replicated] nodes: &[Node], at: usize, sum: &mut i8) {
    work(300);
    *sum += nodes[at].value as i8;
    for child in nodes[at].children.clone() {
        tiny(nodes, child, sum);
    }
}

#[test]
fn parts_of_a_sum_may_overflow_where_the_whole_does_not() {
    let node = |number: usize, count: usize| {
        let children = 2 * number + 1..2 * number + 3;
        let value = if number < count / 2 { 1 } else { -1 };
        Node { value, weight: 0.0, children: if children.end <= count { children } else { 0..0 } }
    };
    let nodes: Vec<Node> = (0..4095).map(|number| node(number, 4095)).collect();
    for threads in [1, 2, 7] {
        forall::Runtime::builder().threads(threads).run(|| {
            for start in [0, 127, -128] {
                let run = |call: fn(&[Node], usize, &mut i8)| {
                    let mut sum = start;
                    catch_unwind(AssertUnwindSafe(|| call(&nodes, 0, &mut sum))).ok().map(|()| sum)
                };
                let (expected, found) = (run(tiny::sequential), run(tiny));
                assert!(found == expected || expected.is_none(), "{start}: {found:?} and {expected:?}");
            }
        });
    }
}

/// Goes in circles where the nodes do.
#[traverse(depth = 1000)]
fn bounded(#[replicated] next: &[usize], at: usize, step: u64, count: &mut u64) {
    *count += 1;
    if next[at] != at && step < 1_000_000 {
        bounded(next, next[at], step + 1, count);
    }
}

#[test]
fn circles_are_found() {
    for threads in [1, 2] {
        forall::Runtime::builder().threads(threads).run(|| {
            let mut count = 0;
            bounded(&(1..1000).chain([999]).collect::<Vec<_>>(), 0, 0, &mut count);
            assert_eq!(count, 1000);
            let panic = catch_unwind(AssertUnwindSafe(|| bounded(&[1, 2, 0], 0, 0, &mut count))).unwrap_err();
            let message = panic.downcast_ref::<String>().unwrap();
            assert!(
                message.starts_with("FA064: `bounded` calls itself more than 1000 times inside of itself"),
                "{message}"
            );
            assert!(message.contains("bounded(at = 2, step = 1001)"), "{message}");
        });
    }
}

/// Deeper than a stack is.
#[traverse]
fn deep(#[replicated] next: &[usize], at: usize, count: &mut u64) {
    *count += 1;
    if at < next.len() {
        deep(next, next[at], count);
    }
}

#[test]
fn a_deep_tree_needs_no_stack() {
    let next: Vec<usize> = (1..900_001).collect();
    forall::Runtime::builder().threads(2).run(|| {
        let mut count = 0;
        deep(&next, 0, &mut count);
        assert_eq!(count, 900_001);
    });
}

/// Of each rank's own tree.
#[traverse(local)]
fn own(nodes: &[Node], at: usize, out: &mut Vec<i64>, sum: &mut i64) {
    out.push(nodes[at].value);
    *sum += nodes[at].value;
    for child in nodes[at].children.clone() {
        own(nodes, child, out, sum);
    }
}

#[test]
fn each_rank_traverses_its_own_tree() {
    let trees = trees();
    on_all(|| {
        // Not all ranks traverse equally often.
        for (_, nodes) in &trees[..=forall::rank()] {
            let (mut expected, mut found) = ((Vec::new(), 1), (Vec::new(), 1));
            own::sequential(nodes, 0, &mut expected.0, &mut expected.1);
            own(nodes, 0, &mut found.0, &mut found.1);
            assert_eq!(found, expected);
        }
    });
}

/// Counts in an array.
#[traverse]
fn histogram(#[replicated] nodes: &[Node], at: usize, depth: u32, bins: &mut [u64; 8], deepest: &mut u32) {
    bins[nodes[at].value.rem_euclid(8) as usize] += 1;
    *deepest = depth.max(*deepest);
    for child in nodes[at].children.clone() {
        histogram(nodes, child, depth + 1, bins, deepest);
    }
}

/// Points, and lines between them by their numbers.
#[derive(Debug, Default, PartialEq, Serialize, Deserialize)]
struct Lines {
    points: Vec<f64>,
    lines: Vec<[usize; 2]>,
}

fn add_line(from: f64, lines: &mut Lines) {
    let count = lines.points.len();
    lines.points.extend([from, from + 1.0]);
    lines.lines.push([count, count + 1]);
}

fn put_together(lines: &mut Lines, later: Lines) {
    let count = lines.points.len();
    lines.points.extend(later.points);
    lines.lines.extend(later.lines.into_iter().map(|line| line.map(|point| point + count)));
}

#[traverse(init = Lines::default, merge = put_together)]
fn drawn(#[replicated] nodes: &[Node], at: usize, lines: &mut Lines) {
    add_line(nodes[at].weight, &mut *lines);
    for child in nodes[at].children.clone() {
        drawn(nodes, child, lines);
    }
    add_line(-nodes[at].weight, &mut *lines);
}

/// Of any type, by halves of a slice.
#[traverse]
fn halves<'a, T: Copy + Sync + Send + 'static, F: Fn(T) -> bool + Sync>(
    #[replicated] part: &'a [T],
    keep: &F,
    out: &mut Vec<T>,
) {
    if let [one] = part {
        if keep(*one) {
            out.push(*one);
        }
    } else if !part.is_empty() {
        let (left, right) = part.split_at(part.len() / 2);
        halves(left, keep, out);
        halves(right, keep, out);
    }
}

#[test]
fn arrays_states_and_parts_of_slices() {
    let trees = trees();
    on_all(|| {
        for (name, nodes) in &trees {
            let (mut expected, mut found) = (([3; 8], 0), ([3; 8], 0));
            histogram::sequential(nodes, 0, 0, &mut expected.0, &mut expected.1);
            histogram(nodes, 0, 0, &mut found.0, &mut found.1);
            assert_eq!(found, expected, "{name}");
            let (mut expected, mut found) = (Lines::default(), Lines::default());
            drawn::sequential(nodes, 0, &mut expected);
            drawn(nodes, 0, &mut found);
            assert!(found == expected, "{name}");
        }
        let numbers: Vec<u32> = (0..1000).map(|number| number * 37 % 101).collect();
        let expected: Vec<u32> = numbers.iter().copied().filter(|number| number % 3 == 0).collect();
        let mut found = Vec::new();
        halves(&numbers, &|number| number % 3 == 0, &mut found);
        assert_eq!(whole(found), expected);
    });
}

/// The value nearest to zero, and the way to it.
/// Best values by two more spellings, after the calls and before them.
#[traverse]
fn chosen(
    #[replicated] nodes: &[Node],
    at: usize,
    least: &mut i64,
    place: &mut usize,
    last: &mut Option<(i64, usize)>,
    seen: &mut Vec<i64>,
) {
    let value = nodes[at].value;
    match *last {
        Some((held, _)) if value.cmp(&held).is_lt() => {}
        _ => *last = Some((value, at)),
    }
    for child in nodes[at].children.clone() {
        chosen(nodes, child, least, place, last, seen);
    }
    seen.push(value);
    let better = value < *least;
    if better {
        *least = value;
        *place = at;
    }
}

#[test]
fn best_values_in_other_spellings() {
    let trees = trees();
    on_all(|| {
        for (name, nodes) in &trees {
            let (mut least, mut place, mut last, mut seen) = (-100, 77, None, Vec::new());
            chosen::sequential(nodes, 0, &mut least, &mut place, &mut last, &mut seen);
            let expected = (least, place, last, seen);
            let (mut least, mut place, mut last, mut seen) = (-100, 77, None, Vec::new());
            chosen(nodes, 0, &mut least, &mut place, &mut last, &mut seen);
            assert_eq!((least, place, last, whole(seen)), expected, "{name}");
        }
    });
}

#[traverse]
fn nearest(depth: u32, value: f64, way: u32, best: &mut f64, at: &mut u32) {
    if depth == 0 {
        if value.abs() < best.abs() {
            *best = value;
            *at = way;
        }
        return;
    }
    nearest(depth - 1, value * 1.1 - 0.3, 2 * way, best, at);
    nearest(depth - 1, value * 0.9 + 0.2, 2 * way + 1, best, at);
}

#[test]
fn best_values_by_a_key() {
    on_all(|| {
        for depth in 0..9 {
            let (mut expected, mut found) = ((5.0, 0), (5.0, 0));
            nearest::sequential(depth, 0.7, 1, &mut expected.0, &mut expected.1);
            nearest(depth, 0.7, 1, &mut found.0, &mut found.1);
            assert_eq!(found, expected);
        }
    });
}

#[test]
fn what_is_told() {
    assert_eq!(before::PLAN, "traverse: push, reduce by `+`");
    for text in ["push: `out`, in the order of the calls", "handed down: `at`, `depth`", "gpu: no"] {
        assert!(before::EXPLAIN.contains(text), "{}", before::EXPLAIN);
    }
    assert!(around::EXPLAIN.contains("kept apart"), "{}", around::EXPLAIN);
}
