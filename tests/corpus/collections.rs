//! Collections whose entries are changed, and buffers that are set anew on every path.

use crate::support::*;
use forall::{distributed_scan, foreach, foreach_tls, kary_reduce};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fmt::Write as _;

#[foreach_tls]
fn counted(x: &[u8]) -> BTreeMap<u8, u32> {
    let mut counts = BTreeMap::new();
    for byte in x {
        *counts.entry(*byte % 17).or_insert(0) += 1;
    }
    counts
}

/// The kept value is a copy of the element that the loop has just written.
#[foreach_tls]
fn peaks(v: &mut [[f64; 2]]) -> Vec<f64> {
    let mut peaks = Vec::new();
    for pair in v.iter_mut() {
        for k in 0..2 {
            pair[k] *= 2.0;
            if pair[k] > 1.0 {
                peaks.push(pair[k]);
            }
        }
    }
    peaks
}

/// Where elements that the loop changes become large, alone and with what they are then.
#[foreach_tls]
fn clamped_places(v: &mut [f64], most: f64, pairs: &mut Vec<[f64; 2]>) -> Vec<usize> {
    let mut places = Vec::new();
    for (i, e) in v.iter_mut().enumerate() {
        let before = *e;
        if *e > most {
            *e = most;
            places.push(i);
            pairs.push([before, *e]);
        }
    }
    places
}

fn doubled(e: &mut i64) -> i64 {
    *e *= 2;
    *e
}

/// The kept value is no copy, but no output either.
#[foreach_tls]
fn labels(v: &mut [i64]) -> (Vec<(usize, String)>, Vec<i64>) {
    let (mut labels, mut all) = (Vec::new(), Vec::new());
    for (i, e) in v.iter_mut().enumerate() {
        let mut text = format!("{e}");
        let label = std::mem::take(&mut text);
        all.push(doubled(e));
        labels.push((i, label));
    }
    (labels, all)
}

/// Beside what the caller has counted before.
#[foreach_tls]
fn counted_on(x: &[u8], counts: &mut HashMap<u8, u32>) {
    for byte in x {
        counts.entry(*byte % 17).and_modify(|count| *count += 1).or_insert(1);
    }
}

fn add_counts(all: &mut HashMap<u8, u32>, later: HashMap<u8, u32>) {
    for (byte, count) in later {
        *all.entry(byte).or_default() += count;
    }
}

#[foreach_tls(init = HashMap::new, merge = add_counts)]
fn counted_by_paths(x: &[u8]) -> HashMap<u8, u32> {
    let mut counts = HashMap::new();
    for byte in x {
        *counts.entry(*byte % 17).or_insert(0) += 1;
    }
    counts
}

/// The first and the last place of each value, and all of them.
#[foreach_tls]
#[allow(clippy::type_complexity)]
fn places(x: &[u8]) -> (BTreeMap<u8, usize>, BTreeMap<u8, usize>, BTreeMap<u8, Vec<usize>>) {
    let (mut first, mut last, mut all) = (BTreeMap::new(), BTreeMap::new(), BTreeMap::<u8, Vec<usize>>::new());
    for i in 0..x.len() {
        first.entry(x[i] % 17).or_insert(i);
        last.insert(x[i] % 17, i);
        all.entry(x[i] % 17).or_default().push(i);
    }
    (first, last, all)
}

/// Elements that are no plain data.
#[foreach_tls]
fn names_of(x: &[u8]) -> Vec<String> {
    let mut names = Vec::new();
    for (i, byte) in x.iter().enumerate() {
        if byte % 3 == 0 {
            names.push(format!("{i}: {byte}"));
        }
    }
    names
}

#[foreach_tls]
fn written(x: &[u8]) -> String {
    let mut text = String::new();
    for byte in x {
        write!(text, "{byte},").unwrap();
    }
    text
}

fn glue(text: &mut String, later: String) {
    text.push_str(&later);
}

#[foreach_tls(init = String::new, merge = glue)]
fn written_by_paths(x: &[u8]) -> String {
    let mut text = String::new();
    for byte in x {
        let _ = write!(text, "{byte}");
        if byte % 2 == 0 {
            writeln!(text).unwrap();
        }
    }
    text
}

/// Several insertions an iteration, in all places where the value of one is not used.
#[foreach_tls]
fn neighbours(x: &[i64]) -> BTreeSet<i64> {
    let mut near = BTreeSet::new();
    for v in x {
        (-1..=1).for_each(|d| {
            near.insert(v + d);
        });
        match v % 3 {
            0 => _ = near.insert(-1000),
            1 => {
                near.insert(1000);
            }
            _ => {}
        }
        if *v > 5 {
            let _ = near.insert(*v * 100);
        }
    }
    near
}

fn join_highest(all: &mut Vec<i64>, later: Vec<i64>) {
    all.extend(later);
    keep_highest(all);
}

fn keep_highest(all: &mut Vec<i64>) {
    all.sort_unstable_by(|a, b| b.cmp(a));
    all.truncate(3);
}

/// Values that are thrown away here are thrown away by the author's merge as well.
#[foreach_tls(init = Vec::new, merge = join_highest)]
fn three_highest(x: &[i64]) -> Vec<i64> {
    let mut highest = Vec::new();
    for v in x {
        highest.push(*v);
        keep_highest(&mut highest);
    }
    highest
}

/// Cleared, or made anew, in each branch; the same buffer serves a second loop.
#[foreach_tls]
fn set_anew_in_branches(x: &[i64], out: &mut [i64]) {
    let mut buffer: Vec<i64> = Vec::new();
    for i in 0..x.len() {
        if x[i] == 4 {
            continue;
        }
        if x[i] > 0 {
            buffer.clear();
            buffer.push(7);
        } else {
            buffer = vec![1, 2];
        }
        buffer.push(x[i]);
        out[i] = buffer.iter().sum();
    }
    for i in 0..x.len() {
        match x[i] % 3 {
            0 => buffer.clear(),
            1 => buffer = Vec::new(),
            _ => {
                out[i] += 5;
                buffer.clear();
            }
        }
        buffer.extend_from_slice(&[x[i], 1]);
        buffer.truncate(1);
        out[i] += buffer[0];
    }
}

/// A loop over time steps around a loop with a buffer.
#[foreach_tls]
fn buffer_in_steps(steps: usize, x: &[i64], out: &mut [i64]) {
    let mut buffer: Vec<i64> = Vec::new();
    for _ in 0..steps {
        for i in 0..x.len() {
            buffer.clear();
            buffer.push(x[i]);
            out[i] += buffer.iter().sum::<i64>();
        }
    }
}

/// All elements are set, and their number stays.
#[foreach]
fn filled_buffer(x: &[i64], out: &mut [i64]) {
    let mut bins = vec![0; 4];
    for i in 0..x.len() {
        bins.fill(1);
        bins[x[i].rem_euclid(4) as usize] += x[i];
        bins.sort_unstable();
        out[i] = bins[0] * 10 + bins[3];
    }
}

/// Unsigned numbers, which have nothing below zero for a chunk to go to.
#[kary_reduce]
fn what_is_left(x: &[u32], budget: u32) -> u32 {
    let mut left = budget;
    for v in x {
        left -= v;
    }
    left
}

#[distributed_scan]
fn fuel(used: &[u32], out: &mut [u32]) {
    let mut left = 1_000_000;
    for i in 0..used.len() {
        left = left - used[i];
        out[i] = left;
    }
}

/// Another variable of the accumulator's name, inside.
#[kary_reduce]
fn same_name_inside(x: &[i64]) -> i64 {
    let mut a = 0;
    for v in x {
        let mut half = 0;
        if let Some(mut a) = Some(*v) {
            a = a / 2 - a;
            half = a;
        }
        a += half;
    }
    a
}

/// A buffer that is filled from its own elements before.
#[foreach]
fn powers_in_a_buffer(x: &[i64], out: &mut [i64]) {
    let mut powers = [0i64; 4];
    for i in 0..out.len() {
        powers[0] = 1;
        for k in 1..4 {
            powers[k] = powers[k - 1] * (x[i] % 8);
        }
        out[i] = powers[3] - powers[2];
    }
}

/// The change of an element comes after it is added, and must not happen twice.
#[distributed_scan]
fn turned_after_reading(x: &mut [[i64; 2]], out: &mut [i64]) {
    let mut sum = 0;
    for (pair, o) in x.iter_mut().zip(out.iter_mut()) {
        sum += pair[0];
        pair.reverse();
        *o = sum;
    }
}

cases! {
    labels(n) {
        let v = integers(n, 1);
        check!(labels(&mut v); writes v);
    }
    clamped_places(n) {
        let (v, pairs) = (reals(n, 1), vec![]);
        check!(clamped_places(&mut v, 0.5, &mut pairs); writes v, pairs);
    }
    peaks(n) {
        let v: Vec<[f64; 2]> = reals(n, 1).into_iter().zip(reals(n, 2)).map(|(a, b)| [a, b]).collect();
        check!(peaks(&mut v); writes v);
    }
    what_is_left(n) {
        let x = naturals(n, 1, 9);
        check!(what_is_left(&x, 1_000_000); shares x);
    }
    fuel(n) {
        let (x, out) = (naturals(n, 1, 9), vec![0; n]);
        check!(fuel(&x, &mut out); shares x; writes out);
    }
    same_name_inside(n) {
        let x = integers(n, 1);
        check!(same_name_inside(&x); shares x);
    }
    powers_in_a_buffer(n) {
        let (x, out) = (integers(n, 1), vec![0; n]);
        check!(powers_in_a_buffer(&x, &mut out); shares x; writes out);
    }
    turned_after_reading(n) {
        let (x, out) = (made(n, 1, |bits| [(bits % 100) as i64, (bits / 128 % 100) as i64]), vec![0; n]);
        check!(turned_after_reading(&mut x, &mut out); writes x, out);
    }
    counted(n) {
        let x = made(n, 1, |bits| bits as u8);
        check!(counted(&x); shares x);
        check!(counted_by_paths(&x); shares x);
        let counts = HashMap::from([(3, 4), (100, 7)]);
        check!(counted_on(&x, &mut counts); shares x; keeps counts);
    }
    places(n) {
        let x = made(n, 1, |bits| bits as u8);
        check!(places(&x); shares x);
    }
    names_of(n) {
        let x = made(n, 1, |bits| bits as u8);
        check!(names_of(&x); shares x);
    }
    written(n) {
        let x = made(n, 1, |bits| bits as u8);
        check!(written(&x); shares x);
        check!(written_by_paths(&x); shares x);
    }
    neighbours(n) {
        let x = integers(n, 1);
        check!(neighbours(&x); shares x);
        check!(three_highest(&x); shares x);
    }
    set_anew_in_branches(n) {
        let (x, out) = (integers(n, 1), vec![0; n]);
        check!(set_anew_in_branches(&x, &mut out); shares x; writes out);
        check!(buffer_in_steps(3, &x, &mut out); vectors x; writes out);
        check!(filled_buffer(&x, &mut out); shares x; writes out);
    }
}
