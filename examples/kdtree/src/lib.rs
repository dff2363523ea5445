//! Balanced k-d trees over the points of all ranks, from sorts and loops, and queries of them.
//!
//! A tree is its points in another order. A node is a range of them, and the point in the middle divides it: what is less along the
//! node's axis lies before it, the rest behind. The axes take turns from level to level. So the shape of a tree depends on the
//! number of points alone, and every node divides its points in halves.
//!
//! [`by_levels`] is the algorithm of Sewell, Lo and Ahrens (2013): the points' ranks along each axis by sorts, then level by level the
//! halves of all nodes at once. [`directly`] stops as soon as each rank has whole nodes, which it then divides alone: after log2(ranks)
//! levels no more messages are sent. Both make the same tree, on any number of ranks, also of points that lie at the same place.

pub mod draw;

use forall::{Cuts, DistVec, distributed_sort, foreach, foreach_tls, kary_reduce};
use std::cmp::Ordering;

/// A point of a tree.
#[derive(Debug, Clone, Copy, PartialEq, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C)]
pub struct Point {
    /// Where it is; in two dimensions the third is zero.
    pub at: [f64; 3],
    /// By what the points of a level are sorted.
    pub key: u64,
    /// How many points are before it along each axis.
    pub rank: [u32; 3],
    /// Its number in the input.
    pub id: u32,
}

impl Point {
    /// A point that is in no tree yet.
    pub fn new(at: [f64; 3], id: u32) -> Self {
        Point { at, key: 0, rank: [0; 3], id }
    }
}

/// A number whose order is that of the float.
fn ordered(value: f64) -> u64 {
    let bits = value.to_bits();
    bits ^ (((bits as i64 >> 63) as u64) >> 1) ^ (1 << 63)
}

/// The node of so many points in which a place is after `level` divisions, as a range.
fn node(n: usize, level: usize, place: usize) -> [usize; 2] {
    let [mut from, mut to] = [0, n];
    for _ in 0..level {
        let middle = from.midpoint(to);
        if place < middle {
            to = middle;
        } else if place > middle {
            from = middle + 1;
        } else {
            return [middle, middle + 1];
        }
    }
    [from, to]
}

/// How often points are divided until each is a node's middle.
pub fn depth(n: usize) -> usize {
    (usize::BITS - n.leading_zeros()) as usize
}

/// Sorts points along an axis; equal ones keep their order.
#[distributed_sort]
pub fn along(points: &mut [Point], axis: usize) {
    points.sort_by_key(|point| ordered(point.at[axis]));
}

/// Numbers points, as they are sorted along an axis.
#[foreach]
pub fn number(points: &mut [Point], axis: usize) {
    for i in 0..points.len() {
        points[i].rank[axis] = i as u32;
    }
}

/// The sort key of the points of a level: the node, and in it the rank along the axis.
#[foreach]
pub fn choose(points: &mut [Point], level: usize, axis: usize) {
    let n = points.len();
    for i in 0..points.len() {
        points[i].key = (node(n, level, i)[0] as u64) << 32 | u64::from(points[i].rank[axis]);
    }
}

/// Divides the nodes of a level, all at once.
#[distributed_sort]
pub fn divide(points: &mut [Point]) {
    points.sort_by_key(|point| point.key);
}

/// Brings points into the order of a tree, level by level over all ranks.
pub fn by_levels(points: &mut DistVec<Point>, dims: usize) {
    top(points, dims, depth(points.len()));
}

/// The first levels.
fn top(points: &mut DistVec<Point>, dims: usize, levels: usize) {
    for axis in 0..dims.min(levels) {
        along(points, axis);
        number(points, axis);
    }
    for level in 0..levels {
        choose(points, level, level % dims);
        divide(points);
    }
}

/// Brings points into the order of a tree: the first levels over all ranks, until each rank can have whole nodes; then each rank
/// divides its own.
pub fn directly(points: &mut DistVec<Point>, dims: usize, threads: usize) {
    let (n, ranks) = (points.len(), forall::ranks());
    let levels = depth(ranks - 1);
    top(points, dims, levels);
    let start = |rank: usize| if rank == ranks { n } else { node(n, levels, rank * n / ranks)[0].min(n) };
    let lengths: Vec<usize> = (0..ranks).map(|rank| start(rank + 1) - start(rank)).collect();
    points.rebalance_to(&Cuts::from_lengths(&lengths));
    let (mut place, mut rest) = (points.offset(), points.local_mut());
    while !rest.is_empty() {
        let [from, to] = node(n, levels, place);
        let (own, after) = rest.split_at_mut(to - from);
        divide_alone(own, levels, dims, threads);
        (place, rest) = (to, after);
    }
}

/// The order along an axis. Points that are equal there have the order that sorts along one axis after the other leave them in.
fn compared(axis: usize, one: &Point, other: &Point) -> Ordering {
    let along = |axis: usize| ordered(one.at[axis]).cmp(&ordered(other.at[axis]));
    let before = || (0..axis).rev().map(along).find(|order| order.is_ne());
    along(axis).then_with(|| before().unwrap_or_else(|| one.id.cmp(&other.id)))
}

/// Divides a node and all below it, on so many threads.
fn divide_alone(points: &mut [Point], level: usize, dims: usize, threads: usize) {
    if points.len() < 2 {
        return;
    }
    let (middle, axis) = (points.len() / 2, level % dims);
    let (before, _, behind) = points.select_nth_unstable_by(middle, |one, other| compared(axis, one, other));
    if threads < 2 {
        divide_alone(before, level + 1, dims, 1);
        return divide_alone(behind, level + 1, dims, 1);
    }
    std::thread::scope(|scope| {
        scope.spawn(|| divide_alone(before, level + 1, dims, threads / 2));
        divide_alone(behind, level + 1, dims, threads - threads / 2);
    });
}

/// How many nodes do not divide their points in halves: none.
#[kary_reduce]
pub fn misplaced(points: &[Point], #[replicated] tree: &[Point], dims: usize) -> u64 {
    let mut wrong = 0;
    for i in 0..points.len() {
        // The nodes that this point is in, from the first on.
        let (mut from, mut to, mut level) = (0, tree.len(), 0);
        while from < to {
            let middle = from.midpoint(to);
            let (here, there) = (points[i].at[level % dims], tree[middle].at[level % dims]);
            if i < middle && here > there || i > middle && here < there {
                wrong += 1;
            }
            if i < middle {
                to = middle;
            } else if i > middle {
                from = middle + 1;
            } else {
                to = from;
            }
            level += 1;
        }
    }
    wrong
}

/// The square of the distance of two places.
fn square(one: &[f64; 3], other: &[f64; 3]) -> f64 {
    (0..3).map(|axis| (one[axis] - other[axis]).powi(2)).sum()
}

/// Visits the points of a tree that may be nearer to a place than `most` allows, the near side of each node first. `visit` is told
/// each point and the square of its distance, and gives the square from which on others are too far.
fn search(
    tree: &[Point],
    level: usize,
    dims: usize,
    place: &[f64; 3],
    most: &mut f64,
    visit: &mut dyn FnMut(&Point, f64) -> f64,
) {
    if tree.is_empty() {
        return;
    }
    let middle = tree.len() / 2;
    let (point, away) = (&tree[middle], place[level % dims] - tree[middle].at[level % dims]);
    let (before, behind) = (&tree[..middle], &tree[middle + 1..]);
    let (near, far) = if away < 0.0 { (before, behind) } else { (behind, before) };
    search(near, level + 1, dims, place, most, visit);
    let distance = square(&point.at, place);
    if distance <= *most {
        *most = visit(point, distance);
    }
    if away * away <= *most {
        search(far, level + 1, dims, place, most, visit);
    }
}

/// The `k` points of a tree that are nearest to one of them, without itself: the squares of the distances and the numbers, the
/// nearest first.
pub fn nearest_to(tree: &[Point], dims: usize, point: &Point, k: usize) -> Vec<(f64, u32)> {
    let mut found: Vec<(f64, u32)> = Vec::with_capacity(k + 1);
    let mut most = f64::INFINITY;
    search(tree, 0, dims, &point.at, &mut most, &mut |other, distance| {
        if other.id != point.id {
            let at = found.partition_point(|(near, id)| (*near, *id) < (distance, other.id));
            found.insert(at, (distance, other.id));
            found.truncate(k);
        }
        if found.len() < k { f64::INFINITY } else { found.last().map_or(0.0, |last| last.0) }
    });
    found
}

/// The points of a tree within a distance of a place: their numbers.
pub fn within(tree: &[Point], dims: usize, place: &[f64; 3], distance: f64) -> Vec<u32> {
    let (mut found, mut most) = (Vec::new(), distance * distance);
    search(tree, 0, dims, place, &mut most, &mut |other, _| {
        found.push(other.id);
        distance * distance
    });
    found
}

/// The distance from each point to the `k`-th nearest other one; infinite where there are fewer.
#[foreach]
pub fn nearest(points: &[Point], #[replicated] tree: &[Point], dims: usize, k: usize, distance: &mut [f64]) {
    for i in 0..points.len() {
        let found = nearest_to(tree, dims, &points[i], k);
        distance[i] = if found.len() < k { f64::INFINITY } else { found[k - 1].0.sqrt() };
    }
}

/// The sum of numbers.
#[kary_reduce]
pub fn sum(x: &[f64]) -> f64 {
    let mut sum = 0.0;
    for i in 0..x.len() {
        sum += x[i];
    }
    sum
}

/// All pairs of points within a distance: their numbers, the less first, in the order of the tree.
#[foreach_tls]
pub fn pairs(points: &[Point], #[replicated] tree: &[Point], dims: usize, distance: f64, out: &mut Vec<[u32; 2]>) {
    for i in 0..points.len() {
        let id = points[i].id;
        for other in within(tree, dims, &points[i].at, distance) {
            if other > id {
                out.push([id, other]);
            }
        }
    }
}
