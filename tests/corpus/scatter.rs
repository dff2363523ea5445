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

/// Values that are referred to.
#[foreach]
fn added_up(key: &[u32], weight: &[f64], #[scatter] total: &mut [f64]) {
    for (k, w) in key.iter().zip(weight) {
        total[*k as usize] += w;
    }
}

/// The nearest of those that fall into one cell.
#[foreach]
fn nearest(cell: &[u32], distance: &[f64], #[scatter] least: &mut [f64]) {
    for i in 0..cell.len() {
        let k = cell[i] as usize;
        least[k] = least[k].min(distance[i]);
    }
}

#[foreach]
fn greatest(cell: &[u32], value: &[f64], #[scatter] most: &mut [f64]) {
    for (c, v) in cell.iter().zip(value) {
        if *v > most[*c as usize] {
            most[*c as usize] = *v;
        }
    }
}

/// The order makes a difference.
#[foreach]
fn differences(place: &[usize], x: &[f64], #[scatter] out: &mut [f64]) {
    for i in 0..place.len() {
        out[place[i]] = out[place[i]] - x[i];
    }
}

/// An operator that takes something else than elements.
#[foreach]
fn shifted(place: &[usize], by: &[u32], #[scatter] out: &mut [u64]) {
    for i in 0..place.len() {
        out[place[i]] <<= by[i];
    }
}

/// All of one series meets all of another.
#[foreach]
fn convolved(a: &[f64], #[replicated] b: &[f64], #[scatter] out: &mut [f64]) {
    for i in 0..a.len() {
        for j in 0..b.len() {
            out[i + j] += a[i] * b[j];
        }
    }
}

/// Two neighbours meet.
#[foreach]
fn pairs(x: &[f64], #[scatter] out: &mut [f64]) {
    for i in 0..x.len() {
        out[i / 2] += x[i];
    }
}

/// Beside a running value, which iterations write too.
#[distributed_scan]
fn ranked(key: &[u32], #[scatter] sum_of_ranks: &mut [u64]) -> u64 {
    let mut rank = 0;
    for k in key {
        if *k % 2 == 0 {
            rank += 1;
        }
        sum_of_ranks[*k as usize] += rank;
    }
    rank
}

/// Two arrays, by two operators, at places that functions and tuples tell.
#[foreach]
fn sorted_out(x: &[i64], #[scatter] last: &mut [i64], #[scatter] count: &mut [u32]) {
    for (i, x) in x.iter().enumerate() {
        let (cell, weight) = cell_of(*x);
        last[cell % last.len()] = i as i64;
        if weight > 0 {
            count[cell % count.len()] += weight;
        }
    }
}

#[forall::device]
fn cell_of(x: i64) -> (usize, u32) {
    (x.unsigned_abs() as usize % 13, (x & 3) as u32)
}

/// A matrix in compressed rows, from the left.
#[foreach]
fn transposed(rows: &[usize], #[gather] column: &[u32], #[gather] a: &[f64], x: &[f64], #[scatter] y: &mut [f64]) {
    for i in 0..x.len() {
        for k in rows[i]..rows[i + 1] {
            y[column[k] as usize] += a[k] * x[i];
        }
    }
}

/// Scattered elements are read afterwards; at indices of its own an iteration writes as ever.
#[foreach]
fn inverted(place: &[usize], #[scatter] inverse: &mut [usize], twice: &mut [usize]) {
    for i in 0..inverse.len() {
        inverse[i] = usize::MAX / 4;
    }
    for i in 0..place.len() {
        inverse[place[i]] = i;
    }
    for i in 0..twice.len() {
        twice[i] = 2 * inverse[i];
    }
}

/// Elements that are arrays.
#[foreach]
fn corners(place: &[usize], at: &[f64], #[scatter] corner: &mut [[f64; 3]]) {
    for i in 0..place.len() {
        corner[place[i]] = [at[i], 0.5 * at[i], -at[i]];
    }
}

#[derive(Clone, Copy, Debug, PartialEq, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C)]
struct Body {
    force: f64,
    mass: f32,
    hits: u32,
}

same_fields!(Body { force, mass, hits });

/// One field of the elements.
#[foreach]
fn pulled(place: &[u32], by: &[f64], #[scatter] body: &mut [Body]) {
    for i in 0..place.len() {
        body[place[i] as usize].force += by[i] * 0.5;
    }
    for i in 0..place.len() {
        body[place[i] as usize].hits += 1;
    }
    for i in 0..place.len() {
        if by[i] > 0.3 {
            let k = place[i] as usize;
            body[k].mass = body[k].mass.max(by[i] as f32);
        }
    }
}

#[foreach]
fn hit_last(place: &[usize], #[scatter] body: &mut [Body]) {
    for (i, &k) in place.iter().enumerate() {
        body[k].hits = i as u32;
    }
}

cases! {
    pulled(n) {
        let (place, by) = (naturals(n, 1, n), reals(n, 2));
        let body = made(n, 3, |bits| Body { force: unit(bits), mass: 0.25, hits: bits as u32 % 10 });
        check!(pulled(&place, &by, &mut body); shares place, by; writes body);
    }
    hit_last(n) {
        let (place, body) = (indices(n, 1, n), vec![Body { force: 1.0, mass: 2.0, hits: 3 }; n]);
        check!(hit_last(&place, &mut body); shares place; writes body);
    }
    added_up(n) {
        let (key, weight, total) = (naturals(n, 1, 5), reals(n, 2), reals(5, 3));
        check!(added_up(&key, &weight, &mut total); shares key, weight; writes total);
    }
    nearest(n) {
        let (cell, distance, least) = (naturals(n, 1, 9), reals(n, 2), vec![0.5; 9]);
        check!(nearest(&cell, &distance, &mut least); shares cell, distance; writes least);
    }
    greatest(n) {
        let (cell, value, most) = (naturals(n, 1, 9), reals(n, 2), vec![0.5; 9]);
        check!(greatest(&cell, &value, &mut most); shares cell, value; writes most);
    }
    differences(n) {
        let (place, x, out) = (indices(n, 1, n / 3 + 1), reals(n, 2), reals(n / 3 + 1, 3));
        check!(differences(&place, &x, &mut out); shares place, x; writes out);
    }
    shifted(n) {
        let (place, by, out) = (indices(n, 1, n / 3 + 1), naturals(n, 2, 3), vec![1; n / 3 + 1]);
        check!(shifted(&place, &by, &mut out); shares place, by; writes out);
    }
    convolved(n) {
        let (a, b, out) = (reals(n, 1), reals(5, 2), reals(n + 4, 3));
        check!(convolved(&a, &b, &mut out); shares a; writes out);
    }
    pairs(n) {
        let (x, out) = (reals(n, 1), reals(n, 2));
        check!(pairs(&x, &mut out); shares x; writes out);
    }
    ranked(n) {
        let (key, sum_of_ranks) = (naturals(n, 1, 6), vec![1; 6]);
        check!(ranked(&key, &mut sum_of_ranks); shares key; writes sum_of_ranks);
    }
    sorted_out(n) {
        let (x, last, count) = (integers(n, 1), vec![-1; 10], vec![3; 4]);
        check!(sorted_out(&x, &mut last, &mut count); shares x; writes last, count);
    }
    transposed(n) {
        let rows: Vec<usize> = (0..=n).map(|i| i * 3 + i % 2).collect();
        let entries = rows[n];
        let (column, a) = (naturals(entries, 1, n.max(1)), reals(entries, 2));
        let (x, y) = (reals(n, 3), reals(n.max(1), 4));
        check!(transposed(&rows, &column, &a, &x, &mut y); shares rows, column, a, x; writes y);
    }
    inverted(n) {
        let (place, inverse, twice) = (indices(n, 1, n), vec![7; n], vec![7; n]);
        check!(inverted(&place, &mut inverse, &mut twice); shares place; writes inverse, twice);
    }
    corners(n) {
        let (place, at, corner) = (indices(n, 1, n), reals(n, 2), vec![[0.0; 3]; n]);
        check!(corners(&place, &at, &mut corner); shares place, at; writes corner);
    }
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
