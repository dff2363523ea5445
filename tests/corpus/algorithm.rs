//! RAJAPerf's group "Algorithm" and more of the kind: scans, reductions, histograms.

use crate::support::*;
use forall::{distributed_scan, foreach, kary_reduce};

/// RAJAPerf's SCAN.
#[distributed_scan]
fn exclusive_scan(x: &[f64], y: &mut [f64]) {
    let mut scan_var = 0.0;
    for i in 0..x.len() {
        y[i] = scan_var;
        scan_var += x[i];
    }
}

#[distributed_scan]
fn inclusive_scan(x: &[u64], out: &mut [u64]) {
    let mut sum = 0;
    for i in 0..x.len() {
        sum += x[i];
        out[i] = sum;
    }
}

#[kary_reduce]
fn reduce_sum(x: &[f64]) -> f64 {
    let mut sum = 0.0;
    for i in 0..x.len() {
        sum += x[i];
    }
    return sum;
}

#[foreach]
fn copy_memory(x: &[u8], y: &mut [u8]) {
    for (to, from) in y.iter_mut().zip(x) {
        *to = *from;
    }
}

#[foreach]
fn set_memory(x: &mut [f32], value: f32) {
    for v in x {
        *v = value;
    }
}

/// RAJAPerf's HISTOGRAM, into an array of the caller.
#[kary_reduce]
fn histogram(bins: &[u32], counts: &mut [u64; 32]) {
    for i in 0..bins.len() {
        counts[bins[i] as usize] += 1;
    }
}

/// Counts over a range of values, with a number of bins known only at run time.
#[kary_reduce]
fn value_histogram(x: &[f32], lo: f32, hi: f32, bins: usize) -> Vec<usize> {
    let mut h = vec![0usize; bins];
    let scale = bins as f32 / (hi - lo);
    for &v in x {
        if v < lo || v >= hi {
            continue;
        }
        let bin = ((v - lo) * scale) as usize;
        h[bin.min(bins - 1)] += 1;
    }
    h
}

/// The largest value in each bin.
#[kary_reduce]
fn bin_maxima(x: &[i64], key: &[u32]) -> [i64; 16] {
    let mut top = [i64::MIN; 16];
    for i in 0..x.len() {
        let k = key[i] as usize;
        top[k] = top[k].max(x[i]);
    }
    top
}

/// A histogram into a distributed vector.
#[kary_reduce]
fn histogram_shares(bins: &[u32], counts: &mut [u32]) {
    for i in 0..bins.len() {
        counts[bins[i] as usize] += 1;
    }
}

#[distributed_scan]
fn running_max(x: &[i64], out: &mut [i64]) {
    let mut top = i64::MIN;
    for i in 0..x.len() {
        top = top.max(x[i]);
        out[i] = top;
    }
}

/// Iterations that take long now and then: the other workers go ahead meanwhile.
#[distributed_scan]
fn slow_now_and_then(x: &[i64], weight: &[f64], out: &mut [f64]) -> (i64, f64) {
    let (mut count, mut sum) = (0, 0.0);
    for i in 0..x.len() {
        if x[i] % 97 == 0 {
            std::thread::sleep(std::time::Duration::from_micros(300));
        }
        count += x[i];
        sum += weight[i];
        out[i] = sum + count as f64;
    }
    (count, sum)
}

/// As above, with a running value whose chunks may be grouped in any way.
#[distributed_scan]
fn slow_at_first(x: &[i64], out: &mut [i64]) {
    let mut count = 0;
    for i in 0..x.len() {
        if i % 100 == 0 {
            std::thread::sleep(std::time::Duration::from_micros(300));
        }
        count += x[i];
        out[i] = count;
    }
}

/// Differences to the element before, with the first iteration told apart in several ways.
#[foreach]
fn differences(x: &[i32], first: &mut [i32], middle: &mut [i32], kinds: &mut [u8]) {
    for (i, (first, middle)) in first.iter_mut().zip(middle.iter_mut()).enumerate() {
        *first = if i == 0 { x[i] } else { x[i] - x[i - 1] };
        if i < 1 {
            *middle = -1;
            kinds[i] = 1;
            continue;
        }
        *middle = if i >= 1 && i + 1 < x.len() { x[i + 1] - x[i - 1] } else { 0 };
        kinds[i] = u8::from(0 != i) + 2;
    }
}

/// Running minimum of floats by a branch, from the back.
#[distributed_scan]
fn running_min_reverse(x: &[f32], out: &mut [f32]) {
    let mut low = f32::INFINITY;
    for i in (0..x.len()).rev() {
        if x[i] < low {
            low = x[i];
        }
        out[i] = low;
    }
}

#[distributed_scan]
fn suffix_sum(x: &[i32], out: &mut [i64]) {
    let mut sum = 0i64;
    for i in (0..x.len()).rev() {
        out[i] = sum;
        sum += x[i] as i64;
    }
}

#[distributed_scan]
fn running_xor(x: &[u32], out: &mut [u32]) -> u32 {
    let mut parity = 0;
    for (o, v) in out.iter_mut().zip(x.iter()) {
        parity ^= *v;
        *o = parity;
    }
    parity
}

#[distributed_scan]
fn running_product(x: &[f64], out: &mut [f64]) {
    let mut product = 1.0;
    for (i, &v) in x.iter().enumerate() {
        product *= v;
        out[i] = product;
    }
}

/// Whether any flag was up to here, and whether all were.
#[distributed_scan]
fn running_any_all(x: &[bool], any: &mut [bool], all: &mut [bool]) {
    let mut some = false;
    let mut every = true;
    for i in 0..x.len() {
        some = some || x[i];
        every = every && x[i];
        any[i] = some;
        all[i] = every;
    }
}

/// Segmented sum: the flag begins a new segment.
#[distributed_scan]
fn segmented_sum(x: &[i64], head: &[bool], out: &mut [i64]) {
    let mut sum = 0;
    for i in 0..x.len() {
        if head[i] {
            sum = 0;
        }
        sum += x[i];
        out[i] = sum;
    }
}

/// Thrust's scan by key: a segment is a run of equal keys.
#[distributed_scan]
fn scan_by_key(keys: &[u32], x: &[f64], out: &mut [f64]) {
    let mut sum = 0.0;
    for i in 0..x.len() {
        if i > 0 && keys[i] != keys[i - 1] {
            sum = 0.0;
        }
        out[i] = sum;
        sum += x[i];
    }
}

/// Segmented maximum with segments of equal length.
#[distributed_scan]
fn row_running_max(x: &[f32], row: usize, out: &mut [f32]) {
    let mut top = f32::NEG_INFINITY;
    for i in 0..x.len() {
        if i % row == 0 {
            top = x[i];
        } else {
            top = top.max(x[i]);
        }
        out[i] = top;
    }
}

/// Two accumulators over a mapped input, which also feed another expression.
#[distributed_scan]
fn running_variance(x: &[f64], variance: &mut [f64]) {
    let mut sum = 0.0;
    let mut squares = 0.0;
    for i in 0..x.len() {
        let v = 2.0 * x[i] + 1.0;
        sum += v;
        squares += v * v;
        let count = (i + 1) as f64;
        let mean = sum / count;
        variance[i] = squares / count - mean * mean;
    }
}

/// Exponential smoothing: a linear recurrence with constant factor.
#[distributed_scan]
fn smooth(x: &[f64], alpha: f64, out: &mut [f64]) -> f64 {
    let mut level = x[0];
    for i in 0..x.len() {
        level = (1.0 - alpha) * level + alpha * x[i];
        out[i] = level;
    }
    level
}

const MODULUS: u64 = 1_000_003;

fn mul_mod(a: u64, b: u64) -> u64 {
    a * b % MODULUS
}

#[distributed_scan(combine = mul_mod)]
fn prefix_product_mod(x: &[u64], out: &mut [u64]) {
    let mut product = 1;
    for i in 0..x.len() {
        product = mul_mod(product, x[i] % MODULUS);
        out[i] = product;
    }
}

/// An affine map `a x + b`; composing such maps is associative and does not commute.
#[derive(Clone, Copy, Debug, PartialEq, bytemuck::Pod, bytemuck::Zeroable, forall::DeviceData)]
#[repr(C)]
struct Affine {
    a: u64,
    b: u64,
}
same_fields!(Affine { a, b });

#[forall::device]
impl Affine {
    const IDENTITY: Affine = Affine { a: 1, b: 0 };

    /// First `self`, then `next`.
    fn then(self, next: Affine) -> Affine {
        Affine { a: self.a * next.a % MODULUS, b: (next.a * self.b + next.b) % MODULUS }
    }
}

#[distributed_scan(combine = Affine::then)]
fn compose_maps(maps: &[Affine], out: &mut [Affine]) -> Affine {
    let mut all = Affine::IDENTITY;
    for i in 0..maps.len() {
        all = Affine::then(all, maps[i]);
        out[i] = all;
    }
    all
}

#[kary_reduce(combine = Affine::then, k = 3)]
fn compose_all(maps: &[Affine]) -> Affine {
    let mut all = Affine::IDENTITY;
    for map in maps {
        all = all.then(*map);
    }
    all
}

#[kary_reduce(k = 2)]
fn bits(x: &[u32]) -> (u32, u32, u32) {
    let mut and = !0;
    let mut or = 0;
    let mut xor = 0;
    for v in x.iter() {
        and &= v;
        or |= v;
        xor ^= v;
    }
    (and, or, xor)
}

#[kary_reduce]
fn all_and_any(x: &[i64]) -> (bool, bool) {
    let mut all = true;
    let mut any = false;
    for &v in x {
        all = all && v > -1000;
        any = any || v == 1000;
    }
    (all, any)
}

/// The same with bit operators on `bool`.
#[kary_reduce]
fn is_sorted(x: &[i64]) -> bool {
    let mut sorted = true;
    for pair in x.windows(2) {
        sorted &= pair[0] <= pair[1];
    }
    sorted
}

/// The last place of the largest element: `>=` moves on at ties.
#[kary_reduce]
fn last_argmax(x: &[i32]) -> (i32, usize) {
    let mut best = i32::MIN;
    let mut place = 0;
    for (i, &v) in x.iter().enumerate() {
        if v >= best {
            best = v;
            place = i;
        }
    }
    (best, place)
}

/// Places of the least and the largest, found in one pass.
#[kary_reduce]
fn extreme_places(x: &[f64]) -> (usize, usize) {
    let (mut least, mut most) = (f64::INFINITY, f64::NEG_INFINITY);
    let (mut at_least, mut at_most) = (usize::MAX, usize::MAX);
    for i in 0..x.len() {
        if x[i] < least {
            least = x[i];
            at_least = i;
        }
        if x[i] > most {
            most = x[i];
            at_most = i;
        }
    }
    (at_least, at_most)
}

/// A sum written as a difference.
#[kary_reduce]
fn minus_sum(x: &[i64], start: i64) -> i64 {
    let mut left = start;
    for i in 0..x.len() {
        left -= x[i];
    }
    left
}

#[kary_reduce]
fn f32_sum(x: &[f32]) -> f32 {
    let mut s = 0f32;
    for v in x {
        s += v;
    }
    s
}

/// The low half of the Adler-32 checksum, before it wraps.
#[kary_reduce]
fn adler_low(x: &[u8]) -> u32 {
    let mut a = 1u32;
    for &byte in x {
        a += byte as u32;
    }
    a % 65521
}

/// A linear recurrence over integers, whose factors are -1, 0 and 1.
#[distributed_scan]
fn integer_recurrence(x: &[i64], out: &mut [i64]) {
    let mut y = 1i64;
    for i in 0..x.len() {
        y = (x[i] % 2) * y + 3;
        out[i] = y;
    }
}

/// The bits of reductions and scans over floats, which depend on the order of the operations.
pub(crate) fn float_bits(n: usize) -> Vec<u64> {
    let x = forall::DistVec::from_global(&reals(n, 1));
    let mut bits = vec![reduce_sum(&x).to_bits()];
    bits.push(u64::from(f32_sum(&forall::DistVec::from_global(&singles(n, 2))).to_bits()));
    let mut out = forall::DistVec::from_global(&vec![0.0; n]);
    exclusive_scan(&x, &mut out);
    bits.extend(out.to_all().iter().map(|value| value.to_bits()));
    running_variance(&x, &mut out);
    bits.extend(out.to_all().iter().map(|value| value.to_bits()));
    bits.push(smooth(&x, 0.05, &mut out).to_bits());
    bits.extend(out.to_all().iter().map(|value| value.to_bits()));
    bits
}

cases! {
    exclusive_scan(n) {
        let (x, y) = (reals(n, 1), vec![0.0; n]);
        check!(exclusive_scan(&x, &mut y) within 1e-11; shares x; writes y);
    }
    inclusive_scan(n) {
        let (x, out) = (made(n, 1, |bits| bits % 1000), vec![0; n]);
        check!(inclusive_scan(&x, &mut out); shares x; writes out);
    }
    reduce_sum(n) {
        let x = reals(n, 1);
        check!(reduce_sum(&x) within 1e-11; shares x);
    }
    copy_memory(n) {
        let (x, y) = (made(n, 1, |bits| bits as u8), vec![0; n]);
        check!(copy_memory(&x, &mut y); shares x; writes y);
    }
    set_memory(n) {
        let x = singles(n, 1);
        check!(set_memory(&mut x, 0.5); writes x);
    }
    histogram(n) {
        let (bins, counts) = (naturals(n, 1, 32), [7; 32]);
        check!(histogram(&bins, &mut counts); shares bins; keeps counts);
    }
    value_histogram(n) {
        let x = singles(n, 1);
        check!(value_histogram(&x, -0.75, 0.5, 37); shares x);
    }
    bin_maxima(n) {
        let (x, key) = (integers(n, 1), naturals(n, 2, 16));
        check!(bin_maxima(&x, &key); shares x, key);
    }
    histogram_shares(n) {
        let (bins, counts) = (naturals(n, 1, n / 3), vec![1; n / 3 + 1]);
        check!(histogram_shares(&bins, &mut counts); shares bins; writes counts);
    }
    running_max(n) {
        // All negative, so that a carry that starts from zero shows, and rising, so that all of the input counts.
        let x: Vec<i64> = integers(n, 1).iter().zip(0..).map(|(v, i)| v + 20 * (i - 20_000)).collect();
        let out = vec![0; n];
        check!(running_max(&x, &mut out); shares x; writes out);
    }
    slow_now_and_then(n) {
        let (x, weight, out) = (integers(n, 3), reals(n, 4), vec![0.0; n]);
        check!(slow_now_and_then(&x, &weight, &mut out) within 1e-9; shares x, weight; writes out);
    }
    slow_at_first(n) {
        let (x, out) = (integers(n, 3), vec![0; n]);
        check!(slow_at_first(&x, &mut out); shares x; writes out);
    }
    differences(n) {
        let x = integers32(n, 5);
        let (first, middle, kinds) = (vec![0; n], vec![0; n], vec![0; n]);
        check!(differences(&x, &mut first, &mut middle, &mut kinds); shares x; writes first, middle, kinds);
    }
    running_min_reverse(n) {
        let (x, out) = (made(n, 1, |bits| 1.0 + unit(bits) as f32), vec![0.0; n]);
        check!(running_min_reverse(&x, &mut out); shares x; writes out);
    }
    suffix_sum(n) {
        let (x, out) = (integers32(n, 1), vec![0; n]);
        check!(suffix_sum(&x, &mut out); shares x; writes out);
    }
    running_xor(n) {
        let (x, out) = (made(n, 1, |bits| bits as u32), vec![0; n]);
        check!(running_xor(&x, &mut out); shares x; writes out);
    }
    running_product(n) {
        let (x, out) = (made(n, 1, |bits| 0.99 + 0.02 * unit(bits)), vec![0.0; n]);
        check!(running_product(&x, &mut out) within 1e-11; shares x; writes out);
    }
    running_any_all(n) {
        let x: Vec<bool> = (0..n).map(|i| i < n / 2 || i % 3 == 0).collect();
        let (any, all) = (vec![false; n], vec![false; n]);
        check!(running_any_all(&x, &mut any, &mut all); shares x; writes any, all);
        let x: Vec<bool> = (0..n).map(|i| i > n / 2).collect();
        check!(running_any_all(&x, &mut any, &mut all); shares x; writes any, all);
    }
    segmented_sum(n) {
        let (x, out) = (integers(n, 1), vec![0; n]);
        for one_in in [2, 100, 1_000_000] {
            let head = flags(n, 2, one_in);
            check!(segmented_sum(&x, &head, &mut out); shares x, head; writes out);
        }
    }
    scan_by_key(n) {
        let (x, out) = (reals(n, 1), vec![0.0; n]);
        let mut keys = naturals(n, 2, 8);
        keys.sort_unstable();
        check!(scan_by_key(&keys, &x, &mut out) within 1e-11; shares keys, x; writes out);
        let keys = naturals(n, 2, 2);
        check!(scan_by_key(&keys, &x, &mut out) within 1e-11; shares keys, x; writes out);
    }
    row_running_max(n) {
        let (x, out) = (singles(n, 1), vec![0.0; n]);
        check!(row_running_max(&x, 13, &mut out); shares x; writes out);
        check!(row_running_max(&x, 3000, &mut out); shares x; writes out);
    }
    running_variance(n) {
        let (x, variance) = (reals(n, 1), vec![0.0; n]);
        check!(running_variance(&x, &mut variance) within 1e-11; shares x; writes variance);
    }
    smooth(n) {
        let (x, out) = (reals(n.max(1), 1), vec![0.0; n.max(1)]);
        check!(smooth(&x, 0.05, &mut out) within 1e-11; shares x; writes out);
    }
    prefix_product_mod(n) {
        let (x, out) = (made(n, 1, |bits| 1 + bits % 1_000_000), vec![0; n]);
        check!(prefix_product_mod(&x, &mut out); shares x; writes out);
    }
    compose_maps(n) {
        let maps = made(n, 1, |bits| Affine { a: 1 + bits % 1000, b: (bits >> 20) % 1000 });
        let out = vec![Affine::IDENTITY; n];
        check!(compose_maps(&maps, &mut out); shares maps; writes out);
    }
    compose_all(n) {
        let maps = made(n, 1, |bits| Affine { a: 1 + bits % 1000, b: (bits >> 20) % 1000 });
        check!(compose_all(&maps); shares maps);
    }
    bits(n) {
        let x = made(n, 1, |bits| bits as u32 | 0x10);
        check!(bits(&x); shares x);
    }
    all_and_any(n) {
        let x = integers(n, 1);
        check!(all_and_any(&x); shares x);
    }
    is_sorted(n) {
        let mut x = integers(n, 1);
        check!(is_sorted(&x); shares x);
        x.sort_unstable();
        check!(is_sorted(&x); shares x);
        if n > 2 {
            x[n / 2] = 1001;
            check!(is_sorted(&x); shares x);
        }
    }
    last_argmax(n) {
        let x = made(n, 1, |bits| (bits % 20) as i32 - 25);
        check!(last_argmax(&x); shares x);
    }
    extreme_places(n) {
        let x = made(n, 1, |bits| (bits % 30) as f64 / 3.0);
        check!(extreme_places(&x); shares x);
    }
    minus_sum(n) {
        let x = integers(n, 1);
        check!(minus_sum(&x, 12345); shares x);
    }
    f32_sum(n) {
        let x = singles(n, 1);
        check!(f32_sum(&x) within 1e-4; shares x);
    }
    adler_low(n) {
        let x = made(n, 1, |bits| bits as u8);
        check!(adler_low(&x); shares x);
    }
    integer_recurrence(n) {
        let (x, out) = (integers(n, 1), vec![0; n]);
        check!(integer_recurrence(&x, &mut out); shares x; writes out);
    }
}
