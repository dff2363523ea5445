//! Loops of each class, against what the sequential loop gives.

mod common;

use common::*;
use forall_core::device::{Cause, Launch, Part, Refusal, Type};

const MAP: &str = "fn fa_iteration(p: u32) { fa_store_1(p, fa_load_0(p) * 3u + fa_value_0()); }";

fn map() -> &'static forall_core::device::Program {
    leak(forall_core::device::Program {
        arrays: keep(&[reads(Type::U32), writes(Type::U32)]),
        values: &[Type::U32],
        ..program(MAP)
    })
}

#[test]
fn maps() {
    let Some(gpu) = gpu() else { return };
    let program = map();
    for count in [0, 1, 2, 255, 256, 257, 1000, 65_535 * 256 - 1, 65_535 * 256, 65_535 * 256 + 1] {
        let mut x: Vec<u32> = (0..count as u32).collect();
        let mut out = vec![0_u32; count];
        for proved in [false, true] {
            out.fill(0);
            let arrays = [part(&mut x), part(&mut out)];
            let outcome =
                run(gpu, &Launch { arrays: &arrays, values: &7_u32.to_ne_bytes(), proved, ..launch(program, count) });
            assert_eq!(outcome.raised, None);
            assert!(out.iter().enumerate().all(|(i, value)| *value == 3 * i as u32 + 7), "{count} {proved}");
        }
    }
}

#[test]
fn a_part_is_found_by_its_global_index() {
    let Some(gpu) = gpu() else { return };
    let program = map();
    let mut x: Vec<u32> = (0..100).collect();
    let mut out = vec![0_u32; 60];
    let arrays = [Part { first: 1000, len: 5000, ..part(&mut x) }, Part { first: 1020, len: 5000, ..part(&mut out) }];
    let launch = Launch { positions: 1020..1080, arrays: &arrays, values: &[0; 4], ..launch(program, 0) };
    assert_eq!(run(gpu, &launch).raised, None);
    assert!(out.iter().enumerate().all(|(i, value)| *value == 3 * (i as u32 + 20)));
}

#[test]
fn the_first_position_outside_is_raised_and_nothing_written() {
    let Some(gpu) = gpu() else { return };
    let program = map();
    let mut x: Vec<u32> = (0..1000).collect();
    let mut out = vec![9_u32; 1000];
    let arrays = [Part { count: 700, len: 700, ..part(&mut x) }, part(&mut out)];
    let outcome = run(gpu, &Launch { arrays: &arrays, values: &[0; 4], ..launch(program, 1000) });
    assert_eq!(outcome.raised, Some((700, Cause::Index)));
    assert!(out.iter().all(|value| *value == 9));
    let arrays = [Part { first: 3, count: 997, ..part(&mut x) }, part(&mut out)];
    let outcome = run(gpu, &Launch { arrays: &arrays, values: &[0; 4], ..launch(program, 1000) });
    assert_eq!(outcome.raised, Some((0, Cause::Index)));
}

#[test]
fn a_text_that_is_wrong_is_refused() {
    let Some(gpu) = gpu() else { return };
    for source in ["fn fa_iteration(p: u32) { nonsense }", "fn fa_iteration(p: u32) { let x: f32 = p; }"] {
        let refused = try_run(gpu, &launch(leak(program(source)), 10));
        assert!(matches!(refused, Err(Refusal::Cannot(_))), "{refused:?}");
    }
}

#[test]
fn as_many_positions_as_cannot_be_numbered_are_refused() {
    let Some(gpu) = gpu() else { return };
    let refused = try_run(gpu, &launch(leak(program("fn fa_iteration(p: u32) { }")), u32::MAX as usize));
    assert!(matches!(refused, Err(Refusal::Cannot(_))), "{refused:?}");
}

/// x -> a * x + b, which do not commute.
const AFFINE: &str = "
struct State { f0: u32, f1: u32 }
fn fa_identity() -> State { return State(1u, 0u); }
fn fa_merge(earlier: State, later: State) -> State {
  return State(later.f0 * earlier.f0, later.f0 * earlier.f1 + later.f1);
}
fn fa_iteration(p: u32, s: ptr<function, State>) {
  *s = fa_merge(*s, State(2u * p + 1u, fa_load_0(p)));
}";

#[test]
fn reductions_keep_the_order() {
    let Some(gpu) = gpu() else { return };
    let program = leak(forall_core::device::Program {
        arrays: keep(&[reads(Type::U32)]),
        state: &[Type::U32, Type::U32],
        ..program(AFFINE)
    });
    for count in [0, 1, 7, 8, 9, 2047, 2048, 2049, 16_384, 16_385, 100_000, 3_000_000] {
        let mut x: Vec<u32> = (0..count as u32).map(|i| i.wrapping_mul(2_654_435_761)).collect();
        let (mut a, mut b) = (1_u32, 0_u32);
        for (p, x) in x.iter().enumerate() {
            let factor = 2 * p as u32 + 1;
            (a, b) = (factor.wrapping_mul(a), factor.wrapping_mul(b).wrapping_add(*x));
        }
        let arrays = [part(&mut x)];
        let outcome = run(gpu, &Launch { arrays: &arrays, ..launch(program, count) });
        assert_eq!(values::<u32>(&outcome.state), [a, b], "{count}");
    }
}

/// The first and the last even number, and how many there are: with a flag, as a `bool` is held.
const ENDS: &str = "
struct State { f0: u32, f1: i32, f2: i32, f3: u32 }
fn fa_identity() -> State { return State(0u, 0, 0, 0u); }
fn fa_merge(earlier: State, later: State) -> State {
  if (earlier.f0 == 0u) { return later; }
  if (later.f0 == 0u) { return earlier; }
  return State(1u, earlier.f1, later.f2, fa_add_usize(earlier.f3, later.f3));
}
fn fa_iteration(p: u32, s: ptr<function, State>) {
  let x = fa_load_0(p);
  if ((x & 1) == 0) { *s = fa_merge(*s, State(1u, x, x, 1u)); }
}";

#[test]
fn states_of_several_types() {
    let Some(gpu) = gpu() else { return };
    let program = leak(forall_core::device::Program {
        arrays: keep(&[reads(Type::I16)]),
        state: &[Type::Bool, Type::I16, Type::I16, Type::Usize],
        ..program(ENDS)
    });
    let mut x: Vec<i16> = (0..5001).map(|i| (i * 7 % 1000 - 500) as i16).collect();
    let even: Vec<i16> = x.iter().copied().filter(|x| x % 2 == 0).collect();
    let arrays = [part(&mut x)];
    let state = run(gpu, &Launch { arrays: &arrays, ..launch(program, 5001) }).state;
    assert_eq!(state[0], 1);
    assert_eq!(values::<i16>(&state[1..5]), [even[0], even[even.len() - 1]]);
    assert_eq!(values::<usize>(&state[5..]), [even.len()]);
    let state = run(gpu, &Launch { arrays: &arrays, ..launch(program, 0) }).state;
    assert_eq!(state, [0; 13]);
}

/// x = a * x + b as a running value; the value itself is in the second field.
const RECURRENCE: &str = "
struct State { f0: u32, f1: u32 }
fn fa_identity() -> State { return State(1u, 0u); }
fn fa_merge(earlier: State, later: State) -> State {
  return State(later.f0 * earlier.f0, later.f0 * earlier.f1 + later.f1);
}
fn fa_advance(value: State, chunk: State) -> State { return State(1u, chunk.f0 * value.f1 + chunk.f1); }
fn fa_total(p: u32, s: ptr<function, State>) { *s = fa_merge(*s, State(2u * p + 1u, fa_load_0(p))); }
fn fa_iteration(p: u32, s: ptr<function, State>) {
  (*s).f1 = (2u * p + 1u) * (*s).f1 + fa_load_0(p);
  fa_store_1(p, (*s).f1);
}";

#[test]
fn scans_go_on_from_the_value_before() {
    let Some(gpu) = gpu() else { return };
    let program = leak(forall_core::device::Program {
        arrays: keep(&[reads(Type::U32), writes(Type::U32)]),
        state: &[Type::U32, Type::U32],
        running: true,
        ..program(RECURRENCE)
    });
    for count in [0, 1, 7, 8, 9, 2047, 2048, 2049, 16_384, 16_385, 40_000, 4_194_305] {
        for before in [None, Some(5_u32)] {
            let mut x: Vec<u32> = (0..count as u32).map(|i| i.wrapping_mul(2_654_435_761)).collect();
            let (mut value, mut chunk) = (before.unwrap_or(0), [1_u32, 0_u32]);
            let expected: Vec<u32> = (0..count)
                .map(|p| {
                    let factor = 2 * p as u32 + 1;
                    value = factor.wrapping_mul(value).wrapping_add(x[p]);
                    chunk = [factor.wrapping_mul(chunk[0]), factor.wrapping_mul(chunk[1]).wrapping_add(x[p])];
                    value
                })
                .collect();
            let mut out = vec![0_u32; count];
            let seed = before.map(|value| bytes(&[1, value]));
            let arrays = [part(&mut x), part(&mut out)];
            let launch =
                |totals_only| Launch { arrays: &arrays, state: seed.as_deref(), totals_only, ..launch(program, count) };
            let totals = run(gpu, &launch(true));
            assert_eq!(values::<u32>(&totals.state), chunk, "{count}");
            assert!(out.iter().all(|value| *value == 0), "totals alone write nothing");
            let outcome = run(gpu, &launch(false));
            assert_eq!(values::<u32>(&outcome.state), chunk, "{count}");
            assert!(out == expected, "{count}");
        }
    }
}

/// Pushes as many elements as the number says, of two kinds, counts them, and marks where it was.
const PUSHES: &str = "
struct State { f0: u32 }
fn fa_identity() -> State { return State(0u); }
fn fa_merge(earlier: State, later: State) -> State { return State(earlier.f0 + later.f0); }
fn fa_iteration(p: u32, s: ptr<function, State>) {
  let n = u32(fa_load_0(p));
  for (var k = 0u; k < n; k += 1u) {
    if (fa_trip()) { break; }
    fa_push_0(array<f32, 3>(f32(p), f32(k), 0.5f));
    if ((k & 1u) == 1u) { fa_push_1(fa_wrap_u8(p + k)); }
    (*s).f0 += 1u;
  }
  fa_store_0(p, fa_load_0(p) + 1u);
  if (fa_load_0(p) > 3u) { fa_push_1(255u); }
}";

#[test]
fn pushes_keep_the_order() {
    let Some(gpu) = gpu() else { return };
    let program = leak(forall_core::device::Program {
        arrays: keep(&[writes(Type::U8)]),
        state: &[Type::U32],
        pushes: &[Type::Array(&Type::F32, 3), Type::U8],
        ..program(PUSHES)
    });
    for count in [0, 1, 8, 255, 2049, 70_000] {
        let before: Vec<u8> = (0..count).map(|i| (i * i % 5) as u8).collect();
        let mut x = before.clone();
        let arrays = [part(&mut x)];
        let outcome = run(gpu, &Launch { arrays: &arrays, ..launch(program, count) });
        let (mut points, mut marks) = (Vec::new(), Vec::new());
        for (p, n) in before.iter().enumerate() {
            for k in 0..*n {
                points.push([p as f32, f32::from(k), 0.5]);
                if k % 2 == 1 {
                    marks.push((p as u8).wrapping_add(k));
                }
            }
            if n + 1 > 3 {
                marks.push(255);
            }
        }
        assert_eq!(outcome.raised, None);
        assert_eq!(values::<u32>(&outcome.state), [points.len() as u32]);
        assert!(values::<[f32; 3]>(&outcome.pushes[0]) == points, "{count}");
        assert!(outcome.pushes[1] == marks, "{count}");
        assert!(x.iter().zip(&before).all(|(now, before)| *now == before + 1));
    }
}
