//! Sorts of numbers, and of elements by a number of each.

use crate::common::annotated::on_ranks;
use forall::{DistVec, distributed_sort, foreach};
use forall_core::device::Moved;

const SIZES: [usize; 7] = [0, 1, 2, 1000, 4096, 4097, 65_537];

/// Numbers that look random.
fn made(count: usize, seed: u64) -> Vec<u64> {
    let mut state = seed;
    let next = |_| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        state ^ (state >> 29)
    };
    (0..count).map(next).collect()
}

/// Keys of several kinds: any, few, all equal, in order, in reverse, and such that differ in their highest bits alone.
fn kinds(count: usize) -> Vec<Vec<u64>> {
    let any = made(count, 7);
    vec![
        any.clone(),
        any.iter().map(|key| key % 3).collect(),
        vec![5; count],
        (0..count as u64).collect(),
        (0..count as u64).rev().map(|key| key << 7).collect(),
        any.iter().map(|key| key >> 60 << 60 | key >> 60 << 28).collect(),
    ]
}

macro_rules! numbers {
    ($($name:ident $ty:ty, $from:expr;)*) => {$(
        #[test]
        fn $name() {
            #[distributed_sort]
            fn sorted(x: &mut [$ty]) {
                x.sort();
            }
            for keys in SIZES.into_iter().flat_map(kinds) {
                let x: Vec<$ty> = keys.into_iter().map($from).collect();
                same!(sorted() => x.clone());
            }
        }
    )*};
}

numbers! {
    u32s_are_sorted u32, |key| key as u32;
    i32s_are_sorted i32, |key| key as i32;
    u64s_are_sorted u64, |key| key;
    i64s_are_sorted i64, |key| key as i64;
    usizes_are_sorted usize, |key| key as usize;
    chars_are_sorted char, |key| char::from_u32(key as u32 % 0xd800).unwrap();
}

#[distributed_sort]
fn floats(x: &mut [f32]) {
    x.sort_by(|a, b| a.total_cmp(b));
}

#[distributed_sort]
fn long_floats(x: &mut [f64]) {
    x.sort_unstable_by(f64::total_cmp);
}

#[test]
fn floats_are_sorted_in_their_total_order() {
    let odd = [0.0, -0.0, f32::NAN, -f32::NAN, f32::INFINITY, f32::NEG_INFINITY, f32::MIN_POSITIVE, -1e-45, 1.5, -1.5];
    for count in SIZES {
        let keys = made(count, 3);
        let x: Vec<f32> = keys
            .iter()
            .map(|key| if key % 5 == 0 { odd[*key as usize % 10] } else { f32::from_bits(*key as u32) })
            .collect();
        let y: Vec<f64> = keys
            .iter()
            .map(|key| if key % 5 == 0 { f64::from(odd[*key as usize % 10]) } else { f64::from_bits(*key) })
            .collect();
        let found = on_ranks(1, || {
            let (mut x, mut y) = (x.clone(), y.clone());
            floats(&mut x);
            long_floats(&mut y);
            (x, y)
        });
        let Some(found) = found else { return };
        let (found_x, found_y) = found.unwrap();
        let (mut x, mut y) = (x, y);
        x.sort_by(f32::total_cmp);
        y.sort_by(f64::total_cmp);
        assert!(x.iter().map(|v| v.to_bits()).eq(found_x.iter().map(|v| v.to_bits())), "{count}");
        assert!(y.iter().map(|v| v.to_bits()).eq(found_y.iter().map(|v| v.to_bits())), "{count}");
    }
}

/// A key, where it was, and more, so that it is worth a place of its own.
type Long = [u64; 4];

#[distributed_sort]
fn by_number(x: &mut [Long]) {
    x.sort_by_key(|row| row[0] as i32);
}

#[distributed_sort]
fn by_long(x: &mut [[u32; 2]]) {
    x.sort_by_cached_key(|row| u64::from(row[0]) << 20);
}

#[distributed_sort]
fn together(keys: &mut [i64], names: &mut [u16]) {
    let mut order: Vec<usize> = (0..keys.len()).collect();
    order.sort_by_key(|&i| keys[i]);
    keys.copy_from_slice(&order.iter().map(|&i| keys[i]).collect::<Vec<_>>());
    names.copy_from_slice(&order.iter().map(|&i| names[i]).collect::<Vec<_>>());
}

#[test]
fn elements_that_have_equal_keys_keep_their_order() {
    for keys in SIZES.into_iter().flat_map(kinds) {
        let rows: Vec<Long> = keys.iter().zip(0..).map(|(key, at)| [*key, at, 1, 2]).collect();
        same!(by_number() => rows.clone());
        let rows: Vec<[u32; 2]> = keys.iter().zip(0..).map(|(key, at)| [*key as u32, at]).collect();
        same!(by_long() => rows.clone());
        let names: Vec<u16> = (0..keys.len()).map(|at| at as u16).collect();
        let keys: Vec<i64> = keys.iter().map(|key| *key as i64).collect();
        let found = on_ranks(1, || {
            let (mut keys, mut names) = (keys.clone(), names.clone());
            together(&mut keys, &mut names);
            (keys, names)
        });
        let Some(found) = found else { return };
        let (mut keys, mut names) = (keys, names);
        together::sequential(&mut keys, &mut names);
        assert!(found == Ok((keys, names)));
    }
}

#[foreach]
fn scrambled(x: &mut [u32]) {
    for i in 0..x.len() {
        x[i] ^= (i as u32).wrapping_mul(2_654_435_761);
    }
}

#[distributed_sort]
fn in_order(x: &mut [u32]) {
    x.sort_unstable();
}

#[test]
fn what_the_device_has_stays_there() {
    let sorted = |x: &mut DistVec<u32>| {
        scrambled(x);
        let before = Moved::so_far();
        in_order(x);
        let Moved { up, down } = Moved::since(before);
        scrambled(x);
        (up, down)
    };
    let found = on_ranks(1, || {
        let mut x = DistVec::from_fn(100_000, |i| i as u32);
        let moved = sorted(&mut x);
        (x.to_all(), moved)
    });
    let Some(found) = found else { return };
    let (found, (up, down)) = found.unwrap();
    assert!(up < 2000 && down < 100, "{up} bytes went there and {down} back");
    let mut x: Vec<u32> = (0..100_000).collect();
    scrambled::sequential(&mut x);
    x.sort_unstable();
    scrambled::sequential(&mut x);
    assert!(found == x);
}

#[test]
fn shares_are_sorted_on_the_device_of_each_rank() {
    for ranks in [2, 3, 7] {
        for count in [0, 1, 2, ranks - 1, ranks + 1, 20_011] {
            let keys: Vec<u32> = made(count, 11).into_iter().map(|key| key as u32 % 5000).collect();
            let found = on_ranks(ranks, || {
                // The last rank has all, or each as many as the others.
                let own = if forall::rank() + 1 == ranks { keys.clone() } else { Vec::new() };
                let mut shares = [DistVec::from_local(own), DistVec::from_global(&keys)];
                shares.each_mut().map(|x| {
                    in_order(x);
                    x.to_all()
                })
            });
            let Some(found) = found else { return };
            let mut keys = keys;
            keys.sort_unstable();
            assert!(found == Ok([keys.clone(), keys]), "{ranks} ranks, {count}");
        }
    }
}
