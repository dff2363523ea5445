//! A device that is lost, or has no memory left: an error or the workers, never a wrong result, and no waiting for ever.

#![allow(missing_docs)]

use crate::common;
use crate::common::Room;
use forall::{Backend, DistVec, Settings, distributed_scan, foreach};
use forall_core::comm::Local;
use forall_core::runtime::{Context, install};
use forall_gpu::Gpu;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

fn on_node<R: Send>(gpu: &Arc<Gpu>, ranks: usize, backend: Backend, program: impl Fn() -> R + Sync) -> Vec<R> {
    let settings = Settings { backend, require_gpu: false, ..Settings::default() };
    Local::run(ranks, |comm| {
        let _installed = install(Context::new(Box::new(comm), gpu.clone(), settings.clone()));
        program()
    })
}

/// The message of a program's panic.
fn panic_of<R>(program: impl FnOnce() -> R) -> String {
    let panic = catch_unwind(AssertUnwindSafe(program)).map(drop).expect_err("it fails");
    panic.downcast_ref::<String>().cloned().unwrap_or_default()
}

#[foreach]
fn next(x: &mut [u32]) {
    for i in 0..x.len() {
        x[i] += 1;
    }
}

#[distributed_scan]
fn totals(x: &[u32], out: &mut [u32]) -> u32 {
    let mut sum = 0;
    for i in 0..x.len() {
        sum += x[i];
        out[i] = sum;
    }
    sum
}

#[test]
fn a_lost_device_is_an_error() {
    let Some(gpu) = common::gpu_within(Room::default()) else { return };
    on_node(&gpu, 1, Backend::Gpu, || {
        let mut away = DistVec::filled(10_000, 1);
        let mut both = DistVec::filled(10_000, 1);
        next(&mut away);
        next(&mut both);
        assert_eq!(both.local()[9_999], 2);
        gpu.lose();
        let refused = panic_of(|| next(&mut both));
        assert!(refused.starts_with("`next` cannot run on the GPU: ") && refused.contains("is lost"), "{refused}");
        assert_eq!(both.to_all(), [2; 10_000]);
        let lost = panic_of(|| away.local()[0]);
        assert!(lost.starts_with("elements that only the device has are lost: the device is lost"), "{lost}");
        let lost = panic_of(|| away.clone());
        assert!(lost.starts_with("elements that only the device has are lost"), "{lost}");
    });
}

#[test]
fn all_ranks_hear_of_a_lost_device() {
    for ranks in [2, 3] {
        let Some(gpu) = common::gpu_within(Room::default()) else { return };
        let failed = panic_of(|| {
            on_node(&gpu, ranks, Backend::Gpu, || {
                let (mut x, mut sums) = (DistVec::filled(10_000, 1), DistVec::zeroed(10_000));
                next(&mut x);
                totals(&x, &mut sums);
                if forall::rank() == 0 {
                    gpu.lose();
                }
                totals(&sums, &mut x);
                x.to_all()
            })
        });
        assert!(failed.contains("lost"), "{failed}");
    }
}

#[test]
fn the_workers_go_on_where_the_choice_is_free() {
    let Some(gpu) = common::gpu_within(Room::default()) else { return };
    let n = 4_000_000;
    on_node(&gpu, 1, Backend::Auto, || {
        let (x, mut sums) = (DistVec::filled(n, 1u32), DistVec::zeroed(n));
        gpu.lose();
        for _ in 0..2 {
            assert_eq!(totals(&x, &mut sums), n as u32);
            assert!(sums.local().iter().enumerate().all(|(i, sum)| *sum == i as u32 + 1));
        }
    });
}

#[test]
fn a_device_without_memory_says_so() {
    let Some(gpu) = common::gpu_within(Room { memory: 4_000_000, ..Room::default() }) else { return };
    let n = 4_000_000;
    let mut plain = vec![0; n];
    totals::sequential(&vec![1; n], &mut plain);
    let refused = panic_of(|| {
        on_node(&gpu, 1, Backend::Gpu, || {
            let (x, mut sums) = (DistVec::filled(n, 1u32), DistVec::zeroed(n));
            totals(&x, &mut sums)
        })
    });
    assert!(refused.contains("has no memory left"), "{refused}");
    on_node(&gpu, 1, Backend::Gpu, || {
        let mut small = DistVec::filled(1000, 1);
        next(&mut small);
        assert_eq!(small.to_all(), [2; 1000], "what fits runs there still");
    });
    on_node(&gpu, 1, Backend::Auto, || {
        let (x, mut sums) = (DistVec::filled(n, 1u32), DistVec::zeroed(n));
        assert_eq!(totals(&x, &mut sums), n as u32);
        assert!(sums.to_all() == plain);
    });
}
