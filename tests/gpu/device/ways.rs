//! Folds in all ways to run kernels, at the edges of tiles, against what the sequential loop gives.

use crate::common::*;
use forall_core::device::{Bins, Cause, Launch, Operator, Program, Type};

/// Around tiles of 1024 and 4096 positions, and where the former become the latter.
const SIZES: [usize; 14] = [0, 1, 31, 255, 257, 1023, 1024, 1025, 4095, 4097, 99_991, 131_071, 131_072, 131_073];

/// More tiles than a workgroup folds.
const MANY: usize = 2048 * 4096 + 1;

/// Numbers without a pattern.
fn noise(count: usize) -> Vec<u32> {
    (0..count as u32).map(|i| i.wrapping_mul(2_654_435_761) ^ (i >> 3).wrapping_mul(40_503)).collect()
}

/// Sums, with a running value.
const SUMS: &str = "
struct State { f0: u32 }
fn fa_identity() -> State { return State(0u); }
fn fa_merge(earlier: State, later: State) -> State { return State(earlier.f0 + later.f0); }
fn fa_advance(value: State, chunk: State) -> State { return State(value.f0 + chunk.f0); }
fn fa_total(p: u32, s: ptr<function, State>) { (*s).f0 += fa_load_0(p); }
fn fa_iteration(p: u32, s: ptr<function, State>) { (*s).f0 += fa_load_0(p); fa_store_1(p, (*s).f0); }";

fn sums(commutative: bool) -> &'static Program {
    leak(Program {
        arrays: keep(&[reads(Type::U32), writes(Type::U32)]),
        state: &[Type::U32],
        running: true,
        commutative,
        ..program(SUMS)
    })
}

#[test]
fn scans_of_sums() {
    for (program, many) in [(sums(true), Some(MANY)), (sums(false), None)] {
        for (name, gpu) in gpu_in_all_ways() {
            for count in SIZES.into_iter().chain(many) {
                let mut x = noise(count);
                let mut sum = 7_u32;
                let expected: Vec<u32> = x
                    .iter()
                    .map(|x| {
                        sum = sum.wrapping_add(*x);
                        sum
                    })
                    .collect();
                let mut out = vec![0_u32; count];
                let arrays = [part(&mut x), part(&mut out)];
                let seed = bytes(&[7_u32]);
                // Twice: what the first launch leaves behind is no part of the second.
                for totals in [None, None, Some(0)] {
                    let launch = Launch { arrays: &arrays, state: Some(&seed), totals, ..launch(program, count) };
                    let outcome = run(gpu, &launch);
                    assert_eq!(outcome.raised, None);
                    assert_eq!(values::<u32>(&outcome.state), [sum.wrapping_sub(7)], "{name}: {count}");
                }
                assert!(out == expected, "{name}: {count}");
            }
        }
    }
}

/// x -> a * x + b, which do not commute, with a state of several types.
const AFFINE: &str = "
struct State { f0: array<u32, 2>, f1: vec2<u32>, f2: f32 }
fn fa_identity() -> State { return State(array<u32, 2>(1u, 0u), vec2<u32>(), 0.0f); }
fn fa_merge(earlier: State, later: State) -> State {
  return State(
    array<u32, 2>(later.f0[0] * earlier.f0[0], later.f0[0] * earlier.f0[1] + later.f0[1]),
    fa_pair_add(earlier.f1, later.f1), max(earlier.f2, later.f2));
}
fn fa_iteration(p: u32, s: ptr<function, State>) {
  let x = fa_load_0(p);
  *s = fa_merge(*s, State(array<u32, 2>(2u * p + 1u, x), vec2<u32>(x, 0u), f32(x >> 8u)));
}";

#[test]
fn reduces_that_keep_the_order() {
    let program = leak(Program {
        arrays: keep(&[reads(Type::U32)]),
        state: keep(&[Type::Array(&Type::U32, 2), Type::Usize, Type::F32]),
        ..program(AFFINE)
    });
    for (name, gpu) in gpu_in_all_ways() {
        for count in SIZES {
            let mut x = noise(count);
            let (mut a, mut b) = (1_u32, 0_u32);
            for (p, x) in x.iter().enumerate() {
                let factor = 2 * p as u32 + 1;
                (a, b) = (factor.wrapping_mul(a), factor.wrapping_mul(b).wrapping_add(*x));
            }
            let sum: usize = x.iter().map(|x| *x as usize).sum();
            let most = x.iter().fold(0.0, |most, x| f32::max(most, (*x >> 8) as f32));
            let state = run(gpu, &Launch { arrays: &[part(&mut x)], ..launch(program, count) }).state;
            assert_eq!(values::<u32>(&state[..8]), [a, b], "{name}: {count}");
            assert_eq!(values::<usize>(&state[8..16]), [sum], "{name}: {count}");
            assert_eq!(values::<f32>(&state[16..]), [most], "{name}: {count}");
        }
    }
}

/// A sum of floats beside a map.
const FLOATS: &str = "
struct State { f0: f32 }
fn fa_identity() -> State { return State(0.0f); }
fn fa_merge(earlier: State, later: State) -> State { return State(earlier.f0 + later.f0); }
fn fa_iteration(p: u32, s: ptr<function, State>) {
  let x = fa_load_0(p);
  (*s).f0 += x;
  fa_store_1(p, 2.0f * x);
}";

#[test]
fn sums_of_floats_have_the_same_bits_each_time() {
    let program = leak(Program {
        arrays: keep(&[reads(Type::F32), writes(Type::F32)]),
        state: &[Type::F32],
        commutative: true,
        ..program(FLOATS)
    });
    for (name, gpu) in gpu_in_all_ways() {
        for count in SIZES {
            let mut x: Vec<f32> = noise(count).into_iter().map(|x| (x >> 8) as f32 / 16_777_216.0).collect();
            let mut out = vec![0.0_f32; count];
            let arrays = [part(&mut x), part(&mut out)];
            let sums = [(); 3].map(|()| {
                let outcome = run(gpu, &Launch { arrays: &arrays, ..launch(program, count) });
                values::<f32>(&outcome.state)[0]
            });
            assert!(sums.iter().all(|sum| sum.to_bits() == sums[0].to_bits()), "{name}: {count}");
            let exact: f64 = x.iter().map(|x| f64::from(*x)).sum();
            assert!((f64::from(sums[0]) - exact).abs() <= 1e-5 * exact, "{name}: {count}: {} is not {exact}", sums[0]);
            assert!(x.iter().zip(&out).all(|(x, out)| *out == 2.0 * x), "{name}: {count}");
        }
    }
}

/// Pushes numbers that are odd, those that three divides, and counts both; marks where it was.
const PUSHES: &str = "
struct State { f0: u32 }
fn fa_identity() -> State { return State(0u); }
fn fa_merge(earlier: State, later: State) -> State { return State(earlier.f0 + later.f0); }
fn fa_iteration(p: u32, s: ptr<function, State>) {
  let x = fa_load_0(p);
  if ((x & 1u) == 1u) { fa_push_0(x); (*s).f0 += 1u; }
  if (x % 3u == 0u) { fa_push_1(array<u32, 2>(p, x)); fa_push_0(p); (*s).f0 += 1u; }
  fa_store_1(p, x + 1u);
  fa_bin_0(x % 5u, 1u);
}";

#[test]
fn pushes_beside_all_else() {
    let program = leak(Program {
        arrays: keep(&[reads(Type::U32), writes(Type::U32)]),
        state: &[Type::U32],
        pushes: keep(&[Type::U32, Type::Array(&Type::U32, 2)]),
        bins: keep(&[Bins { element: Type::U32, operator: Operator::Add, wraps: false }]),
        commutative: true,
        ..program(PUSHES)
    });
    for (name, gpu) in gpu_in_all_ways() {
        for count in SIZES {
            let mut x = noise(count);
            let (mut odd, mut threes, mut pushed, mut bins) = (Vec::new(), Vec::new(), 0_u32, [2_u32; 5]);
            for (p, x) in x.iter().enumerate() {
                if x % 2 == 1 {
                    odd.push(*x);
                    pushed += 1;
                }
                if x.is_multiple_of(3) {
                    threes.push([p as u32, *x]);
                    odd.push(p as u32);
                    pushed += 1;
                }
                bins[(x % 5) as usize] += 1;
            }
            let mut out = vec![0_u32; count];
            let arrays = [part(&mut x), part(&mut out)];
            let fresh = [bytes(&[2_u32; 5])];
            let outcome = run(gpu, &Launch { arrays: &arrays, bins: &fresh, ..launch(program, count) });
            assert_eq!(outcome.raised, None);
            assert_eq!(values::<u32>(&outcome.state), [pushed], "{name}: {count}");
            assert!(values::<u32>(&outcome.pushes[0]) == odd, "{name}: {count}");
            assert!(values::<[u32; 2]>(&outcome.pushes[1]) == threes, "{name}: {count}");
            assert_eq!(values::<u32>(&outcome.bins[0]), bins, "{name}: {count}");
            assert!(x.iter().zip(&out).all(|(x, out)| *out == x.wrapping_add(1)), "{name}: {count}");
        }
    }
}

/// Sums in place.
const IN_PLACE: &str = "
struct State { f0: u32 }
fn fa_identity() -> State { return State(0u); }
fn fa_merge(earlier: State, later: State) -> State { return State(earlier.f0 + later.f0); }
fn fa_advance(value: State, chunk: State) -> State { return State(value.f0 + chunk.f0); }
fn fa_total(p: u32, s: ptr<function, State>) { (*s).f0 += fa_load_0(p); }
fn fa_iteration(p: u32, s: ptr<function, State>) { (*s).f0 += fa_load_0(p); fa_store_0(p, (*s).f0); }";

#[test]
fn scans_in_place() {
    let program = leak(Program {
        arrays: keep(&[writes(Type::U32)]),
        state: &[Type::U32],
        running: true,
        commutative: true,
        ..program(IN_PLACE)
    });
    for (name, gpu) in gpu_in_all_ways() {
        for count in SIZES {
            let mut x = noise(count);
            let mut sum = 0_u32;
            let mut expected = x.clone();
            expected.iter_mut().for_each(|x| {
                sum = sum.wrapping_add(*x);
                *x = sum;
            });
            let outcome = run(gpu, &Launch { arrays: &[part(&mut x)], ..launch(program, count) });
            assert_eq!(values::<u32>(&outcome.state), [sum], "{name}: {count}");
            assert!(x == expected, "{name}: {count}");
        }
    }
}

/// Raises where the running sum is one number, and, in what it depends on, where an element is 77.
const RAISES: &str = "
struct State { f0: u32 }
fn fa_identity() -> State { return State(0u); }
fn fa_merge(earlier: State, later: State) -> State { return State(earlier.f0 + later.f0); }
fn fa_advance(value: State, chunk: State) -> State { return State(value.f0 + chunk.f0); }
fn fa_total(p: u32, s: ptr<function, State>) {
  let x = fa_load_0(p);
  if (x == 77u) { fa_raise(5u); }
  (*s).f0 += x;
}
fn fa_iteration(p: u32, s: ptr<function, State>) {
  let x = fa_load_0(p);
  if (x == 77u) { fa_raise(5u); }
  (*s).f0 += x;
  if ((*s).f0 == fa_value_0()) { fa_raise(1u); }
  fa_store_1(p, (*s).f0);
}";

#[test]
fn the_first_position_raises_whichever_pass_finds_it() {
    let program = leak(Program {
        arrays: keep(&[reads(Type::U32), writes(Type::U32)]),
        values: &[Type::U32],
        state: &[Type::U32],
        running: true,
        commutative: true,
        ..program(RAISES)
    });
    for (name, gpu) in gpu_in_all_ways() {
        let raised = |sum: u32, at: Option<usize>| {
            let mut x = vec![1_u32; 200_000];
            if let Some(at) = at {
                x[at] = 77;
            }
            let mut out = vec![9_u32; x.len()];
            let arrays = [part(&mut x), part(&mut out)];
            let outcome = run(gpu, &Launch { arrays: &arrays, values: &sum.to_ne_bytes(), ..launch(program, 200_000) });
            assert!(outcome.raised.is_none() || out.iter().all(|out| *out == 9), "{name}");
            outcome.raised
        };
        assert_eq!(raised(0, None), None, "{name}");
        assert_eq!(raised(5000, None), Some((4999, Cause::Overflow)), "{name}");
        assert_eq!(raised(0, Some(5000)), Some((5000, Cause::Explicit)), "{name}");
        // The sum is found when the body runs for good, and the element before that: by the same lane, too.
        assert_eq!(raised(4999, Some(5000)), Some((4998, Cause::Overflow)), "{name}");
        assert_eq!(raised(4608, Some(4607 + 256)), Some((4607, Cause::Overflow)), "{name}");
        assert_eq!(raised(9000, Some(5000)), Some((5000, Cause::Explicit)), "{name}");
        // What was raised does not stay.
        assert_eq!(raised(0, None), None, "{name}");
    }
}
