//! The primitives that parallel libraries are measured by, as the sequential loops that they are.
//!
//! The loops below are all there is to write; without their attributes they are the plain twins that the program times
//! beside them (`f::sequential`). [`by_hand`] has the same primitives as one writes them with rayon; [`measure`] times them.

pub mod by_hand;
pub mod measure;

use forall::{distributed_scan, distributed_sort, foreach, foreach_tls, kary_reduce};

/// Copies `x`.
#[foreach]
pub fn copy_i32(x: &[i32], out: &mut [i32]) {
    for i in 0..x.len() {
        out[i] = x[i];
    }
}

/// `2x + 1` of each element.
#[foreach]
pub fn transform_i32(x: &[i32], out: &mut [i32]) {
    for i in 0..x.len() {
        out[i] = 2 * x[i] + 1;
    }
}

/// The sum of all elements.
#[kary_reduce]
pub fn reduce_i32(x: &[i32]) -> i32 {
    let mut sum = 0;
    for i in 0..x.len() {
        sum += x[i];
    }
    sum
}

/// The sum of all elements.
#[kary_reduce]
pub fn reduce_f32(x: &[f32]) -> f32 {
    let mut sum = 0.0;
    for i in 0..x.len() {
        sum += x[i];
    }
    sum
}

/// The positive elements, in order, after what `out` holds.
#[foreach_tls]
pub fn copy_if_i32(x: &[i32], out: &mut Vec<i32>) {
    for i in 0..x.len() {
        if x[i] > 0 {
            out.push(x[i]);
        }
    }
}

/// Sums of the elements up to each, and with it.
#[distributed_scan]
pub fn inclusive_scan_i32(x: &[i32], out: &mut [i32]) {
    let mut sum = 0;
    for i in 0..x.len() {
        sum += x[i];
        out[i] = sum;
    }
}

/// Sums of the elements before each.
#[distributed_scan]
pub fn exclusive_scan_i32(x: &[i32], out: &mut [i32]) {
    let mut sum = 0;
    for i in 0..x.len() {
        out[i] = sum;
        sum += x[i];
    }
}

/// Sums of the elements up to each, in their place.
#[distributed_scan]
pub fn inplace_inclusive_scan_i32(x: &mut [i32]) {
    let mut sum = 0;
    for i in 0..x.len() {
        sum += x[i];
        x[i] = sum;
    }
}

/// Sums of the elements up to each, and with it.
#[distributed_scan]
pub fn inclusive_scan_f32(x: &[f32], out: &mut [f32]) {
    let mut sum = 0.0;
    for i in 0..x.len() {
        sum += x[i];
        out[i] = sum;
    }
}

/// As [`inclusive_scan_i32`] within each run of equal keys.
#[distributed_scan]
pub fn inclusive_scan_by_key_i32(keys: &[i32], x: &[i32], out: &mut [i32]) {
    let mut sum = 0;
    for i in 0..x.len() {
        if i > 0 && keys[i] != keys[i - 1] {
            sum = 0;
        }
        sum += x[i];
        out[i] = sum;
    }
}

/// As [`exclusive_scan_i32`] within each run of equal keys.
#[distributed_scan]
pub fn exclusive_scan_by_key_i32(keys: &[i32], x: &[i32], out: &mut [i32]) {
    let mut sum = 0;
    for i in 0..x.len() {
        if i > 0 && keys[i] != keys[i - 1] {
            sum = 0;
        }
        out[i] = sum;
        sum += x[i];
    }
}

/// The key and the sum of each run of equal keys.
#[distributed_scan]
pub fn reduce_by_key_i32(keys: &[i32], x: &[i32], out: &mut Vec<[i32; 2]>) {
    let mut sum = 0;
    for i in 0..x.len() {
        if i > 0 && keys[i] != keys[i - 1] {
            sum = 0;
        }
        sum += x[i];
        if i + 1 == x.len() || keys[i] != keys[i + 1] {
            out.push([keys[i], sum]);
        }
    }
}

/// The elements at places that the data say.
#[foreach]
pub fn gather_i32(places: &[i32], #[gather] x: &[i32], out: &mut [i32]) {
    for i in 0..out.len() {
        out[i] = x[places[i] as usize];
    }
}

/// The elements to places that the data say: the last one of those that go to one place.
#[foreach]
pub fn scatter_i32(places: &[i32], x: &[i32], #[scatter] out: &mut [i32]) {
    for i in 0..x.len() {
        out[places[i] as usize] = x[i];
    }
}

/// Sorts numbers.
#[distributed_sort]
pub fn sort_u32(x: &mut [u32]) {
    x.sort_unstable();
}

/// Sorts keys, and values along with them.
#[distributed_sort]
pub fn sort_by_key_u32_u32(keys: &mut [u32], values: &mut [u32]) {
    let mut order: Vec<usize> = (0..keys.len()).collect();
    order.sort_by_key(|&i| keys[i]);
    keys.copy_from_slice(&order.iter().map(|&i| keys[i]).collect::<Vec<_>>());
    values.copy_from_slice(&order.iter().map(|&i| values[i]).collect::<Vec<_>>());
}

/// Sorts numbers by a comparison.
#[distributed_sort]
pub fn stable_sort_u32_greater(x: &mut [u32]) {
    x.sort_by(|a, b| b.cmp(a));
}

/// A record of 100 bytes, as sorts are often measured with.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C)]
pub struct Record {
    /// By what it is sorted.
    pub key: u32,
    /// The data beside the key.
    pub rest: [u32; 24],
}

/// Sorts records by their keys.
#[distributed_sort]
pub fn sort_by_key_records(records: &mut [Record]) {
    records.sort_by_key(|record| record.key);
}
