//! Traversals, and other forms of the same mechanisms.

use super::{compare, inputs};
use forall::{DistVec, distributed_scan, foreach_tls, kary_reduce, traverse};
use std::collections::{BTreeMap, HashMap};
use std::time::{Duration, Instant};

#[traverse]
pub fn tree_before(#[replicated] nodes: &[i8], at: usize, s: &mut i8) {
    if at >= nodes.len() {
        return;
    }
    let v = nodes[at];
    *s += v;
    tree_before(nodes, 2 * at + 1, s);
    tree_before(nodes, 2 * at + 2, s);
}

#[traverse]
pub fn tree_after(#[replicated] nodes: &[i8], at: usize, s: &mut i8) {
    if at >= nodes.len() {
        return;
    }
    let v = nodes[at];
    tree_after(nodes, 2 * at + 1, s);
    tree_after(nodes, 2 * at + 2, s);
    *s += v;
}

#[traverse]
pub fn tree_around(#[replicated] nodes: &[i8], at: usize, s: &mut i8) {
    if at >= nodes.len() {
        return;
    }
    let v = nodes[at];
    *s += v;
    tree_around(nodes, 2 * at + 1, s);
    tree_around(nodes, 2 * at + 2, s);
    *s -= v;
}

#[traverse]
pub fn tree_both(#[replicated] nodes: &[i8], at: usize, s: &mut i8) {
    if at >= nodes.len() {
        return;
    }
    let v = nodes[at];
    *s += v;
    tree_both(nodes, 2 * at + 1, s);
    tree_both(nodes, 2 * at + 2, s);
    *s += v / 2;
}

#[traverse]
pub fn tree_minus(#[replicated] nodes: &[i8], at: usize, s: &mut i8) {
    if at >= nodes.len() {
        return;
    }
    let v = nodes[at];
    *s -= v;
    tree_minus(nodes, 2 * at + 1, s);
    tree_minus(nodes, 2 * at + 2, s);
    *s -= 1;
}

#[traverse]
pub fn tree_times(#[replicated] nodes: &[i8], at: usize, s: &mut i8) {
    if at >= nodes.len() {
        return;
    }
    let v = nodes[at];
    *s *= v / 10;
    tree_times(nodes, 2 * at + 1, s);
    tree_times(nodes, 2 * at + 2, s);
    *s *= 1;
}

#[traverse]
pub fn chain(#[replicated] nodes: &[i8], at: usize, s: &mut i8, h: &mut Vec<i8>) {
    if at >= nodes.len() {
        return;
    }
    *s += nodes[at];
    chain(nodes, at + 1, s, h);
    *s += 1;
    h.push(nodes[at]);
}

#[kary_reduce]
pub fn in_place(x: &[i8], out: &mut [i8]) -> i8 {
    let mut s = 0i8;
    for i in 0..x.len() {
        out[i] /= 2;
        s += x[i];
        out[i] += 1;
        s += out[i];
    }
    s
}

#[kary_reduce(algorithm = tree)]
pub fn frame_rev(x: &[i8]) -> Vec<i8> {
    let mut h = vec![0i8; 3];
    for i in (0..x.len()).rev() {
        h[i % 2] += x[i];
    }
    h
}

#[foreach_tls]
pub fn map_rev(x: &[i8]) -> BTreeMap<usize, i8> {
    let mut m = BTreeMap::new();
    for i in (0..x.len()).rev() {
        *m.entry(0).or_insert(0) += x[i];
    }
    m
}

#[kary_reduce]
pub fn bins_rev(x: &[i8]) -> Vec<i8> {
    let mut h = vec![0i8; 3];
    for i in (0..x.len()).rev() {
        h[i % 2] += x[i];
    }
    h
}

#[kary_reduce]
pub fn bins_pair_rev(x: &[i8]) -> Vec<(i8, i8)> {
    let mut h = vec![(0i8, 0i8); 3];
    for i in (0..x.len()).rev() {
        h[i % 2].0 += x[i];
        h[0].1 -= 2;
    }
    h
}

#[kary_reduce(algorithm = direct_send, root = 0)]
pub fn frame_root(x: &[i8]) -> Vec<i8> {
    let mut h = vec![7i8; 3];
    for i in 0..x.len() {
        h[i % 2] += x[i];
        h[2] -= 1;
    }
    h
}

#[kary_reduce(algorithm = radix_k)]
pub fn frame_set(x: &[i8]) -> Vec<i8> {
    let mut h = vec![7i8; 2];
    for i in 0..x.len() {
        h[i % 2] = h[i % 2] + x[i];
    }
    h
}

#[kary_reduce(algorithm = tod_tree)]
pub fn frame_floats(x: &[i8]) -> Vec<f64> {
    let mut h = vec![7.0; 2];
    for i in 0..x.len() {
        h[i % 2] += f64::from(x[i]);
    }
    h
}

#[kary_reduce(algorithm = tod_tree)]
pub fn frame_wrapping(x: &[i8]) -> Vec<std::num::Wrapping<i8>> {
    let mut h = vec![std::num::Wrapping(7i8); 2];
    for i in 0..x.len() {
        h[i % 2] += x[i];
    }
    h
}

#[kary_reduce(algorithm = pipeline)]
pub fn frame_most(x: &[i8]) -> Vec<i8> {
    let mut h = vec![0i8; 2];
    for i in 0..x.len() {
        h[i % 2] = h[i % 2].max(x[i]);
    }
    h
}

#[kary_reduce(algorithm = tree)]
pub fn frame_best(x: &[i8]) -> (Vec<i8>, i8) {
    let mut h = vec![0i8; 2];
    let mut best = i8::MIN;
    for i in 0..x.len() {
        if x[i] > best {
            best = x[i];
        }
        h[i % 2] -= x[i];
    }
    (h, best)
}

#[distributed_scan]
pub fn scan_pairs(x: &[i8], out: &mut [i8]) -> Vec<(i8, i8)> {
    let mut h = vec![(0i8, 1i8); 2];
    let mut s = 0i8;
    for i in 0..x.len() {
        h[i % 2].0 += x[i];
        s = s.max(x[i]);
        out[i] = s;
    }
    h
}

#[distributed_scan]
pub fn scan_map(x: &[i8], out: &mut [i8]) -> BTreeMap<usize, i8> {
    let mut m = BTreeMap::new();
    let mut s = 0i8;
    for i in 0..x.len() {
        *m.entry(i % 2).or_insert(0) += x[i];
        s = s.max(x[i]);
        out[i] = s;
    }
    m
}

#[foreach_tls]
pub fn map_given(x: &[i8], m: &mut HashMap<usize, i8>) {
    for i in 0..x.len() {
        *m.entry(i % 2).or_insert(0) += x[i];
    }
}

#[foreach_tls]
pub fn map_typed_closure(x: &[i8], m: &mut HashMap<usize, i8>) {
    for i in 0..x.len() {
        m.reserve(1);
        m.entry(i % 2).and_modify(|v: &mut i8| *v += x[i]).or_insert(x[i]);
    }
}

#[foreach_tls]
pub fn map_and_sum(x: &[i8], m: &mut BTreeMap<i8, u8>) -> i8 {
    let mut s = 0i8;
    for v in x {
        *m.entry(v % 3).or_default() += 1;
        s -= v;
    }
    s
}

#[foreach_tls]
pub fn map_negative(x: &[i8], m: &mut HashMap<usize, i8>) {
    for (i, v) in x.iter().enumerate() {
        *m.entry(i / 3).or_insert(0) += -(v / 2);
    }
}

struct Totals {
    sum: i8,
    of: [i8; 2],
}

#[kary_reduce]
pub fn fields(x: &[i8]) -> (i8, [i8; 2]) {
    let mut t = Totals { sum: 0, of: [0, 5] };
    for v in x {
        t.sum += v;
        t.of[0] -= v;
        t.of[1] *= v / 50;
    }
    (t.sum, t.of)
}

#[kary_reduce]
pub fn saturating(x: &[u8]) -> u8 {
    let mut s = 0u8;
    for v in x {
        s = s.saturating_add(*v);
    }
    s
}

#[traverse]
pub fn tree_bins(#[replicated] nodes: &[i8], at: usize, m: &mut BTreeMap<usize, i8>) {
    if at >= nodes.len() {
        return;
    }
    *m.entry(at % 2).or_insert(0) += nodes[at];
    for child in [2 * at + 1, 2 * at + 2] {
        tree_bins(nodes, child, m);
    }
    *m.entry(at % 3).or_insert(0) += nodes[at] / 2;
}

/// Long enough in each call for other workers to get a part.
#[traverse]
pub fn tree_shared(#[replicated] nodes: &[i8], at: usize, s: &mut i8) {
    if at >= nodes.len() {
        return;
    }
    let start = Instant::now();
    while start.elapsed() < Duration::from_micros(60) {
        std::hint::spin_loop();
    }
    *s += nodes[at];
    tree_shared(nodes, 2 * at + 1, s);
    *s -= nodes[at] / 2;
    tree_shared(nodes, 2 * at + 2, s);
    *s += 1;
}

#[kary_reduce]
pub fn parts_in_shares(x: &[i8], out: &mut [[i8; 2]]) {
    for i in 0..x.len() {
        out[i % 2 % x.len()][0] += x[i];
        out[0][1] -= x[i] / 3;
    }
}

#[kary_reduce]
pub fn parts_deep(x: &[i8]) -> Vec<([[i8; 2]; 2], u8)> {
    let mut h = vec![([[1i8; 2]; 2], 3u8); 2];
    for (i, v) in x.iter().enumerate() {
        h[i % 2].0[1][i / 2 % 2] -= v;
        if *v < 0 {
            h[1].1 -= 1;
        }
    }
    h
}

#[kary_reduce(algorithm = binary_swap)]
pub fn frame_nested(x: &[i8]) -> ([i8; 3], i8) {
    let (mut h, mut s) = ([1i8; 3], 0i8);
    for i in 0..x.len() {
        for j in 0..h.len() {
            if i % (j + 1) == 0 {
                h[j] += x[i];
            }
        }
        s = s.max(x[i]);
    }
    (h, s)
}

#[kary_reduce(algorithm = tree)]
pub fn frame_twice(x: &[i8]) -> [i8; 2] {
    let mut h = [0i8; 2];
    for i in 0..x.len() {
        h[i % 2] += x[i] / 2;
    }
    for i in 0..x.len() {
        h[i % 2] += x[i] / 2;
    }
    h
}

#[foreach_tls]
pub fn map_twice(x: &[i8]) -> (BTreeMap<i8, i8>, i8) {
    let mut m: BTreeMap<i8, i8> = BTreeMap::new();
    let mut most = i8::MIN;
    for v in x {
        *m.entry(v % 2).or_insert(0) += v;
    }
    for v in x {
        if *v > most {
            most = *v;
        }
        *m.entry(v % 2).or_default() += if *v > 0 { 1 } else { -1 };
    }
    (m, most)
}

#[kary_reduce]
pub fn by_for_each(x: &[i8]) -> i8 {
    let mut s = 0i8;
    x.iter().for_each(|v| s += *v);
    s
}

#[derive(Debug)]
struct Tree {
    value: i8,
    below: Vec<Tree>,
}

impl Tree {
    fn of(x: &[i8], at: usize) -> Tree {
        let below = [2 * at + 1, 2 * at + 2].into_iter().filter(|child| *child < x.len());
        Tree { value: x.get(at).copied().unwrap_or(0), below: below.map(|child| Tree::of(x, child)).collect() }
    }

    #[traverse]
    fn walk(&self, sum: &mut i8, left: &mut i8) {
        *sum += self.value;
        for child in &self.below {
            child.walk(sum, left);
        }
        *left -= self.value / 2;
        *sum += 1;
    }
}

#[test]
fn methods_that_traverse() {
    let count = compare(
        "Tree::walk",
        &inputs(),
        |x| {
            let (mut sum, mut left) = (0, 100);
            Tree::of(x, 0).walk_sequential(&mut sum, &mut left);
            (sum, left)
        },
        |x| {
            let (mut sum, mut left) = (0, 100);
            Tree::of(x, 0).walk(&mut sum, &mut left);
            (sum, left)
        },
    );
    assert_eq!(count, 0);
}

#[test]
fn parts_of_bins_that_ranks_share() {
    let count = compare(
        "parts_in_shares",
        &inputs(),
        |x| {
            let mut out = vec![[1; 2]; x.len()];
            parts_in_shares::sequential(x, &mut out);
            out
        },
        |x| {
            let mut out = DistVec::from_fn(x.len(), |_| [1; 2]);
            parts_in_shares(&DistVec::from_global(x), &mut out);
            out.to_all()
        },
    );
    assert_eq!(count, 0);
}
