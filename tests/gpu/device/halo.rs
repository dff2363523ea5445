//! Ranks that exchange halos of shares that stay on the device: the results are those of the plain loops, and only the halos
//! move.

#![allow(missing_docs)]

use crate::common;
use forall::{Backend, Cuts, DistVec, Settings, distributed_scan, foreach, kary_reduce};
use forall_core::comm::Local;
use forall_core::device::Moved;
use forall_core::runtime::{Context, install};
use forall_gpu::Gpu;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

/// Runs on so many ranks, where nothing may fall back to the workers unless `falls`.
fn on_ranks<R: Send>(ranks: usize, falls: bool, program: impl Fn() -> R + Sync) -> Option<Vec<R>> {
    let gpu = common::own_gpu()?;
    let settings = Settings { backend: Backend::Gpu, require_gpu: !falls, ..Settings::from_env().unwrap() };
    Some(on_node(&gpu, ranks, settings, program))
}

fn on_node<R: Send>(gpu: &Arc<Gpu>, ranks: usize, settings: Settings, program: impl Fn() -> R + Sync) -> Vec<R> {
    Local::run(ranks, |comm| {
        let _installed = install(Context::new(Box::new(comm), gpu.clone(), settings.clone()));
        program()
    })
}

#[foreach]
fn jacobi(x: &[u32], out: &mut [u32]) {
    for i in 1..x.len() - 1 {
        out[i] = (x[i - 1] ^ x[i + 1]).wrapping_add(3 * (x[i] & 0xffff));
    }
}

#[foreach]
fn wide(x: &[u8], out: &mut [u8], reach: usize) {
    for i in reach..x.len() - reach {
        out[i] = x[i - reach].wrapping_add(x[i + reach]) ^ x[i];
    }
}

/// The owner of the next element has the element that one iteration writes.
#[foreach]
fn pushed_on(x: &[u16], out: &mut [u16], by: usize) {
    for i in 0..x.len() - by {
        out[i + by] ^= x[i];
    }
}

#[foreach]
fn on_workers(x: &mut [u32]) {
    for i in 0..x.len() {
        x[i] = x[i].to_string().len() as u32 + x[i];
    }
}

#[foreach]
fn divided(x: &[u32], out: &mut [u32]) {
    for i in 1..x.len() - 1 {
        out[i] = 1000 / (x[i + 1] - x[i - 1]);
    }
}

#[distributed_scan]
fn totals(x: &[u32], out: &mut [u32]) -> u32 {
    let mut sum = 0u32;
    for i in 0..x.len() {
        sum = sum.wrapping_add(x[i]);
        out[i] = sum;
    }
    sum
}

#[kary_reduce]
fn rough(x: &[u32]) -> u32 {
    let mut sum = 0u32;
    for i in 0..x.len() - 1 {
        sum ^= x[i] ^ x[i + 1].wrapping_mul(3);
    }
    sum
}

fn numbers(n: usize) -> Vec<u32> {
    (0..n as u32).map(|i| i.wrapping_mul(2_654_435_761) ^ (i >> 3)).collect()
}

#[test]
fn only_the_halo_moves() {
    let n = 200_003;
    for ranks in [1, 2, 3] {
        let moved = on_ranks(ranks, false, || {
            let all = numbers(n);
            let (mut x, mut out) = (DistVec::from_fn(n, |i| all[i]), DistVec::from_fn(n, |i| all[i]));
            let (mut plain, mut plain_out) = (all.clone(), all.clone());
            let mut moved = Vec::new();
            for _ in 0..10 {
                let before = Moved::so_far();
                jacobi(&x, &mut out);
                x.swap(&mut out);
                moved.push(Moved::since(before));
                jacobi::sequential(&plain, &mut plain_out);
                std::mem::swap(&mut plain, &mut plain_out);
            }
            let before = Moved::so_far();
            let mut sums = DistVec::zeroed_like(&x);
            let total = totals(&x, &mut sums);
            let edges = rough(&x);
            // The sums are new: they are brought there.
            let folds = Moved::since(before).up - 4 * sums.local().len() as u64;
            let mut plain_sums = vec![0; n];
            assert_eq!(total, totals::sequential(&plain, &mut plain_sums));
            assert_eq!(edges, rough::sequential(&plain));
            assert_eq!(sums.to_all(), plain_sums);
            assert_eq!(x.to_all(), plain);
            assert_eq!(out.to_all(), plain_out);
            (x.local().len() as u64, moved, folds)
        });
        for (share, moved, folds) in moved.unwrap_or_default() {
            assert!(moved[0].up > 8 * share, "both shares are brought there: {moved:?}");
            // Beside the halo, sizes and values go there, and flags come back.
            let most = 512;
            assert!(moved[1..].iter().all(|step| step.up < most && step.down < most), "{ranks} ranks: {moved:?}");
            assert!(folds < 2048, "{ranks} ranks: {folds}");
        }
    }
}

/// The ends, which a statement beside the loop looks at.
#[foreach]
fn stretched(x: &[u32], out: &mut [u32]) {
    let (first, last) = (x[0], x[x.len() - 1]);
    for i in 0..x.len() {
        out[i] = x[i].wrapping_mul(3) ^ first ^ last;
    }
}

#[test]
fn an_element_moves_alone() {
    let n = 50_001;
    for ranks in [1, 2, 3] {
        on_ranks(ranks, false, || {
            let (mut x, mut out) = (DistVec::from_fn(n, |i| i as u32), DistVec::zeroed(n));
            let (mut plain, mut other) = (x.to_all(), vec![0; n]);
            for step in 0..4 {
                let before = Moved::so_far();
                stretched(&x, &mut out);
                let ends = (out.front(), out.get(n / 2), out.back());
                let Moved { up, down } = Moved::since(before);
                assert!(step == 0 || up.max(down) < 512, "{ranks} ranks: {up} up, {down} down");
                stretched::sequential(&plain, &mut other);
                assert_eq!(ends, (Some(other[0]), Some(other[n / 2]), Some(other[n - 1])));
                x.swap(&mut out);
                std::mem::swap(&mut plain, &mut other);
            }
            assert!(x.to_all() == plain);
        });
    }
}

/// Cuts that give some ranks nothing, and others less than a halo.
fn lengths(n: usize, ranks: usize, seed: &mut u64) -> Vec<usize> {
    let mut random = |below: usize| {
        *seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (*seed >> 33) as usize % below
    };
    let mut bounds: Vec<usize> = (1..ranks).map(|_| if random(3) == 0 { random(9) } else { random(n + 1) }).collect();
    bounds.extend([0, n]);
    bounds.sort_unstable();
    bounds.windows(2).map(|pair| pair[1] - pair[0]).collect()
}

#[test]
fn shares_of_any_length_and_halos_over_several_ranks() {
    let mut seed = 7;
    for round in 0..12 {
        let (ranks, n, reach) = (2 + round % 4, 30 + 61 * round, [1, 2, 5, 14][round % 4]);
        let (one, two) = (lengths(n, ranks, &mut seed), lengths(n, ranks, &mut seed));
        let ran = on_ranks(ranks, false, || {
            let all: Vec<u8> = (0..n).map(|i| (i * i / 3) as u8).collect();
            let mut x = DistVec::from_fn(n, |i| all[i]);
            let mut out = x.clone();
            x.rebalance_to(&Cuts::from_lengths(&one));
            // Now and then with other cuts than the input has.
            out.rebalance_to(&Cuts::from_lengths(if round % 3 == 0 { &two } else { &one }));
            let (mut plain, mut plain_out) = (all.clone(), all.clone());
            for step in 0..6 {
                wide(&x, &mut out, reach);
                wide::sequential(&plain, &mut plain_out, reach);
                if step % 2 == 0 {
                    wide(&out, &mut x, 1);
                    wide::sequential(&plain_out, &mut plain, 1);
                } else {
                    x.swap(&mut out);
                    std::mem::swap(&mut plain, &mut plain_out);
                }
            }
            assert_eq!((x.to_all(), out.to_all()), (plain, plain_out), "round {round}, {one:?} {two:?}");
        });
        if ran.is_none() {
            return;
        }
    }
}

#[test]
fn what_is_written_for_other_ranks_moves_alone() {
    let mut seed = 11;
    for (round, by) in [1, 3, 8, 40].into_iter().cycle().take(10).enumerate() {
        let (ranks, n) = (2 + round % 3, 5000);
        let lengths = lengths(n, ranks, &mut seed);
        let moved = on_ranks(ranks, false, || {
            let all: Vec<u16> = (0..n).map(|i| (i * i / 3) as u16).collect();
            let (mut x, mut out) = (DistVec::from_fn(n, |i| all[i]), DistVec::from_fn(n, |i| all[n - 1 - i]));
            let (mut plain, mut plain_out) = (all.clone(), all.iter().rev().copied().collect::<Vec<_>>());
            if round > 0 {
                x.rebalance_to(&Cuts::from_lengths(&lengths));
                out.rebalance_to(&Cuts::from_lengths(&lengths));
            }
            let mut most = 0;
            for step in 0..5 {
                let before = Moved::so_far();
                pushed_on(&x, &mut out, by);
                x.swap(&mut out);
                let moved = Moved::since(before);
                most = most.max(if step == 0 { 0 } else { moved.up.max(moved.down) });
                pushed_on::sequential(&plain, &mut plain_out, by);
                std::mem::swap(&mut plain, &mut plain_out);
            }
            assert_eq!((x.to_all(), out.to_all()), (plain, plain_out), "round {round}, {lengths:?}");
            most
        });
        for most in moved.unwrap_or_default() {
            assert!(most < 1024, "round {round} of {ranks} ranks: {most}");
        }
    }
}

#[test]
fn the_host_and_the_workers_in_between() {
    let n = 3001;
    for ranks in [1, 2, 3] {
        let ran = on_ranks(ranks, true, || {
            let all = numbers(n);
            let (mut x, mut out) = (DistVec::from_fn(n, |i| all[i]), DistVec::zeroed(n));
            let (mut plain, mut plain_out) = (all.clone(), vec![0; n]);
            for step in 0..9 {
                jacobi(&x, &mut out);
                jacobi::sequential(&plain, &mut plain_out);
                let offset = out.offset();
                match step % 3 {
                    0 => assert_eq!(out.local(), &plain_out[offset..offset + out.local().len()]),
                    1 => {
                        on_workers(&mut out);
                        on_workers::sequential(&mut plain_out);
                    }
                    _ => {
                        out.local_mut().iter_mut().for_each(|e| *e /= 2);
                        plain_out.iter_mut().for_each(|e| *e /= 2);
                    }
                }
                x.swap(&mut out);
                std::mem::swap(&mut plain, &mut plain_out);
            }
            assert_eq!((x.to_all(), out.to_all()), (plain, plain_out));
        });
        if ran.is_none() {
            return;
        }
    }
}

#[test]
fn a_panic_in_between() {
    let n = 1000;
    for ranks in [1, 2, 3] {
        let Some(gpu) = common::own_gpu() else { return };
        let settings = Settings { backend: Backend::Gpu, ..Settings::from_env().unwrap() };
        let found = catch_unwind(AssertUnwindSafe(|| {
            on_node(&gpu, ranks, settings, || {
                let mut x = DistVec::from_fn(n, |i| 3 * i as u32);
                let mut out = DistVec::from_fn(n, |i| i as u32 / 900);
                divided(&x, &mut out);
                divided(&out, &mut x);
            })
        }));
        let panic = found.expect_err("two elements are equal");
        assert_eq!(panic.downcast_ref::<&str>(), Some(&"attempt to divide by zero"));
    }
    // On one rank the program may go on: everything is as it was.
    on_ranks(1, true, || {
        let (mut x, mut out) = (DistVec::from_fn(n, |i| 3 * i as u32), DistVec::from_fn(n, |i| i as u32 / 900));
        divided(&x, &mut out);
        let before = out.clone().to_all();
        assert!(catch_unwind(AssertUnwindSafe(|| divided(&out, &mut x))).is_err());
        assert_eq!(out.to_all(), before);
        assert_eq!(x.to_all()[500..], (0..n as u32).map(|i| 3 * i).collect::<Vec<_>>()[500..]);
    });
}
