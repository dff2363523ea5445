//! Annotated loops of the classes that need more than a map or a sum: each against its sequential twin.

// The loops are as they are found in the wild.
#![allow(clippy::manual_is_multiple_of)]
#![allow(missing_docs)]

use forall::{Backend, DistVec, Runtime, Settings, distributed_scan, foreach, kary_reduce};
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

/// A confusion matrix.
#[kary_reduce]
fn confused(x: &[u32]) -> ([[usize; 5]; 4], [[[f32; 2]; 3]; 2]) {
    let mut pairs = [[1; 5]; 4];
    let mut means = [[[0.0; 2]; 3]; 2];
    for i in 0..x.len() {
        pairs[(x[i] >> 30) as usize][i % 5] += 2;
        means[i % means.len()][(x[i] % 3) as usize][(x[i] >> 31) as usize] += (x[i] & 7) as f32;
    }
    (pairs, means)
}

#[test]
fn bins_may_be_arrays() {
    on_ranks(|n| {
        let x = noise(n);
        // Sums of small integers are exact.
        assert_eq!(confused(&shared(&x)), confused::sequential(&x), "{n}");
    });
}

/// The nearest of what is drawn on each sample of a picture.
#[kary_reduce]
fn nearest(x: &[u32], bins: usize) -> (Vec<u64>, Vec<i64>) {
    let mut samples = vec![u64::MAX; bins];
    let mut farthest = vec![i64::MIN / 3; bins];
    for i in 0..x.len() {
        let at = x[i] as usize % bins;
        let depth = u64::from(x[i].reverse_bits()) << 32 | i as u64;
        samples[at] = samples[at].min(depth);
        farthest[at] = farthest[at].max((depth as i64).wrapping_neg());
    }
    (samples, farthest)
}

#[test]
fn the_least_of_64_bits_is_exact() {
    on_ranks(|n| {
        let x = noise(n);
        for bins in [1, 1000, 200_003] {
            assert!(nearest(&shared(&x), bins) == nearest::sequential(&x, bins), "{n} in {bins}");
        }
    });
}

/// An index beyond the end is a panic of Rust's.
#[kary_reduce]
fn beyond(x: &[u32]) -> [u32; 10] {
    let mut counts = [0; 10];
    for i in 0..x.len() {
        counts[x[i] as usize] += 1;
    }
    counts
}

#[test]
fn what_is_beyond_the_bins_panics_as_in_rust() {
    if !there() {
        return;
    }
    let settings = Settings { backend: Backend::Gpu, ..Settings::from_env().unwrap() };
    let run = |x: &[u32]| Runtime::builder().settings(settings.clone()).run(|| beyond(x));
    assert_eq!(run(&[1, 9, 9]), [[0, 1, 0, 0, 0, 0, 0, 0, 0, 2]]);
    let panic = catch_unwind(|| run(&[1, 9, 10])).unwrap_err();
    let message = panic.downcast_ref::<String>().expect("a message with the index");
    assert!(message.contains("the len is 10 but the index is 10"), "{message}");
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
fn weights_of_any(x: &[u32], bins: usize) -> Vec<f32> {
    let mut sums = vec![0.0; bins];
    for i in 0..x.len() {
        sums[x[i] as usize % bins] += 0.5;
    }
    sums
}

#[test]
fn floats_in_too_many_bins_are_left_to_the_workers() {
    if !there() {
        return;
    }
    let x = noise(100_003);
    let settings = |require_gpu| Settings { backend: Backend::Gpu, require_gpu, ..Settings::from_env().unwrap() };
    let run = |require, bins| Runtime::builder().settings(settings(require)).run(|| weights_of_any(&x, bins));
    assert_eq!(run(true, 3000), [weights_of_any::sequential(&x, 3000)]);
    assert_eq!(run(false, 70_001), [weights_of_any::sequential(&x, 70_001)]);
    let panic = catch_unwind(|| run(true, 70_001)).unwrap_err();
    let message = panic.downcast_ref::<String>().expect("a message with the reason");
    assert!(message.contains("so many bins (70001)"), "{message}");
}

#[kary_reduce]
fn ends(x: &[u32], w: &[f32], least: &mut [f32], most: &mut [f32; 3]) {
    for i in 0..x.len() {
        let k = x[i] as usize % least.len();
        least[k] = least[k].min(w[i]);
        most[k % 3] = w[i].max(most[k % 3]);
    }
}

#[test]
fn the_least_float_of_many_bins() {
    on_ranks(|n| {
        let x = noise(n);
        let w: Vec<f32> = x.iter().map(|v| if v % 5 == 0 { f32::NAN } else { (*v as i32 >> 7) as f32 }).collect();
        for bins in [1, 90_000] {
            let start = || (vec![f32::INFINITY; bins], [f32::NAN, -1e9, 3.0]);
            let (mut least, mut most) = start();
            let mut share = shared(&least);
            ends(&shared(&x), &shared(&w), &mut share, &mut most);
            let found = (share.to_all(), most);
            (least, most) = start();
            ends::sequential(&x, &w, &mut least, &mut most);
            let bits = |(least, most): (Vec<f32>, [f32; 3])| {
                least.into_iter().chain(most).map(|x| if x.is_nan() { 0 } else { x.to_bits() }).collect::<Vec<_>>()
            };
            assert!(bits(found) == bits((least, most)), "{n} in {bins}");
        }
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

#[distributed_scan]
fn sums_so_far(x: &[i32], out: &mut [i32]) {
    out[0] = x[0];
    for i in 1..x.len() {
        out[i] = out[i - 1] + x[i];
    }
}

#[distributed_scan]
fn in_place(x: &mut [u32]) {
    for i in 1..x.len() {
        x[i] ^= x[i - 1];
    }
}

/// Downwards, as in the solution of a bidiagonal system.
#[distributed_scan]
fn solved(a: &[f32], x: &mut [f32]) {
    let n = x.len();
    for i in (0..n - 1).rev() {
        x[i] = a[i] - 0.25 * x[i + 1];
    }
}

#[distributed_scan]
fn smoothed(x: &[f32], out: &mut [f32]) {
    for i in 1..x.len() {
        out[i] = 0.5 * out[i - 1] + x[i];
    }
}

#[test]
fn recurrences_go_through_arrays() {
    on_ranks(|n| {
        if n == 0 {
            return;
        }
        let x: Vec<i32> = noise(n).iter().map(|v| *v as i32 >> 20).collect();
        let mut found = DistVec::zeroed(n);
        sums_so_far(&shared(&x), &mut found);
        let mut expected = vec![0; n];
        sums_so_far::sequential(&x, &mut expected);
        assert_eq!(found.to_all(), expected, "{n}");
        let mut found = shared(&noise(n));
        in_place(&mut found);
        let mut expected = noise(n);
        in_place::sequential(&mut expected);
        assert_eq!(found.to_all(), expected, "{n}");
        let w: Vec<f32> = x.iter().map(|v| *v as f32 / 2048.0).collect();
        let mut found = shared(&vec![1.0; n]);
        smoothed(&shared(&w), &mut found);
        let mut expected = vec![1.0; n];
        smoothed::sequential(&w, &mut expected);
        let mut upwards = shared(&vec![1.0; n]);
        solved(&shared(&w), &mut upwards);
        let mut upwards_expected = vec![1.0; n];
        solved::sequential(&w, &mut upwards_expected);
        let close = |(a, b): (&f32, &f32)| (a - b).abs() <= 1e-5 * b.abs().max(1.0);
        assert!(found.to_all().iter().zip(&expected).all(close), "{n}");
        assert!(upwards.to_all().iter().zip(&upwards_expected).all(close), "{n}");
    });
}

#[distributed_scan]
fn levels(x: &[i64], first: &[bool], out: &mut [i64], peak: &mut [i64]) -> (i64, i64) {
    let (mut sum, mut of_sums, mut most) = (3, 5, i64::MIN);
    for i in 0..x.len() {
        if first[i] {
            sum = 0;
        }
        sum += x[i];
        of_sums += sum * 2 + i as i64;
        most = most.max(of_sums ^ sum);
        out[i] = of_sums;
        peak[i] = most;
    }
    (of_sums, most)
}

/// Where in the output each kept value goes, and how many were kept in a row.
#[distributed_scan]
fn placed(x: &[u32], out: &mut [u32]) -> u32 {
    let (mut kept, mut row, mut longest) = (0, 0, 0);
    for i in 0..x.len() {
        if x[i] % 3 != 0 {
            kept += 1;
            row += 1;
        } else {
            row = 0;
        }
        if row > longest {
            longest = row;
        }
        out[i] = kept * 16 + longest;
    }
    longest
}

#[test]
fn running_values_feed_others() {
    on_ranks(|n| {
        let x: Vec<i64> = noise(n).iter().map(|v| (*v as i32 >> 16) as i64).collect();
        let first: Vec<bool> = noise(n).iter().map(|v| v % 97 == 3).collect();
        let (mut out, mut peak) = (DistVec::zeroed(n), DistVec::zeroed(n));
        let found = levels(&shared(&x), &shared(&first), &mut out, &mut peak);
        let (mut a, mut b) = (vec![0; n], vec![0; n]);
        let expected = levels::sequential(&x, &first, &mut a, &mut b);
        assert_eq!(found, expected, "{n}");
        assert_eq!(out.to_all(), a, "{n}");
        assert_eq!(peak.to_all(), b, "{n}");
        let mut out = DistVec::zeroed(n);
        let mut expected = vec![0; n];
        let found = placed(&shared(&noise(n)), &mut out);
        assert_eq!(found, placed::sequential(&noise(n), &mut expected), "{n}");
        assert_eq!(out.to_all(), expected, "{n}");
    });
}

#[foreach]
fn sorted_rows(x: &[u32], out: &mut [u32]) {
    let mut row = [0; 8];
    let mut seen = [false; 4];
    for i in 0..out.len() {
        seen.fill(false);
        for k in 0..8 {
            row[k] = x[i].rotate_left(4 * k as u32) & 15;
        }
        for end in (1..8).rev() {
            for k in 0..end {
                if row[k] > row[k + 1] {
                    row.swap(k, k + 1);
                }
            }
        }
        for k in 0..8 {
            seen[(row[k] % 4) as usize] = true;
        }
        let mut all = 0;
        for k in 0..8 {
            all = all * 16 + row[k];
        }
        out[i] = if seen[0] && seen[3] { all } else { !all };
    }
}

#[test]
fn buffers_outside_of_the_loop_serve_each_iteration() {
    on_ranks(|n| {
        let x = noise(n);
        let mut out = DistVec::zeroed(n);
        sorted_rows(&shared(&x), &mut out);
        let mut expected = vec![0; n];
        sorted_rows::sequential(&x, &mut expected);
        assert_eq!(out.to_all(), expected, "{n}");
    });
}

#[kary_reduce]
fn of_places(x: &[u32]) -> (usize, isize, usize) {
    let (mut sum, mut balance, mut left) = (0_usize, 5_isize, usize::MAX);
    for i in 0..x.len() {
        sum += i * 40_000;
        balance += if x[i] % 2 == 0 { i as isize * 21_000 } else { -(i as isize) * 20_000 };
        left -= x[i] as usize;
    }
    (sum, balance, left)
}

/// Below zero in parts, never in the whole.
#[distributed_scan]
fn stock(x: &[u32], out: &mut [usize]) -> usize {
    let mut level = 1_usize << 31;
    for i in 0..x.len() {
        if x[i] % 2 == 0 {
            level += (x[i] >> 16) as usize;
        } else {
            level -= (x[i] >> 16) as usize;
        }
        out[i] = level;
    }
    level
}

#[test]
fn sums_of_places_have_all_bits() {
    on_ranks(|n| {
        let x = noise(n);
        assert_eq!(of_places(&shared(&x)), of_places::sequential(&x), "{n}");
        let (mut out, mut expected) = (DistVec::zeroed(n), vec![0; n]);
        assert_eq!(stock(&shared(&x), &mut out), stock::sequential(&x, &mut expected), "{n}");
        assert_eq!(out.to_all(), expected, "{n}");
    });
}

#[kary_reduce]
fn ups_and_downs(x: &[u32], steps: &[i8]) -> (i32, u16, i64, i8) {
    let (mut sum, mut level, mut long, mut short) = (i32::MIN + 5, 60_000_u16, i64::MAX, 100_i8);
    for i in 0..x.len() {
        // Up by much for the first half, then down again.
        let step = if 2 * i < x.len() { (x[i] >> 8) as i32 } else { -((x[x.len() - 1 - i] >> 8) as i32) };
        sum += (step as i64 * 10 / x.len() as i64) as i32 * 20;
        level -= (x[i] % 3) as u16;
        level += (x[i] % 3) as u16;
        long -= x[i] as i64;
        short += steps[i];
    }
    (sum, level, long, short)
}

#[test]
fn parts_of_sums_may_wrap_around() {
    on_ranks(|n| {
        let x = noise(n);
        let steps: Vec<i8> = (0..n).map(|i| if i % 2 == 0 { 20 } else { -20 }).collect();
        let expected = ups_and_downs::sequential(&x, &steps);
        assert_eq!(ups_and_downs(&shared(&x), &shared(&steps)), expected, "{n}");
    });
}

#[kary_reduce]
fn total(x: &[i32]) -> i32 {
    let mut sum = 0;
    for v in x {
        sum += v;
    }
    sum
}

#[test]
fn a_sum_that_is_out_of_range_panics_as_in_rust() {
    if !there() || !cfg!(debug_assertions) {
        return;
    }
    let settings = Settings { backend: Backend::Gpu, ..Settings::from_env().unwrap() };
    let mut x = vec![1 << 20; 3000];
    let run = || Runtime::builder().settings(settings.clone()).run(|| total(&x));
    let panic = catch_unwind(run).unwrap_err();
    let message = panic.downcast_ref::<String>().map(String::as_str).or(panic.downcast_ref::<&str>().copied());
    assert_eq!(message, Some("attempt to add with overflow"));
    x[1000..2000].fill(-(1 << 20));
    assert_eq!(Runtime::builder().settings(settings.clone()).run(|| total(&x)), [1000 << 20]);
}
