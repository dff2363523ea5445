//! Forms of elements, signatures and accumulators, one at a time.

use crate::support::*;
use forall::{distributed_scan, foreach, kary_reduce};
use std::ops::{AddAssign, Mul};

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

/// Segments that begin at multiples, with two accumulators; one of them goes on.
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

cases! {
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
}
