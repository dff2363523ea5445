//! Parts of structs: of generic ones, and of running values.

use crate::common::annotated::gives_on;
use bytemuck::{Pod, Zeroable};
use forall::{DeviceData, DistVec, device, distributed_scan, foreach};

/// The same on 1, 2 and 3 ranks.
fn same<R: Send + PartialEq + std::fmt::Debug>(expected: &R, program: impl Fn() -> R + Sync) {
    gives_on(1..=3, expected, program);
}

const SIZES: [usize; 5] = [0, 1, 255, 257, 1030];

/// Fields of a generic struct may be of any type that is made of its parameters.
#[derive(Debug, Clone, Copy, PartialEq, DeviceData)]
#[repr(C)]
struct Pair<T> {
    both: [T; 2],
}

#[derive(Debug, Clone, Copy, PartialEq, DeviceData)]
#[repr(C)]
struct Nested<T> {
    pair: Pair<T>,
    rest: [[T; 1]; 2],
}

// SAFETY: there is nothing but values of T, which has the same alignment.
unsafe impl<T: Zeroable> Zeroable for Pair<T> {}

// SAFETY: as above.
unsafe impl<T: Pod> Pod for Pair<T> {}

// SAFETY: as above.
unsafe impl<T: Zeroable> Zeroable for Nested<T> {}

// SAFETY: as above.
unsafe impl<T: Pod> Pod for Nested<T> {}

#[foreach]
fn nested(x: &[Nested<u32>], y: &[Pair<f32>], out: &mut [Pair<f32>]) {
    for i in 0..x.len() {
        let sum = x[i].pair.both[1] + x[i].rest[1][0];
        out[i] = y[i];
        out[i].both[0] += sum as f32;
    }
}

#[test]
fn fields_made_of_parameters() {
    for n in SIZES {
        let x = |i: usize| Nested { pair: Pair { both: [7, i as u32] }, rest: [[1], [3 * i as u32]] };
        let y = |i: usize| Pair { both: [i as f32, 0.5] };
        let (all, mut expected) = ((0..n).map(x).collect::<Vec<_>>(), vec![Pair { both: [0.0; 2] }; n]);
        nested::sequential(&all, &(0..n).map(y).collect::<Vec<_>>(), &mut expected);
        same(&expected, || {
            let (x, y) = (DistVec::from_fn(n, x), DistVec::from_fn(n, y));
            let mut out = DistVec::from_fn(n, |_| Pair { both: [0.0; 2] });
            nested(&x, &y, &mut out);
            out.to_all()
        });
    }
}

#[derive(Clone, Copy)]
struct Wrap<T> {
    value: T,
}

#[derive(Clone, Copy)]
struct Both<T>(T, T);

/// Literals of generic structs compile, and the loop runs elsewhere.
#[foreach]
fn of_generic_structs(x: &[f32], out: &mut [f32]) {
    for i in 0..x.len() {
        let (wrap, both) = (Wrap { value: x[i] }, Both(x[i], 2.0));
        out[i] = wrap.value * both.0 + both.1;
    }
}

#[test]
fn literals_of_generic_structs_compile() {
    let mut out = [0.0; 3];
    of_generic_structs(&[1.0, 2.0, 3.0], &mut out);
    assert_eq!(out, [3.0, 6.0, 11.0]);
    assert!(of_generic_structs::EXPLAIN.contains("the type of a struct that is made here is not known"));
}

#[derive(Debug, Clone, Copy, PartialEq, Pod, Zeroable, DeviceData)]
#[repr(C)]
struct Tally {
    sum: u32,
    ends: [u32; 2],
}

#[device]
impl Tally {
    const NONE: Tally = Tally { sum: 0, ends: [0, 0] };

    fn of(v: u32) -> Tally {
        Tally { sum: v, ends: [v, v + 1] }
    }
}

/// Parts of a running value are those of the iteration, not of the variable before the loop.
#[distributed_scan(combine = add_tallies)]
fn parts_of_sums(x: &[u32], out: &mut [u32], ends: &mut [u32]) {
    let mut all = Tally::NONE;
    for i in 0..x.len() {
        let before = all.sum;
        all = add_tallies(all, Tally::of(x[i]));
        out[i] = all.sum + 7 * before;
        let mut last = 0;
        for k in 0..2 {
            last += all.ends[k];
        }
        let Tally { ends: [first, _], .. } = all;
        ends[i] = last ^ first ^ all.ends.iter().sum::<u32>();
    }
}

#[device]
fn add_tallies(a: Tally, b: Tally) -> Tally {
    Tally { sum: a.sum + b.sum, ends: [a.ends[0].max(b.ends[0]), a.ends[1] + b.ends[1]] }
}

#[distributed_scan]
fn parts_of_what_is_held(x: &[u32], out: &mut [u32], before: &mut [u32]) {
    let mut tally = Tally::NONE;
    for i in 0..x.len() {
        before[i] = tally.ends[1];
        if x[i] & 3 == 0 {
            tally = Tally::of(x[i]);
        }
        out[i] = tally.sum + tally.ends[1];
    }
}

#[distributed_scan]
fn parts_of_the_best(x: &[u32], out: &mut [u32]) -> u32 {
    let (mut best, mut tally) = (0, Tally::NONE);
    for i in 0..x.len() {
        if x[i] > best {
            best = x[i];
            tally = Tally::of(x[i]);
        }
        out[i] = tally.ends[1];
    }
    best
}

#[test]
fn parts_of_running_values() {
    for n in SIZES {
        let x: Vec<u32> = (0..n as u32).map(|i| i * 31 % 113).collect();
        let (mut a, mut b, mut c, mut d, mut e) = (vec![0; n], vec![0; n], vec![0; n], vec![0; n], vec![0; n]);
        parts_of_sums::sequential(&x, &mut a, &mut b);
        parts_of_what_is_held::sequential(&x, &mut c, &mut d);
        let best = parts_of_the_best::sequential(&x, &mut e);
        same(&(a, b, c, d, e, best), || {
            let x = DistVec::from_global(&x);
            let [mut a, mut b, mut c, mut d, mut e] = [(); 5].map(|()| DistVec::zeroed(n));
            parts_of_sums(&x, &mut a, &mut b);
            parts_of_what_is_held(&x, &mut c, &mut d);
            let best = parts_of_the_best(&x, &mut e);
            (a.to_all(), b.to_all(), c.to_all(), d.to_all(), e.to_all(), best)
        });
    }
}
