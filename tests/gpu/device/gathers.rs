//! Loops that read where the data say, over shares that stay on the device: of the array that is read, only the elements
//! move that other ranks ask for.

#![allow(missing_docs)]

use crate::common;
use forall::{Backend, Cuts, DistVec, Settings, distributed_scan, foreach, foreach_tls, kary_reduce};
use forall_core::comm::Local;
use forall_core::device::Moved;
use forall_core::runtime::{Context, install};

/// Runs on so many ranks, where nothing may fall back to the workers.
fn on_ranks<R: Send>(ranks: usize, program: impl Fn() -> R + Sync) -> Option<Vec<R>> {
    run(ranks, true, program)
}

fn run<R: Send>(ranks: usize, require_gpu: bool, program: impl Fn() -> R + Sync) -> Option<Vec<R>> {
    let gpu = common::own_gpu()?;
    let settings = Settings { backend: Backend::Gpu, require_gpu, ..Settings::from_env().unwrap() };
    Some(Local::run(ranks, |comm| {
        let _installed = install(Context::new(Box::new(comm), gpu.clone(), settings.clone()));
        program()
    }))
}

fn moved<R>(work: impl FnOnce() -> R) -> (R, Moved) {
    let before = Moved::so_far();
    let result = work();
    (result, Moved::since(before))
}

#[foreach]
fn mixed(x: &mut [u32], by: u32) {
    for i in 0..x.len() {
        x[i] = x[i].wrapping_mul(by) ^ i as u32;
    }
}

#[foreach]
fn permuted(#[gather] x: &[u32], place: &[u32], out: &mut [u32]) {
    for i in 0..out.len() {
        out[i] = x[place[i] as usize].wrapping_add(i as u32);
    }
}

/// Numbers that lie apart, now near to each other and now far.
fn places(n: usize, count: usize, seed: usize) -> Vec<u32> {
    let far = |i: usize| (i.wrapping_mul(2_654_435_761).wrapping_add(seed * 40_503)) % n;
    (0..count).map(|i| if i % 3 == 0 { far(i / 6) } else { (far(i / 30) + i % 30).min(n - 1) } as u32).collect()
}

#[test]
fn only_what_is_asked_for_moves() {
    let (n, count) = (400_001, 5003);
    for ranks in [1, 2, 3] {
        on_ranks(ranks, || {
            let mut x = DistVec::from_fn(n, |i| i as u32);
            let mut plain_x = x.to_all();
            let (mut out, mut plain_out) = (DistVec::zeroed(count), vec![0; count]);
            for step in 0..4 {
                mixed(&mut x, 3 + step);
                mixed::sequential(&mut plain_x, 3 + step);
                let all = places(n, count, step as usize / 2);
                let place = DistVec::from_global(&all);
                let ((), Moved { up, down }) = moved(|| permuted(&x, &place, &mut out));
                permuted::sequential(&plain_x, &all, &mut plain_out);
                // Places and elements, there and back; and what is new.
                let most = 8 * count as u64 * 3 + 4096;
                assert!(step == 0 || up < most && down < most, "step {step} of {ranks} ranks: {up} up, {down} down");
                assert_eq!(out.to_all(), plain_out, "step {step} of {ranks} ranks");
            }
            assert!(x.to_all() == plain_x);
        });
    }
}

/// Places that the device computes come to the host, once for as long as they stay.
#[test]
fn places_come_once() {
    let (n, count) = (400_001, 30_011);
    for ranks in [2, 3] {
        on_ranks(ranks, || {
            let mut x = DistVec::from_fn(n, |i| i as u32);
            let mut place = DistVec::from_fn(count, |i| i as u32);
            let (mut plain_x, mut plain_place) = (x.to_all(), place.to_all());
            let (mut out, mut plain_out) = (DistVec::zeroed(count), vec![0; count]);
            for step in 0..5 {
                if step % 2 == 0 {
                    chosen(&mut place, step, n as u32);
                    chosen::sequential(&mut plain_place, step, n as u32);
                }
                mixed(&mut x, 3 + step);
                mixed::sequential(&mut plain_x, 3 + step);
                let ((), Moved { up, down }) = moved(|| permuted(&x, &place, &mut out));
                permuted::sequential(&plain_x, &plain_place, &mut plain_out);
                let few = 600 * 16 + 2048;
                let own = 4 * place.range().len() as u64;
                let most = if step % 2 == 0 { own + few } else { few };
                assert!(step == 0 || up < few && down < most, "step {step} of {ranks} ranks: {up} up, {down} down");
                assert_eq!(out.to_all(), plain_out, "step {step} of {ranks} ranks");
            }
        });
    }
}

/// Few of them are far away.
#[foreach]
fn chosen(place: &mut [u32], step: u32, n: u32) {
    for i in 0..place.len() {
        let near = i as u32 * (n / place.len() as u32);
        place[i] = if i % 101 == 0 { (near * 7 + step * 50_021) % n } else { near };
    }
}

/// The elements of one array tell where those of another are.
#[foreach]
fn sparse(start: &[usize], #[gather] column: &[u32], #[gather] value: &[i64], #[gather] x: &[[u8; 3]], y: &mut [i64]) {
    for i in 0..y.len() {
        let mut sum = 0i64;
        for k in start[i]..start[i + 1] {
            let [a, b, c] = x[column[k] as usize];
            sum += value[k] * (a as i64 + 3 * b as i64 + 5 * c as i64);
        }
        y[i] = sum;
    }
}

#[foreach]
fn turned(x: &mut [[u8; 3]]) {
    for i in 0..x.len() {
        let [a, b, c] = x[i];
        x[i] = [b, c.wrapping_add(1), a];
    }
}

#[test]
fn what_is_gathered_tells_what_to_gather() {
    let (n, rows) = (60_007, 1009);
    for ranks in [1, 2, 3] {
        on_ranks(ranks, || {
            let starts: Vec<usize> = (0..=rows).map(|i| i * 5 + i % 3).collect();
            let entries = starts[rows];
            let columns = places(n, entries, 5);
            let start = DistVec::from_global(&starts);
            let (column, values): (_, Vec<i64>) = (DistVec::from_global(&columns), (0..entries as i64).collect());
            let value = DistVec::from_global(&values);
            let mut x = DistVec::from_fn(n, |i| [i as u8, (i >> 3) as u8, (i >> 6) as u8]);
            let mut plain_x = x.to_all();
            let (mut y, mut plain_y) = (DistVec::zeroed(rows), vec![0; rows]);
            for step in 0..3 {
                turned(&mut x);
                turned::sequential(&mut plain_x);
                let ((), Moved { up, down }) = moved(|| sparse(&start, &column, &value, &x, &mut y));
                sparse::sequential(&starts, &columns, &values, &plain_x, &mut plain_y);
                // Nothing of `x` but what is asked for, where the others are there.
                let most = 120_000;
                assert!(step == 0 || up < most && down < most, "step {step} of {ranks} ranks: {up} up, {down} down");
                assert_eq!(y.to_all(), plain_y, "step {step} of {ranks} ranks");
            }
        });
    }
}

#[kary_reduce]
fn counted(#[gather] x: &[u32], place: &[u32]) -> (u32, u32) {
    let (mut odd, mut most) = (0u32, 0);
    for &p in place {
        odd += x[p as usize] & 1;
        most = most.max(x[p as usize]);
    }
    (odd, most)
}

#[distributed_scan]
fn totals(#[gather] x: &[u32], place: &[u32], out: &mut [u32]) -> u32 {
    let mut sum = 0u32;
    for i in 0..place.len() {
        sum = sum.wrapping_add(x[place[i] as usize]);
        out[i] = sum;
    }
    sum
}

#[foreach_tls]
fn rising(#[gather] x: &[u32], place: &[u32], out: &mut Vec<[u32; 2]>) {
    for &p in place {
        if x[p as usize] % 5 > 2 {
            out.push([p, x[p as usize]]);
        }
    }
}

/// Every class of loop, shares of any length, and elements that are asked for in any way: near, far, all, none.
#[test]
fn classes_and_cuts() {
    let mut seed = 3_u64;
    let mut random = move |below: usize| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) as usize % below
    };
    for round in 0..14 {
        let (ranks, n) = (1 + round % 4, 200 + 997 * round);
        let count = [1, 40, 300, 3000][round % 4];
        let all: Vec<u32> = match round % 5 {
            0 => (0..count).map(|_| random(n) as u32).collect(),
            1 => (0..count).map(|i| (i % n) as u32).collect(),
            2 => vec![n as u32 - 1; count],
            3 => (0..count).map(|i| ((i * 90 + i % 2) % n) as u32).collect(),
            _ => places(n, count, round),
        };
        let mut lengths = vec![0; ranks];
        (0..n).for_each(|_| lengths[random(ranks).min(random(ranks))] += 1);
        if round % 3 == 1 {
            let first = lengths[0];
            lengths[ranks - 1] += first;
            lengths[0] = 0;
            lengths[ranks - 1] = n - lengths[..ranks - 1].iter().sum::<usize>();
        }
        let ran = on_ranks(ranks, || {
            let mut x = DistVec::from_fn(n, |i| i as u32 * 77);
            x.rebalance_to(&Cuts::from_lengths(&lengths));
            let (mut plain, place) = (x.to_all(), DistVec::from_global(&all));
            let (mut out, mut plain_out) = (DistVec::zeroed(count), vec![0; count]);
            for step in 0..3 {
                if step > 0 {
                    mixed(&mut x, step);
                    mixed::sequential(&mut plain, step);
                }
                let what = format!("round {round}, step {step}");
                permuted(&x, &place, &mut out);
                permuted::sequential(&plain, &all, &mut plain_out);
                assert_eq!(out.to_all(), plain_out, "{what}");
                // Plain slices, which cannot stay there.
                out.local_mut().fill(0);
                permuted(&plain[x.range()], place.local(), &mut out);
                assert_eq!(out.to_all(), plain_out, "{what}");
                assert_eq!(counted(&x, &place), counted::sequential(&plain, &all), "{what}");
                let sum = totals(&x, &place, &mut out);
                assert_eq!(sum, totals::sequential(&plain, &all, &mut plain_out), "{what}");
                assert_eq!(out.to_all(), plain_out, "{what}");
                let (mut kept, mut plain_kept) = (DistVec::default(), Vec::new());
                rising(&x, &place, &mut kept);
                rising::sequential(&plain, &all, &mut plain_kept);
                assert_eq!(kept.to_all(), plain_kept, "{what}");
            }
        });
        if ran.is_none() {
            return;
        }
    }
}

#[foreach]
fn next(a: &mut [u8], b: &mut [u16], c: &mut [[u16; 3]], d: &mut [[f32; 3]]) {
    for i in 0..a.len() {
        a[i] = a[i].wrapping_mul(3);
        b[i] = b[i].wrapping_add(7);
        c[i] = [c[i][1], c[i][2], c[i][0] ^ 1];
        d[i] = [d[i][1], d[i][2], d[i][0] + 1.0];
    }
}

#[foreach]
fn of_all_sizes(
    #[gather] a: &[u8],
    #[gather] b: &[u16],
    #[gather] c: &[[u16; 3]],
    #[gather] d: &[[f32; 3]],
    place: &[u32],
    out: &mut [[u32; 4]],
) {
    for i in 0..out.len() {
        let p = place[i] as usize;
        let [x, y, z] = c[p];
        let f = d[p];
        out[i] =
            [a[p] as u32, b[p] as u32, x as u32 + 3 * y as u32 + 5 * z as u32, (f[0] + 2.0 * f[1] + 4.0 * f[2]) as u32];
    }
}

#[test]
fn elements_of_any_size() {
    let (n, count) = (90_001, 2500);
    for ranks in [2, 3] {
        on_ranks(ranks, || {
            let float = |i: usize| (i % 1000) as f32;
            let (mut a, mut b) = (DistVec::from_fn(n, |i| i as u8), DistVec::from_fn(n, |i| i as u16));
            let mut c = DistVec::from_fn(n, |i| [i as u16, (i / 7) as u16, (i / 50) as u16]);
            let mut d = DistVec::from_fn(n, |i| [float(i), float(i / 2), float(i / 3)]);
            let mut plain = (a.to_all(), b.to_all(), c.to_all(), d.to_all());
            let all = places(n, count, 9);
            let place = DistVec::from_global(&all);
            let (mut out, mut plain_out) = (DistVec::zeroed(count), vec![[0; 4]; count]);
            for step in 0..3 {
                next(&mut a, &mut b, &mut c, &mut d);
                next::sequential(&mut plain.0, &mut plain.1, &mut plain.2, &mut plain.3);
                let ((), Moved { up, down }) = moved(|| of_all_sizes(&a, &b, &c, &d, &place, &mut out));
                of_all_sizes::sequential(&plain.0, &plain.1, &plain.2, &plain.3, &all, &mut plain_out);
                // Of each array: a place, its element in whole words, and where it is in the array.
                let most = count as u64 * 3 * (4 * 12 + 4 + 4 + 8 + 12);
                assert!(step == 0 || up < most && down < most, "{up} up, {down} down, at most {most}");
                assert_eq!(out.to_all(), plain_out, "step {step} of {ranks} ranks");
            }
            assert!((a.to_all(), b.to_all(), c.to_all(), d.to_all()) == plain);
        });
    }
}

/// The computed type is wider than the types of a device.
#[foreach]
fn wide(#[gather] x: &[u32], place: &[u32], out: &mut [u32]) {
    for i in 0..out.len() {
        let wide = x[place[i] as usize] as usize * 70_000 * 1000;
        out[i] = (wide / 7000) as u32;
    }
}

#[foreach]
fn divided(#[gather] x: &[u32], place: &[u32], out: &mut [u32]) {
    for i in 0..out.len() {
        out[i] = 1000 / x[place[i] as usize];
    }
}

#[test]
fn the_workers_have_what_was_asked_for_too() {
    let (n, count) = (50_001, 700);
    for ranks in [1, 2, 3] {
        let ran = run(ranks, false, || {
            let mut x = DistVec::from_fn(n, |i| i as u32);
            let mut plain_x = x.to_all();
            let all = places(n, count, 2);
            let place = DistVec::from_global(&all);
            let (mut out, mut plain_out) = (DistVec::zeroed(count), vec![0; count]);
            for step in 0..3 {
                mixed(&mut x, 3 + step);
                mixed::sequential(&mut plain_x, 3 + step);
                wide(&x, &place, &mut out);
                wide::sequential(&plain_x, &all, &mut plain_out);
                assert_eq!(out.to_all(), plain_out, "step {step} of {ranks} ranks");
            }
            // On the device as before.
            permuted(&x, &place, &mut out);
            permuted::sequential(&plain_x, &all, &mut plain_out);
            assert_eq!(out.to_all(), plain_out);
        });
        if ran.is_none() {
            return;
        }
        let found = std::panic::catch_unwind(|| {
            run(ranks, false, || {
                let mut x = DistVec::from_fn(n, |i| i as u32);
                // Every element is zero somewhere.
                mixed(&mut x, 1);
                divided(&x, &DistVec::from_global(&places(n, count, 2)), &mut DistVec::zeroed(count));
            })
        });
        let panic = found.expect_err("elements are zero");
        assert_eq!(panic.downcast_ref::<&str>(), Some(&"attempt to divide by zero"));
    }
}
