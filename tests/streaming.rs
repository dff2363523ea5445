//! Elements that each iteration sets without reading them go past the caches. With `cache(0)`, they do in a loop of any length. The sequential
//! functions are the oracle.

use bytemuck::NoUninit;
use forall::{DistVec, Runtime, foreach, foreach_tls, kary_reduce};
use std::fmt::Debug;

/// Around the lengths of buffers and of lines.
const LENGTHS: [usize; 12] = [0, 1, 2, 15, 16, 17, 63, 511, 512, 513, 2049, 10_007];

fn value(i: usize) -> f32 {
    ((i * 7919) % 1013) as f32 - 500.0
}

/// Runs a function on slices of each length, at each place in a line, on threads, and compares with the sequential one.
fn same<T: NoUninit + Default + PartialEq + Debug + Send + Sync>(
    width: usize,
    parallel: impl Fn(&[f32], &mut [T]) + Sync,
    sequential: impl Fn(&[f32], &mut [T]) + Sync,
) {
    for threads in [1, 2, 7] {
        Runtime::builder().threads(threads).cache(0).run(|| {
            for n in LENGTHS {
                for before in [0, 1, 3] {
                    let x: Vec<f32> = (0..n + before).map(value).collect();
                    let mut out: Vec<T> = (0..n * width + before + 5).map(|_| T::default()).collect();
                    let mut expected = out.clone();
                    parallel(&x[before..], &mut out[before..]);
                    sequential(&x[before..], &mut expected[before..]);
                    assert_eq!(out, expected, "{n} iterations, {before} before, {threads} threads");
                }
            }
        });
    }
}

#[foreach]
fn doubled(x: &[f32], out: &mut [f32]) {
    for i in 0..x.len() {
        out[i] = 2.0 * x[i] + 1.0;
    }
}

#[foreach]
fn through_items(x: &[f32], out: &mut [f64]) {
    for (o, v) in out.iter_mut().zip(x) {
        *o = f64::from(*v) * 0.5;
    }
}

#[foreach]
fn filled(x: &[f32], out: &mut [u8]) {
    for i in 0..x.len() {
        out[i] = 7;
    }
}

#[foreach]
fn from_the_third(x: &[f32], out: &mut [f32]) {
    for i in 2..x.len() {
        out[i] = x[i - 2] - x[i];
    }
}

#[foreach]
fn pairs(x: &[f32], out: &mut [f32]) {
    for i in 0..x.len() {
        let root = x[i].abs().sqrt();
        out[2 * i] = root;
        out[2 * i + 1] = -root;
    }
}

#[foreach]
fn only_every_second(x: &[f32], out: &mut [f32]) {
    for i in 0..x.len() {
        out[2 * i] = x[i] + 1.0;
    }
}

#[foreach]
fn on_both_paths(x: &[f32], out: &mut [f32]) {
    for i in 0..x.len() {
        if x[i] > 0.0 {
            out[i] = x[i].sqrt();
            out[i] += 1.0;
            continue;
        }
        out[i] = -x[i];
    }
}

#[foreach]
fn on_one_path(x: &[f32], out: &mut [f32]) {
    for i in 0..x.len() {
        if x[i] > 0.0 {
            out[i] = x[i] * 3.0;
        }
    }
}

#[foreach]
fn after_itself(x: &[f32], out: &mut [f32]) {
    for i in 0..x.len() {
        out[i] = out[i] * 0.5 + x[i];
    }
}

#[foreach]
fn rows(x: &[f32], out: &mut [[f32; 3]]) {
    for i in 0..x.len() {
        out[i] = [x[i] * 2.0, x[i] + 1.0, -x[i]];
    }
}

#[foreach]
fn a_part_of_each(x: &[f32], out: &mut [[f32; 3]]) {
    for i in 0..x.len() {
        out[i][1] = x[i] * 2.0;
    }
}

#[foreach]
fn backwards(x: &[f32], out: &mut [f32]) {
    for i in 0..x.len() {
        out[x.len() - 1 - i] = x[i] + 2.0;
    }
}

#[foreach]
fn by_an_inner_loop(x: &[f32], out: &mut [f32]) {
    for i in 0..x.len() {
        for k in 0..3 {
            out[3 * i + k] = x[i] * k as f32;
        }
    }
}

#[foreach]
fn beside_another(x: &[f32], out: &mut [f32], kept: &mut [f32]) {
    for (i, (o, _)) in out.iter_mut().zip(kept.iter_mut()).enumerate() {
        *o = x[i] * 2.0;
    }
}

#[foreach]
fn at_distances(x: &[f32], out: &mut [f32], k: usize, m: usize) {
    for i in 0..x.len() {
        out[3 * i] = x[i] + 1.0;
        out[3 * i + k] = x[i] + 2.0;
        out[3 * i + m] = x[i] + 3.0;
    }
}

#[test]
fn elements_that_no_iteration_sets_stay() {
    for threads in [1, 2] {
        Runtime::builder().threads(threads).cache(0).run(|| {
            for n in LENGTHS {
                let x: Vec<f32> = (0..n).map(value).collect();
                let [mut out, mut kept] = [vec![0.0; n], x.clone()];
                beside_another(&x, &mut out, &mut kept);
                assert_eq!(kept, x, "{n} iterations, {threads} threads");
                for (k, m) in [(1, 2), (2, 2), (2, 1)] {
                    let [mut out, mut expected] = [vec![9.0; 3 * n], vec![9.0; 3 * n]];
                    at_distances(&x, &mut out, k, m);
                    at_distances::sequential(&x, &mut expected, k, m);
                    assert_eq!(out, expected, "{n} iterations, {threads} threads, {k} and {m}");
                }
            }
        });
    }
}

#[test]
fn loops_that_set_elements() {
    same(1, doubled, doubled::sequential);
    same(1, through_items, through_items::sequential);
    same(1, filled, filled::sequential);
    same(1, from_the_third, from_the_third::sequential);
    same(2, pairs, pairs::sequential);
    same(1, on_both_paths, on_both_paths::sequential);
    same(1, rows, rows::sequential);
}

#[test]
fn loops_that_keep_elements() {
    same(2, only_every_second, only_every_second::sequential);
    same(1, on_one_path, on_one_path::sequential);
    same(1, after_itself, after_itself::sequential);
    same(1, a_part_of_each, a_part_of_each::sequential);
    same(1, backwards, backwards::sequential);
    same(3, by_an_inner_loop, by_an_inner_loop::sequential);
}

#[foreach]
fn two_outputs(x: &[f32], sine: &mut [f32], big: &mut [u64]) {
    for i in 0..x.len() {
        big[i + 1] = x[i].to_bits() as u64;
        sine[i] = x[i].sin();
    }
}

#[foreach_tls]
fn set_and_kept(x: &[f32], out: &mut [f32], places: &mut Vec<usize>) {
    for i in 0..x.len() {
        out[i] = x[i] * x[i];
        if out[i] > 100.0 {
            places.push(i);
        }
    }
}

#[kary_reduce]
fn set_and_summed(x: &[f32], out: &mut [f32]) -> f32 {
    let mut sum = 0.0;
    for i in 0..x.len() {
        out[i] = x[i] * 0.25;
        sum += out[i];
    }
    sum
}

#[test]
fn loops_that_set_elements_and_accumulate() {
    for threads in [1, 2, 7] {
        for n in LENGTHS {
            let x: Vec<f32> = (0..n).map(value).collect();
            let (mut sine, mut big, mut places) = (vec![0.0; n], vec![9; n + 2], Vec::new());
            let runtime = |cache: usize| Runtime::builder().threads(threads).cache(cache);
            let found = runtime(0).run(|| {
                let (mut sine, mut big, mut places) = (vec![0.0; n], vec![9; n + 2], Vec::new());
                two_outputs(&x, &mut sine, &mut big);
                set_and_kept(&x, &mut sine, &mut places);
                (set_and_summed(&x, &mut sine).to_bits(), sine, big, places)
            });
            two_outputs::sequential(&x, &mut sine, &mut big);
            set_and_kept::sequential(&x, &mut sine, &mut places);
            // The cache changes no bit of a sum.
            let sum = runtime(usize::MAX).run(|| set_and_summed(&x, &mut sine.clone()).to_bits());
            set_and_summed::sequential(&x, &mut sine);
            assert_eq!(found, [(sum[0], sine, big, places)], "{n} iterations, {threads} threads");
        }
    }
}

#[test]
fn shares_of_ranks() {
    for ranks in [1, 2, 3, 4, 7] {
        Runtime::builder().ranks(ranks).threads(1).cache(0).run(|| {
            for n in LENGTHS {
                let (x, mut out) = (DistVec::from_fn(n, value), DistVec::filled(n, 0.0f32));
                doubled(&x, &mut out);
                from_the_third(&x, &mut out);
                let mut expected = vec![0.0; n];
                doubled::sequential(&x.to_all(), &mut expected);
                from_the_third::sequential(&x.to_all(), &mut expected);
                assert_eq!(out.to_all(), expected, "{n} iterations, {ranks} ranks");
            }
        });
    }
}
