//! Data that a device can bind only in parts: loops run in pieces, and give the same.

#![allow(missing_docs)]

use crate::common;
use crate::common::Room;
use forall::{Backend, DistVec, Settings, distributed_scan, foreach, foreach_tls, kary_reduce};
use forall_core::comm::Local;
use forall_core::runtime::{Context, install};
use forall_gpu::Gpu;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, OnceLock};

/// The bytes that a kernel binds in the tests.
const BINDING: usize = 1 << 16;

fn small() -> Option<Arc<Gpu>> {
    static GPU: OnceLock<Option<Arc<Gpu>>> = OnceLock::new();
    GPU.get_or_init(|| common::gpu_within(Room { binding: BINDING as u64, ..Room::default() })).clone()
}

/// Shares do not even fit into a buffer.
fn tiny() -> Option<Arc<Gpu>> {
    static GPU: OnceLock<Option<Arc<Gpu>>> = OnceLock::new();
    let room = Room { binding: BINDING as u64, buffer: 2 * BINDING as u64, ..Room::default() };
    GPU.get_or_init(|| common::gpu_within(room)).clone()
}

fn settings(require_gpu: bool) -> Settings {
    Settings { backend: Backend::Gpu, require_gpu, ..Settings::from_env().unwrap() }
}

fn on_node<R: Send>(gpu: &Arc<Gpu>, ranks: usize, require_gpu: bool, program: impl Fn() -> R + Sync) -> Vec<R> {
    Local::run(ranks, |comm| {
        let _installed = install(Context::new(Box::new(comm), gpu.clone(), settings(require_gpu)));
        program()
    })
}

/// Runs on one, two and three ranks of both processors, with lengths around those that fit.
fn in_pieces(program: impl Fn(usize) + Sync) {
    let (Some(small), Some(tiny)) = (small(), tiny()) else { return };
    in_pieces_on(&small, &program);
    in_pieces_on(&tiny, &program);
}

fn in_pieces_on(gpu: &Arc<Gpu>, program: &(impl Fn(usize) + Sync)) {
    let fit = BINDING / 4;
    for n in [0, 1, fit - 1, fit, fit + 1, 2 * fit + 3, 5 * fit - 1, 100_003] {
        on_node(gpu, 1, true, || program(n));
    }
    for ranks in [2, 3] {
        on_node(gpu, ranks, true, || program(7 * fit + 5));
    }
}

fn numbers(n: usize) -> Vec<u32> {
    (0..n as u32).map(|i| i.wrapping_mul(2_654_435_761) ^ (i >> 3)).collect()
}

fn shared<T: forall::Element>(all: &[T]) -> DistVec<T> {
    DistVec::from_fn(all.len(), |i| all[i])
}

#[foreach]
fn mapped(x: &[u32], y: &mut [[f32; 3]], z: &mut [u8]) {
    for i in 0..x.len() {
        y[i] = [x[i] as f32, y[i][0], 2.0 * y[i][1]];
        z[i] = z[i].wrapping_add(x[i] as u8);
    }
}

#[foreach]
fn smoothed(x: &[u16], out: &mut [u16]) {
    for i in 2..x.len() - 1 {
        out[i] = x[i - 2] ^ x[i].wrapping_add(x[i + 1]);
    }
}

#[test]
fn maps() {
    in_pieces(|n| {
        let x = numbers(n);
        let (mut y, mut z): (Vec<_>, Vec<_>) =
            ((0..n).map(|i| [i as f32; 3]).collect(), x.iter().map(|x| (x >> 8) as u8).collect());
        let (dx, mut dy, mut dz) = (shared(&x), shared(&y), shared(&z));
        // Slices, which do not stay, on one rank.
        let (mut sy, mut sz) = (dy.local().to_vec(), dz.local().to_vec());
        for _ in 0..2 {
            mapped(&dx, &mut dy, &mut dz);
            mapped(dx.local(), &mut sy[..], &mut sz[..]);
            mapped::sequential(&x, &mut y, &mut z);
        }
        assert_eq!((sy, sz), (dy.local().to_vec(), dz.local().to_vec()));
        assert!(dy.to_all() == y && dz.to_all() == z, "{n}");
        if n > 3 {
            let x: Vec<u16> = x.iter().map(|x| (x >> 9) as u16).collect();
            let (mut a, mut b) = (shared(&x), shared(&x));
            let (mut plain, mut other) = (x.clone(), x);
            for _ in 0..3 {
                smoothed(&a, &mut b);
                smoothed::sequential(&plain, &mut other);
                a.swap(&mut b);
                std::mem::swap(&mut plain, &mut other);
            }
            assert!(a.to_all() == plain && b.to_all() == other, "{n}");
        }
    });
}

#[kary_reduce]
fn most(x: &[u32]) -> (u32, usize) {
    let (mut best, mut place) = (0, 0);
    for i in 0..x.len() {
        if x[i] > best {
            best = x[i];
            place = i;
        }
    }
    (best, place)
}

#[kary_reduce]
fn counted(x: &[u32], counts: &mut [u32; 64]) -> f32 {
    let mut sum = 0.0;
    for i in 0..x.len() {
        counts[(x[i] >> 26) as usize] += 1;
        sum += (x[i] & 7) as f32;
    }
    sum
}

#[test]
fn reductions_and_histograms() {
    in_pieces(|n| {
        let all = numbers(n);
        let x = shared(&all);
        assert_eq!(most(&x), most::sequential(&all));
        let (mut counts, mut plain) = ([3; 64], [3; 64]);
        // These sums are exact.
        assert_eq!(counted(&x, &mut counts), counted::sequential(&all, &mut plain));
        assert_eq!(counts, plain);
    });
}

#[distributed_scan]
fn totals(x: &[u32], out: &mut [u32]) -> u32 {
    let mut sum = 5u32;
    for i in 0..x.len() {
        sum = sum.wrapping_add(x[i]);
        out[i] = sum;
    }
    sum
}

/// The inner sum feeds the outer one.
#[distributed_scan]
fn twice(x: &[u32], out: &mut [u32]) -> u32 {
    let mut sum = 0u32;
    let mut sums = 1u32;
    for i in 0..x.len() {
        sum = sum.wrapping_add(x[i]);
        sums = sums.wrapping_add(sum);
        out[i] = sums ^ sum;
    }
    sums
}

/// A scan that changes what it reads.
#[distributed_scan]
fn in_place(x: &mut [u32]) {
    let mut sum = 0u32;
    for i in 0..x.len() {
        sum = sum.wrapping_add(x[i]);
        x[i] = sum;
    }
}

#[test]
fn scans_carry_from_one_piece_to_the_next() {
    in_pieces(|n| {
        let all = numbers(n);
        let (mut x, mut out) = (shared(&all), DistVec::zeroed(n));
        let (mut plain, mut expected) = (all.clone(), vec![0; n]);
        assert_eq!(totals(&x, &mut out), totals::sequential(&all, &mut expected));
        assert!(out.to_all() == expected, "{n}");
        assert_eq!(twice(&x, &mut out), twice::sequential(&all, &mut expected));
        assert!(out.to_all() == expected, "{n}");
        for _ in 0..2 {
            in_place(&mut x);
            in_place::sequential(&mut plain);
        }
        assert!(x.to_all() == plain, "{n}");
    });
}

#[foreach_tls]
fn odd(x: &[u32], out: &mut Vec<u32>, places: &mut Vec<u32>) {
    for i in 0..x.len() {
        if x[i] % 3 == 1 {
            out.push(x[i]);
            places.push(i as u32);
            out.push(i as u32);
        }
    }
}

/// More than fits from what fits.
#[foreach_tls]
fn many(x: &[u8], out: &mut Vec<u32>) {
    for i in 0..x.len() {
        for k in 0..4 {
            out.push(x[i] as u32 + k);
        }
    }
}

#[test]
fn pushes_keep_their_order() {
    in_pieces(|n| {
        let all = numbers(n);
        let x = shared(&all);
        let (mut out, mut places) = (DistVec::default(), DistVec::default());
        let (mut plain, mut plain_places) = (Vec::new(), Vec::new());
        odd(&x, &mut out, &mut places);
        odd::sequential(&all, &mut plain, &mut plain_places);
        assert!(out.to_all() == plain && places.to_all() == plain_places, "{n}");
        let all: Vec<u8> = all.iter().map(|x| (x >> 5) as u8).collect();
        let (x, mut out, mut plain) = (shared(&all), DistVec::default(), Vec::new());
        many(&x, &mut out);
        many::sequential(&all, &mut plain);
        assert!(out.to_all() == plain, "{n}");
    });
}

#[foreach]
fn divided(x: &[u32], out: &mut [u32]) {
    for i in 0..x.len() {
        out[i] += 100 / x[i];
    }
}

/// A later piece panics: what earlier ones have written is as it was, wherever that is.
#[test]
fn a_panic_in_a_later_piece_leaves_everything_as_the_plain_loop_does() {
    let (Some(small), Some(tiny)) = (small(), tiny()) else { return };
    let n = 100_000;
    for gpu in [small, tiny] {
        on_node(&gpu, 1, true, || {
            let ones = DistVec::filled(n, 1u32);
            let mut x = DistVec::filled(n, 1u32);
            x.local_mut()[n - 5] = 0;
            let mut out = DistVec::from_fn(n, |i| i as u32);
            for turn in 0..3 {
                // On the device alone, on both sides, and with the host alone.
                divided(&ones, &mut out);
                match turn {
                    0 => {}
                    1 => assert_eq!(out.local()[7], 307),
                    _ => out.local_mut()[7] += 1,
                }
                let panic = catch_unwind(AssertUnwindSafe(|| divided(&x, &mut out))).expect_err("it divides by zero");
                assert_eq!(panic.downcast_ref::<&str>(), Some(&"attempt to divide by zero"));
                let off = |at: usize, by| assert_eq!(out.local()[at], at as u32 + by, "{turn}, {at}");
                // The plain loop has come to the place.
                off(0, 200 * (turn + 1));
                off(n - 6, 200 * (turn + 1));
                off(n - 5, 100 * (turn + 1));
                off(n - 1, 100 * (turn + 1));
            }
            let mut slice: Vec<u32> = (0..n as u32).collect();
            assert!(catch_unwind(AssertUnwindSafe(|| divided(x.local(), &mut slice[..]))).is_err());
            assert_eq!([slice[3], slice[n - 6], slice[n - 4]], [103, n as u32 + 94, n as u32 - 4]);
        });
    }
}

#[foreach]
fn looked_up(#[replicated] table: &[u32], x: &[u32], out: &mut [u32]) {
    for i in 0..x.len() {
        out[i] = table[x[i] as usize % table.len()];
    }
}

/// Elements of other sizes than a word, one and several of them.
#[foreach]
fn looked_up_all(
    #[replicated] bytes: &[u8],
    #[replicated] wide: &[f64],
    #[replicated] places: &[usize],
    #[replicated] points: &[[f32; 3]],
    #[replicated] pairs: &[Pair],
    out: &mut [f64],
) {
    for i in 0..out.len() {
        let k = places[(i * 7919) % places.len()] % bytes.len();
        let p = points[(k + 1) % points.len()];
        let q = pairs[(k + 2) % pairs.len()];
        out[i] = bytes[k] as f64 + wide[k % wide.len()] + p[0] as f64 - p[2] as f64 + q.long as f64 + q.short as f64;
    }
}

#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, bytemuck::Pod, bytemuck::Zeroable, forall::DeviceData)]
struct Pair {
    long: u32,
    short: u16,
    tail: [u8; 2],
}

#[test]
fn tables_are_looked_at_through_windows() {
    let Some(small) = small() else { return };
    for n in [BINDING / 4 + 1, BINDING / 2, 5 * BINDING / 4 + 3] {
        let (table, x) = (numbers(n), numbers(1000));
        let mut expected = vec![0; 1000];
        looked_up::sequential(&table, &x, &mut expected);
        on_node(&small, 1, true, || {
            let mut out = vec![0; 1000];
            looked_up(&table, &x, &mut out);
            assert!(out == expected, "{n}");
        });
    }
    let n = BINDING + 11;
    let bytes: Vec<u8> = numbers(n).iter().map(|x| (x >> 7) as u8).collect();
    let wide: Vec<f64> = (0..n / 4).map(|i| i as f64 * 0.37).collect();
    let places: Vec<usize> = numbers(n / 3).iter().map(|x| *x as usize).collect();
    let points: Vec<[f32; 3]> = (0..n / 5).map(|i| [i as f32, 0.5, 3.0 * i as f32]).collect();
    let pairs: Vec<Pair> =
        (0..n / 5).map(|i| Pair { long: i as u32 * 3, short: (i % 60_000) as u16, tail: [1, 2] }).collect();
    let mut expected = vec![0.0; 3000];
    looked_up_all::sequential(&bytes, &wide, &places, &points, &pairs, &mut expected);
    on_node(&small, 1, true, || {
        let mut out = vec![0.0; 3000];
        looked_up_all(&bytes, &wide, &places, &points, &pairs, &mut out);
        assert_eq!(out, expected);
    });
}

#[foreach]
fn picked(#[gather] x: &[[u16; 3]], at: &[u32], out: &mut [[u16; 3]]) {
    for i in 0..at.len() {
        let [a, b, c] = x[at[i] as usize % x.len()];
        out[i] = [c, a.wrapping_add(out[i][0]), b];
    }
}

/// Elements that iterations read anywhere stay on the device as well, however the iterations are cut for the other arrays.
#[test]
fn gathered_arrays_are_looked_at_through_windows() {
    let Some(small) = small() else { return };
    in_pieces_on(&small, &|n| {
        let all: Vec<[u16; 3]> = numbers(n.div_ceil(2)).iter().map(|x| [*x as u16, (x >> 9) as u16, 7]).collect();
        let at = if all.is_empty() { Vec::new() } else { numbers(n) };
        let mut plain = vec![[1; 3]; at.len()];
        let (x, places, mut out) = (shared(&all), shared(&at), shared(&plain));
        for _ in 0..2 {
            picked(&x, &places, &mut out);
            picked::sequential(&all, &at, &mut plain);
        }
        assert!(out.to_all() == plain, "{n}");
    });
}

/// Each row of the image looks at nearly all of the volume.
#[foreach]
fn projected(volume: &[f32], image: &mut [f32], w: usize, h: usize, d: usize) {
    for y in 0..h {
        for x in 0..w {
            let mut most = f32::NEG_INFINITY;
            for z in 0..d {
                most = most.max(volume[(z * h + y) * w + x]);
            }
            image[y * w + x] = most;
        }
    }
}

/// Each column is all over the other array.
#[foreach]
fn transposed(x: &[u8], out: &mut [u8], w: usize, h: usize) {
    for y in 0..h {
        for i in 0..w {
            out[i * h + y] = x[y * w + i];
        }
    }
}

#[test]
fn what_few_iterations_touch_nearly_all_of_is_looked_at_through_windows() {
    let Some(small) = small() else { return };
    for ranks in [1, 2] {
        on_node(&small, ranks, true, || {
            let (w, h, d) = (37, 41, 23);
            let all: Vec<f32> = numbers(w * h * d).iter().map(|x| *x as f32).collect();
            let (volume, mut image, mut plain) = (shared(&all), DistVec::zeroed(w * h), vec![0.0; w * h]);
            projected(&volume, &mut image, w, h, d);
            projected::sequential(&all, &mut plain, w, h, d);
            assert!(image.to_all() == plain);
            let (w, h) = (301, 457);
            let all: Vec<u8> = numbers(w * h).iter().map(|x| (x >> 11) as u8).collect();
            let (x, mut out, mut plain) = (shared(&all), DistVec::zeroed(w * h), vec![0; w * h]);
            transposed(&x, &mut out, w, h);
            transposed::sequential(&all, &mut plain, w, h);
            assert!(out.to_all() == plain);
        });
    }
}

#[test]
fn what_is_too_long_for_all_windows_says_so() {
    let Some(small) = small() else { return };
    let n = 16 * BINDING / 4 + 1;
    let (table, x) = (numbers(n), numbers(1000));
    let mut expected = vec![0; 1000];
    looked_up::sequential(&table, &x, &mut expected);
    let run = || {
        let mut out = vec![0; 1000];
        looked_up(&table, &x, &mut out);
        out
    };
    assert_eq!(on_node(&small, 1, false, run), [expected]);
    let refused = catch_unwind(AssertUnwindSafe(|| on_node(&small, 1, true, run))).expect_err("it does not fit");
    let text = refused.downcast_ref::<String>().unwrap();
    assert!(text.contains("as a whole that is too long") && text.contains("65536 bytes"), "{text}");
}

/// Workgroups in more than one row.
#[test]
fn many_workgroups() {
    let Some(gpu) = common::gpu_within(Room { groups: 40, ..Room::default() }) else { return };
    for n in [40 * 256 - 1, 40 * 256, 40 * 256 + 1, 40 * 2048 - 1, 40 * 2048, 40 * 2048 + 1, 200_001] {
        on_node(&gpu, 1, true, || {
            let all = numbers(n);
            let (x, mut out, mut expected) = (shared(&all), DistVec::zeroed(n), vec![0; n]);
            assert_eq!(totals(&x, &mut out), totals::sequential(&all, &mut expected));
            assert!(out.to_all() == expected, "{n}");
            assert_eq!(most(&x), most::sequential(&all));
            let (mut counts, mut plain) = ([0; 64], [0; 64]);
            assert_eq!(counted(&x, &mut counts), counted::sequential(&all, &mut plain));
            assert_eq!(counts, plain);
        });
    }
}

/// More than Mesa's software devices look at, which is 128 MiB.
#[test]
fn more_than_128_mib() {
    let Some(gpu) = common::own_gpu() else { return };
    on_node(&gpu, 1, true, || {
        let n = (1 << 25) + 3;
        let x = DistVec::from_fn(n, |i| i as u32 ^ 0x5555);
        let mut out = DistVec::zeroed_like(&x);
        let mut sums = DistVec::zeroed_like(&x);
        doubled(&x, &mut out);
        totals(&out, &mut sums);
        let mut sum = 5u32;
        let right = sums.local().iter().enumerate().all(|(i, found)| {
            sum = sum.wrapping_add(2 * (i as u32 ^ 0x5555) + 1);
            sum == *found
        });
        assert!(right);
        let at = DistVec::from_fn(1000, |i| (i as u32).wrapping_mul(2_654_435_761) % n as u32);
        let mut some = DistVec::zeroed(1000);
        chosen(&out, &at, &mut some);
        let right = at.local().iter().zip(some.local()).all(|(at, found)| *found == 2 * (at ^ 0x5555) + 1);
        assert!(right);
    });
}

#[foreach]
fn chosen(#[gather] x: &[u32], at: &[u32], out: &mut [u32]) {
    for i in 0..at.len() {
        out[i] = x[at[i] as usize];
    }
}

#[foreach]
fn doubled(x: &[u32], out: &mut [u32]) {
    for i in 0..x.len() {
        out[i] = 2 * x[i] + 1;
    }
}
