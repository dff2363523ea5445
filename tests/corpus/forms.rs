//! Every form of loop, body and signature that the attributes accept, one at a time.

use crate::support::*;
use forall::{distributed_scan, foreach, foreach_tls, kary_reduce};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fmt::Write as _;
use std::ops::{AddAssign, Mul};

// Loops.

#[foreach]
fn reversed(x: &[i32], out: &mut [i32]) {
    for i in (0..x.len()).rev() {
        out[i] = x[i] - i as i32;
    }
}

#[foreach]
fn stepped(x: &mut [i32], k: usize) {
    for i in (1..x.len()).step_by(k) {
        x[i] = -x[i];
    }
}

#[foreach]
fn stepped_and_reversed(x: &mut [i64], first: usize) {
    for i in (first..x.len()).rev().step_by(3) {
        x[i] *= i as i64;
    }
    for i in (0..x.len()).step_by(4).rev() {
        x[i] += 1;
    }
}

/// Red and black: writes even elements from odd ones, then the other way round.
#[foreach]
fn red_black(x: &mut [f64]) {
    let n = x.len();
    for i in (2..n - 1).step_by(2) {
        x[i] = 0.5 * (x[i - 1] + x[i + 1]);
    }
    for i in (1..n - 1).step_by(2) {
        x[i] = 0.5 * (x[i - 1] + x[i + 1]);
    }
}

/// Pairs: two elements written each iteration, disjoint from the next iteration's.
#[foreach]
fn swap_pairs(x: &mut [u32]) {
    for i in 0..x.len() / 2 {
        let left = x[2 * i];
        x[2 * i] = x[2 * i + 1];
        x[2 * i + 1] = left;
    }
}

#[foreach]
fn inclusive_range(lo: usize, hi: usize, out: &mut [usize]) {
    for i in lo..=hi {
        out[i] = i * i;
    }
}

/// The loop variable is signed, as translated code often has it.
#[foreach]
fn signed_variable(n: i64, x: &[f64], out: &mut [f64]) {
    for i in 1..n - 1 {
        out[i as usize] = x[(i - 1) as usize] - x[(i + 1) as usize];
    }
}

#[foreach]
fn narrow_variable(x: &mut [u64]) {
    for i in 0..x.len() as u32 {
        x[i as usize] ^= (i as u64) << 3;
    }
}

#[foreach]
fn by_reference(x: &[i64], y: &mut [i64]) {
    for (i, v) in x.iter().enumerate() {
        y[i] = v * v;
    }
}

#[foreach]
fn nested_zip(a: &[f32], b: &[f32], c: &[f32], out: &mut [f32]) {
    for (((o, a), b), c) in out.iter_mut().zip(a.iter()).zip(b).zip(c.iter()) {
        *o = a.mul_add(*b, *c);
    }
}

/// The shortest of the zipped vectors ends the loop.
#[foreach]
fn uneven_zip(a: &[i32], b: &[i32], out: &mut [i32]) {
    for (i, (a, b)) in a.iter().zip(b.iter()).enumerate() {
        out[i] = a * 2 + b;
    }
}

#[foreach]
fn chunk_means(x: &[f64], n: usize, means: &mut [f64]) {
    for (i, chunk) in x.chunks_exact(n).enumerate() {
        let mut sum = 0.0;
        for v in chunk {
            sum += v;
        }
        means[i] = sum / n as f64;
    }
}

#[foreach]
fn normalise_chunks(x: &mut [f64]) {
    for v in x.chunks_exact_mut(4) {
        let length = (v[0] * v[0] + v[1] * v[1] + v[2] * v[2] + v[3] * v[3]).sqrt();
        for c in v.iter_mut() {
            *c /= length;
        }
    }
}

#[foreach]
fn window_slopes(x: &[f64], out: &mut [f64]) {
    for (o, w) in out.iter_mut().zip(x.windows(3)) {
        *o = 0.5 * (w[2] - w[0]);
    }
}

/// Bounds from parameters, and a window of another array.
#[foreach]
fn between(from: usize, to: usize, shift: usize, x: &[i64], out: &mut [i64]) {
    for i in from..to {
        out[i] = x[i + shift] - 1;
    }
}

/// The target may begin where the source does not.
#[foreach]
fn moved_write(x: &[i64], k: usize, out: &mut [i64]) {
    for i in 0..x.len() {
        out[i + k] = x[i];
    }
}

/// The rows of a matrix beside a vector: lengths differ, and so do the cuts.
#[foreach]
fn scale_rows(matrix: &mut [f64], factor: &[f64], width: usize) {
    for row in 0..factor.len() {
        let line = &mut matrix[row * width..(row + 1) * width];
        for value in line.iter_mut() {
            *value *= factor[row];
        }
    }
}

#[foreach]
fn row_sums(matrix: &[f64], width: usize, sums: &mut [f64]) {
    for row in 0..sums.len() {
        let line = &matrix[row * width..(row + 1) * width];
        let mut sum = 0.0;
        for value in line {
            sum += value;
        }
        sums[row] = sum;
    }
}

/// Mirror: each iteration reads the far end.
#[foreach]
fn mirrored(x: &[i32], out: &mut [i32]) {
    let n = x.len();
    for i in 0..n {
        out[i] = x[n - 1 - i];
    }
}

/// Writes backwards.
#[foreach]
fn mirrored_write(x: &[i32], out: &mut [i32]) {
    let n = x.len();
    for i in 0..n {
        out[n - 1 - i] = x[i];
    }
}

#[foreach]
fn every_third(x: &[i32], out: &mut [i32]) {
    for i in 0..out.len() {
        out[i] = x[3 * i] + x[3 * i + 2];
    }
}

/// Periodic neighbours.
#[foreach]
fn periodic(x: &[f64], out: &mut [f64]) {
    let n = x.len();
    for i in 0..n {
        let left = if i == 0 { n - 1 } else { i - 1 };
        let right = if i + 1 == n { 0 } else { i + 1 };
        out[i] = x[left] + x[right] - 2.0 * x[i];
    }
}

/// Clamped neighbours.
#[foreach]
fn clamped(x: &[f64], out: &mut [f64]) {
    let n = x.len();
    for i in 0..n {
        let left = i.saturating_sub(1);
        let right = (i + 1).min(n - 1);
        out[i] = 0.25 * x[left] + 0.5 * x[i] + 0.25 * x[right];
    }
}

/// Several loops of different classes with plain statements before, between and after.
#[foreach]
fn several_loops(x: &[i64], y: &mut [i64], z: &mut [i64]) -> (i64, i64, usize) {
    let n = x.len();
    let mut least = x[0];
    for i in 0..n {
        if x[i] < least {
            least = x[i];
        }
    }
    let offset = 1 - least;
    for i in 0..n {
        y[i] = x[i] + offset;
    }
    let mut sum = 0;
    for i in 0..n {
        sum += y[i];
        z[i] = sum;
    }
    let mean = sum / n as i64;
    let mut above = 0;
    for i in 0..n {
        if y[i] > mean {
            above += 1;
        }
    }
    z[0] = -1;
    (least, z[n - 1], above)
}

// Bodies.

/// `continue`, inner `loop` with `break` and a value, inner `while`, a label inside.
#[foreach]
fn collatz(x: &[u64], steps: &mut [u32]) {
    for i in 0..x.len() {
        if x[i] == 0 {
            steps[i] = 0;
            continue;
        }
        let mut v = x[i];
        let mut count = 0;
        steps[i] = loop {
            if v == 1 {
                break count;
            }
            while v % 2 == 0 {
                v /= 2;
                count += 1;
            }
            if v != 1 {
                v = 3 * v + 1;
                count += 1;
            }
        };
    }
}

/// A label on an inner loop, which stays inside the iteration.
#[foreach]
fn inner_label(x: &[u32], out: &mut [u32]) {
    for i in 0..x.len() {
        let mut found = 0;
        'search: for a in 1..20u32 {
            for b in a..20 {
                if a * a + b * b == x[i] {
                    found = a * 100 + b;
                    break 'search;
                }
            }
        }
        out[i] = found;
    }
}

/// Shadowing, a local array, tuples, `if let`, a cast that wraps.
#[foreach]
fn mixed_body(x: &[i32], out: &mut [i32]) {
    for i in 0..x.len() {
        let x = x[i];
        let digits = [x % 10, x / 10 % 10, x / 100 % 10];
        let (mut sum, mut product) = (0, 1);
        for d in digits {
            sum += d;
            product *= d.max(1);
        }
        let small = if let 0..=9 = x { 1 } else { 0 };
        let byte = i as u8 as i32;
        out[i] = sum * 1000 + product + small + byte;
    }
}

fn spread(v: f64, by: f64) -> f64 {
    let mut r = v;
    for _ in 0..3 {
        r = r * by + v;
    }
    r
}

/// Calls of a function, a closure and a constant.
#[foreach]
fn calls(x: &[f64], out: &mut [f64]) {
    const BY: f64 = 0.75;
    let square = |v: f64| v * v;
    for i in 0..x.len() {
        let half = |v: f64| v / 2.0;
        out[i] = half(square(spread(x[i], BY)));
    }
}

/// An element is read and written several times in one iteration.
#[foreach]
fn read_after_write(x: &mut [f64], y: &mut [f64]) {
    for i in 0..x.len() {
        x[i] += 1.0;
        y[i] = x[i] * 2.0;
        x[i] = y[i] - x[i];
        if x[i] > 1.5 {
            y[i] = -y[i];
        }
    }
}

/// A scratch variable of the function, written before it is read in each iteration.
#[foreach]
fn outer_scratch(x: &[f64], y: &mut [f64]) {
    let mut t;
    for i in 0..x.len() {
        t = x[i] * 3.0;
        t = t - 1.0;
        y[i] = t * t;
    }
}

/// A scratch array of the function.
#[foreach]
fn scratch_array(x: &[i64], y: &mut [i64]) {
    let mut powers = [0i64; 4];
    for i in 0..x.len() {
        powers[0] = 1;
        for k in 1..4 {
            powers[k] = powers[k - 1] * (x[i] % 100);
        }
        y[i] = powers[3] - powers[2] + powers[1] - powers[0];
    }
}

/// Conditional writes leave the other elements alone.
#[foreach]
fn conditional_write(x: &[i32], y: &mut [i32]) {
    for i in 0..x.len() {
        if x[i] > 0 {
            y[i] = x[i];
        } else if x[i] % 2 == 0 {
            y[i] -= 1;
        }
    }
}

/// Output of one loop is input to the next at shifted places.
#[foreach]
fn chained_stencils(x: &[f64], a: &mut [f64], b: &mut [f64]) {
    let n = x.len();
    for i in 2..n - 2 {
        a[i] = x[i - 2] + x[i + 2];
    }
    for i in 4..n - 4 {
        b[i] = a[i - 2] - a[i + 2];
    }
}

// Elements and signatures.

#[foreach]
fn generic_axpy<T>(a: T, x: &[T], y: &mut [T])
where
    T: bytemuck::Pod + Send + Sync + Mul<Output = T> + AddAssign,
{
    for i in 0..x.len() {
        y[i] += a * x[i];
    }
}

#[foreach]
fn generic_width<const N: usize>(x: &[f32], weights: &[f32; N], out: &mut [f32]) {
    for i in 0..out.len() {
        let mut sum = 0.0;
        for k in 0..N {
            sum += weights[k] * x[i + k];
        }
        out[i] = sum;
    }
}

#[foreach]
fn with_function<F: Fn(f64) -> f64 + Sync>(x: &mut [f64], f: F) {
    for v in x.iter_mut() {
        *v = f(*v);
    }
}

#[foreach]
fn with_lifetimes<'a>(x: &'a [i64], y: &'a mut [i64], names: &'a [i64; 3]) {
    for i in 0..x.len() {
        y[i] = x[i] + names[i % 3];
    }
}

/// Parameters that the body changes.
#[kary_reduce]
fn mutable_parameter(mut sum: i64, x: &[i64]) -> i64 {
    for v in x {
        sum += *v;
    }
    sum
}

/// A total of the caller, by mutable reference.
#[kary_reduce]
fn add_to(total: &mut i64, x: &[i64]) {
    for i in 0..x.len() {
        *total += x[i];
    }
}

#[kary_reduce]
fn four_forms(x: &[f64]) -> (f64, f64, f64, f64) {
    let mut a = 0.0;
    let mut b = 0.0;
    let mut c = f64::MIN;
    let mut d = f64::MAX;
    for &e in x {
        a += e;
        b = b + e * e;
        c = c.max(e);
        if e < d {
            d = e;
        }
    }
    (a, b, c, d)
}

/// Products, under a condition and on the other side of the operator.
#[kary_reduce]
fn products(x: &[f64]) -> (f64, f64) {
    let mut p = 1.0;
    let mut q = 1.0;
    for e in x.iter() {
        p *= 1.0 + 0.01 * e;
        if *e > 0.5 {
            q = (2.0 - e) * q;
        }
    }
    (p, q)
}

/// `std::cmp` and methods on integers.
#[kary_reduce]
fn integer_extremes(x: &[i64]) -> (i64, i64, u64) {
    let mut least = i64::MAX;
    let mut most = i64::MIN;
    let mut widest = 0u64;
    for i in 0..x.len() {
        least = std::cmp::min(least, x[i]);
        most = x[i].max(most);
        widest = widest.max(x[i].unsigned_abs());
    }
    (least, most, widest)
}

/// An accumulator that only some iterations touch, from an inner loop.
#[kary_reduce(k = 16)]
fn count_neighbours(x: &[i32]) -> usize {
    let mut close = 0usize;
    for i in 2..x.len() {
        for j in 1..=2 {
            if (x[i] - x[i - j]).abs() < 100 {
                close += 1;
            }
        }
    }
    close
}

/// A total, and the running total at every place: scan and reduce in one loop, with a map beside them.
#[distributed_scan]
fn scan_and_total(x: &[i64], running: &mut [i64], doubled: &mut [i64]) -> (i64, i64) {
    let mut sum = 0;
    let mut most = i64::MIN;
    for i in 0..x.len() {
        doubled[i] = 2 * x[i];
        sum += x[i];
        most = most.max(x[i]);
        running[i] = sum;
    }
    (sum, most)
}

/// Starts from a value of the caller's.
#[distributed_scan]
fn scan_from(start: i64, x: &[i64], out: &mut [i64]) {
    let mut sum = start;
    for (o, v) in out.iter_mut().zip(x) {
        *o = sum;
        sum += v;
    }
}

#[distributed_scan]
fn scan_in_place_by_iterator(x: &mut [u64]) -> u64 {
    let mut sum = 0;
    for v in x.iter_mut() {
        sum += *v;
        *v = sum;
    }
    sum
}

/// In place and exclusive, through a copy of the element.
#[distributed_scan]
fn exclusive_in_place(x: &mut [u32]) -> u32 {
    let mut sum = 0;
    for i in 0..x.len() {
        let count = x[i];
        x[i] = sum;
        sum += count;
    }
    sum
}

/// In place from the back.
#[distributed_scan]
fn suffix_in_place(x: &mut [i64]) {
    let n = x.len();
    for i in (0..n - 1).rev() {
        x[i] += x[i + 1];
    }
}

/// In place with max.
#[distributed_scan]
fn running_max_in_place(x: &mut [i32]) {
    for i in 1..x.len() {
        x[i] = x[i].max(x[i - 1]);
    }
}

/// The running value is read but not stored as it is.
#[distributed_scan]
fn share_of_total_so_far(x: &[f64], out: &mut [f64]) {
    let mut total = 0.0;
    for i in 0..x.len() {
        total += x[i];
        out[i] = x[i] / total;
    }
}

/// Strided scan: every second element takes part.
#[distributed_scan]
fn scan_stepped(x: &[i32], out: &mut [i32]) {
    let mut sum = 0;
    for i in (0..x.len()).step_by(2) {
        sum += x[i];
        out[i] = sum;
    }
}

/// Segments that begin at multiples, with two accumulators of which one goes on.
#[distributed_scan]
fn segmented_and_whole(x: &[i64], every: usize, within: &mut [i64], whole: &mut [i64]) {
    let mut part = 0;
    let mut all = 0;
    for i in 0..x.len() {
        if i % every == 0 {
            part = 0;
        }
        part += x[i];
        all += x[i];
        within[i] = part;
        whole[i] = all;
    }
}

/// Cumulative histogram: counts, then the scan of the counts in the same function.
#[kary_reduce]
fn cumulative_histogram(x: &[u32], bins: usize) -> Vec<u64> {
    let mut h = vec![0u64; bins];
    for &v in x {
        h[v as usize] += 1;
    }
    for b in 1..bins {
        h[b] += h[b - 1];
    }
    h
}

/// A plain element of the caller's.
#[derive(Clone, Copy, Debug, PartialEq, bytemuck::Pod, bytemuck::Zeroable, forall::DeviceData)]
#[repr(C)]
struct Sample {
    time: u32,
    value: f32,
}
same_fields!(Sample { time, value });

#[foreach]
fn structs(samples: &mut [Sample], gain: f32) {
    for (i, sample) in samples.iter_mut().enumerate() {
        *sample = Sample { time: sample.time + i as u32, value: sample.value * gain };
    }
}

#[foreach]
fn fields_of_structs(samples: &[Sample], times: &mut [u32], values: &mut [f32]) {
    for i in 0..samples.len() {
        let Sample { time, value } = samples[i];
        times[i] = time;
        values[i] = value;
    }
}

#[foreach]
fn truth_values(x: &[f64], limit: f64, mask: &mut [bool]) {
    for i in 0..x.len() {
        mask[i] = x[i] > limit && !x[i].is_nan();
    }
}

/// A gas with its own loops.
struct Gas {
    gamma: f64,
    floor: f64,
}

impl Gas {
    #[foreach]
    fn pressure(&self, density: &[f64], energy: &[f64], pressure: &mut [f64]) {
        for i in 0..density.len() {
            pressure[i] = self.floor.max((self.gamma - 1.0) * density[i] * energy[i]);
        }
    }

    /// In the block, but without the gas.
    #[distributed_scan(associated)]
    fn mass<const N: usize>(density: &[f64], sums: &mut [f64]) -> f64 {
        let mut mass = N as f64;
        for i in 0..density.len() {
            mass += Self::weight(density[i]);
            sums[i] = mass;
        }
        mass
    }

    fn weight(density: f64) -> f64 {
        2.0 * density
    }

    fn plain_pressure(&self, density: &[f64], energy: &[f64], pressure: &mut [f64]) {
        for i in 0..density.len() {
            pressure[i] = self.floor.max((self.gamma - 1.0) * density[i] * energy[i]);
        }
    }

    #[kary_reduce]
    fn total(&self, density: &[f64]) -> f64 {
        let mut total = 0.0;
        for d in density {
            total += self.limit(*d);
        }
        total
    }

    fn plain_total(&self, density: &[f64]) -> f64 {
        let mut total = 0.0;
        for d in density {
            total += self.limit(*d);
        }
        total
    }

    fn limit(&self, density: f64) -> f64 {
        density.max(self.floor)
    }
}

// Pushes and states.

/// None, one or several pushes an iteration.
#[foreach_tls]
fn repeat_each(times: &[u32], out: &mut Vec<u32>) {
    for i in 0..times.len() {
        for _ in 0..times[i] {
            out.push(i as u32);
        }
    }
}

/// Returns what it pushes to.
#[foreach_tls]
fn positives_of(x: &[i64]) -> Vec<i64> {
    let mut kept = Vec::new();
    for &v in x {
        if v > 0 {
            kept.push(v);
        }
    }
    kept
}

/// What is kept alone: none, about half, nearly all, for a while each; to several targets, under conditions of all kinds.
#[foreach_tls]
fn selected(
    x: &[i32],
    w: &[[f32; 2]],
    least: i32,
    high: &mut Vec<[f32; 2]>,
    places: &mut Vec<usize>,
    digits: &mut Vec<u8>,
) -> i64 {
    let mut sum = 0;
    for i in 1..x.len() {
        let v = x[i];
        if v > least + (i / 3000 % 3) as i32 * 20 - 20 {
            high.push([v as f32, w[i][1]]);
            places.push(i);
        }
        if let Some(digit) = v.checked_rem(10) {
            digits.push(digit as u8);
        }
        if i > 1 && x[i - 1] < v {
            high.push([x[i - 1] as f32, 0.5]);
        }
        sum += v as i64;
    }
    sum
}

/// Two targets with different counts.
#[foreach_tls]
fn split(x: &[i32], even: &mut Vec<i32>, odd: &mut Vec<[i32; 2]>) -> usize {
    let mut zeros = 0;
    for (i, &v) in x.iter().enumerate() {
        match v.rem_euclid(2) {
            0 if v == 0 => zeros += 1,
            0 => even.push(v),
            _ => odd.push([i as i32, v]),
        }
    }
    zeros
}

/// `extend` by a few, over a scalar bound.
#[foreach_tls]
fn pythagorean(limit: u32, out: &mut Vec<[u32; 3]>) {
    for a in 1..limit {
        for b in a..limit {
            let c2 = a * a + b * b;
            let c = (c2 as f64).sqrt() as u32;
            if c * c == c2 && c < limit {
                out.push([a, b, c]);
            }
        }
    }
}

/// What each worker has seen.
#[derive(Clone, Debug, Default, PartialEq, serde::Serialize, serde::Deserialize)]
struct Tally {
    seen: u64,
    longest: String,
    names: Vec<u32>,
}
same_fields!(Tally { seen, longest, names });

impl Tally {
    fn new() -> Self {
        Tally::default()
    }

    fn add(&mut self, value: u32) {
        self.seen += 1;
        let text = value.to_string();
        if text.len() > self.longest.len() {
            self.longest = text;
        }
        if value.is_multiple_of(7) {
            self.names.push(value);
        }
    }

    fn absorb(&mut self, later: Self) {
        self.seen += later.seen;
        if later.longest.len() > self.longest.len() {
            self.longest = later.longest;
        }
        self.names.extend(later.names);
    }
}

impl forall::Merge for Tally {
    fn fresh() -> Self {
        Tally::new()
    }

    fn merge(&mut self, later: Self) {
        self.absorb(later);
    }
}

#[foreach_tls(init = Tally::new, merge = Tally::absorb)]
fn tally_by_paths(x: &[u32]) -> Tally {
    let mut tally = Tally::new();
    for i in 0..x.len() {
        tally.add(x[i]);
    }
    tally
}

#[foreach_tls]
fn tally_by_trait(x: &[u32]) -> Tally {
    let mut tally = Tally::default();
    for v in x {
        tally.add(*v);
    }
    tally
}

/// Text in the order of the iterations.
#[foreach_tls]
fn spell(x: &[u8]) -> String {
    let mut text = String::new();
    for &byte in x {
        if byte % 3 != 0 {
            text.push((b'a' + byte % 26) as char);
        }
    }
    text
}

// Collections whose entries are changed, and buffers that are set anew on every path.

#[foreach_tls]
fn counted(x: &[u8]) -> BTreeMap<u8, u32> {
    let mut counts = BTreeMap::new();
    for byte in x {
        *counts.entry(*byte % 17).or_insert(0) += 1;
    }
    counts
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

/// What is thrown away here is thrown away by the author's merge as well.
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

/// What changes an element comes after it is added, and must not happen twice.
#[distributed_scan]
fn turned_after_reading(x: &mut [[i64; 2]], out: &mut [i64]) {
    let mut sum = 0;
    for (pair, o) in x.iter_mut().zip(out.iter_mut()) {
        sum += pair[0];
        pair.reverse();
        *o = sum;
    }
}

#[foreach]
fn parts_of_slices(x: &[i64], o: &mut [i64], a: usize, b: usize) {
    for (o, v) in o[a..b].iter_mut().zip(&x[a..b]) {
        *o = v + 1;
    }
}

#[kary_reduce]
fn sums_of_parts(x: &[i64], a: usize) -> i64 {
    let mut s = 0;
    for v in &x[a..] {
        s += v;
    }
    for v in x[..a].iter() {
        s -= 2 * v;
    }
    s
}

/// Rows of which the last may be shorter.
#[foreach]
fn rows_with_a_rest(w: usize, l: &[f64], r: &mut [f64]) {
    for (a, b) in l.chunks(w).zip(r.chunks_mut(w)) {
        let mut last = 0.0;
        for (j, v) in a.iter().enumerate() {
            last = 0.5 * last + v;
            b[j] = last;
        }
        b[0] += b.len() as f64;
    }
}

#[foreach]
fn numbered_without_end(x: &[u32], o: &mut [u32]) {
    for ((k, v), o) in (7u32..).zip(x).zip(o.iter_mut()) {
        *o = k * v;
    }
}

#[foreach]
fn pixels_of_rows(width: usize, img: &mut [u8]) {
    for (y, row) in img.chunks_mut(3 * width).enumerate() {
        for (x, px) in row.chunks_mut(3).enumerate() {
            px[0] = (x + y) as u8;
            px[px.len() - 1] = 9;
        }
    }
}

#[foreach]
fn sizes_in_an_array(x: &[f64], dims: [usize; 3], o: &mut [f64]) {
    for z in 0..dims[2] {
        for y in 0..dims[1] {
            for i in 0..dims[0] {
                let at = (z * dims[1] + y) * dims[0] + i;
                let up = if z + 1 < dims[2] { x[at + dims[0] * dims[1]] } else { x[at] };
                o[at] = 0.5 * (x[at] + up);
            }
        }
    }
}

#[foreach]
fn row_and_column_of_a_place(x: &[f64], w: usize, o: &mut [f64]) {
    for i in 0..o.len() {
        let (y, k) = (i / w, i % w);
        o[y * w + k] = x[y * w + k] + y as f64;
    }
}

macro_rules! skip_if {
    ($condition:expr) => {
        if $condition {
            continue;
        }
    };
}

#[kary_reduce]
fn continue_in_a_macro(x: &[i64]) -> i64 {
    let mut sum = 0;
    for v in x {
        skip_if!(*v % 3 == 0);
        sum += v;
    }
    sum
}

fn plain_total(x: &[f64]) -> f64 {
    x.iter().sum()
}

/// Statements outside of the loop that do with slices whatever slices can do.
#[foreach]
fn centred(x: &[f64], o: &mut [f64]) -> f64 {
    let mean = plain_total(x) / x.len() as f64;
    let most = x.iter().copied().fold(0.5, f64::max);
    let tail: f64 = x[x.len() / 2..].iter().sum();
    for i in 0..x.len() {
        o[i] = (x[i] - mean) / most;
    }
    let check: f64 = o.iter().sum();
    if let Some(last) = o.last_mut() {
        *last = check;
    }
    if o.len() > 3 {
        o[0] += tail;
        o.swap(0, 1);
    }
    o[..o.len() / 2].iter().sum::<f64>()
}

/// Parts that statements outside of loops set.
#[foreach]
fn edges(x: &[f64], o: &mut [f64]) {
    let (n, edge) = (x.len(), x.len() / 3);
    o[..edge].fill(-1.0);
    for i in edge..n - edge {
        o[i] = x[i];
    }
    o[n - edge..].copy_from_slice(&x[..edge]);
    if n > 1 {
        o[0..=1].clone_from_slice(&[x[1], 7.0]);
    }
}

#[foreach]
fn steps_that_copy_back(u: &mut [f64], next: &mut [f64], n: usize) {
    for _ in 0..n {
        for i in 1..u.len() - 1 {
            next[i] = 0.5 * (u[i - 1] + u[i + 1]);
        }
        u.copy_from_slice(next);
    }
}

#[foreach]
fn outer_product_by_items(n: usize, u: &[f64], #[replicated] v: &[f64], a: &mut [f64]) {
    for i in 0..u.len() {
        for (j, vj) in v.iter().enumerate() {
            a[i * n + j] = u[i] * vj;
        }
    }
}
#[foreach]
fn taps_by_items(x: &[f64], k: [f64; 3], o: &mut [f64]) {
    for i in 0..o.len() {
        let mut s = 0.0;
        for (j, w) in k.iter().enumerate() {
            s += w * x[i + j];
        }
        o[i] = s;
    }
}
#[foreach]
fn life_by_offsets(now: &[u8], next: &mut [u8], w: usize, h: usize) {
    for y in 0..h {
        for x in 0..w {
            let mut alive = 0;
            for dy in [h - 1, 0, 1] {
                for dx in [w - 1, 0, 1] {
                    if dy != 0 || dx != 0 {
                        alive += now[(y + dy) % h * w + (x + dx) % w];
                    }
                }
            }
            next[y * w + x] = (alive == 3 || alive == 2 && now[y * w + x] == 1) as u8;
        }
    }
}
/// Local vectors that loops of their own fill by their headers, then what reads them.
#[foreach]
fn by_weights(x: &[f64], taps: usize, out: &mut [f64]) {
    let mut weights = vec![0.0; taps];
    for (k, weight) in weights.iter_mut().enumerate() {
        *weight = 1.0 / (k + 1) as f64;
    }
    for pair in weights.chunks_mut(2) {
        pair[0] += 1.0;
    }
    for i in 0..x.len() {
        out[i] = x[i] * weights[i % taps];
    }
}

/// A row as what follows its start, up to its length.
#[foreach]
fn rows_after_their_start(u: &[f64], o: &mut [f64], w: usize, h: usize) {
    for i in 0..h {
        let row = &mut o[i * w..][..w];
        for (x, sum) in row.iter_mut().enumerate() {
            *sum = u[i * w + x] + u[i * w..][..x].iter().sum::<f64>();
        }
    }
}

/// The other one of a pair, by its bits.
#[foreach]
fn partners(u: &[i64], o: &mut [i64]) {
    for i in 0..o.len() {
        o[i] = u[i ^ 1] - u[(i | 3) - 1] + u[i ^ 6];
    }
}

/// A place that is counted on from statement to statement.
#[foreach]
fn places_in_steps(u: &[i64], o: &mut [i64]) {
    for i in 0..u.len() {
        let mut k = 3 * i;
        o[k] = u[i];
        k += 1;
        if u[i] > 0 {
            o[k] = -u[i];
        }
        k = k + 1;
        for j in 0..2 {
            o[k] += u[i] + j;
        }
    }
}

/// Points of three numbers.
#[foreach]
fn points_from_fn(x: &[f64], o: &mut [f64]) {
    for i in 0..o.len() {
        let p: [f64; 3] = std::array::from_fn(|k| x[3 * i + k]);
        o[i] = p[0] + p[1] * p[2];
    }
}

/// Another function of the name gives other numbers.
#[foreach]
fn points_from_elsewhere(x: &[f64], o: &mut [f64]) {
    fn from_fn<const N: usize>(f: impl Fn(usize) -> f64) -> [f64; N] {
        std::array::from_fn(|k| f(N - 1 - k))
    }
    for i in 0..o.len() {
        let p: [f64; 3] = from_fn(|k| x[3 * i + k]);
        o[i] = p[0] + p[1] * p[2];
    }
}

/// Taps at offsets that stand in the loop.
#[foreach]
fn taps_in_pairs(u: &[f32], o: &mut [f32], w: usize, h: usize) {
    for y in 0..h {
        for x in 0..w {
            let mut sum = 0.0;
            for (dx, c) in [(0, 0.8), (1, 0.2)] {
                for (dy, d) in [(w, c), (0, 0.5)] {
                    sum += c * d * u[y * w + x + dx + dy];
                }
            }
            o[y * w + x] = sum;
        }
    }
}

/// A row by its ends, as ranges of compressed storage are written.
#[foreach]
fn rows_by_their_ends(u: &[i64], o: &mut [i64], w: usize, h: usize) {
    for y in 0..h {
        for at in y * w..(y + 1) * w {
            o[at] = u[at] + y as i64;
        }
        for at in (y * w..y * w + w).step_by(2) {
            o[at] -= u[at / 2];
        }
    }
}

/// Buffers that are declared together.
#[foreach]
fn two_buffers(u: &[i64], o: &mut [i64], w: usize, h: usize) {
    let (mut sums, mut products) = (vec![0; w], vec![1; w]);
    for y in 0..h {
        for x in 0..w {
            sums[x] = u[y * w + x] + x as i64;
            products[x] = u[y * w + x] * 3;
        }
        for x in 0..w {
            o[y * w + x] = sums[w - 1 - x] - products[x];
        }
    }
}

cases! {
    rows_after_their_start(n) {
        let (w, h) = (square(n), square(n) + 1);
        let (u, o) = (reals(w * h, 1), vec![0.0; w * h]);
        check!(rows_after_their_start(&u, &mut o, w, h); shares u; writes o);
    }
    partners(n) {
        let (u, o) = (integers((n + 8) / 8 * 8, 1), vec![0; n]);
        check!(partners(&u, &mut o); shares u; writes o);
    }
    places_in_steps(n) {
        let (u, o) = (integers(n, 1), integers(3 * n, 2));
        check!(places_in_steps(&u, &mut o); shares u; writes o);
    }
    points_from_fn(n) {
        let (x, o) = (reals(3 * n, 1), vec![0.0; n]);
        check!(points_from_fn(&x, &mut o); shares x; writes o);
        check!(points_from_elsewhere(&x, &mut o); shares x; writes o);
    }
    taps_in_pairs(n) {
        let (w, h) = (square(n), square(n) + 1);
        let (u, o) = (singles(w * h + w + 1, 1), vec![0.0; w * h]);
        check!(taps_in_pairs(&u, &mut o, w, h); shares u; writes o);
    }
    rows_by_their_ends(n) {
        let (w, h) = (square(n) + 1, square(n));
        let (u, o) = (integers(w * h, 1), vec![0; w * h]);
        check!(rows_by_their_ends(&u, &mut o, w, h); shares u; writes o);
    }
    two_buffers(n) {
        let (w, h) = (square(n) + 1, square(n));
        let (u, o) = (integers(w * h, 1), vec![0; w * h]);
        check!(two_buffers(&u, &mut o, w, h); shares u; writes o);
    }
    by_weights(n) {
        let (x, out) = (reals(n, 1), vec![0.0; n]);
        check!(by_weights(&x, 3, &mut out); shares x; writes out);
    }
    reversed(n) {
        let (x, out) = (integers32(n, 1), vec![0; n]);
        check!(reversed(&x, &mut out); shares x; writes out);
    }
    stepped(n) {
        let x = integers32(n, 1);
        check!(stepped(&mut x, 1); writes x);
        check!(stepped(&mut x, 5); writes x);
        check!(stepped(&mut x, 2000); writes x);
    }
    stepped_and_reversed(n) {
        let x = integers(n, 1);
        check!(stepped_and_reversed(&mut x, 2); writes x);
    }
    red_black(n) {
        let x = reals(n.max(2), 1);
        check!(red_black(&mut x); writes x);
    }
    swap_pairs(n) {
        let x = naturals(n, 1, 1000);
        check!(swap_pairs(&mut x); writes x);
    }
    inclusive_range(n) {
        let out = vec![0; n + 3];
        check!(inclusive_range(2, n + 1, &mut out); writes out);
        check!(inclusive_range(2, 1, &mut out); writes out);
    }
    signed_variable(n) {
        let (x, out) = (reals(n, 1), vec![0.0; n]);
        check!(signed_variable(n as i64, &x, &mut out); shares x; writes out);
    }
    narrow_variable(n) {
        let x = made(n, 1, |bits| bits);
        check!(narrow_variable(&mut x); writes x);
    }
    by_reference(n) {
        let (x, y) = (integers(n, 1), vec![0; n]);
        check!(by_reference(&x, &mut y); shares x; writes y);
    }
    nested_zip(n) {
        let (a, b, c, out) = (singles(n, 1), singles(n, 2), singles(n, 3), vec![0.0; n]);
        check!(nested_zip(&a, &b, &c, &mut out); shares a, b, c; writes out);
    }
    uneven_zip(n) {
        let (a, b, out) = (integers32(n, 1), integers32(n / 2 + 1, 2), vec![0; n]);
        check!(uneven_zip(&a, &b, &mut out); shares a, b; writes out);
    }
    chunk_means(n) {
        let (x, means) = (reals(n, 1), vec![0.0; n / 6]);
        check!(chunk_means(&x, 6, &mut means); shares x; writes means);
    }
    normalise_chunks(n) {
        let x = positives(n, 1);
        check!(normalise_chunks(&mut x); writes x);
    }
    window_slopes(n) {
        let (x, out) = (reals(n, 1), vec![0.0; n.saturating_sub(2)]);
        check!(window_slopes(&x, &mut out); shares x; writes out);
    }
    between(n) {
        let (x, out) = (integers(n + 40, 1), vec![0; n]);
        check!(between(n / 4, n / 2, 40, &x, &mut out); shares x; writes out);
        check!(between(n, n / 2, 0, &x, &mut out); shares x; writes out);
    }
    moved_write(n) {
        let (x, out) = (integers(n, 1), vec![0; n + n / 3]);
        check!(moved_write(&x, n / 3, &mut out); shares x; writes out);
    }
    scale_rows(n) {
        let width = 9;
        let rows = n / width;
        let (matrix, factor) = (reals(rows * width, 1), reals(rows, 2));
        check!(scale_rows(&mut matrix, &factor, width); shares factor; writes matrix);
    }
    row_sums(n) {
        let width = 9;
        let rows = n / width;
        let (matrix, sums) = (reals(rows * width, 1), vec![0.0; rows]);
        check!(row_sums(&matrix, width, &mut sums); shares matrix; writes sums);
    }
    mirrored(n) {
        let (x, out) = (integers32(n, 1), vec![0; n]);
        check!(mirrored(&x, &mut out); shares x; writes out);
    }
    mirrored_write(n) {
        let (x, out) = (integers32(n, 1), vec![0; n]);
        check!(mirrored_write(&x, &mut out); shares x; writes out);
    }
    every_third(n) {
        let (x, out) = (integers32(n, 1), vec![0; n / 3]);
        check!(every_third(&x, &mut out); shares x; writes out);
    }
    periodic(n) {
        let (x, out) = (reals(n, 1), vec![0.0; n]);
        check!(periodic(&x, &mut out); shares x; writes out);
    }
    clamped(n) {
        let (x, out) = (reals(n, 1), vec![0.0; n]);
        check!(clamped(&x, &mut out); shares x; writes out);
    }
    several_loops(n) {
        let n = n.max(1);
        let (x, y, z) = (integers(n, 1), vec![0; n], vec![0; n]);
        check!(several_loops(&x, &mut y, &mut z); shares x; writes y, z);
    }
    collatz(n) {
        let (x, steps) = (made(n, 1, |bits| bits % 10_000), vec![0; n]);
        check!(collatz(&x, &mut steps); shares x; writes steps);
    }
    inner_label(n) {
        let (x, out) = (naturals(n, 1, 800), vec![0; n]);
        check!(inner_label(&x, &mut out); shares x; writes out);
    }
    mixed_body(n) {
        let (x, out) = (integers32(n, 1), vec![0; n]);
        check!(mixed_body(&x, &mut out); shares x; writes out);
    }
    calls(n) {
        let (x, out) = (reals(n, 1), vec![0.0; n]);
        check!(calls(&x, &mut out); shares x; writes out);
    }
    read_after_write(n) {
        let (x, y) = (reals(n, 1), vec![0.0; n]);
        check!(read_after_write(&mut x, &mut y); writes x, y);
    }
    outer_scratch(n) {
        let (x, y) = (reals(n, 1), vec![0.0; n]);
        check!(outer_scratch(&x, &mut y); shares x; writes y);
    }
    scratch_array(n) {
        let (x, y) = (integers(n, 1), vec![0; n]);
        check!(scratch_array(&x, &mut y); shares x; writes y);
    }
    conditional_write(n) {
        let (x, y) = (integers32(n, 1), integers32(n, 2));
        check!(conditional_write(&x, &mut y); shares x; writes y);
    }
    chained_stencils(n) {
        let n = n.max(4);
        let (x, a, b) = (reals(n, 1), vec![0.0; n], vec![0.0; n]);
        check!(chained_stencils(&x, &mut a, &mut b); shares x; writes a, b);
    }
    generic_axpy(n) {
        let (x, y) = (singles(n, 1), singles(n, 2));
        check!(generic_axpy(0.5f32, &x, &mut y); shares x; writes y);
        let (x, y) = (integers(n, 1), integers(n, 2));
        check!(generic_axpy(3i64, &x, &mut y); shares x; writes y);
    }
    generic_width(n) {
        let (x, out) = (singles(n + 4, 1), vec![0.0; n]);
        check!(generic_width(&x, &[0.1, 0.2, 0.4, 0.2, 0.1], &mut out); shares x; writes out);
    }
    with_function(n) {
        let (x, shift) = (reals(n, 1), 0.25);
        check!(with_function(&mut x, |v| v.sin() + shift); writes x);
    }
    with_lifetimes(n) {
        let (x, y) = (integers(n, 1), vec![0; n]);
        check!(with_lifetimes(&x, &mut y, &[1, 2, 3]); shares x; writes y);
    }
    mutable_parameter(n) {
        let x = integers(n, 1);
        check!(mutable_parameter(1000, &x); shares x);
    }
    add_to(n) {
        let (total, x) = (-17i64, integers(n, 1));
        check!(add_to(&mut total, &x); shares x; keeps total);
    }
    four_forms(n) {
        let x = reals(n, 1);
        check!(four_forms(&x) within 1e-11; shares x);
    }
    products(n) {
        let x = reals(n, 1);
        check!(products(&x) within 1e-11; shares x);
    }
    integer_extremes(n) {
        let x = integers(n, 1);
        check!(integer_extremes(&x); shares x);
    }
    count_neighbours(n) {
        let x = integers32(n, 1);
        check!(count_neighbours(&x); shares x);
    }
    scan_and_total(n) {
        let (x, running, doubled) = (integers(n, 1), vec![0; n], vec![0; n]);
        check!(scan_and_total(&x, &mut running, &mut doubled); shares x; writes running, doubled);
    }
    scan_from(n) {
        let (x, out) = (integers(n, 1), vec![0; n]);
        check!(scan_from(-12345, &x, &mut out); shares x; writes out);
    }
    scan_in_place_by_iterator(n) {
        let x = made(n, 1, |bits| bits % 1000);
        check!(scan_in_place_by_iterator(&mut x); writes x);
    }
    exclusive_in_place(n) {
        let x = naturals(n, 1, 50);
        check!(exclusive_in_place(&mut x); writes x);
    }
    suffix_in_place(n) {
        let x = integers(n.max(1), 1);
        check!(suffix_in_place(&mut x); writes x);
    }
    running_max_in_place(n) {
        let x: Vec<i32> = integers32(n, 1).iter().zip(0..).map(|(v, i)| v + 20 * (i - 20_000)).collect();
        check!(running_max_in_place(&mut x); writes x);
    }
    share_of_total_so_far(n) {
        let (x, out) = (positives(n, 1), vec![0.0; n]);
        check!(share_of_total_so_far(&x, &mut out) within 1e-12; shares x; writes out);
    }
    scan_stepped(n) {
        let (x, out) = (integers32(n, 1), vec![0; n]);
        check!(scan_stepped(&x, &mut out); shares x; writes out);
    }
    segmented_and_whole(n) {
        let (x, within, whole) = (integers(n, 1), vec![0; n], vec![0; n]);
        check!(segmented_and_whole(&x, 100, &mut within, &mut whole); shares x; writes within, whole);
    }
    cumulative_histogram(n) {
        let x = naturals(n, 1, 40);
        check!(cumulative_histogram(&x, 40); shares x);
    }
    structs(n) {
        let samples = made(n, 1, |bits| Sample { time: (bits % 1000) as u32, value: unit(bits) as f32 });
        check!(structs(&mut samples, 1.5); writes samples);
    }
    fields_of_structs(n) {
        let samples = made(n, 1, |bits| Sample { time: (bits % 1000) as u32, value: unit(bits) as f32 });
        let (times, values) = (vec![0; n], vec![0.0; n]);
        check!(fields_of_structs(&samples, &mut times, &mut values); shares samples; writes times, values);
    }
    truth_values(n) {
        let (x, mask) = (reals(n, 1), vec![false; n]);
        check!(truth_values(&x, 0.25, &mut mask); shares x; writes mask);
    }
    method_that_maps(n) {
        let gas = Gas { gamma: 1.4, floor: 0.1 };
        let (density, energy, pressure) = (reals(n, 1), positives(n, 2), vec![0.0; n]);
        check!(gas.pressure(&density, &energy, &mut pressure) like plain_pressure;
            shares density, energy; writes pressure);
    }
    method_that_reduces(n) {
        let gas = Gas { gamma: 1.4, floor: 0.1 };
        let density = reals(n, 1);
        check!(gas.total(&density) like plain_total within 1e-11; shares density);
    }
    mass_of_a_gas(n) {
        let (density, sums) = (positives(n, 1), vec![0.0; n]);
        check!(@ ("mass") (Gas::mass_sequential::<3>(&density, &mut sums)) (Gas::mass::<3>(&density, &mut sums))
            within 1e-11; shares density; writes sums);
    }
    inside_a_function(n) {
        #[foreach]
        fn local_map(x: &[i64], y: &mut [i64]) {
            for i in 0..x.len() {
                y[i] = 7 * x[i];
            }
        }
        #[kary_reduce]
        fn local_sum(x: &[i64]) -> i64 {
            let mut sum = 0;
            for v in x {
                sum += v;
            }
            sum
        }
        let (x, y) = (integers(n, 1), vec![0; n]);
        check!(local_map(&x, &mut y); shares x; writes y);
        check!(local_sum(&x); shares x);
    }
    time_steps_outside(n) {
        #[foreach]
        fn wave(before: &[f64], now: &[f64], after: &mut [f64], c: f64) {
            let n = now.len();
            for i in 1..n - 1 {
                after[i] = 2.0 * now[i] - before[i] + c * (now[i - 1] - 2.0 * now[i] + now[i + 1]);
            }
        }
        // The three buffers take turns, which moves no data.
        let n = n.max(2);
        let first = reals(n, 1);
        let mut plain = [first.clone(), first.clone(), vec![0.0; n]];
        let mut shared = plain.clone().map(|x| forall::DistVec::from_global(&x));
        for _ in 0..5 {
            let [before, now, after] = &mut plain;
            wave::sequential(before, now, after, 0.25);
            plain.rotate_left(1);
            let [before, now, after] = &mut shared;
            wave(before, now, after, 0.25);
            shared.rotate_left(1);
        }
        compare("wave", "DistVec", &plain[1], &shared[1].to_all(), 0.0);
    }
    callers_of_all_kinds(n) {
        // Slices, arrays and boxes, where this rank has all of the vector.
        if forall::ranks() == 1 {
            let x: [i64; 6] = [3, 1, 4, 1, 5, 9];
            let mut y = [0i64; 6];
            by_reference(&x, &mut y);
            assert_eq!(y, [9, 1, 16, 1, 25, 81]);
            by_reference(&x[1..4], &mut y[..3]);
            assert_eq!(y, [1, 16, 1, 1, 25, 81]);
            let boxed = integers(n, 1).into_boxed_slice();
            let mut out = vec![0; n].into_boxed_slice();
            by_reference(&boxed, &mut out);
            assert!(boxed.iter().zip(&out).all(|(x, y)| x * x == *y));
        }
    }
    repeat_each(n) {
        let (times, out) = (naturals(n, 1, 4), Vec::<u32>::new());
        check!(repeat_each(&times, &mut out); shares times; writes out);
    }
    positives_of(n) {
        // On several ranks, a vector that is returned holds what all ranks pushed.
        let x = integers(n, 1);
        check!(positives_of(&x); shares x);
    }
    selected(n) {
        let (x, w) = (integers32(20 * n, 1), made(20 * n, 2, |bits| [(bits % 64) as f32, (bits / 64 % 64) as f32]));
        let (high, places, digits) = (Vec::<[f32; 2]>::new(), Vec::<usize>::new(), Vec::<u8>::new());
        check!(selected(&x, &w, 0, &mut high, &mut places, &mut digits); shares x, w; writes high, places, digits);
    }
    split(n) {
        let (x, even, odd) = (integers32(n, 1), Vec::<i32>::new(), Vec::<[i32; 2]>::new());
        check!(split(&x, &mut even, &mut odd); shares x; writes even, odd);
    }
    pythagorean(n) {
        let out = Vec::<[u32; 3]>::new();
        check!(pythagorean(square(n) as u32, &mut out); writes out);
    }
    push_after_what_is_there(n) {
        // A `DistVec` keeps the order of the whole vector; plain shares would not.
        let times = naturals(n, 1, 3);
        let mut expected = vec![9, 8, 7];
        repeat_each::sequential(&times, &mut expected);
        let mut found = forall::DistVec::from_global(&[9, 8, 7]);
        repeat_each(&forall::DistVec::from_global(&times), &mut found);
        compare("repeat_each", "DistVec", &expected, &found.to_all(), 0.0);
    }
    tally_by_paths(n) {
        let x = naturals(n, 1, 5000);
        check!(tally_by_paths(&x); shares x);
    }
    tally_by_trait(n) {
        let x = naturals(n, 1, 5000);
        check!(tally_by_trait(&x); shares x);
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
    spell(n) {
        let x = made(n, 1, |bits| bits as u8);
        check!(spell(&x); shares x);
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
        check!(buffer_in_steps(3, &x, &mut out); shares x; writes out);
        check!(filled_buffer(&x, &mut out); shares x; writes out);
    }
    parts_of_slices(n) {
        let (x, o) = (integers(n, 1), integers(n, 2));
        let (a, b) = (n / 5, n - n / 7);
        check!(parts_of_slices(&x, &mut o, a, b); shares x; writes o);
    }
    sums_of_parts(n) {
        let x = integers(n, 1);
        check!(sums_of_parts(&x, n / 3); shares x);
    }
    rows_with_a_rest(n) {
        for w in [1, 3, 64] {
            let (l, r) = (reals(n, 1), reals(n, 2));
            check!(rows_with_a_rest(w, &l, &mut r); shares l; writes r);
        }
    }
    numbered_without_end(n) {
        let (x, o) = (naturals(n, 1, 1000), naturals(n, 2, 10));
        check!(numbered_without_end(&x, &mut o); shares x; writes o);
    }
    pixels_of_rows(n) {
        for width in [1, 5] {
            let img = vec![0u8; n];
            check!(pixels_of_rows(width, &mut img); writes img);
        }
    }
    sizes_in_an_array(n) {
        let side = cube(n);
        let dims = [side, side + 1, side + 2];
        let len = dims.iter().product();
        let (x, o) = (reals(len, 1), reals(len, 2));
        check!(sizes_in_an_array(&x, dims, &mut o); shares x; writes o);
    }
    row_and_column_of_a_place(n) {
        let (x, o) = (reals(n, 1), reals(n, 2));
        check!(row_and_column_of_a_place(&x, 7, &mut o); shares x; writes o);
    }
    continue_in_a_macro(n) {
        let x = integers(n, 1);
        check!(continue_in_a_macro(&x); shares x);
    }
    centred(n) {
        let (x, o) = (reals(n, 1), reals(n, 2));
        check!(centred(&x, &mut o); shares x; writes o);
    }
    edges(n) {
        let (x, o) = (reals(n, 1), vec![0.0; n]);
        check!(edges(&x, &mut o); shares x; writes o);
    }
    steps_that_copy_back(n) {
        let (u, next) = (reals(n + 1, 1), reals(n + 1, 1));
        check!(steps_that_copy_back(&mut u, &mut next, 3); writes u, next);
    }
    outer_product_by_items(n) {
        let (u, v, a) = (reals(n, 1), reals(3, 2), reals(3 * n, 3));
        check!(outer_product_by_items(3, &u, &v, &mut a); shares u; writes a);
    }
    taps_by_items(n) {
        let (x, o) = (reals(n + 2, 1), reals(n, 2));
        check!(taps_by_items(&x, [1.0, 2.0, 4.0], &mut o); shares x; writes o);
    }
    life_by_offsets(n) {
        let (w, h) = (square(n) + 1, square(n) + 2);
        let (now, next) = (made(w * h, 1, |bits| (bits % 3 == 0) as u8), vec![0u8; w * h]);
        check!(life_by_offsets(&now, &mut next, w, h); shares now; writes next);
    }
}
