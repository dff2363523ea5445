//! Writes at places that only the data know.

use crate::support::*;
use forall::{distributed_scan, foreach, foreach_tls, kary_reduce};

/// Elements that no place names keep what they have.
#[foreach]
fn placed(x: &[f64], place: &[usize], #[scatter] out: &mut [f64]) {
    for i in 0..x.len() {
        out[place[i]] = x[i];
    }
}

/// Several iterations write to one element: the last one stays.
#[foreach]
fn last_of_each(key: &[u32], #[scatter] last: &mut [usize]) {
    for (i, k) in key.iter().enumerate() {
        last[*k as usize] = i;
    }
}

#[foreach]
fn weighed(place: &[u32], weight: &[f64], #[scatter] total: &mut [f64]) {
    for i in 0..place.len() {
        let w = weight[i] * 0.5;
        total[place[i] as usize % total.len()] += w;
    }
}

#[foreach]
fn multiplied(place: &[usize], #[scatter] out: &mut [u32]) {
    for i in 0..place.len() {
        if i % 3 != 0 {
            out[place[i]] ^= (i as u32).wrapping_mul(2_654_435_761);
        }
    }
}

/// Forces of pairs on both of them.
#[foreach]
fn forces(from: &[u32], to: &[u32], at: &[f64], #[scatter] force: &mut [f64]) {
    for e in 0..from.len() {
        let f = at[e] - 0.5;
        force[from[e] as usize] += f;
        force[to[e] as usize] += -f;
    }
}

/// Cells to points, four at a time.
#[foreach]
fn spread(n: usize, x: &[f64], corner: &[[u32; 4]], #[scatter] point: &mut [f64]) {
    for v in point.iter_mut() {
        *v = 1.0;
    }
    for c in 0..n {
        for k in 0..4 {
            point[corner[c][k] as usize] += 0.25 * x[c];
        }
    }
}

/// The other way round: a loop that runs down.
#[foreach]
fn down(key: &[u32], #[scatter] first: &mut [u32]) {
    for i in (0..key.len()).rev() {
        first[key[i] as usize] = i as u32;
    }
}

/// Where a running count says.
#[distributed_scan]
fn compacted(x: &[i64], #[scatter] kept: &mut [i64]) -> usize {
    let mut count = 0;
    for i in 0..x.len() {
        if x[i] % 3 == 0 {
            kept[count] = x[i];
            count += 1;
        }
    }
    count
}

/// Beside a reduction and a map.
#[kary_reduce]
fn counted(place: &[usize], #[scatter] seen: &mut [bool], double: &mut [usize]) -> usize {
    let mut sum = 0;
    for i in 0..place.len() {
        seen[place[i]] = true;
        double[i] = 2 * place[i];
        sum += place[i];
    }
    sum
}

/// Beside pushes.
#[foreach_tls]
fn pushed(place: &[usize], #[scatter] seen: &mut [u8], far: &mut Vec<usize>) {
    for i in 0..place.len() {
        seen[place[i]] |= 1 << (i % 8);
        if place[i] > i {
            far.push(i);
        }
    }
}

cases! {
    placed(n) {
        let (x, place, out) = (reals(n, 1), indices(n, 2, n), reals(n, 3));
        check!(placed(&x, &place, &mut out); shares x, place; writes out);
    }
    last_of_each(n) {
        let (key, last) = (naturals(n, 1, 7), vec![usize::MAX; 7]);
        check!(last_of_each(&key, &mut last); shares key; writes last);
    }
    weighed(n) {
        let (place, weight, total) = (naturals(n, 1, 1 << 30), reals(n, 2), reals(n / 2 + 1, 3));
        check!(weighed(&place, &weight, &mut total); shares place, weight; writes total);
    }
    multiplied(n) {
        let (place, out) = (indices(n, 1, n), naturals(n, 2, 100));
        check!(multiplied(&place, &mut out); shares place; writes out);
    }
    forces(n) {
        let (from, to, at, force) = (naturals(3 * n, 1, n), naturals(3 * n, 2, n), reals(3 * n, 3), reals(n, 4));
        check!(forces(&from, &to, &at, &mut force); shares from, to, at; writes force);
    }
    spread(n) {
        let corner = made(n, 1, |bits| [0, 16, 32, 48].map(|shift| ((bits >> shift) & 0xffff) as u32 % n.max(1) as u32));
        let (x, point) = (reals(n, 2), reals(n, 3));
        check!(spread(n, &x, &corner, &mut point); shares x, corner; writes point);
    }
    down(n) {
        let (key, first) = (naturals(n, 1, 11), vec![7; 11]);
        check!(down(&key, &mut first); shares key; writes first);
    }
    compacted(n) {
        let (x, kept) = (integers(n, 1), vec![0; n]);
        check!(compacted(&x, &mut kept); shares x; writes kept);
    }
    counted(n) {
        let (place, seen, double) = (indices(n, 1, n), vec![false; n], vec![0; n]);
        check!(counted(&place, &mut seen, &mut double); shares place; writes seen, double);
    }
    pushed(n) {
        let (place, seen) = (indices(n, 1, n), vec![0u8; n]);
        let far: Vec<usize> = Vec::new();
        check!(pushed(&place, &mut seen, &mut far); shares place; writes seen, far);
    }
}
