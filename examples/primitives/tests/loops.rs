//! Every primitive, annotated and by hand, against a plain iterator. Under a launcher the annotated loops run on shares.

use forall::DistVec;
use primitives::*;

/// All small sizes, and some that make several chunks.
fn sizes() -> impl Iterator<Item = usize> {
    (0..=70).chain([1000, 32_768, 32_769, 100_003, 300_000])
}

fn integers(n: usize) -> Vec<i32> {
    (0..n).map(|i| (i * i % 7) as i32 - 3).collect()
}

/// Sums of which are exact in any order.
fn floats(n: usize) -> Vec<f32> {
    (0..n).map(|i| (i * i % 9) as f32 * 0.25 - 1.0).collect()
}

fn keys(n: usize) -> Vec<i32> {
    (0..n).scan(0, |key, i| Some(*std::ops::AddAssign::add_assign(key, i32::from(i % 61 == 7 || i % 50_000 == 0)).pipe(key))).collect()
}
