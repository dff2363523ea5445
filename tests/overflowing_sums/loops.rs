//! Loops over bytes: one for each mechanism.

use forall::{distributed_scan, foreach, foreach_tls, kary_reduce};
use std::collections::{BTreeMap, HashMap};

#[kary_reduce]
pub fn plain(x: &[i8]) -> i8 {
    let mut s = 0i8;
    for i in 0..x.len() {
        s += x[i];
    }
    s
}

#[kary_reduce]
pub fn minus(x: &[i8]) -> i8 {
    let mut s = 10i8;
    for i in 0..x.len() {
        s -= x[i];
    }
    s
}

#[kary_reduce]
pub fn both(x: &[i8]) -> i8 {
    let mut s = 0i8;
    for i in 0..x.len() {
        s += x[i];
        s -= 1;
    }
    s
}

#[kary_reduce]
pub fn times(x: &[i8]) -> i8 {
    let mut s = 1i8;
    for i in 0..x.len() {
        s *= x[i] / 10;
    }
    s
}

#[kary_reduce]
pub fn assigned(x: &[i8]) -> i8 {
    let mut s = 0i8;
    for i in 0..x.len() {
        s = s + x[i];
    }
    s
}

#[kary_reduce]
pub fn reversed(x: &[i8]) -> i8 {
    let mut s = 0i8;
    for i in (0..x.len()).rev() {
        s += x[i];
    }
    s
}

#[kary_reduce]
pub fn under_a_condition(x: &[i8]) -> i8 {
    let mut s = 0i8;
    for i in 0..x.len() {
        if x[i] > 0 {
            s += x[i];
        } else {
            s += x[i] / 2;
        }
    }
    s
}

#[kary_reduce]
pub fn tuple_field(x: &[i8]) -> (i8, i8) {
    let mut s = (0i8, 0i8);
    for i in 0..x.len() {
        s.0 += x[i];
        s.1 -= x[i];
    }
    s
}

#[kary_reduce]
pub fn array_fixed(x: &[i8]) -> [i8; 2] {
    let mut s = [0i8; 2];
    for i in 0..x.len() {
        s[0] += x[i];
        s[1] += 1;
    }
    s
}

#[kary_reduce]
pub fn nested(x: &[i8]) -> i8 {
    let mut s = 0i8;
    for i in 0..x.len() {
        for k in 0..2 {
            if k == 0 {
                s += x[i];
            } else {
                s += 0;
            }
        }
    }
    s
}

#[kary_reduce]
pub fn bins(x: &[i8]) -> [i8; 3] {
    let mut h = [0i8; 3];
    for i in 0..x.len() {
        h[i % 2] += x[i];
    }
    h
}

#[kary_reduce]
pub fn bins_minus(x: &[i8]) -> [i8; 3] {
    let mut h = [5i8; 3];
    for i in 0..x.len() {
        h[i % 2] -= x[i];
    }
    h
}

#[kary_reduce]
pub fn bins_both(x: &[i8]) -> [i8; 3] {
    let mut h = [5i8; 3];
    for i in 0..x.len() {
        h[i % 2] -= x[i];
        h[i % 3] += 1;
    }
    h
}

#[kary_reduce]
pub fn bins_times(x: &[i8]) -> [i8; 3] {
    let mut h = [1i8; 3];
    for i in 0..x.len() {
        h[i % 2] *= x[i] / 10;
    }
    h
}

#[kary_reduce]
pub fn bins_vec(x: &[i8]) -> Vec<i8> {
    let mut h = vec![0i8; 3];
    for i in 0..x.len() {
        h[i % 2] += x[i];
    }
    h
}

#[kary_reduce]
pub fn bins_set(x: &[i8]) -> Vec<i8> {
    let mut h = vec![0i8; 3];
    for i in 0..x.len() {
        h[i % 2] = h[i % 2] + x[i];
    }
    h
}

#[kary_reduce]
pub fn bins_tuple(x: &[i8]) -> Vec<(i8, i8)> {
    let mut h = vec![(0i8, 1i8); 3];
    for i in 0..x.len() {
        h[i % 2].0 += x[i];
        h[i % 2].1 += 1;
    }
    h
}

#[kary_reduce]
pub fn bins_nested(x: &[i8]) -> Vec<[i8; 2]> {
    let mut h = vec![[0i8; 2]; 3];
    for i in 0..x.len() {
        h[i % 2][0] += x[i];
        h[i % 2][1] -= 1;
    }
    h
}

#[kary_reduce]
pub fn bins_nested_k(x: &[i8]) -> Vec<[i8; 2]> {
    let mut h = vec![[0i8; 2]; 3];
    for i in 0..x.len() {
        h[i % 3][i % 2] += x[i];
    }
    h
}

#[kary_reduce]
pub fn bins_mixed(x: &[i8]) -> Vec<(i8, f64, i8)> {
    let mut h = vec![(0i8, 0.0, -128i8); 3];
    for i in 0..x.len() {
        h[i % 2].0 += x[i];
        h[i % 2].1 += 1.0;
        h[i % 2].2 = h[i % 2].2.max(x[i]);
    }
    h
}

#[kary_reduce(algorithm = tree)]
pub fn frame_tree(x: &[i8]) -> [i8; 2] {
    let mut h = [0i8; 2];
    for i in 0..x.len() {
        h[0] += x[i];
    }
    h
}

#[kary_reduce(algorithm = binary_swap)]
pub fn frame_swap(x: &[i8]) -> Vec<i8> {
    let mut h = vec![0i8; 5];
    for i in 0..x.len() {
        h[i % 2] += x[i];
    }
    h
}

#[kary_reduce(algorithm = binary_swap)]
pub fn frame_minus(x: &[i8]) -> Vec<i8> {
    let mut h = vec![3i8; 5];
    for i in 0..x.len() {
        h[i % 2] -= x[i];
    }
    h
}

#[kary_reduce(algorithm = binary_swap)]
pub fn frame_times(x: &[i8]) -> Vec<i8> {
    let mut h = vec![1i8; 5];
    for i in 0..x.len() {
        h[i % 2] *= x[i] / 10;
    }
    h
}

#[kary_reduce(algorithm = direct_send)]
pub fn frame_items(x: &[i8]) -> Vec<i8> {
    let mut h = vec![0i8; 5];
    for i in 0..x.len() {
        for d in h.iter_mut() {
            *d += x[i];
        }
    }
    h
}

#[foreach_tls]
pub fn map(x: &[i8]) -> BTreeMap<usize, i8> {
    let mut m = BTreeMap::new();
    for i in 0..x.len() {
        *m.entry(i % 2).or_insert(0) += x[i];
    }
    m
}

#[foreach_tls]
pub fn map_one(x: &[i8]) -> HashMap<usize, i8> {
    let mut m: HashMap<usize, i8> = HashMap::new();
    for i in 0..x.len() {
        *m.entry(0).or_default() += x[i];
    }
    m
}

#[foreach_tls]
pub fn map_times(x: &[i8]) -> BTreeMap<usize, i8> {
    let mut m = BTreeMap::new();
    for i in 0..x.len() {
        *m.entry(i % 2).or_insert(1) *= x[i] / 10;
    }
    m
}

#[foreach_tls]
pub fn map_modify(x: &[i8]) -> BTreeMap<usize, i8> {
    let mut m = BTreeMap::new();
    for i in 0..x.len() {
        m.entry(i % 2).and_modify(|v| *v += x[i]).or_insert(x[i]);
    }
    m
}

#[foreach_tls]
pub fn map_counts(x: &[i8]) -> BTreeMap<i8, u8> {
    let mut m = BTreeMap::new();
    for i in 0..x.len() {
        for _ in 0..60 {
            *m.entry(x[i] / 100).or_insert(0u8) += 1;
        }
    }
    m
}

#[kary_reduce]
pub fn best(x: &[i8]) -> (i8, i8) {
    let mut most = i8::MIN;
    let mut s = 0i8;
    for i in 0..x.len() {
        if x[i] > most {
            most = x[i];
        }
        s += x[i];
    }
    (most, s)
}

#[kary_reduce]
pub fn best_with(x: &[i8]) -> (i8, i8) {
    let mut most = i8::MIN;
    let mut of = 0i8;
    for i in 0..x.len() {
        if x[i] > most {
            most = x[i];
            of = x[i] + 1;
        }
    }
    (most, of)
}

#[kary_reduce]
pub fn count(x: &[i8]) -> u8 {
    let mut n = 0u8;
    for i in 0..x.len() {
        if x[i] > 0 {
            n += 40;
        }
    }
    n
}

#[kary_reduce]
pub fn wrapping(x: &[i8]) -> i8 {
    let mut s = 0i8;
    for i in 0..x.len() {
        s = s.wrapping_add(x[i]);
    }
    s
}

#[foreach_tls]
pub fn pushes_and_sum(x: &[i8]) -> i8 {
    let mut s = 0i8;
    let mut v = Vec::new();
    for i in 0..x.len() {
        v.push(x[i]);
        s += x[i];
    }
    s
}

#[kary_reduce]
pub fn squares(x: &[i8]) -> i8 {
    let mut s = 0i8;
    for i in 0..x.len() {
        s += (x[i] / 10).pow(2) - 20;
    }
    s
}

#[foreach_tls]
pub fn count_bins_tls(x: &[i8]) -> Vec<i8> {
    let mut h = vec![0i8; 2];
    let mut v = Vec::new();
    for i in 0..x.len() {
        h[i % 2] += x[i];
        v.push(1);
    }
    h
}

#[foreach]
pub fn scatter(x: &[i8], #[scatter] out: &mut [i8]) {
    for i in 0..x.len() {
        out[i % 2 % x.len()] += x[i];
    }
}

#[foreach]
pub fn scatter_minus(x: &[i8], #[scatter] out: &mut [i8]) {
    for i in 0..x.len() {
        out[(x[i] as u8 as usize) % x.len()] -= x[i];
    }
}

#[kary_reduce]
pub fn share_bins(x: &[i8], out: &mut [i8]) {
    for i in 0..x.len() {
        out[(x[i] as u8 as usize) % 2 % x.len()] += x[i];
    }
}

#[kary_reduce]
pub fn share_bins_minus(x: &[i8], out: &mut [i8]) {
    for i in 0..x.len() {
        out[(x[i] as u8 as usize) % 2 % x.len()] -= x[i];
    }
}

#[kary_reduce]
pub fn share_bins_times(x: &[i8], out: &mut [i8]) {
    for i in 0..x.len() {
        out[(x[i] as u8 as usize) % 2 % x.len()] *= x[i] / 10;
    }
}

#[distributed_scan]
pub fn scan(x: &[i8], out: &mut [i8]) {
    let mut s = 0i8;
    for i in 0..x.len() {
        s += x[i];
        out[i] = s;
    }
}

#[distributed_scan]
pub fn scan_minus(x: &[i8], out: &mut [i8]) {
    let mut s = 0i8;
    for i in 0..x.len() {
        s -= x[i];
        out[i] = s;
    }
}

#[distributed_scan]
pub fn scan_times(x: &[i8], out: &mut [i8]) {
    let mut s = 1i8;
    for i in 0..x.len() {
        s *= x[i] / 10;
        out[i] = s;
    }
}

#[distributed_scan]
pub fn scan_exclusive(x: &[i8], out: &mut [i8]) {
    let mut s = 0i8;
    for i in 0..x.len() {
        out[i] = s;
        s += x[i];
    }
}

#[distributed_scan]
pub fn scan_two(x: &[i8], out: &mut [i8]) {
    let mut s = 0i8;
    let mut t = 0i8;
    for i in 0..x.len() {
        s += x[i];
        out[i] = s;
        t -= x[i];
    }
    out[0] = t;
}

#[distributed_scan]
pub fn scan_levels(x: &[i8], out: &mut [i8]) {
    let mut s = 0i8;
    let mut t = 0i8;
    for i in 0..x.len() {
        s += x[i] / 2;
        t += s / 4;
        out[i] = t;
    }
}

#[distributed_scan]
pub fn scan_segmented(x: &[i8], out: &mut [i8]) {
    let mut s = 0i8;
    for i in 0..x.len() {
        if x[i] < -99 {
            s = 0;
        }
        s += x[i];
        out[i] = s;
    }
}

#[distributed_scan]
pub fn scan_linear(x: &[i8], out: &mut [i8]) {
    let mut s = 0i8;
    for i in 0..x.len() {
        s = 2 * s + x[i];
        out[i] = s;
    }
}

#[distributed_scan]
pub fn scan_linear_minus(x: &[i8], out: &mut [i8]) {
    let mut s = 0i8;
    for i in 0..x.len() {
        s = x[i] - s;
        out[i] = s;
    }
}

#[distributed_scan]
pub fn scan_bins(x: &[i8], out: &mut [i8]) {
    let mut s = 0i8;
    let mut h = [0i8; 2];
    for i in 0..x.len() {
        s = s.max(x[i]);
        out[i] = s;
        h[i % 2] += x[i];
    }
    out[0] = h[0];
}

#[foreach]
pub fn map_of_out(x: &[i8], out: &mut [i8]) {
    for i in 0..x.len() {
        out[i] += x[i];
    }
}

#[foreach]
pub fn inner(x: &[i8], out: &mut [i8]) {
    for i in 0..x.len() {
        let mut s = 0i8;
        for j in 0..2 {
            s += x[i] / 2 + j;
        }
        out[i] = s;
    }
}
