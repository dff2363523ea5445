//! Chains of iterators that end in a value, as the whole body, in front of a loop, and in expressions.

use crate::support::*;
use forall::{foreach, foreach_tls, kary_reduce};
use std::collections::BTreeMap;

#[kary_reduce]
fn sum(x: &[f64]) -> f64 {
    x.iter().sum()
}

#[kary_reduce]
fn dot(x: &[f64], y: &[f64]) -> f64 {
    x.iter().zip(y).map(|(a, b)| a * b).sum()
}

#[kary_reduce]
fn norm(x: &[f32]) -> f32 {
    x.iter().map(|v| v * v).sum::<f32>().sqrt()
}

#[kary_reduce]
fn product(x: &[u64]) -> u64 {
    x.iter().take(9).map(|v| v % 3 + 1).product()
}

/// The same element counts once, and in the order of the slice.
#[kary_reduce]
fn extremes(x: &[i64]) -> (Option<i64>, Option<i64>, i64) {
    (x.iter().copied().max(), x.iter().map(|v| v % 17).min(), *x.iter().filter(|v| **v < 0).max().unwrap_or(&-7))
}

#[kary_reduce]
fn range_of_floats(x: &[f64]) -> (f64, f64) {
    x.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), v| (low.min(*v), high.max(*v)))
}

#[kary_reduce]
fn largest_by_name(x: &[f64], y: &[f64]) -> f64 {
    let most = x.iter().copied().fold(0.0, f64::max);
    y.iter().fold(most, |most: f64, v| most.max(v.abs()))
}

#[kary_reduce]
fn tested(x: &[i64], limit: i64) -> (bool, bool, usize, Option<usize>) {
    let any = x.iter().any(|v| *v > limit);
    let all = x.iter().zip(&x[1.min(x.len())..]).all(|(a, b)| a + b < 4 * limit);
    let above = x.iter().filter(|&&v| v > limit).count();
    (any, all, above, x.iter().map(|v| v - 3).position(|v| v > limit))
}

/// Nothing runs behind the match: there the division has no value.
#[kary_reduce]
fn any_before_zero(x: &[i64], by: &[i64]) -> bool {
    x.iter().zip(by).map(|(x, by)| x / by).filter(|v| *v >= 0).any(|v| v % 2 == 1)
}

#[kary_reduce]
fn of_indices(x: &[i64], y: &[i64]) -> (i64, Option<usize>) {
    let sum = (0..x.len()).filter(|&i| x[i] > y[i]).map(|i| x[i] - y[i]).sum::<i64>();
    (sum, (0..x.len()).filter(|&i| x[i] % 5 == 1).max())
}

#[kary_reduce]
fn histogram(x: &[u8]) -> [u32; 16] {
    x.iter().fold([0; 16], |mut bins, v| {
        bins[*v as usize % 16] += 1;
        bins
    })
}

#[kary_reduce]
fn deviation(x: &[f64]) -> f64 {
    let n = x.len().max(1) as f64;
    let mean = x.iter().sum::<f64>() / n;
    let variance: f64 = x.iter().map(|v| (v - mean) * (v - mean)).sum();
    (variance / n).sqrt()
}

/// Rounds of chains and loops.
#[foreach]
fn normalized(x: &mut [f64], y: &[f64], rounds: usize) -> f64 {
    let mut last = 0.0;
    for _ in 0..rounds {
        let length = x.iter().map(|v| v * v).sum::<f64>().sqrt() + 1.0;
        for v in x.iter_mut() {
            *v /= length;
        }
        last = length + x.iter().zip(y).map(|(a, b)| a * b).sum::<f64>();
    }
    if rounds > 1 { x.iter().sum() } else { last }
}

#[kary_reduce]
fn numbered(x: &[i64]) -> i64 {
    x.iter().enumerate().filter(|(i, _)| i % 3 != 1).map(|(i, v)| v * i as i64).sum::<i64>()
        - x.windows(2).map(|w| (w[1] - w[0]).abs()).sum::<i64>()
        + x.chunks_exact(4).map(|c| c[0] * c[3]).rev().sum::<i64>()
}

#[foreach]
fn cut_above(x: &mut [f64], most: f64) {
    for (_, v) in x.iter_mut().enumerate().filter(|(i, v)| i % 3 != 1 && **v > most) {
        *v = most;
    }
}

#[kary_reduce]
fn changes(x: &[i64], y: &[i64]) -> (i64, i64) {
    let (mut sum, mut most) = (0, 0);
    for (i, d) in x.iter().zip(y).map(|(a, b)| a - b).enumerate() {
        sum += d * i as i64;
    }
    for d in x.windows(2).filter(|w| w[0] < w[1]).map(|w| w[1] - w[0]) {
        most = d.max(most);
    }
    (sum, most)
}

/// Distances of all pairs, packed.
#[foreach]
fn pairs(#[replicated] x: &[i64], out: &mut [i64]) {
    let mut k = 0;
    for i in 0..x.len() {
        for j in i + 1..x.len() {
            out[k] = (x[i] - x[j]).abs();
            k += 1;
        }
    }
}

/// The indices of the values in each cell, and how often each value occurs.
#[foreach_tls]
fn cells(x: &[i64], cells: usize) -> Vec<Vec<usize>> {
    let mut found = vec![Vec::new(); cells];
    for i in 0..x.len() {
        found[x[i].rem_euclid(cells as i64) as usize].push(i);
    }
    found
}

#[kary_reduce]
fn occurrences(x: &[i64], weights: &[u32]) -> BTreeMap<i64, u64> {
    let mut found = BTreeMap::new();
    for (v, w) in x.iter().zip(weights) {
        *found.entry(v % 11).or_insert(0) += u64::from(*w);
    }
    found
}

cases! {
    headers(n) {
        let (x, y, a) = (integers(n, 1), integers(n, 2), reals(n, 3));
        check!(changes(&x, &y); shares x, y);
        check!(numbered(&x); shares x);
        check!(cut_above(&mut a, 0.25); writes a);
        let weights = naturals(n, 4, 9);
        check!(occurrences(&x, &weights); shares x, weights);
        check!(cells(&x, 7); shares x);
        let (table, distances) = (integers(n.min(20), 5), vec![0; 200.max(n)]);
        check!(pairs(&table, &mut distances); writes distances);
    }
    sums(n) {
        let (x, y, single) = (reals(n, 1), reals(n, 2), singles(n, 3));
        check!(sum(&x) within 1e-9; shares x);
        check!(dot(&x, &y) within 1e-9; shares x, y);
        check!(norm(&single) within 1e-4; shares single);
        check!(deviation(&x) within 1e-9; shares x);
        let whole = naturals(n, 1, 1000);
        let whole: Vec<u64> = whole.into_iter().map(u64::from).collect();
        check!(product(&whole); shares whole);
    }
    best(n) {
        let (x, a, b) = (integers(n, 1), reals(n, 1), reals(n, 2));
        check!(extremes(&x); shares x);
        check!(range_of_floats(&a); shares a);
        check!(largest_by_name(&a, &b); shares a, b);
    }
    tests(n) {
        let x = integers(n, 1);
        for limit in [-2000, 0, 900, 2000] {
            check!(tested(&x, limit); shares x);
        }
        // Divides by zero behind the first match, and not before it.
        let ones = vec![3; n];
        let by: Vec<i64> = (0..n).map(|i| i64::from(i < 2)).collect();
        check!(any_before_zero(&ones, &by); shares ones, by);
    }
    indices(n) {
        let (x, y, bytes) = (integers(n, 1), integers(n, 2), made(n, 3, |bits| bits as u8));
        check!(of_indices(&x, &y); shares x, y);
        check!(histogram(&bytes); shares bytes);
    }
    rounds(n) {
        let (x, y) = (reals(n, 1), reals(n, 2));
        for rounds in [0, 1, 3] {
            check!(normalized(&mut x, &y, rounds) within 1e-9; shares y; writes x);
        }
    }
}
