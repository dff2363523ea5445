//! Statements outside of the loops, which look at elements of shares that stay on the device, and change some: nothing else
//! moves.

#![allow(missing_docs)]

use crate::common;
use forall::{Backend, DistVec, Settings, distributed_scan, foreach};
use forall_core::comm::Local;
use forall_core::device::Moved;
use forall_core::runtime::{Context, install};

/// Runs on so many ranks, where nothing may fall back to the workers.
fn on_ranks(ranks: usize, program: impl Fn() + Sync) {
    let Some(gpu) = common::own_gpu() else { return };
    let settings = Settings { backend: Backend::Gpu, require_gpu: true, ..Settings::from_env().unwrap() };
    Local::run(ranks, |comm| {
        let _installed = install(Context::new(Box::new(comm), gpu.clone(), settings.clone()));
        program();
    });
}

/// The moved bytes from the second turn on: never more than these.
fn little(most: u64, turns: usize, mut turn: impl FnMut(usize)) {
    for number in 0..turns {
        let before = Moved::so_far();
        turn(number);
        let Moved { up, down } = Moved::since(before);
        assert!(number == 0 || up.max(down) < most, "turn {number}: {up} up, {down} down");
    }
}

#[distributed_scan]
fn exclusive(x: &[u32], out: &mut [u32]) -> u32 {
    let mut sum = 0u32;
    out[0] = sum;
    for i in 1..x.len() {
        sum = sum.wrapping_add(x[i - 1]);
        out[i] = sum;
    }
    sum ^ out[x.len() - 1] ^ out[0]
}

#[test]
fn an_exclusive_scan_sets_its_first_element() {
    let n = 60_001;
    for ranks in [1, 2, 3] {
        on_ranks(ranks, || {
            let mut x = DistVec::from_fn(n, |i| i as u32 % 1000);
            let mut out = DistVec::zeroed(n);
            let (mut plain, mut plain_out) = (x.to_all(), vec![0; n]);
            little(2048, 5, |_| {
                let last = exclusive(&x, &mut out);
                x.swap(&mut out);
                assert_eq!(last, exclusive::sequential(&plain, &mut plain_out));
                std::mem::swap(&mut plain, &mut plain_out);
            });
            assert_eq!((x.to_all(), out.to_all()), (plain, plain_out));
        });
    }
}

/// As simulations do: what lies at the border follows what lies beside it.
#[foreach]
fn borders(u: &mut [u16], v: &mut [u16], steps: usize) {
    let n = u.len();
    for _ in 0..steps {
        for i in 1..n - 1 {
            v[i] = (u[i - 1] ^ u[i + 1]).wrapping_add(u[i]);
        }
        v[0] = v[1];
        v[n - 1] = v[n - 2];
        for i in 1..n - 1 {
            u[i] = v[i].wrapping_mul(3) ^ v[i + 1];
        }
        u[0] = u[1].wrapping_add(7);
        u[n - 1] += u[n - 2] & 1;
    }
}

#[test]
fn the_borders_of_a_stencil_move_alone() {
    let n = 80_003;
    for ranks in [1, 2, 3] {
        on_ranks(ranks, || {
            let start = |i: usize| (i * i / 7 % 30_000) as u16;
            let (mut u, mut v) = (DistVec::from_fn(n, start), DistVec::zeroed(n));
            let (mut plain_u, mut plain_v) = (u.to_all(), vec![0; n]);
            little(8192, 4, |turn| {
                // However many steps there are.
                borders(&mut u, &mut v, 2 + 6 * turn);
                borders::sequential(&mut plain_u, &mut plain_v, 2 + 6 * turn);
            });
            assert_eq!((u.to_all(), v.to_all()), (plain_u, plain_v));
        });
    }
}

/// All that a statement may do with elements.
#[foreach]
fn changes(x: &mut [[u8; 3]], at: usize, with: [u8; 3], few: &[[u8; 3]; 5]) -> u32 {
    let n = x.len();
    for i in 0..n {
        x[i][0] = x[i][0].wrapping_add(i as u8);
    }
    let before = x[at];
    x[at] = with;
    x[at + 1][2] ^= 9;
    x.swap(at, n - 1 - at);
    if let Some(last) = x.last_mut() {
        last[1] = last[1].wrapping_add(before[0]);
    }
    x[at + 3..at + 8].copy_from_slice(few);
    x[n / 2 - at..n / 2 + at].fill(with);
    let mut sum = u32::from(x[at][2]) + u32::from(x[n / 2][0]);
    for part in &x[at + 2..at + 10] {
        sum = 3 * sum + u32::from(part[0]);
    }
    for i in 0..n {
        x[i][2] = x[i][2].wrapping_mul(3);
    }
    sum + u32::from(x[at + 4][2])
}

#[test]
fn parts_change_where_they_are() {
    let n = 30_001;
    for ranks in [1, 2, 3] {
        on_ranks(ranks, || {
            let mut x = DistVec::from_fn(n, |i| [i as u8, (i / 3) as u8, (i * i) as u8]);
            let mut plain = x.to_all();
            let few = [[1, 2, 3], [4, 5, 6], [7, 8, 9], [10, 11, 12], [13, 14, 15]];
            little(8192, 7, |turn| {
                let (at, with) = ([0, 1, 5, 9990, 9995, 10_001, 600][turn], [turn as u8, 1, 77]);
                let found = changes(&mut x, at, with, &few);
                assert_eq!(found, changes::sequential(&mut plain, at, with, &few), "turn {turn} of {ranks} ranks");
            });
            assert_eq!(x.to_all(), plain);
        });
    }
}

#[foreach]
fn set(x: &mut [u32], y: &mut [u8], z: &mut [[u16; 3]], from: usize, value: u32) {
    for i in 0..x.len() {
        x[i] ^= i as u32;
        y[i] ^= 1;
        z[i][1] ^= 5;
    }
    x.fill(value);
    y[from..].fill(value as u8);
    z[from..from + 9000].fill([1, value as u16, 3]);
    for i in 1..x.len() {
        x[i] ^= 3;
        y[i] ^= 2;
        z[i][0] ^= 4;
    }
}

#[test]
fn what_is_set_to_one_value_is_set_there() {
    let n = 70_003;
    for ranks in [1, 2, 3] {
        on_ranks(ranks, || {
            let (mut x, mut y) = (DistVec::zeroed(n), DistVec::from_fn(n, |i| i as u8));
            let mut z = DistVec::from_fn(n, |i| [i as u16, 1, 2]);
            let mut plain = (x.to_all(), y.to_all(), z.to_all());
            // Several blocks, whose ends lie anywhere.
            little(32_768, 7, |turn| {
                let (from, value) = (turn * 1001, [0, 0, 0xabcd_ef12, 7, 0, 1 << 31, 9][turn]);
                set(&mut x, &mut y, &mut z, from, value);
                set::sequential(&mut plain.0, &mut plain.1, &mut plain.2, from, value);
            });
            assert!(x.to_all() == plain.0 && y.to_all() == plain.1 && z.to_all() == plain.2);
        });
    }
}

#[foreach]
fn doubled(x: &mut [u32]) {
    for i in 0..x.len() {
        x[i] = x[i].wrapping_mul(2);
    }
}

/// A value read from an array is not the current one after another function has changed the array.
#[foreach]
fn around(x: &mut [u32]) -> [u32; 6] {
    let n = x.len();
    let before = [x[n - 1], x[1..4].iter().sum(), x.iter().sum()];
    doubled(x);
    let after = [x[n - 1], x[1..4].iter().sum(), x.iter().sum()];
    for i in 0..n {
        x[i] += 1;
    }
    [before[0], before[1], before[2], after[0], after[1], after[2]]
}

#[test]
fn what_was_read_is_forgotten_when_it_changes() {
    for ranks in [1, 2, 3] {
        on_ranks(ranks, || {
            let mut x = DistVec::from_fn(1001, |i| i as u32);
            let mut plain = x.to_all();
            for _ in 0..3 {
                assert_eq!(around(&mut x), around::sequential(&mut plain), "{ranks} ranks");
            }
            assert_eq!(x.to_all(), plain);
        });
    }
}

/// More elements than come by themselves.
#[foreach]
fn one_by_one(x: &mut [u32], y: &[u32], count: usize) -> u32 {
    let (mut k, mut sum) = (0, 0u32);
    while k < count {
        x[k] = x[k + 1] ^ y[3 * k];
        x[2 * k] += 1;
        sum = sum.wrapping_mul(5) ^ x[count - k] ^ y[k];
        k += 1;
    }
    for i in 0..x.len() {
        x[i] = x[i].wrapping_add(y[i]);
    }
    sum
}

#[test]
fn many_elements_one_by_one() {
    for ranks in [1, 2, 3] {
        on_ranks(ranks, || {
            let (mut x, mut y) = (DistVec::from_fn(1001, |i| i as u32), DistVec::from_fn(1001, |i| 7 * i as u32));
            let mut plain = (x.to_all(), y.to_all());
            for count in [0, 1, 7, 15, 16, 17, 40, 300] {
                let found = one_by_one(&mut x, &y, count);
                assert_eq!(found, one_by_one::sequential(&mut plain.0, &plain.1, count), "{count} of {ranks} ranks");
                doubled(&mut y);
                doubled::sequential(&mut plain.1);
                y.swap(&mut x);
                std::mem::swap(&mut plain.0, &mut plain.1);
            }
            assert_eq!((x.to_all(), y.to_all()), plain);
        });
    }
}
