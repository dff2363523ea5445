//! Writes of iterations to other ranks' shares, and counts in them. Long ranges are sent without a copy, short ones in one message, and
//! elements that no two ranks can write go back without a search for changes. The sequential function is the oracle.

// Two writes of an iteration at places of their own are what one of the loops tests.
#![allow(clippy::manual_swap)]

use forall::{Cuts, DistVec, Runtime, Settings, foreach, kary_reduce};
use forall_core::comm::{Local, Traffic};
use forall_core::node::Serial;
use forall_core::runtime::{Context, current, install};
use std::num::NonZeroUsize;
use std::sync::Arc;

fn on_ranks(ranks: usize, program: impl Fn() + Sync) {
    Local::run(ranks, |comm| {
        let _installed = install(Context::new(Box::new(comm), Arc::new(Serial), Settings::default()));
        program();
    });
}

/// The traffic of this rank meanwhile.
fn traffic(work: impl FnOnce()) -> Traffic {
    let so_far = || current().expect("several ranks have a context").traffic();
    let before = so_far();
    work();
    so_far() - before
}

/// Cuts that are alike, and such that leave ranks without elements.
fn cuts(n: usize, ranks: usize) -> Vec<Cuts> {
    let first = |first: usize| {
        let mut lengths = vec![0; ranks];
        lengths[0] = first.min(n);
        lengths[ranks - 1] += n - lengths[0];
        Cuts::from_lengths(&lengths)
    };
    vec![first(n / ranks), first(0), first(n), first(n / 3)]
}

/// Lines across the rows, in place.
#[foreach]
fn across(x: &mut [u64], width: usize) {
    let rows = x.len() / width;
    for column in 0..width {
        let mut sum = 0;
        for row in 0..rows {
            sum += x[row * width + column];
            x[row * width + column] = sum;
        }
    }
}

/// The same, but only some lines change.
#[foreach]
fn some_across(x: &mut [u64], width: usize, every: usize) {
    let rows = x.len() / width;
    for column in 0..width {
        if column % every == 0 {
            for row in 0..rows {
                x[row * width + column] += row as u64;
            }
        }
    }
}

/// Blocks of elements, where no rank has whole numbers.
#[foreach]
fn mirrored(x: &mut [u64], block: usize) {
    for k in 0..x.len() / block {
        for i in 0..block / 2 {
            let other = x[k * block + block - 1 - i];
            x[k * block + block - 1 - i] = x[k * block + i];
            x[k * block + i] = other;
        }
    }
}

/// The second half is read, and not written.
#[foreach]
fn folded(x: &mut [u64], half: usize) {
    for i in 0..half {
        x[i] += x[i + half];
    }
}

#[test]
fn lines_across_shares_are_what_the_loop_gives() {
    // Rows of which a rank's part is long, and short; one row, one column.
    for (rows, width) in [(6, 40_000), (70, 9), (1, 50), (50, 1), (0, 4), (3, 70_000)] {
        for ranks in [1, 2, 3, 4, 7] {
            if rows * width > 200_000 && ranks > 3 {
                continue;
            }
            on_ranks(ranks, || {
                let n = rows * width;
                for cuts in cuts(n, ranks) {
                    let mut x = DistVec::from_fn(n, |i| (i * i % 1009) as u64);
                    x.rebalance_to(&cuts);
                    let mut plain = x.to_all();
                    for every in [1, 3] {
                        across(&mut x, width);
                        across::sequential(&mut plain, width);
                        some_across(&mut x, width, every);
                        some_across::sequential(&mut plain, width, every);
                        assert_eq!(x.to_all(), plain, "{rows} rows of {width}, every {every} on {ranks}");
                    }
                }
            });
        }
    }
}

#[test]
fn a_transpose_in_place_sends_each_element_there_and_back() {
    let (rows, width) = (8, 80_000);
    on_ranks(2, || {
        let mut x = DistVec::from_fn(rows * width, |i| i as u64).in_planes(width);
        across(&mut x, width);
        let Traffic { messages, bytes_sent, .. } = traffic(|| across(&mut x, width));
        // A range for each row, there and back.
        assert_eq!(bytes_sent, 8 * (rows * width) as u64 / 2);
        assert_eq!(messages, rows as u64);
    });
}

#[test]
fn blocks_that_lie_across_cuts_come_back_whole() {
    for (n, block) in [(30, 7), (400_000, 100_001), (64, 64), (5, 9)] {
        for ranks in [2, 3, 4, 7] {
            on_ranks(ranks, || {
                for cuts in cuts(n, ranks) {
                    let mut x = DistVec::from_fn(n, |i| i as u64);
                    x.rebalance_to(&cuts);
                    let mut plain = x.to_all();
                    for _ in 0..2 {
                        mirrored(&mut x, block);
                        mirrored::sequential(&mut plain, block);
                        assert_eq!(x.to_all(), plain, "{n} in blocks of {block} on {ranks}");
                    }
                }
            });
        }
    }
}

#[test]
fn what_is_only_read_does_not_go_back() {
    for half in [10, 60_000] {
        on_ranks(2, || {
            let mut x = DistVec::from_fn(2 * half, |i| i as u64);
            x.rebalance_to(&Cuts::from_lengths(&[half, half]));
            let mut plain = x.to_all();
            folded(&mut x, half);
            folded::sequential(&mut plain, half);
            let Traffic { bytes_sent, .. } = traffic(|| folded(&mut x, half));
            folded::sequential(&mut plain, half);
            let sent = if forall::rank() == 0 { 0 } else { 8 * half as u64 };
            assert_eq!(bytes_sent, sent, "rank {}", forall::rank());
            assert_eq!(x.to_all(), plain);
        });
    }
}

#[kary_reduce]
fn counted(keys: &[u32], counts: &mut [u32]) {
    for &key in keys {
        counts[key as usize] += 1;
    }
}

/// Sums of floats, whose order matters, beside a plain sum; down the keys.
#[kary_reduce]
fn weighed(keys: &[u32], weights: &[f64], sums: &mut [f64]) -> f64 {
    let mut total = 0.0;
    for i in (0..keys.len()).rev() {
        sums[keys[i] as usize] += weights[i];
        total += weights[i];
    }
    total
}

#[kary_reduce]
fn multiplied(keys: &[u32], products: &mut [u64]) {
    for &key in keys {
        products[key as usize] *= 3;
    }
}

#[kary_reduce]
fn highest(keys: &[u32], best: &mut [u32]) {
    for i in 0..keys.len() {
        let bin = i % best.len();
        best[bin] = best[bin].max(keys[i]);
    }
}

#[test]
fn histograms_of_shares_are_what_the_loop_gives() {
    for (n, bins) in [(0, 5), (1, 1), (1000, 1), (1000, 3), (5000, 5000), (70_000, 257)] {
        let key = |i: usize| (i * 7919 % bins) as u32;
        let (mut bits, mut first) = (Vec::new(), Vec::new());
        for ranks in [1, 2, 3, 4, 7] {
            let sums = std::sync::Mutex::new(Vec::new());
            on_ranks(ranks, || {
                let (keys, weights) = (DistVec::from_fn(n, key), DistVec::from_fn(n, |i| 1.0 / (i + 1) as f64));
                let (plain_keys, plain_weights) = (keys.to_all(), weights.to_all());
                for cuts in cuts(bins, ranks) {
                    let mut counts = DistVec::from_fn(bins, |i| i as u32);
                    counts.rebalance_to(&cuts);
                    let mut plain = counts.to_all();
                    let (mut best, mut plain_best) = (counts.clone(), plain.clone());
                    for _ in 0..2 {
                        counted(&keys, &mut counts);
                        counted::sequential(&plain_keys, &mut plain);
                    }
                    assert_eq!(counts.to_all(), plain, "{n} keys, {bins} bins on {ranks}");
                    highest(&keys, &mut best);
                    highest::sequential(&plain_keys, &mut plain_best);
                    assert_eq!(best.to_all(), plain_best);

                    let mut products = DistVec::from_fn(bins, |i| i as u64 + 1);
                    products.rebalance_to(&cuts);
                    let few = DistVec::from_fn(n.min(20), key);
                    let mut plain = products.to_all();
                    multiplied(&few, &mut products);
                    multiplied::sequential(&few.to_all(), &mut plain);
                    assert_eq!(products.to_all(), plain);

                    let mut found = DistVec::from_fn(bins, |_| 0.5);
                    found.rebalance_to(&cuts);
                    let mut plain = found.to_all();
                    let total = weighed(&keys, &weights, &mut found);
                    let expected = weighed::sequential(&plain_keys, &plain_weights, &mut plain);
                    let close = |one: f64, two: f64| (one - two).abs() <= 1e-9 * two.abs();
                    assert!(close(total, expected), "{total} is not {expected}");
                    let found = found.to_all();
                    assert!(found.iter().zip(&plain).all(|(one, two)| close(*one, *two)));
                    if forall::rank() == 0 {
                        sums.lock().unwrap().push((total.to_bits(), found));
                    }
                }
            });
            // `DistVec` cuts where chunks begin: the bits are the same on any number of ranks.
            for (total, found) in sums.into_inner().unwrap() {
                bits.push(total);
                first.push(found);
            }
        }
        assert!(bits.iter().all(|total| *total == bits[0]));
        assert!(first.iter().all(|found| *found == first[0]), "{n} keys, {bins} bins");
    }
}

#[test]
fn a_histogram_sends_what_others_have_of_it() {
    let bins = 100_000;
    on_ranks(2, || {
        let keys = DistVec::from_fn(1000, |i| (i * 7919 % bins) as u32);
        let weights = DistVec::from_fn(1000, |i| i as f64);
        let mut sums = DistVec::zeroed(bins);
        weighed(&keys, &weights, &mut sums);
        let sent = traffic(|| {
            weighed(&keys, &weights, &mut sums);
        });
        // And what the ranks say of the call and of its loop.
        assert!(sent.bytes_sent <= 8 * bins as u64 / 2 + 2000, "{} bytes", sent.bytes_sent);
    });
}

/// Sums and largest values of columns, and the sum of all.
#[kary_reduce]
fn columns(a: &[i64], width: usize, #[replicated] totals: &mut [i64], #[replicated] most: &mut [i64]) -> i64 {
    let mut sum = 0;
    for i in 0..a.len() / width {
        for j in 0..width {
            totals[j] -= a[i * width + j];
            most[j] = most[j].max(a[i * width + j]);
            sum += a[i * width + j];
        }
    }
    sum
}

/// The same of numbers whose grouping matters.
#[kary_reduce]
fn column_sums(a: &[f64], width: usize, #[replicated] totals: &mut [f64]) {
    for i in 0..a.len() / width {
        for j in 0..width {
            totals[j] += a[i * width + j];
        }
    }
}

/// Elements that have any length when they travel.
#[kary_reduce]
fn classes(a: &[u32], width: usize) -> Vec<(u8, u64)> {
    let mut counts = vec![(0, 0); width];
    for i in 0..a.len() {
        counts[a[i] as usize % width].1 += 1;
    }
    counts
}

/// Whole rows, which are sent from where they lie.
#[kary_reduce(algorithm = direct_send)]
fn rows(a: &[f64], #[replicated] totals: &mut [f64]) {
    for row in a.chunks(totals.len()) {
        for (total, x) in totals.iter_mut().zip(row) {
            *total += x;
        }
    }
}

#[test]
fn long_arrays_are_put_together_in_parts() {
    for (width, ranks) in [2, 3, 4, 7].into_iter().flat_map(|ranks| [(11, ranks), (20_011, ranks)]) {
        let a: Vec<i64> = (0..5 * width as i64).map(|k| k * 7919 % 1001 - 500).collect();
        let (mut totals, mut most) = (vec![7; width], vec![-3; width]);
        let sum = columns::sequential(&a, width, &mut totals, &mut most);
        on_ranks(ranks, || {
            let a = DistVec::from_fn(a.len(), |k| a[k]);
            let (mut mine, mut my_most) = (vec![7; width], vec![-3; width]);
            let moved = traffic(|| assert_eq!(columns(&a, width, &mut mine, &mut my_most), sum));
            assert!(mine == totals && my_most == most, "{ranks} ranks, {width} columns");
            // Each tells the others about its part of both, of which builds with overflow checks know how far they went: no rank gets
            // all of what all have counted.
            let whole = (if cfg!(debug_assertions) { 7 } else { 2 }) * 8 * width as u64 + 4096;
            assert!(width < 1000 || moved.bytes_received < 2 * whole + 100_000, "{moved:?}");
        });
    }
}

#[test]
fn sums_of_floats_have_the_same_bits_in_parts() {
    let width = 16_411;
    let a: Vec<f64> = (0..32 * width).map(|k| 1.0 / (k % 1013 + 1) as f64).collect();
    let alone = {
        let mut totals = vec![0.5; width];
        column_sums(&DistVec::from_local(a.clone()), width, &mut totals);
        totals
    };
    let mut expected = vec![0.5; width];
    column_sums::sequential(&a, width, &mut expected);
    for ranks in [2, 3, 4, 7] {
        on_ranks(ranks, || {
            let (mut totals, mut by_rows) = (vec![0.5; width], vec![0.5; width]);
            // Shares of whole rows.
            let lengths: Vec<usize> =
                (0..ranks).map(|rank| ((rank + 1) * 32 / ranks - rank * 32 / ranks) * width).collect();
            let a = DistVec::from_fn_cut(&Cuts::from_lengths(&lengths), |k| a[k]);
            column_sums(&a, width, &mut totals);
            assert!(totals == alone, "{ranks} ranks");
            rows(&a, &mut by_rows);
            assert!(by_rows.iter().zip(&expected).all(|(one, other)| (one - other).abs() < 1e-12), "{ranks} ranks");
        });
    }
}

#[test]
fn elements_of_any_length_are_put_together_in_parts() {
    let (n, width) = (30_011, 9_001);
    let a: Vec<u32> = (0..n).map(|k| k * 7919 % 20_011).collect();
    let expected = classes::sequential(&a, width);
    for ranks in [2, 5] {
        on_ranks(ranks, || assert_eq!(classes(&DistVec::from_fn(a.len(), |k| a[k]), width), expected));
    }
}

#[test]
fn a_sum_out_of_range_in_any_part_is_told() {
    let width = 20_000;
    for column in [0, width / 2, width - 1] {
        let failure = Local::try_run(3, |comm| {
            let _installed = install(Context::new(Box::new(comm), Arc::new(Serial), Settings::default()));
            let a = DistVec::from_fn(6 * width, |k| if k % width == column { i64::MAX / 4 } else { 0 });
            let (mut totals, mut most) = (vec![0; width], vec![0; width]);
            columns(&a, width, &mut totals, &mut most);
        });
        let told = failure.err().map(|failure| failure.message);
        let wanted = cfg!(debug_assertions).then_some("attempt to subtract with overflow");
        assert_eq!(
            told.as_deref().map(|told| wanted.is_some_and(|wanted| told.contains(wanted))),
            wanted.map(|_| true)
        );
    }
}

/// As many bins as people have cells, in chunks that are short.
#[kary_reduce(grain = 16)]
fn counts(x: &[u32], bins: usize) -> Vec<i32> {
    let mut counts = vec![i32::MAX - 40_000; bins];
    for x in x {
        counts[*x as usize] += 1;
        counts[(*x / 2) as usize] -= 2;
    }
    counts
}

/// Chunks that a worker runs one after the other count in one collection, and not each in one of its own.
#[test]
fn short_chunks_of_many_bins_are_counted_in_few_collections() {
    let (n, bins) = (35_003, 90_000);
    let x: Vec<u32> = (0..n).map(|k| k * 7919 % bins).collect();
    let expected = counts::sequential(&x, bins as usize);
    for (threads, ranks) in [(2, 1), (2, 7)] {
        let settings = Settings { threads: NonZeroUsize::new(threads), ..Settings::default() };
        Runtime::builder().settings(settings).ranks(ranks).run(|| {
            let x = DistVec::from_fn(x.len(), |k| x[k]);
            assert!(counts(&x, bins as usize) == expected, "{threads} threads, {ranks} ranks");
        });
    }
}

/// One bin is out of range in the middle of the loop, and in range after it.
#[kary_reduce(grain = 16)]
fn up_and_down(x: &[i32]) -> Vec<i32> {
    let mut counts = vec![0; 5_000];
    for x in x {
        counts[1_234] += x;
    }
    counts
}

#[test]
fn a_bin_that_is_out_of_range_meanwhile_is_told() {
    for middle in [i32::MAX / 4, i32::MAX / 2] {
        let mut x = vec![0; 3_001];
        (x[700], x[1_100], x[2_000]) = (middle, middle, middle);
        (x[2_500], x[2_600]) = (-middle, -middle);
        let expected = std::panic::catch_unwind(|| up_and_down::sequential(&x));
        for (threads, ranks) in [(1, 1), (2, 1), (7, 1), (2, 3)] {
            let settings = Settings { threads: NonZeroUsize::new(threads), ..Settings::default() };
            let run = || {
                Runtime::builder()
                    .settings(settings)
                    .ranks(ranks)
                    .run(|| up_and_down(&DistVec::from_fn(x.len(), |k| x[k])))
            };
            let found = std::panic::catch_unwind(std::panic::AssertUnwindSafe(run));
            let case = format!("{middle}, {threads} threads, {ranks} ranks");
            match (&expected, found) {
                (Ok(expected), Ok(found)) => assert!(found.iter().all(|found| found == expected), "{case}"),
                (expected, found) => assert_eq!(expected.is_err(), found.is_err(), "{case}"),
            }
        }
    }
}
