//! The primitives as one writes them with rayon, knowing the algorithms: what the annotated loops are measured against.
//!
//! Scans take two passes over chunks that fit a core's cache: the chunks' sums, their prefix, then the chunks again from
//! where each starts.

use rayon::prelude::*;
use std::iter::Sum;
use std::ops::Add;

/// Elements in a chunk: 128 KiB of them.
const CHUNK: usize = 1 << 15;

/// Copies `x`.
pub fn copy_i32(x: &[i32], out: &mut [i32]) {
    out.par_chunks_mut(CHUNK).zip(x.par_chunks(CHUNK)).for_each(|(out, x)| out.copy_from_slice(x));
}

/// `2x + 1` of each element.
pub fn transform_i32(x: &[i32], out: &mut [i32]) {
    out.par_iter_mut().zip(x).for_each(|(out, x)| *out = 2 * x + 1);
}

/// The sum of all elements.
pub fn reduce_i32(x: &[i32]) -> i32 {
    x.par_iter().sum()
}

/// The sum of all elements.
pub fn reduce_f32(x: &[f32]) -> f32 {
    x.par_iter().sum()
}

/// The positive elements, in order, after what `out` holds: counted first, so that each chunk knows where to write.
pub fn copy_if_i32(x: &[i32], out: &mut Vec<i32>) {
    let counts: Vec<usize> = x.par_chunks(CHUNK).map(|x| x.iter().filter(|v| **v > 0).count()).collect();
    let before = out.len();
    out.resize(before + counts.iter().sum::<usize>(), 0);
    let mut rest = &mut out[before..];
    let mut parts = Vec::with_capacity(counts.len());
    for count in counts {
        let (part, after) = rest.split_at_mut(count);
        parts.push(part);
        rest = after;
    }
    parts.into_par_iter().zip(x.par_chunks(CHUNK)).for_each(|(part, x)| {
        for (to, from) in part.iter_mut().zip(x.iter().filter(|v| **v > 0)) {
            *to = *from;
        }
    });
}

/// The total before each chunk, from the total of each chunk.
fn starts<T: Copy>(mut totals: Vec<T>, zero: T, plus: impl Fn(T, T) -> T) -> Vec<T> {
    let mut before = zero;
    for total in &mut totals {
        (*total, before) = (before, plus(before, *total));
    }
    totals
}

/// Runs `each` over all chunks, with the sum of the elements before each chunk.
fn scan<T>(x: &[T], out: &mut [T], each: impl Fn(&mut T, &mut T, T) + Sync)
where
    T: Copy + Default + Send + Sync + Add<Output = T> + for<'x> Sum<&'x T>,
{
    let totals = x.par_chunks(CHUNK).map(|x| x.iter().sum()).collect();
    let starts = starts(totals, T::default(), |a, b| a + b);
    out.par_chunks_mut(CHUNK).zip(x.par_chunks(CHUNK)).zip(starts).for_each(|((out, x), mut sum)| {
        for (out, x) in out.iter_mut().zip(x) {
            each(out, &mut sum, *x);
        }
    });
}

/// Sums of the elements up to each, and with it.
pub fn inclusive_scan_i32(x: &[i32], out: &mut [i32]) {
    scan(x, out, |out, sum, x| {
        *sum += x;
        *out = *sum;
    });
}

/// Sums of the elements before each.
pub fn exclusive_scan_i32(x: &[i32], out: &mut [i32]) {
    scan(x, out, |out, sum, x| {
        *out = *sum;
        *sum += x;
    });
}

/// Sums of the elements up to each, in their place.
pub fn inplace_inclusive_scan_i32(x: &mut [i32]) {
    let totals = x.par_chunks(CHUNK).map(|x| x.iter().sum()).collect();
    let starts = starts(totals, 0, |a: i32, b| a + b);
    x.par_chunks_mut(CHUNK).zip(starts).for_each(|(x, mut sum)| {
        for x in x {
            sum += *x;
            *x = sum;
        }
    });
}

/// Sums of the elements up to each, and with it.
pub fn inclusive_scan_f32(x: &[f32], out: &mut [f32]) {
    scan(x, out, |out, sum, x| {
        *sum += x;
        *out = *sum;
    });
}

/// Runs `each` over all chunks, with the sum of the open segment before each chunk.
///
/// The total of a chunk is the sum since its last segment began, and whether one began in it.
fn by_key(keys: &[i32], x: &[i32], out: &mut [i32], each: impl Fn(&mut i32, &mut i32, i32) + Sync) {
    let begins = |i: usize| i > 0 && keys[i] != keys[i - 1];
    let total = |(chunk, x): (usize, &[i32])| {
        let first = chunk * CHUNK;
        let last = (first..first + x.len()).rfind(|&i| begins(i));
        (x[last.unwrap_or(first) - first..].iter().sum(), last.is_some())
    };
    let totals = x.par_chunks(CHUNK).enumerate().map(total).collect();
    let plus = |a: (i32, bool), b: (i32, bool)| if b.1 { b } else { (a.0 + b.0, a.1) };
    let starts = starts(totals, (0, false), plus);
    let chunks = out.par_chunks_mut(CHUNK).zip(x.par_chunks(CHUNK)).zip(keys.par_chunks(CHUNK)).zip(starts);
    chunks.enumerate().for_each(|(chunk, (((out, x), here), (mut sum, _)))| {
        let first = chunk * CHUNK;
        let mut before = if first > 0 { keys[first - 1] } else { here[0] };
        for ((out, x), key) in out.iter_mut().zip(x).zip(here) {
            if *key != before {
                sum = 0;
            }
            before = *key;
            each(out, &mut sum, *x);
        }
    });
}

/// As [`inclusive_scan_i32`] within each run of equal keys.
pub fn inclusive_scan_by_key_i32(keys: &[i32], x: &[i32], out: &mut [i32]) {
    by_key(keys, x, out, |out, sum, x| {
        *sum += x;
        *out = *sum;
    });
}

/// As [`exclusive_scan_i32`] within each run of equal keys.
pub fn exclusive_scan_by_key_i32(keys: &[i32], x: &[i32], out: &mut [i32]) {
    by_key(keys, x, out, |out, sum, x| {
        *out = *sum;
        *sum += x;
    });
}

/// The key and the sum of each run of equal keys: first where runs begin, then the sums between.
pub fn reduce_by_key_i32(keys: &[i32], x: &[i32], out: &mut Vec<[i32; 2]>) {
    let begins = |i: &usize| *i == 0 || keys[*i] != keys[*i - 1];
    let starts: Vec<usize> = (0..keys.len()).into_par_iter().filter(begins).collect();
    let run = |number: usize| {
        let end = starts.get(number + 1).copied().unwrap_or(keys.len());
        [keys[starts[number]], x[starts[number]..end].iter().sum()]
    };
    (0..starts.len()).into_par_iter().map(run).collect_into_vec(out);
}

/// The elements at places that the data say.
pub fn gather_i32(places: &[i32], x: &[i32], out: &mut [i32]) {
    out.par_iter_mut().zip(places).for_each(|(out, place)| *out = x[*place as usize]);
}

/// The elements to places that the data say: every thread goes through all of them, for its own part of the places.
pub fn scatter_i32(places: &[i32], x: &[i32], out: &mut [i32]) {
    let length = out.len().div_ceil(rayon::current_num_threads()).max(1);
    out.par_chunks_mut(length).enumerate().for_each(|(number, part)| {
        for (place, x) in places.iter().zip(x) {
            if let Some(out) = part.get_mut((*place as usize).wrapping_sub(number * length)) {
                *out = *x;
            }
        }
    });
}

/// Sorts numbers.
pub fn sort_u32(x: &mut [u32]) {
    x.par_sort_unstable();
}

/// Sorts keys, and values along with them, as pairs.
pub fn sort_by_key_u32_u32(keys: &mut [u32], values: &mut [u32]) {
    let mut pairs: Vec<(u32, u32)> = keys.par_iter().copied().zip(values.par_iter().copied()).collect();
    pairs.par_sort_by_key(|(key, _)| *key);
    keys.par_iter_mut().zip(values).zip(pairs).for_each(|((key, value), pair)| (*key, *value) = pair);
}

/// Sorts numbers by a comparison.
pub fn stable_sort_u32_greater(x: &mut [u32]) {
    x.par_sort_by(|a, b| b.cmp(a));
}

/// By rayon's stable sort, which moves records as often as it merges.
pub fn sort_by_key_records(records: &mut [crate::Record]) {
    records.par_sort_by_key(|record| record.key);
}

/// How many elements of a sorted slice are less than each value.
pub fn lower_bound_u32(x: &[u32], values: &[u32]) -> Vec<usize> {
    values.par_iter().map(|value| x.partition_point(|element| element < value)).collect()
}
