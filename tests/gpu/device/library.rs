//! Every function of the device's library, against what Rust gives, over the edges of its arguments.

use crate::common::number::{Edges, Number};
use crate::common::*;
use forall_core::device::{Cause, Launch, Outcome, Part, Program};
use forall_gpu::Gpu;
use half::f16;
use std::panic::AssertUnwindSafe;

type Expected<R> = Result<R, Cause>;

/// A function of the library, with what it takes.
struct Function<'a> {
    gpu: &'a Gpu,
    name: String,
    checked: bool,
    /// How far its results may be off, in steps of the type.
    steps: u32,
}

/// A column of arguments, as an array of the device.
struct Column {
    array: forall_core::device::Array,
    bytes: Vec<u8>,
    size: usize,
}

impl Column {
    fn of<A: Number>(values: impl Iterator<Item = A>) -> Column {
        Column { array: reads(A::TYPE), bytes: bytes(&values.collect::<Vec<_>>()), size: size_of::<A>() }
    }

    fn part(&mut self) -> Part<'static> {
        let count = self.bytes.len() / self.size;
        Part { address: self.bytes.as_mut_ptr(), first: 0, count, len: count, share: None, sparse: None, whole: false }
    }

    fn only(&self, keep: &[bool]) -> Column {
        let rows = self.bytes.chunks_exact(self.size).zip(keep).filter(|(_, keep)| **keep);
        Column { array: self.array, bytes: rows.flat_map(|(row, _)| row.to_vec()).collect(), size: self.size }
    }
}

impl Function<'_> {
    /// Where Rust gives a value, so does the device; where it panics, it raises that.
    fn check<R: Number>(&self, columns: Vec<Column>, expected: &[Expected<R>], tell: &dyn Fn(usize) -> String) {
        let arguments: Vec<String> = (0..columns.len()).map(|k| format!("fa_load_{k}(p)")).collect();
        let source = format!(
            "fn fa_iteration(p: u32) {{ fa_store_{}(p, {}({})); }}",
            columns.len(),
            self.name,
            arguments.join(", ")
        );
        let mut arrays: Vec<_> = columns.iter().map(|column| column.array).collect();
        arrays.push(writes(R::TYPE));
        let program = leak(Program { arrays: keep(&arrays), ..program(source) });
        let run = |mut columns: Vec<Column>, out: &mut [R], from: usize| -> Outcome {
            let mut parts: Vec<_> = columns.iter_mut().map(Column::part).collect();
            parts.push(part(out));
            let positions = from..out.len();
            run(self.gpu, &Launch { positions, arrays: &parts, overflow: self.checked, ..launch(program, 0) })
        };
        let good: Vec<bool> = expected.iter().map(Result::is_ok).collect();
        let indices: Vec<usize> = (0..good.len()).filter(|index| good[*index]).collect();
        if let Some(first) = indices.first() {
            let some = expected[*first].unwrap();
            let mut out = vec![some; indices.len()];
            // Nothing of what is expected is there before.
            // SAFETY: all numbers may be zero.
            out.fill(unsafe { std::mem::zeroed() });
            let outcome = run(columns.iter().map(|column| column.only(&good)).collect(), &mut out, 0);
            let raised = outcome.raised.map(|(at, cause)| (tell(indices[at]), cause));
            assert_eq!(raised, None, "{}, checked: {}", self.name, self.checked);
            let off = |row: &(usize, R)| expected[row.0].map_or(0, |wanted| row.1.off(wanted));
            if let Some(worst) = indices.iter().copied().zip(out).max_by_key(off) {
                assert!(
                    off(&worst) <= self.steps.into(),
                    "{}({}) is {:?}, not {:?}, {} steps off; checked: {}",
                    self.name,
                    tell(worst.0),
                    worst.1,
                    expected[worst.0],
                    off(&worst),
                    self.checked
                );
            }
        }
        let raising: Vec<usize> = (0..good.len()).filter(|index| !good[*index]).collect();
        let mut from = 0;
        let whole = vec![true; good.len()];
        for index in raising.into_iter().take(24) {
            // SAFETY: as above.
            let mut out: Vec<R> = vec![unsafe { std::mem::zeroed() }; good.len()];
            let outcome = run(columns.iter().map(|column| column.only(&whole)).collect(), &mut out, from);
            let raised = outcome.raised.map(|(at, cause)| (tell(at), cause));
            let wanted = expected[index].err().map(|cause| (tell(index), cause));
            assert_eq!(raised, wanted, "{}, checked: {}", self.name, self.checked);
            from = index + 1;
        }
    }

    fn one<A: Number, R: Number>(&self, inputs: &[A], f: impl Fn(A) -> Expected<R>) {
        let expected: Vec<_> = inputs.iter().map(|a| room(f(*a))).collect();
        self.check(vec![Column::of(inputs.iter().copied())], &expected, &|at| format!("{:?}", inputs[at]));
    }

    fn two<A: Number, B: Number, R: Number>(&self, inputs: &[(A, B)], f: impl Fn(A, B) -> Expected<R>) {
        let expected: Vec<_> = inputs.iter().map(|(a, b)| room(f(*a, *b))).collect();
        let columns = vec![Column::of(inputs.iter().map(|of| of.0)), Column::of(inputs.iter().map(|of| of.1))];
        self.check(columns, &expected, &|at| format!("{:?}", inputs[at]));
    }

    fn three<A: Number, R: Number>(&self, inputs: &[(A, A, A)], f: impl Fn(A, A, A) -> Expected<R>) {
        let expected: Vec<_> = inputs.iter().map(|(a, b, c)| room(f(*a, *b, *c))).collect();
        let columns = vec![
            Column::of(inputs.iter().map(|of| of.0)),
            Column::of(inputs.iter().map(|of| of.1)),
            Column::of(inputs.iter().map(|of| of.2)),
        ];
        self.check(columns, &expected, &|at| format!("{:?}", inputs[at]));
    }
}

fn room<R: Number>(result: Expected<R>) -> Expected<R> {
    result.and_then(|value| if value.has_room() { Ok(value) } else { Err(Cause::Wide) })
}

fn pairs<A: Copy, B: Copy>(left: &[A], right: &[B]) -> Vec<(A, B)> {
    left.iter().flat_map(|a| right.iter().map(move |b| (*a, *b))).collect()
}

const OVER: Cause = Cause::Overflow;

/// The functions of all types of integers.
macro_rules! integers {
    ($gpu:ident, $type:ident, $unsigned:ident) => {{
        type T = $type;
        let edges = T::edges();
        let both = pairs(&edges, &edges);
        let shifts = pairs(&edges, &[0_u32, 1, 2, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 65, 127, u32::MAX]);
        let wide = stringify!($type).ends_with("size");
        let function = |op: &str, checked: bool| Function {
            gpu: $gpu,
            name: format!("fa_{op}_{}", stringify!($type)),
            checked,
            steps: 0,
        };
        for checked in [true, false] {
            let or = |sure: Option<T>, wrapped: T| match sure {
                None if checked => Err(OVER),
                _ => Ok(wrapped),
            };
            let f = |op: &str| function(op, checked);
            f("add").two(&both, |a: T, b: T| or(a.checked_add(b), a.wrapping_add(b)));
            f("sub").two(&both, |a: T, b: T| match a.checked_sub(b) {
                None if wide && !checked => Err(Cause::Wide),
                sure => or(sure, a.wrapping_sub(b)),
            });
            f("mul").two(&both, |a: T, b: T| or(a.checked_mul(b), a.wrapping_mul(b)));
            f("shl").two(&shifts, |a: T, n: u32| or(a.checked_shl(n), a.wrapping_shl(n)));
            f("shr").two(&shifts, |a: T, n: u32| or(a.checked_shr(n), a.wrapping_shr(n)));
            // A power may go through numbers that have no room, and come to one that has it.
            let powers = pairs(&edges, &[0_u32, 1, 2, 3, 5, 7, 15, 31, 32, 63]);
            let powers: Vec<(T, u32)> = powers
                .into_iter()
                .filter(|(a, n)| !wide || a.checked_pow(*n).is_some_and(|power| power.has_room()))
                .collect();
            f("pow").two(&powers, |a: T, n: u32| or(a.checked_pow(n), a.wrapping_pow(n)));
            // The remainder of `usize::MAX` is refused, though it has room.
            let divisions: Vec<(T, T)> =
                both.iter().copied().filter(|(a, _)| !(wide && T::MIN == 0 && *a == T::MAX)).collect();
            let divided = |b: T, sure: Option<T>| match sure {
                None if b == 0 => Err(Cause::DivisionByZero),
                sure => sure.ok_or(OVER),
            };
            f("div").two(&both, |a: T, b: T| divided(b, a.checked_div(b)));
            f("rem").two(&divisions, |a: T, b: T| divided(b, a.checked_rem(b)));
            f("div_euclid").two(&both, |a: T, b: T| divided(b, a.checked_div_euclid(b)));
            f("rem_euclid").two(&divisions, |a: T, b: T| divided(b, a.checked_rem_euclid(b)));
        }
        let f = |op: &str| function(op, true);
        let powers = pairs(&edges, &[0_u32, 1, 2, 3, 5, 7, 15, 31, 32, 63]);
        let powers: Vec<(T, u32)> = powers
            .into_iter()
            .filter(|(a, n)| !wide || a.checked_pow(*n).is_some_and(|power| power.has_room()))
            .collect();
        f("wrapping_pow").two(&powers, |a: T, n: u32| Ok(a.wrapping_pow(n)));
        f("overflows_pow").two(&powers, |a: T, n: u32| Ok(a.overflowing_pow(n).1));
        f("saturating_pow").two(&powers, |a: T, n: u32| Ok(a.saturating_pow(n)));
        // The remainder of `usize::MAX` is refused, though it has room.
        let divisions: Vec<(T, T)> =
            both.iter().copied().filter(|(a, _)| !(wide && T::MIN == 0 && *a == T::MAX)).collect();
        let by = |b: T, result: &dyn Fn() -> T| if b == 0 { Err(Cause::DivisionByZero) } else { Ok(result()) };
        f("wrapping_div").two(&both, |a: T, b: T| by(b, &|| a.wrapping_div(b)));
        f("wrapping_rem").two(&divisions, |a: T, b: T| by(b, &|| a.wrapping_rem(b)));
        f("wrapping_div_euclid").two(&both, |a: T, b: T| by(b, &|| a.wrapping_div_euclid(b)));
        f("wrapping_rem_euclid").two(&divisions, |a: T, b: T| by(b, &|| a.wrapping_rem_euclid(b)));
        f("saturating_div").two(&both, |a: T, b: T| by(b, &|| a.saturating_div(b)));
        f("isqrt").one(&edges, |a: T| {
            if a.checked_ilog2().is_none() && a != 0 { Err(Cause::Explicit) } else { Ok(a.isqrt()) }
        });
        f("ilog10").one(&edges, |a: T| a.checked_ilog10().ok_or(Cause::Explicit));
        let logs: Vec<(T, T)> = divisions.iter().copied().filter(|(a, _)| !wide || *a < 100).collect();
        f("ilog").two(&logs, |a: T, b: T| a.checked_ilog(b).ok_or(Cause::Explicit));
        let middles: Vec<(T, T)> = both
            .iter()
            .copied()
            .filter(|(a, b)| !(wide && T::MIN == 0) || *a < T::MAX && *b < T::MAX || a == b)
            .collect();
        f("midpoint").two(&middles, |a: T, b: T| Ok(a.midpoint(b)));
        f("trailing_ones").one(&edges, |a: T| Ok(a.trailing_ones()));
        f("leading_ones").one(&edges, |a: T| Ok(a.leading_ones()));
        f("not").one(&edges, |a: T| Ok(!a));
        f("wrapping_add").two(&both, |a: T, b: T| Ok(a.wrapping_add(b)));
        f("wrapping_sub").two(&both, |a: T, b: T| Ok(a.wrapping_sub(b)));
        f("wrapping_mul").two(&both, |a: T, b: T| Ok(a.wrapping_mul(b)));
        f("wrapping_neg").one(&edges, |a: T| Ok(a.wrapping_neg()));
        f("wrapping_shl").two(&shifts, |a: T, n: u32| Ok(a.wrapping_shl(n)));
        f("wrapping_shr").two(&shifts, |a: T, n: u32| Ok(a.wrapping_shr(n)));
        f("saturating_add").two(&both, |a: T, b: T| Ok(a.saturating_add(b)));
        f("saturating_sub").two(&both, |a: T, b: T| Ok(a.saturating_sub(b)));
        f("saturating_mul").two(&both, |a: T, b: T| Ok(a.saturating_mul(b)));
        f("abs_diff").two(&both, |a: T, b: T| Ok::<$unsigned, Cause>(a.abs_diff(b)));
        f("min").two(&both, |a: T, b: T| Ok(a.min(b)));
        f("max").two(&both, |a: T, b: T| Ok(a.max(b)));
        let some = [edges[0], 0, 1, 3, edges[edges.len() - 1]];
        let threes: Vec<(T, T, T)> =
            edges.iter().flat_map(|a| pairs(&some, &some).into_iter().map(|(b, c)| (*a, b, c))).collect();
        f("clamp").three(
            &threes,
            |a: T, low: T, high: T| if low > high { Err(Cause::Explicit) } else { Ok(a.clamp(low, high)) },
        );
        f("count_ones").one(&edges, |a: T| Ok(a.count_ones()));
        f("count_zeros").one(&edges, |a: T| Ok(a.count_zeros()));
        f("leading_zeros").one(&edges, |a: T| Ok(a.leading_zeros()));
        f("trailing_zeros").one(&edges, |a: T| Ok(a.trailing_zeros()));
        f("rotate_left").two(&shifts, |a: T, n: u32| Ok(a.rotate_left(n)));
        f("rotate_right").two(&shifts, |a: T, n: u32| Ok(a.rotate_right(n)));
        f("swap_bytes").one(&edges, |a: T| Ok(a.swap_bytes()));
        f("reverse_bits").one(&edges, |a: T| Ok(a.reverse_bits()));
    }};
}

/// The functions of signed types only.
macro_rules! signed {
    ($gpu:ident, $type:ident, $unsigned:ident) => {{
        type T = $type;
        let edges = T::edges();
        for checked in [true, false] {
            let function =
                |op: &str| Function { gpu: $gpu, name: format!("fa_{op}_{}", stringify!($type)), checked, steps: 0 };
            let or = |sure: Option<T>, wrapped: T| match sure {
                None if checked => Err(OVER),
                _ => Ok(wrapped),
            };
            function("neg").one(&edges, |a: T| or(a.checked_neg(), a.wrapping_neg()));
            function("abs").one(&edges, |a: T| or(a.checked_abs(), a.wrapping_abs()));
            function("wrapping_abs").one(&edges, |a: T| Ok(a.wrapping_abs()));
            function("unsigned_abs").one(&edges, |a: T| Ok::<$unsigned, Cause>(a.unsigned_abs()));
            function("saturating_neg").one(&edges, |a: T| Ok(a.saturating_neg()));
            function("saturating_abs").one(&edges, |a: T| Ok(a.saturating_abs()));
            function("overflows_abs").one(&edges, |a: T| Ok(a.overflowing_abs().1));
            function("signum").one(&edges, |a: T| Ok(a.signum()));
        }
    }};
}

macro_rules! integer_tests {
    ($($signed:ident $unsigned:ident;)*) => {
        $(
            #[test]
            fn $signed() {
                let Some(gpu) = gpu() else { return };
                integers!(gpu, $signed, $unsigned);
                signed!(gpu, $signed, $unsigned);
            }

            #[test]
            fn $unsigned() {
                let Some(gpu) = gpu() else { return };
                integers!(gpu, $unsigned, $unsigned);
                let name = format!("fa_is_power_of_two_{}", stringify!($unsigned));
                Function { gpu, name, checked: true, steps: 0 }.one(&$unsigned::edges(), |a| Ok(a.is_power_of_two()));
            }
        )*
    };
}

integer_tests! {
    i8 u8;
    i16 u16;
    i32 u32;
    i64 u64;
    isize usize;
}

/// From each of the first types to each of the others.
macro_rules! casts {
    ($($name:ident: $($from:ident)* => $to:tt;)*) => {
        $(#[test]
        fn $name() {
            let Some(gpu) = gpu() else { return };
            $(casts!(@from gpu $from $to);)*
        })*
    };
    (@from $gpu:ident $from:ident [$($to:ident)*]) => {
        $(
            let name = format!("fa_cast_{}_{}", <$from as Number>::NAME, <$to as Number>::NAME);
            #[allow(clippy::unnecessary_cast)]
            let cast = |a: $from| Ok::<$to, Cause>(a as $to);
            Function { gpu: $gpu, name, checked: true, steps: 0 }.one(&<$from>::edges(), cast);
        )*
    };
}

casts! {
    casts_of_short_integers: i8 u8 i16 u16 => [i8 u8 i16 u16 i32 u32 i64 u64 isize usize f32 f64];
    casts_of_integers: i32 u32 isize usize => [i8 u8 i16 u16 i32 u32 i64 u64 isize usize f32 f64];
    casts_of_long_integers: i64 u64 => [i8 u8 i16 u16 i32 u32 i64 u64 isize usize f32 f64];
    casts_of_bools: bool => [i8 u8 i16 u16 i32 u32 i64 u64 isize usize];
}

/// A float becomes `usize` or `isize` where that has room.
#[test]
fn casts_of_floats() {
    let Some(gpu) = gpu() else { return };
    casts!(@from gpu f32 [i8 u8 i16 u16 i32 u32 i64 u64 isize usize f32 f64]);
    casts!(@from gpu f64 [i8 u8 i16 u16 i32 u32 i64 u64 isize usize f32 f64]);
}

/// The functions of both types of floats.
macro_rules! float_tests {
    ($($test:ident $type:ident $bits:ident;)*) => {
        $(#[test]
        fn $test() {
            type T = $type;
            let Some(gpu) = gpu() else { return };
            let edges = T::edges();
            let both = pairs(&edges, &edges);
            let f = |op: &str| Function { gpu, name: format!("fa_{op}_{}", stringify!($type)), checked: true, steps: 0 };
            f("to_bits").one(&edges.iter().copied().filter(|a| !a.is_nan()).collect::<Vec<T>>(), |a: T| Ok(a.to_bits()));
            f("from_bits").one(&edges.iter().map(|a| a.to_bits()).collect::<Vec<_>>(), |a: $bits| Ok(T::from_bits(a)));
            f("is_nan").one(&edges, |a: T| Ok(a.is_nan()));
            f("is_finite").one(&edges, |a: T| Ok(a.is_finite()));
            f("is_infinite").one(&edges, |a: T| Ok(a.is_infinite()));
            f("is_sign_negative").one(&edges, |a: T| Ok(a.is_sign_negative()));
            f("is_sign_positive").one(&edges, |a: T| Ok(a.is_sign_positive()));
            f("abs").one(&edges, |a: T| Ok(a.abs()));
            f("sqrt").one(&edges, |a: T| Ok(a.sqrt()));
            f("signum").one(&edges, |a: T| Ok(a.signum()));
            f("recip").one(&edges, |a: T| Ok(a.recip()));
            f("trunc").one(&edges, |a: T| Ok(a.trunc()));
            f("floor").one(&edges, |a: T| Ok(a.floor()));
            f("ceil").one(&edges, |a: T| Ok(a.ceil()));
            f("round").one(&edges, |a: T| Ok(a.round()));
            f("round_ties_even").one(&edges, |a: T| Ok(a.round_ties_even()));
            let halves: Vec<T> = (-9..10).map(|k| k as T / 2.0).collect();
            f("round_ties_even").one(&halves, |a: T| Ok(a.round_ties_even()));
            f("is_normal").one(&edges, |a: T| Ok(a.is_normal()));
            f("is_subnormal").one(&edges, |a: T| Ok(a.is_subnormal()));
            f("fract").one(&edges, |a: T| Ok(a.fract()));
            f("to_degrees").one(&edges, |a: T| Ok(a.to_degrees()));
            f("to_radians").one(&edges, |a: T| Ok(a.to_radians()));
            // Which zero is less is not said.
            let unlike: Vec<(T, T)> = both.iter().copied().filter(|(a, b)| !(*a == 0.0 && *b == 0.0)).collect();
            f("min").two(&unlike, |a: T, b: T| Ok(a.min(b)));
            f("max").two(&unlike, |a: T, b: T| Ok(a.max(b)));
            f("copysign").two(&both, |a: T, b: T| Ok(a.copysign(b)));
            f("div").two(&both, |a: T, b: T| Ok(a / b));
            f("rem").two(&both, |a: T, b: T| Ok(a % b));
            f("rem_euclid").two(&both, |a: T, b: T| Ok(a.rem_euclid(b)));
            f("div_euclid").two(&both, |a: T, b: T| Ok(a.div_euclid(b)));
            #[allow(deprecated)]
            f("abs_sub").two(&both, |a: T, b: T| Ok(a.abs_sub(b)));
            f("powi").two(&pairs(&edges, &[0_i32, 1, 2, 3, 5, 10, -1, -2, -3]), |a: T, n: i32| {
                let mut acc = 1.0;
                let (mut base, mut rest) = (a, n.unsigned_abs());
                loop {
                    if rest & 1 == 1 {
                        acc *= base;
                    }
                    rest >>= 1;
                    if rest == 0 {
                        break Ok(if n < 0 { 1.0 / acc } else { acc });
                    }
                    base *= base;
                }
            });
            let some: [T; 6] = [0.0, 1.0, -3.5, 1e10, T::NAN, T::INFINITY];
            let threes: Vec<(T, T, T)> =
                edges.iter().flat_map(|a| pairs(&some, &some).into_iter().map(|(b, c)| (*a, b, c))).collect();
            f("clamp").three(&threes, |a: T, low: T, high: T| {
                if low <= high { Ok(a.clamp(low, high)) } else { Err(Cause::Explicit) }
            });
            let tiny = T::MIN_POSITIVE;
            let fused: [T; 18] = [
                0.1, -0.3, 1.0 / 3.0, 1e10, -1.5e-5, 7.25, 3.0, -1.0, 0.0, -0.0, tiny, -tiny / 8.0, T::MAX, T::MIN,
                T::INFINITY, T::NEG_INFINITY, T::NAN, 1.0 + T::EPSILON,
            ];
            let threes: Vec<(T, T, T)> =
                fused.iter().flat_map(|a| pairs(&fused, &fused).into_iter().map(|(b, c)| (*a, b, c))).collect();
            f("mul_add").three(&threes, |a: T, b: T, c: T| Ok(a.mul_add(b, c)));
            for (op, value) in [("inf", T::INFINITY), ("neg_inf", T::NEG_INFINITY), ("nan", T::NAN)] {
                let source = format!("fn fa_iteration(p: u32) {{ fa_store_0(p, fa_{op}_{}()); }}", stringify!($type));
                let program = leak(Program { arrays: keep(&[writes(T::TYPE)]), ..program(source) });
                let mut out: [T; 1] = [0.0];
                run(gpu, &Launch { arrays: &[part(&mut out)], ..launch(program, 1) });
                assert!(out[0].off(value) == 0, "{op}: {out:?}");
            }
        })*
    };
}

float_tests! {
    floats f32 u32;
    long_floats f64 u64;
}

/// All of them, and the numbers between.
#[test]
fn half_floats() {
    let Some(gpu) = gpu() else { return };
    let f = |name: &str| Function { gpu, name: format!("fa_{name}"), checked: true, steps: 0 };
    let bits: Vec<u16> = (0..=u16::MAX).collect();
    let all: Vec<f16> = bits.iter().copied().map(f16::from_bits).collect();
    f("from_bits_f16").one(&bits, |a| Ok(f16::from_bits(a)));
    f("to_bits_f16").one(&all, |a| Ok(a.to_bits()));
    f("cast_f16_f32").one(&all, |a| Ok(a.to_f32()));
    f("cast_f16_f64").one(&all, |a| Ok(a.to_f64()));
    // Each, the middle of each and the next one, and what is just off that.
    let between = |a: &f16| {
        let (size, sign) = (a.to_bits() & 0x7fff, a.to_bits() & 0x8000);
        let next = f16::from_bits(sign | (size + 1).min(0x7c00));
        let middle =
            (a.to_f32() + if next.is_finite() { next.to_f32() } else { 65_536.0_f32.copysign(a.to_f32()) }) / 2.0;
        [a.to_f32(), middle.next_down(), middle, middle.next_up()]
    };
    let mut floats: Vec<f32> = all.iter().filter(|a| a.is_finite()).flat_map(between).collect();
    floats.extend(f32::edges());
    f("cast_f32_f16").one(&floats, |a| Ok(f16::from_f32(a)));
    let edges = f16::edges();
    let both = pairs(&edges, &edges);
    f("add_f16").two(&both, |a: f16, b: f16| Ok(a + b));
    f("sub_f16").two(&both, |a: f16, b: f16| Ok(a - b));
    f("mul_f16").two(&both, |a: f16, b: f16| Ok(a * b));
    f("div_f16").two(&both, |a: f16, b: f16| Ok(a / b));
    f("rem_f16").two(&both, |a: f16, b: f16| Ok(a % b));
    f("neg_f16").one(&edges, |a: f16| Ok(-a));
    f("abs_f16").one(&edges, |a: f16| Ok(f16::from_bits(a.to_bits() & 0x7fff)));
    f("signum_f16").one(&edges, |a: f16| Ok(a.signum()));
    f("min_f16").two(&both, |a: f16, b: f16| Ok(a.min(b)));
    f("max_f16").two(&both, |a: f16, b: f16| Ok(a.max(b)));
    f("copysign_f16").two(&both, |a: f16, b: f16| Ok(a.copysign(b)));
    f("is_nan_f16").one(&edges, |a: f16| Ok(a.is_nan()));
    f("is_finite_f16").one(&edges, |a: f16| Ok(a.is_finite()));
    f("is_infinite_f16").one(&edges, |a: f16| Ok(a.is_infinite()));
    f("is_sign_negative_f16").one(&edges, |a: f16| Ok(a.is_sign_negative()));
    f("is_sign_positive_f16").one(&edges, |a: f16| Ok(a.is_sign_positive()));
    f("cast_i8_f16").one(&i8::edges(), |a: i8| Ok(f16::from(a)));
    f("cast_u8_f16").one(&u8::edges(), |a: u8| Ok(f16::from(a)));
    let some = [0.0, 1.0, -3.5, 1e4, f32::NAN, f32::INFINITY].map(f16::from_f32);
    let threes: Vec<_> = edges.iter().flat_map(|a| pairs(&some, &some).into_iter().map(|(b, c)| (*a, b, c))).collect();
    f("clamp_f16").three(
        &threes,
        |a: f16, low: f16, high: f16| {
            if low <= high { Ok(a.clamp(low, high)) } else { Err(Cause::Explicit) }
        },
    );
}

/// Numbers of all sizes, as random as they need to be, beside the edges.
fn spread(count: u32) -> Vec<f32> {
    let mut all = f32::edges();
    let mut bits = 1_u32;
    for _ in 0..count {
        bits = bits.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        // Half of them of any size, half of them near to one.
        all.push(f32::from_bits(bits));
        all.push((bits >> 8) as f32 / 400_000.0 - 20.0);
        all.push((bits >> 8) as f32 / 8_388_608.0 - 1.0);
    }
    all
}

type One = fn(f32) -> f32;
type Two = fn(f32, f32) -> f32;

/// How far each elementary function may be off, in steps of `f32`, from what this machine's Rust gives.
#[test]
fn elementary_functions_are_close() {
    let Some(gpu) = gpu() else { return };
    let all = spread(3000);
    let f = |op: &str, steps: u32| Function { gpu, name: format!("fa_{op}_f32"), checked: true, steps };
    let close: [(&str, One, u32); 18] = [
        ("exp", f32::exp, 2),
        ("exp2", f32::exp2, 2),
        ("exp_m1", f32::exp_m1, 3),
        ("ln", f32::ln, 2),
        ("ln_1p", f32::ln_1p, 4),
        ("log2", f32::log2, 2),
        ("log10", f32::log10, 2),
        ("sin", f32::sin, 3),
        ("cos", f32::cos, 3),
        ("tan", f32::tan, 4),
        ("asin", f32::asin, 4),
        ("acos", f32::acos, 4),
        ("atan", f32::atan, 3),
        ("sinh", f32::sinh, 4),
        ("cosh", f32::cosh, 4),
        ("tanh", f32::tanh, 4),
        ("cbrt", f32::cbrt, 2),
        ("sqrt", f32::sqrt, 0),
    ];
    let mut failed = Vec::new();
    for (op, rust, steps) in close {
        let checked = std::panic::catch_unwind(AssertUnwindSafe(|| f(op, steps).one(&all, |a| Ok(rust(a)))));
        failed.extend(checked.is_err().then_some(op));
    }
    assert!(failed.is_empty(), "{failed:?}");
}

#[test]
fn elementary_functions_of_two_are_close() {
    let Some(gpu) = gpu() else { return };
    let f = |op: &str, steps: u32| Function { gpu, name: format!("fa_{op}_f32"), checked: true, steps };
    let mut all = pairs(&f32::edges(), &f32::edges());
    let some = spread(2000);
    all.extend(some.iter().copied().zip(some.iter().rev().copied()));
    // Powers that have room.
    all.extend(some.iter().map(|a| (a.abs() % 50.0, (a * 7.0) % 20.0)));
    let close: [(&str, Two, u32); 4] =
        [("powf", f32::powf, 2), ("atan2", f32::atan2, 4), ("hypot", f32::hypot, 2), ("log", f32::log, 6)];
    let mut failed = Vec::new();
    for (op, rust, steps) in close {
        let checked = std::panic::catch_unwind(AssertUnwindSafe(|| f(op, steps).two(&all, |a, b| Ok(rust(a, b)))));
        failed.extend(checked.is_err().then_some(op));
    }
    assert!(failed.is_empty(), "{failed:?}");
}
