//! Annotated loops of the classes that need more than a map or a sum: each against its sequential twin.
#![allow(missing_docs)]

use forall::{Backend, DistVec, Runtime, Settings, kary_reduce};
use std::panic::catch_unwind;

const SIZES: [usize; 5] = [0, 1, 7, 1000, 100_003];

/// Whether there is a graphics processor; without one the tests are left out.
fn there() -> bool {
    let settings = Settings { backend: Backend::Gpu, require_gpu: false, ..Settings::from_env().unwrap() };
    let found = catch_unwind(|| Runtime::builder().settings(settings).run(forall::rank)).is_ok();
    assert!(found || !Settings::from_env().unwrap().require_gpu, "there is no graphics processor");
    found
}

/// Runs on one, two and three ranks, where nothing may fall back to the workers.
fn on_ranks(program: impl Fn(usize) + Sync) {
    if !there() {
        eprintln!("SKIPPED: there is no graphics processor");
        return;
    }
    let settings = Settings { backend: Backend::Gpu, require_gpu: true, ..Settings::from_env().unwrap() };
    for ranks in [1, 2, 3] {
        for n in SIZES {
            Runtime::builder().settings(settings.clone()).ranks(ranks).run(|| program(n));
        }
    }
}

/// Numbers without a pattern.
fn noise(n: usize) -> Vec<u32> {
    (0..n as u32).map(|i| i.wrapping_mul(2_654_435_761) ^ (i >> 3).wrapping_mul(40_503)).collect()
}

/// This rank's share of a vector that all ranks have.
fn shared<T: forall::Element>(all: &[T]) -> DistVec<T> {
    DistVec::from_fn(all.len(), |i| all[i])
}

#[kary_reduce]
fn counted(x: &[u32], counts: &mut [u32; 64]) {
    for i in 0..x.len() {
        counts[(x[i] >> 26) as usize] += 1;
    }
}

#[kary_reduce]
fn counts_of_any_length(x: &[u32], bins: usize) -> Vec<usize> {
    let mut counts = vec![0; bins];
    for &v in x {
        counts[v as usize % bins] += 1;
    }
    counts
}

#[test]
fn counts_are_exact() {
    on_ranks(|n| {
        let x = noise(n);
        let (mut found, mut expected) = ([3; 64], [3; 64]);
        counted(&shared(&x), &mut found);
        counted::sequential(&x, &mut expected);
        assert_eq!(found, expected, "{n}");
        for bins in [1, 37, 5000, 70_001] {
            let found = counts_of_any_length(&shared(&x), bins);
            assert_eq!(found, counts_of_any_length::sequential(&x, bins), "{n} in {bins}");
        }
    });
}

#[kary_reduce]
fn many(x: &[u32], all: &mut [i64; 5], least: &mut [i16; 7], flags: &mut [bool; 9], bits: &mut [u8; 6]) {
    let mut most = [0_usize; 11];
    let mut wide = [0_usize; 3];
    for i in 0..x.len() {
        let v = x[i];
        all[(v % 5) as usize] -= v as i64 * 1_003;
        let low = (v & 0xffff) as i16;
        least[(v % 7) as usize] = least[(v % 7) as usize].min(low);
        flags[(v % 9) as usize] |= v > 4_000_000_000;
        bits[(v % 6) as usize] ^= v as u8;
        if i > most[(v % 11) as usize] {
            most[(v % 11) as usize] = i;
        }
        wide[(v % 3) as usize] += v as usize;
    }
    all[0] += (most.iter().sum::<usize>() + wide.iter().sum::<usize>()) as i64;
}

#[test]
fn odd_operators_and_types() {
    on_ranks(|n| {
        let x = noise(n);
        let start = || ([7, -1, 0, i64::MAX, 1], [i16::MAX; 7], [false; 9], [0x5a_u8; 6]);
        let (mut a, mut b, mut c, mut d) = start();
        many(&shared(&x), &mut a, &mut b, &mut c, &mut d);
        let found = (a, b, c, d);
        let (mut a, mut b, mut c, mut d) = start();
        many::sequential(&x, &mut a, &mut b, &mut c, &mut d);
        assert_eq!(found, (a, b, c, d), "{n}");
    });
}

#[kary_reduce]
fn weights(x: &[u32], w: &[f32], bins: &mut [f32], most: &mut [f64; 4], product: &mut [u32; 3]) -> usize {
    let mut count = 0;
    for i in 0..x.len() {
        let k = x[i] as usize % bins.len();
        bins[k] += w[i];
        most[k % 4] = most[k % 4].max(w[i] as f64);
        product[k % 3] = product[k % 3].wrapping_mul(x[i] | 1);
        if w[i] > 0.5 {
            count += 1;
        }
    }
    count
}

#[test]
fn sums_of_floats_are_the_same_each_time() {
    on_ranks(|n| {
        let x = noise(n);
        let w: Vec<f32> = x.iter().map(|v| *v as f32 / u32::MAX as f32).collect();
        for bins in [1, 10, 300] {
            let run = || {
                let (mut bins, mut most, mut product) = (vec![0.5; bins], [0.25; 4], [1; 3]);
                let count = weights(&shared(&x), &shared(&w), &mut shared(&bins), &mut most, &mut product);
                let mut share = shared(&bins);
                weights(&shared(&x), &shared(&w), &mut share, &mut [0.0; 4], &mut [1; 3]);
                bins = share.to_all();
                (bins, most, product, count)
            };
            let (found, most, product, count) = run();
            assert_eq!(run().0, found);
            let (mut expected, mut most_expected, mut product_expected) = (vec![0.5; bins], [0.25; 4], [1; 3]);
            let count_expected = weights::sequential(&x, &w, &mut expected, &mut most_expected, &mut product_expected);
            assert_eq!((most, product, count), (most_expected, product_expected, count_expected));
            for (found, expected) in found.iter().zip(&expected) {
                assert!((found - expected).abs() <= 1e-4 * expected.abs(), "{found} {expected} of {n}");
            }
        }
    });
}
