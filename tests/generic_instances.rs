//! Instances of generic functions are loops of their own: none uses what another one has found out.

use forall::{Backend, DistVec, Runtime, Settings, foreach, foreach_tls, kary_reduce};
use forall_core::comm::Local;
use forall_core::node::Serial;
use forall_core::runtime::{Context, current, install};
use ndarray::Array2;
use std::panic::catch_unwind;
use std::sync::Arc;

fn on_ranks<R: Send>(ranks: usize, program: impl Fn() -> R + Sync) -> Vec<R> {
    Local::run(ranks, |comm| {
        let _installed = install(Context::new(Box::new(comm), Arc::new(Serial), Settings::default()));
        program()
    })
}

/// How many bytes this rank sends meanwhile.
fn sent(work: impl FnOnce()) -> u64 {
    let bytes = || current().map_or(0, |context| context.traffic().bytes_sent);
    let before = bytes();
    work();
    bytes() - before
}

#[foreach]
fn strided<const N: usize>(#[gather] x: &[u32], at: &[u32], y: &mut [u32]) {
    for i in 0..y.len() {
        y[i] = x[at[i] as usize * N % x.len()];
    }
}

trait Stride {
    const STRIDE: usize;
}

struct Two;
struct Five;

impl Stride for Two {
    const STRIDE: usize = 2;
}

impl Stride for Five {
    const STRIDE: usize = 5;
}

#[foreach]
fn by_type<S: Stride>(#[gather] x: &[u32], at: &[u32], y: &mut [u32]) {
    for i in 0..y.len() {
        y[i] = x[at[i] as usize * S::STRIDE % x.len()];
    }
}

/// The constant of the `impl` has another value for each parameter.
struct Steps<const N: usize> {
    first: usize,
}

impl<const N: usize> Steps<N> {
    const TWICE: usize = 2 * N;

    #[foreach]
    fn twice(&self, #[gather] x: &[u32], at: &[u32], y: &mut [u32]) {
        for i in 0..y.len() {
            y[i] = x[at[i] as usize * Self::TWICE % x.len()];
        }
    }

    #[foreach]
    fn after_field(&self, #[gather] x: &[u32], at: &[u32], y: &mut [u32]) {
        for i in 0..y.len() {
            y[i] = x[(at[i] as usize * N + self.first) % x.len()];
        }
    }

    #[foreach]
    fn after_local(&self, #[gather] x: &[u32], at: &[u32], y: &mut [u32]) {
        let first = self.first;
        for i in 0..y.len() {
            y[i] = x[(at[i] as usize * N + first) % x.len()];
        }
    }
}

#[derive(Clone, Copy)]
struct Plain {
    first: usize,
    other: u32,
}

#[foreach]
fn fields(plain: Plain, #[gather] x: &[u32], at: &[u32], y: &mut [u32]) {
    for i in 0..y.len() {
        y[i] = x[(at[i] as usize * plain.first + plain.other as usize) % x.len()];
    }
}

#[foreach]
fn closures(by: usize, #[gather] x: &[u32], at: &[u32], y: &mut [u32]) {
    let place = |v: u32| v as usize * by + 1;
    for i in 0..y.len() {
        y[i] = x[place(at[i]) % x.len()];
    }
}

#[foreach]
fn given(place: impl Fn(u32) -> usize + Sync, #[gather] x: &[u32], at: &[u32], y: &mut [u32]) {
    for i in 0..y.len() {
        y[i] = x[place(at[i]) % x.len()];
    }
}

#[foreach]
fn captured<const N: usize>(by: usize, #[gather] x: &[u32], at: &[u32], y: &mut [u32]) {
    for i in 0..y.len() {
        y[i] = x[(at[i] as usize * N + by) % x.len()];
    }
}

#[kary_reduce]
fn picked_sum<const N: usize>(#[gather] x: &[u32], at: &[u32]) -> u32 {
    let mut sum = 0_u32;
    for i in 0..at.len() {
        sum = sum.wrapping_add(x[at[i] as usize * N % x.len()]);
    }
    sum
}

/// Two stages, the second with the parameter.
#[foreach]
fn chased<const N: usize, T: Copy + Into<u32> + forall::Element>(
    #[gather] x: &[T],
    #[gather] next: &[u32],
    at: &[u32],
    y: &mut [u32],
) {
    for i in 0..y.len() {
        y[i] = x[next[at[i] as usize] as usize * N % x.len()].into();
    }
}

#[foreach]
fn halo<const N: usize>(x: &[u32], y: &mut [u32]) {
    for i in N..x.len() {
        y[i] = x[i - N];
    }
}

#[foreach]
fn spread<const N: usize>(at: &[u32], x: &[u32], #[scatter] y: &mut [u32]) {
    for i in 0..x.len() {
        y[at[i] as usize * N % 40] = x[i];
    }
}

#[foreach_tls]
fn kept<const N: usize>(x: &[u32], out: &mut Vec<u32>) {
    for i in 0..x.len() {
        if x[i] % N as u32 == 1 % N as u32 {
            out.push(x[i]);
        }
    }
}

const N: usize = 40;

/// Calls each of these in turn, three times, and compares with the sequential function.
macro_rules! in_turn {
    ($([$($call:tt)*] [$($plain:tt)*]($($more:expr),*);)*) => {
        for ranks in [1, 2, 3, 7] {
            on_ranks(ranks, || {
                let x = DistVec::from_fn(N, |i| (i * i) as u32);
                let (at, mut y) = (DistVec::from_fn(N, |i| (i * 7 % N) as u32), DistVec::zeroed(N));
                let (plain_x, plain_at, mut plain) = (x.to_all(), at.to_all(), y.to_all());
                for round in 0..3 {
                    $(
                        $($call)*($($more,)* &x, &at, &mut y);
                        $($plain)*($($more,)* &plain_x, &plain_at, &mut plain);
                        assert_eq!(y.to_all(), plain, "{} in round {round} on {ranks}", stringify!($($call)*));
                    )*
                }
            });
        }
    };
}

#[test]
fn constants_of_functions() {
    in_turn! {
        [strided::<1>] [strided::sequential::<1>]();
        [strided::<3>] [strided::sequential::<3>]();
        [strided::<7>] [strided::sequential::<7>]();
        [captured::<1>] [captured::sequential::<1>](1);
        [captured::<2>] [captured::sequential::<2>](1);
        [captured::<1>] [captured::sequential::<1>](5);
        [captured::<2>] [captured::sequential::<2>](5);
    }
}

#[test]
fn constants_of_types() {
    in_turn! {
        [by_type::<Two>] [by_type::sequential::<Two>]();
        [by_type::<Five>] [by_type::sequential::<Five>]();
        [Steps::<1>::twice] [Steps::<1>::twice_sequential](&Steps { first: 0 });
        [Steps::<3>::twice] [Steps::<3>::twice_sequential](&Steps { first: 0 });
    }
}

#[test]
fn fields_and_closures() {
    in_turn! {
        [Steps::<1>::after_field] [Steps::<1>::after_field_sequential](&Steps { first: 2 });
        [Steps::<3>::after_field] [Steps::<3>::after_field_sequential](&Steps { first: 2 });
        [Steps::<3>::after_field] [Steps::<3>::after_field_sequential](&Steps { first: 9 });
        [Steps::<1>::after_local] [Steps::<1>::after_local_sequential](&Steps { first: 2 });
        [Steps::<3>::after_local] [Steps::<3>::after_local_sequential](&Steps { first: 2 });
        [Steps::<3>::after_local] [Steps::<3>::after_local_sequential](&Steps { first: 9 });
        [fields] [fields::sequential](Plain { first: 1, other: 4 });
        [fields] [fields::sequential](Plain { first: 4, other: 1 });
        [closures] [closures::sequential](3);
        [closures] [closures::sequential](4);
        [given] [given::sequential](|v| v as usize * 3);
        [given] [given::sequential](|v| v as usize + 3);
    }
}

#[test]
fn sums_chains_and_scatters() {
    for ranks in [1, 2, 3, 7] {
        on_ranks(ranks, || {
            let x = DistVec::from_fn(N, |i| (i * i) as u32);
            let short = DistVec::from_fn(N, |i| (i * i % 251) as u8);
            let next = DistVec::from_fn(N, |i| (i * 11 % N) as u32);
            let (at, mut y) = (DistVec::from_fn(N, |i| (i * 7 % N) as u32), DistVec::zeroed(N));
            let (plain_x, plain_at, mut plain) = (x.to_all(), at.to_all(), y.to_all());
            for _ in 0..3 {
                macro_rules! each {
                    ($($n:literal)*) => {$(
                        assert_eq!(picked_sum::<$n>(&x, &at), picked_sum::sequential::<$n>(&plain_x, &plain_at));
                        chased::<$n, u32>(&x, &next, &at, &mut y);
                        chased::sequential::<$n, u32>(&plain_x, &next.to_all(), &plain_at, &mut plain);
                        assert_eq!(y.to_all(), plain);
                        chased::<$n, u8>(&short, &next, &at, &mut y);
                        chased::sequential::<$n, u8>(&short.to_all(), &next.to_all(), &plain_at, &mut plain);
                        assert_eq!(y.to_all(), plain);
                        halo::<$n>(&x, &mut y);
                        halo::sequential::<$n>(&plain_x, &mut plain);
                        assert_eq!(y.to_all(), plain);
                        spread::<$n>(&at, &x, &mut y);
                        spread::sequential::<$n>(&plain_at, &plain_x, &mut plain);
                        assert_eq!(y.to_all(), plain);
                        let (mut out, mut plain_out) = (DistVec::from_global(&[]), Vec::new());
                        kept::<$n>(&x, &mut out);
                        kept::sequential::<$n>(&plain_x, &mut plain_out);
                        assert_eq!(out.to_all(), plain_out);
                    )*};
                }
                each!(1 3 5);
            }
        });
    }
}

/// Each instance asks once, also if others are called in between.
#[test]
fn instances_ask_once() {
    for ranks in [2, 3] {
        on_ranks(ranks, || {
            let n = 1000;
            let x = DistVec::from_fn(n, |i| i as u32);
            let (at, mut y) = (DistVec::from_fn(n, |i| (i * 7 % n) as u32), DistVec::zeroed(n));
            let mut bytes = || [sent(|| strided::<1>(&x, &at, &mut y)), sent(|| strided::<3>(&x, &at, &mut y))];
            let first = bytes();
            bytes();
            let later = bytes();
            assert!(
                later.iter().zip(&first).all(|(later, first)| 2 * later < *first),
                "{first:?} and {later:?} on {ranks}"
            );
        });
    }
}

#[foreach]
fn shaped(#[gather] x: &Array2<u32>, at: &[u32], y: &mut [u32]) {
    for i in 0..y.len() {
        y[i] = x[[at[i] as usize % 8, at[i] as usize % 4]];
    }
}

/// The lengths of the axes decide which element an index means.
#[test]
fn shapes_of_equal_size() {
    for ranks in [1, 2, 4] {
        on_ranks(ranks, || {
            let at = DistVec::from_fn(N, |i| (i * 7 % N) as u32);
            let mut y = DistVec::zeroed(N);
            for _ in 0..3 {
                for [rows, columns] in [[8, 12], [12, 8], [16, 6], [24, 4]] {
                    let number = |first: usize| move |(i, j): (usize, usize)| ((first + i) * columns + j) as u32;
                    let x = Array2::from_shape_fn((rows / ranks, columns), number(rows / ranks * forall::rank()));
                    shaped(&x, &at, &mut y);
                    let all = Array2::from_shape_fn((rows, columns), number(0));
                    let mut plain = vec![0; N];
                    shaped::sequential(&all, &at.to_all(), &mut plain);
                    assert_eq!(y.to_all(), plain, "{rows} rows of {columns} on {ranks}");
                }
            }
        });
    }
}

trait Weight: forall::Element + Copy + std::ops::Add<Output = Self> {
    const AWAY: usize;
}

impl Weight for f64 {
    const AWAY: usize = 1;
}

impl Weight for i32 {
    const AWAY: usize = 4;
}

#[foreach]
fn away<T: Weight, const N: usize>(#[gather] x: &[T], at: &[u32], y: &mut [T]) {
    for i in 0..y.len() {
        y[i] = x[(at[i] as usize * T::AWAY + N) % x.len()] + y[i];
    }
}

/// Calls two instances inside of each of its own.
#[foreach]
fn away_often<T: Weight, const N: usize>(x: &mut [T], at: &[u32], y: &mut [T]) {
    away::<T, N>(&*x, at, y);
    for i in 0..x.len() {
        x[i] = x[i] + y[i];
    }
    away::<T, 3>(&*x, at, y);
    away::<T, N>(&*x, at, y);
}

fn check_away<T: Weight + PartialEq + std::fmt::Debug, const N: usize>(make: fn(usize) -> T) {
    let at: Vec<u32> = (0..30).map(|i| i * 7 % 30).collect();
    let start: Vec<T> = (0..30).map(make).collect();
    let (mut plain_x, mut plain_y) = (start.clone(), start.clone());
    away_often::sequential::<T, N>(&mut plain_x, &at, &mut plain_y);
    for ranks in [1, 2, 3] {
        on_ranks(ranks, || {
            let at = DistVec::from_global(&at);
            for _ in 0..2 {
                let (mut x, mut y) = (DistVec::from_global(&start), DistVec::from_global(&start));
                away_often::<T, N>(&mut x, &at, &mut y);
                assert_eq!((x.to_all(), y.to_all()), (plain_x.clone(), plain_y.clone()));
            }
        });
    }
}

#[test]
fn instances_that_call_instances() {
    check_away::<f64, 0>(|i| i as f64);
    check_away::<i32, 0>(|i| i as i32);
    check_away::<f64, 5>(|i| i as f64);
    check_away::<i32, 5>(|i| i as i32);
}

#[kary_reduce]
fn weighed<const N: usize, S: Stride>(x: &[u32]) -> u32 {
    let mut sum = 0_u32;
    for i in 0..x.len() {
        sum = sum.wrapping_add(x[i].wrapping_mul((N * S::STRIDE) as u32));
    }
    sum
}

#[test]
fn instances_on_a_device() {
    let settings = Settings { backend: Backend::Gpu, ..Settings::from_env().unwrap() };
    let there = Runtime::builder().settings(Settings { require_gpu: false, ..settings.clone() });
    if catch_unwind(|| there.run(forall::rank)).is_err() {
        assert!(!settings.require_gpu);
        eprintln!("SKIPPED: there is no graphics processor");
        return;
    }
    for ranks in [1, 2] {
        Runtime::builder().settings(settings.clone()).ranks(ranks).run(|| {
            let x = DistVec::from_fn(N, |i| (i * i) as u32);
            let (at, mut y) = (DistVec::from_fn(N, |i| (i * 7 % N) as u32), DistVec::zeroed(N));
            let (plain_x, plain_at, mut plain) = (x.to_all(), at.to_all(), y.to_all());
            for _ in 0..2 {
                macro_rules! each {
                    ($($n:literal $stride:ty)*) => {$(
                        strided::<$n>(&x, &at, &mut y);
                        strided::sequential::<$n>(&plain_x, &plain_at, &mut plain);
                        assert_eq!(y.to_all(), plain);
                        by_type::<$stride>(&x, &at, &mut y);
                        by_type::sequential::<$stride>(&plain_x, &plain_at, &mut plain);
                        assert_eq!(y.to_all(), plain);
                        halo::<$n>(&x, &mut y);
                        halo::sequential::<$n>(&plain_x, &mut plain);
                        assert_eq!(y.to_all(), plain);
                        let sum = weighed::sequential::<$n, $stride>(&plain_x);
                        assert_eq!(weighed::<$n, $stride>(&x), sum);
                    )*};
                }
                each!(1 Two 3 Five 1 Five);
            }
        });
    }
}
