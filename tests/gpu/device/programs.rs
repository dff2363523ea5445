//! Loops of each class, against what the sequential loop gives.

use crate::common::*;
use forall_core::device::{Cause, Launch, Part, Refusal, Type};
use forall_gpu::Gpu;

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
struct State { f0: u32, f1: i32, f2: i32, f3: vec2<u32> }
fn fa_identity() -> State { return State(0u, 0, 0, vec2<u32>()); }
fn fa_merge(earlier: State, later: State) -> State {
  if (earlier.f0 == 0u) { return later; }
  if (later.f0 == 0u) { return earlier; }
  return State(1u, earlier.f1, later.f2, fa_pair_add(earlier.f3, later.f3));
}
fn fa_iteration(p: u32, s: ptr<function, State>) {
  let x = fa_load_0(p);
  if ((x & 1) == 0) { *s = fa_merge(*s, State(1u, x, x, vec2<u32>(1u, 0u))); }
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
            let launch = |totals| Launch { arrays: &arrays, state: seed.as_deref(), totals, ..launch(program, count) };
            let totals = run(gpu, &launch(Some(0)));
            assert_eq!(values::<u32>(&totals.state), chunk, "{count}");
            assert!(out.iter().all(|value| *value == 0), "totals alone write nothing");
            let outcome = run(gpu, &launch(None));
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

#[test]
fn bytes_beside_each_other_are_stored_by_different_iterations() {
    let Some(gpu) = gpu() else { return };
    let source = "fn fa_iteration(p: u32) {
        fa_store_0(p, fa_wrap_u8(p * 7u)); fa_store_1(p, fa_wrap_i16(i32(p) * 5 - 9));
        if (p % 3u == 0u) { fa_store_2(p, p % 2u == 0u); }
    }";
    let program = leak(forall_core::device::Program {
        arrays: keep(&[writes(Type::U8), writes(Type::I16), writes(Type::Bool)]),
        ..program(source)
    });
    for count in [1, 2, 3, 5, 1001, 100_003] {
        let (mut a, mut b, mut c) = (vec![0xaa_u8; count], vec![-1_i16; count], vec![true; count]);
        let arrays = [part(&mut a), part(&mut b), part(&mut c)];
        assert_eq!(run(gpu, &Launch { arrays: &arrays, ..launch(program, count) }).raised, None);
        assert!(a.iter().enumerate().all(|(i, a)| *a == (i * 7) as u8), "{count}");
        assert!(b.iter().enumerate().all(|(i, b)| *b == (i as i32 * 5 - 9) as i16), "{count}");
        assert!(c.iter().enumerate().all(|(i, c)| *c == (i % 3 != 0 || i % 2 == 0)), "{count}");
    }
}

#[test]
fn a_usize_has_room_or_is_raised() {
    let Some(gpu) = gpu() else { return };
    let source = "fn fa_iteration(p: u32) { fa_store_1(p, fa_load_0(p)); fa_store_2(p, -fa_cast_usize_isize(p)); }";
    let program = leak(forall_core::device::Program {
        arrays: keep(&[reads(Type::Usize), writes(Type::Usize), writes(Type::Isize)]),
        ..program(source)
    });
    let mut x = vec![0_usize, 5, usize::MAX, u32::MAX as usize - 1];
    let (mut out, mut minus) = (vec![1_usize; 4], vec![1_isize; 4]);
    let arrays = [part(&mut x), part(&mut out), part(&mut minus)];
    assert_eq!(run(gpu, &Launch { arrays: &arrays, ..launch(program, 4) }).raised, None);
    assert_eq!((out, minus), (x, vec![0, -1, -2, -3]));
    let mut x = vec![0_usize, 5, u32::MAX as usize, 1 << 40];
    let (mut out, mut minus) = (vec![1_usize; 4], vec![1_isize; 4]);
    let arrays = [part(&mut x), part(&mut out), part(&mut minus)];
    let outcome = run(gpu, &Launch { arrays: &arrays, ..launch(program, 4) });
    assert_eq!(outcome.raised, Some((2, Cause::Wide)));
    assert_eq!(out, [1; 4]);
}

#[test]
fn values_and_tables_of_all_types() {
    let Some(gpu) = gpu() else { return };
    let source = "fn fa_iteration(p: u32) {
        let v = fa_value_3();
        var sum = f64(fa_value_0()) + fa_value_1() + f64(fa_value_2()) + f64(v[0][1]) + f64(v[1][0]);
        if (fa_value_4()) { sum += f64(fa_value_5()); }
        sum += f64(fa_value_6()) + f64(fa_value_7());
        let t = fa_table_0(p);
        sum += f64(t[0]) + f64(t[2]) + f64(fa_table_1(p)) + f64(fa_table_len_1());
        fa_store_0(p, sum);
    }";
    const ROW: Type = Type::Array(&Type::F32, 2);
    let program = leak(forall_core::device::Program {
        arrays: keep(&[writes(Type::F64)]),
        values: keep(&[
            Type::I8,
            Type::F64,
            Type::U16,
            Type::Array(&ROW, 2),
            Type::Bool,
            Type::I64,
            Type::Usize,
            Type::Isize,
        ]),
        tables: keep(&[Type::Array(&Type::I16, 3), Type::U8]),
        ..program(source)
    });
    let mut given = bytes(&[-3_i8]);
    given.extend(bytes(&[0.125_f64]));
    given.extend(bytes(&[60_000_u16]));
    given.extend(bytes(&[[1.0_f32, 2.5], [4.5, 8.0]]));
    given.push(1);
    given.extend(bytes(&[-(1_i64 << 40)]));
    given.extend(bytes(&[17_usize]));
    given.extend(bytes(&[-4_isize]));
    let threes: Vec<[i16; 3]> = (0..10).map(|i| [i - 5, 1000, i * 100]).collect();
    let small: Vec<u8> = (0..10).map(|i| 255 - i).collect();
    let (table, other) = (bytes(&threes), bytes(&small));
    let mut out = vec![0.0_f64; 10];
    let arrays = [part(&mut out)];
    let tables: [&[u8]; 2] = [&table, &other];
    let with = |count| Launch { arrays: &arrays, values: &given, tables: &tables, ..launch(program, count) };
    assert_eq!(run(gpu, &with(10)).raised, None);
    for (i, value) in out.iter().enumerate() {
        let fixed = -3.0 + 0.125 + 60_000.0 + 2.5 + 4.5 - 2_f64.powi(40) + 17.0 - 4.0;
        let table = f64::from(threes[i][0]) + f64::from(threes[i][2]) + f64::from(small[i]) + 10.0;
        assert_eq!(*value, fixed + table, "{i}");
    }
    // Tables are always looked at with checks.
    let proved = Launch { proved: true, ..with(11) };
    assert_eq!(run(gpu, &proved).raised, Some((10, Cause::Index)));
}

#[test]
fn elements_that_are_arrays() {
    let Some(gpu) = gpu() else { return };
    let source = "fn fa_iteration(p: u32) {
        let a = fa_load_0(p); let b = fa_load_1(p);
        fa_store_0(p, array<f32, 3>(a[2], a[0] + 1.0f, a[1]));
        fa_store_1(p, array<array<u32, 3>, 2>(b[1], array<u32, 3>(b[0][2], b[0][1], b[0][0])));
    }";
    const THREE: Type = Type::Array(&Type::U8, 3);
    let program = leak(forall_core::device::Program {
        arrays: keep(&[writes(Type::Array(&Type::F32, 3)), writes(Type::Array(&THREE, 2))]),
        ..program(source)
    });
    let mut a: Vec<[f32; 3]> = (0..777).map(|i| [i as f32, -1.0, 0.5]).collect();
    let mut b: Vec<[[u8; 3]; 2]> = (0..777).map(|i| [[i as u8, 1, 2], [3, 4, (i / 3) as u8]]).collect();
    let (a0, b0) = (a.clone(), b.clone());
    let arrays = [part(&mut a), part(&mut b)];
    assert_eq!(run(gpu, &Launch { arrays: &arrays, ..launch(program, 777) }).raised, None);
    for i in 0..777 {
        assert_eq!(a[i], [a0[i][2], a0[i][0] + 1.0, a0[i][1]]);
        assert_eq!(b[i], [b0[i][1], [b0[i][0][2], b0[i][0][1], b0[i][0][0]]]);
    }
}

/// Turns as many times as the number says, and stores how many turns there were.
const TURNS: &str = "fn fa_iteration(p: u32) {
  let n = fa_load_0(p); var turns = 0u;
  loop {
    if (fa_trip() || turns >= n) { break; }
    turns += 1u;
  }
  fa_store_1(p, turns);
}";

#[test]
fn a_long_loop_does_not_end_in_silence() {
    let Some(gpu) = gpu() else { return };
    let program =
        leak(forall_core::device::Program { arrays: keep(&[reads(Type::U32), writes(Type::U32)]), ..program(TURNS) });
    let turns = |n: Vec<u32>| {
        let mut x = n.clone();
        let mut out = vec![u32::MAX; n.len()];
        let arrays = [part(&mut x), part(&mut out)];
        let raised = run(gpu, &Launch { arrays: &arrays, ..launch(program, n.len()) }).raised;
        assert!(raised.is_some() || out == n);
        raised
    };
    // All lanes as often as is allowed, and each lane at another time.
    assert_eq!(turns(vec![7900; 1000]), None);
    assert_eq!(turns((0..1000).map(|i| if i % 8 == 3 { 7900 } else { i }).collect()), None);
    // More turns than a lane has beside others.
    assert_eq!(turns((0..1000).map(|i| if i % 100 == 3 { 64_900 } else { i }).collect()), None);
    let long = turns((0..1000).map(|i| if i == 321 { 10_000_000 } else { 5 }).collect());
    // Only devices that are simulated have a limit.
    assert!(matches!(long, None | Some((321, Cause::Trips))), "{long:?}");
    if Gpu::list().iter().all(|name| name.contains("llvmpipe")) {
        assert_eq!(long, Some((321, Cause::Trips)));
    }
}

/// Lanes of a vector that loop one after the other: for the device each turn is one of all lanes.
#[test]
fn lanes_that_loop_in_turn_do_not_end_in_silence() {
    let Some(gpu) = gpu() else { return };
    let source = "fn fa_iteration(p: u32) {
        var turns = 0u;
        for (var lane = 0u; lane < 32u; lane += 1u) {
            if (fa_trip()) { break; }
            if (p % 32u == lane) {
                loop {
                    if (fa_trip() || turns >= 7800u) { break; }
                    turns += 1u;
                }
            }
        }
        fa_store_0(p, turns);
    }";
    let program = leak(forall_core::device::Program { arrays: keep(&[writes(Type::U32)]), ..program(source) });
    let mut out = vec![0_u32; 512];
    let arrays = [part(&mut out)];
    assert_eq!(run(gpu, &Launch { arrays: &arrays, ..launch(program, 512) }).raised, None);
    assert!(out.iter().all(|turns| *turns == 7800), "{out:?}");
}

#[test]
fn the_first_thing_that_an_iteration_raises_counts() {
    let Some(gpu) = gpu() else { return };
    let source = "fn fa_iteration(p: u32) {
        if (p == 40u) { fa_store_0(fa_div_u32(p, fa_load_0(p + 4000u)), 1u); }
        if (p == 50u) { fa_store_0(p, fa_div_u32(p, 0u)); }
        if (p == 70u) { fa_raise(5u); }
    }";
    let program = leak(forall_core::device::Program { arrays: keep(&[writes(Type::U32)]), ..program(source) });
    let mut out = vec![0_u32; 100];
    let arrays = [part(&mut out)];
    let from = |start| Launch { positions: start..100, arrays: &arrays, ..launch(program, 0) };
    assert_eq!(run(gpu, &from(0)).raised, Some((40, Cause::Index)));
    assert_eq!(run(gpu, &from(41)).raised, Some((50, Cause::DivisionByZero)));
    assert_eq!(run(gpu, &from(51)).raised, Some((70, Cause::Explicit)));
    assert_eq!(run(gpu, &from(71)).raised, None);
}

#[test]
fn several_threads_take_turns() {
    let Some(gpu) = gpu() else { return };
    let program = map();
    std::thread::scope(|scope| {
        for thread in 0..4_u32 {
            scope.spawn(move || {
                for count in [10, 1000, 77] {
                    let mut x: Vec<u32> = (0..count).collect();
                    let mut out = vec![0_u32; count as usize];
                    let arrays = [part(&mut x), part(&mut out)];
                    let given = thread.to_ne_bytes();
                    run(gpu, &Launch { arrays: &arrays, values: &given, ..launch(program, count as usize) });
                    assert!(out.iter().zip(&x).all(|(out, x)| *out == 3 * x + thread));
                }
            });
        }
    });
}

#[test]
fn data_that_are_too_large_are_refused() {
    let Some(gpu) = gpu() else { return };
    let program = map();
    // An empty vector has no such memory, so a device that looked at it would fail.
    let large = Part {
        address: std::ptr::NonNull::<u8>::dangling().as_ptr(),
        first: 0,
        count: 1 << 33,
        len: 1 << 33,
        share: None,
        sparse: None,
        whole: false,
    };
    let refused = try_run(gpu, &Launch { arrays: &[large, large], values: &[0; 4], ..launch(program, 10) });
    assert!(matches!(refused, Err(Refusal::Cannot(_))), "{refused:?}");
}

/// Rounds after every operation, as Rust does: nothing is put together or taken in another order.
#[test]
fn floats_are_computed_as_written() {
    let Some(gpu) = gpu() else { return };
    let source = "fn fa_iteration(p: u32) {
        let x = fa_load_0(p); let y = fa_load_0(p + 1u);
        fa_store_1(p, array<f32, 6>((x + 1.0f) - 1.0f, x * y + 0.1f, (x - 1.0e6f) + 1.0e6f, x * 0.1f * 10.0f, x / 3.0f, x * y - y * x));
        let a = fa_load_2(p); let b = fa_load_2(p + 1u);
        fa_store_3(p, array<f64, 5>((a + 1.0lf) - 1.0lf, a * b + 0.1lf, (a - 1.0e6lf) + 1.0e6lf, a * 0.1lf * 10.0lf, a / 3.0lf));
    }";
    let program = leak(forall_core::device::Program {
        arrays: keep(&[
            reads(Type::F32),
            writes(Type::Array(&Type::F32, 6)),
            reads(Type::F64),
            writes(Type::Array(&Type::F64, 5)),
        ]),
        ..program(source)
    });
    let mut a: Vec<f64> = (0..1001).map(|i| (f64::from(i) - 500.0) * 0.123_456_789).collect();
    let mut x: Vec<f32> = a.iter().map(|a| *a as f32).collect();
    let (mut out, mut long) = (vec![[0.0_f32; 6]; 1000], vec![[0.0_f64; 5]; 1000]);
    let arrays = [part(&mut x), part(&mut out), part(&mut a), part(&mut long)];
    assert_eq!(run(gpu, &Launch { arrays: &arrays, ..launch(program, 1000) }).raised, None);
    for p in 0..1000 {
        let (x, y) = (x[p], x[p + 1]);
        let one = [(x + 1.0) - 1.0, x * y + 0.1, (x - 1.0e6) + 1.0e6, x * 0.1 * 10.0, x / 3.0, x * y - y * x];
        assert_eq!(out[p], one, "{p}");
        let (a, b) = (a[p], a[p + 1]);
        assert_eq!(long[p], [(a + 1.0) - 1.0, a * b + 0.1, (a - 1.0e6) + 1.0e6, a * 0.1 * 10.0, a / 3.0], "{p}");
    }
}

#[test]
fn what_is_no_number_compares_as_such() {
    let Some(gpu) = gpu() else { return };
    let source = "fn fa_iteration(p: u32) {
        let x = fa_load_0(p); let y = fa_load_1(p); var r = 0u;
        if (x < y) { r |= 1u; }
        if (!(x < y)) { r |= 2u; }
        if (!(x >= y)) { r |= 4u; }
        if (x != y) { r |= 8u; }
        if (!(x == y)) { r |= 16u; }
        if (x * (y - y) == 0.0f) { r |= 32u; }
        if (x - x == 0.0f) { r |= 64u; }
        if (x == x) { r |= 128u; }
        if (x < y || x > y) { r |= 256u; }
        if (!(x < y) && !(x > y)) { r |= 512u; }
        if (bitcast<u32>(x * -1.0f) == bitcast<u32>(-x)) { r |= 1024u; }
        if (select(1.0f, 2.0f, x > y) > 1.5f) { r |= 2048u; }
        fa_store_2(p, r);
    }";
    let program = leak(forall_core::device::Program {
        arrays: keep(&[reads(Type::F32), reads(Type::F32), writes(Type::U32)]),
        ..program(source)
    });
    let some = [0.0_f32, -0.0, 1.0, -1.0, f32::NAN, f32::INFINITY, f32::NEG_INFINITY, 1e-40];
    let (mut x, mut y): (Vec<f32>, Vec<f32>) = some.iter().flat_map(|x| some.iter().map(move |y| (*x, *y))).unzip();
    let mut out = vec![0_u32; x.len()];
    let arrays = [part(&mut x), part(&mut y), part(&mut out)];
    run(gpu, &Launch { arrays: &arrays, ..launch(program, x.len()) });
    for (p, found) in out.into_iter().enumerate() {
        let (x, y) = (x[p], y[p]);
        #[allow(
            clippy::neg_cmp_op_on_partial_ord,
            clippy::nonminimal_bool,
            clippy::eq_op,
            clippy::double_comparisons,
            clippy::neg_multiply
        )]
        let each = [
            x < y,
            !(x < y),
            !(x >= y),
            x != y,
            !(x == y),
            x * (y - y) == 0.0,
            x - x == 0.0,
            x == x,
            x < y || x > y,
            !(x < y) && !(x > y),
            (x * -1.0).to_bits() == (-x).to_bits(),
            x > y,
        ];
        let wanted = each.iter().enumerate().map(|(bit, is)| u32::from(*is) << bit).sum::<u32>();
        // Which bits a product with NaN has is not said. (And Mesa's software device
        // takes -0.0 + 0.0 for -0.0, and the product of anything and the literal 0.0 for 0.0.)
        let (found, wanted) = if x.is_nan() { (found | 1024, wanted | 1024) } else { (found, wanted) };
        assert_eq!(format!("{found:012b}"), format!("{wanted:012b}"), "{x} {y}");
    }
}

/// Adds one to each number, adds them up in place, and pushes the sums that are multiples of three.
const IN_PLACE: &str = "
struct State { f0: u32 }
fn fa_identity() -> State { return State(0u); }
fn fa_merge(earlier: State, later: State) -> State { return State(earlier.f0 + later.f0); }
fn fa_advance(value: State, chunk: State) -> State { return State(value.f0 + chunk.f0); }
fn fa_total(p: u32, s: ptr<function, State>) {
  fa_store_0(p, fa_load_0(p) + 1u);
  (*s).f0 += fa_load_0(p);
}
fn fa_iteration(p: u32, s: ptr<function, State>) {
  fa_store_0(p, fa_load_0(p) + 1u);
  (*s).f0 += fa_load_0(p);
  fa_store_0(p, (*s).f0);
  if (fa_load_0(p) % 3u == 0u) { fa_push_0((*s).f0); }
}";

#[test]
fn a_scan_may_write_what_it_reads_and_push() {
    let Some(gpu) = gpu() else { return };
    let program = leak(forall_core::device::Program {
        arrays: keep(&[writes(Type::U32)]),
        state: &[Type::U32],
        pushes: &[Type::U32],
        running: true,
        ..program(IN_PLACE)
    });
    for count in [0, 1, 9, 3000, 50_000] {
        let before: Vec<u32> = (0..count as u32).map(|i| i * i % 11).collect();
        let mut sum = 10_u32;
        let (mut sums, mut pushed) = (Vec::new(), Vec::new());
        for x in &before {
            sum += x + 1;
            sums.push(sum);
            pushed.extend(sum.is_multiple_of(3).then_some(sum));
        }
        let mut x = before.clone();
        let arrays = [part(&mut x)];
        let seed = bytes(&[10_u32]);
        let outcome = run(gpu, &Launch { arrays: &arrays, state: Some(&seed), ..launch(program, count) });
        assert_eq!(outcome.raised, None);
        assert_eq!(values::<u32>(&outcome.state), [sum - 10]);
        assert!(values::<u32>(&outcome.pushes[0]) == pushed, "{count}");
        assert!(x == sums, "{count}");
    }
}
