//! The operations that a device computes as Rust does, and the ways in which it runs kernels, by trial.

use crate::gpu::Gpu;
use crate::library::Native;
use crate::ways::{LookBack, Ways};
use forall_core::device::{Array, Launch, Part, Program, Touched, Type};

const SINGLE: Program = probe(
    "fn fa_iteration(p: u32) {
  let a = fa_load_0(p); let b = fa_load_0(p + 1u);
  fa_store_1(2u * p, a / b); fa_store_1(2u * p + 1u, sqrt(a));
}",
    &[Array { element: Type::F32, writes: false }, Array { element: Type::F32, writes: true }],
);

const DOUBLE: Program =
    probe(SINGLE.source, &[Array { element: Type::F64, writes: false }, Array { element: Type::F64, writes: true }]);

/// A program that reads the first array and writes the second.
const fn probe(source: &'static str, arrays: &'static [Array]) -> Program {
    const TOUCHED: [Touched; 2] = [Touched { loads: &[0], stores: &[] }, Touched { loads: &[0], stores: &[1] }];
    Program { name: "probe", source, arrays, touched: &TOUCHED, ..Program::EMPTY }
}

static PROBES: [Program; 2] = [SINGLE, DOUBLE];

/// How many quotients and roots are tried.
const COUNT: usize = 4096;

/// Whether the device rounds quotients and square roots to the nearest.
pub(crate) fn native(gpu: &Gpu) -> Native {
    // Numbers of many sizes; the sequence is the same each time.
    let mut bits = 1_u64;
    let numbers: Vec<f64> = (0..=COUNT)
        .map(|_| {
            bits = bits.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let exponent = (bits >> 33) % 40;
            ((bits >> 11) as f64) * 2_f64.powi(exponent as i32 - 73)
        })
        .collect();
    let mut short: Vec<f32> = numbers.iter().map(|number| *number as f32).collect();
    let mut long = numbers;
    let mut out = vec![0.0_f32; 2 * COUNT];
    let parts = [part(&mut short), part(&mut out)];
    let single = run(gpu, &PROBES[0], &parts)
        && out.chunks_exact(2).enumerate().all(|(p, found)| found == [short[p] / short[p + 1], short[p].sqrt()]);
    let mut out = vec![0.0_f64; 2 * COUNT];
    let parts = [part(&mut long), part(&mut out)];
    let double = run(gpu, &PROBES[1], &parts)
        && out.chunks_exact(2).enumerate().all(|(p, found)| found == [long[p] / long[p + 1], long[p].sqrt()]);
    let native = Native { single, double, zero: true, long: gpu.processor.long() };
    tracing::debug!(?native, "what the device computes as Rust does");
    native
}

/// Its zeros are not written as those of programs, which are looked for.
static ZEROS: Program = Program {
    source: "fn fa_iteration(p: u32) {
  let a = fa_load_0(p);
  fa_store_1(4u * p, a + 0f); fa_store_1(4u * p + 1u, 0f + a);
  fa_store_1(4u * p + 2u, 0f - a); fa_store_1(4u * p + 3u, a * 0f);
}",
    ..SINGLE
};

/// Whether a zero that is written counts where it is added, or is a factor.
pub(crate) fn keeps_zeros(gpu: &Gpu) -> bool {
    let mut numbers = [0.0_f32, -0.0, 1.0, -1.0];
    let mut out = [7.0_f32; 16];
    let launch = Launch { arrays: &[part(&mut numbers), part(&mut out)], ..launch(&ZEROS, numbers.len()) };
    // SAFETY: the parts are the arrays above, of the types that the program has.
    let ran = unsafe { gpu.launch(&launch) }.is_ok_and(|outcome| outcome.raised.is_none());
    let right = |(a, found): (&f32, &[f32])| {
        let wanted = [a + 0.0, 0.0 + a, 0.0 - a, a * 0.0];
        found.iter().zip(wanted).all(|(found, wanted)| found.to_bits() == wanted.to_bits())
    };
    ran && numbers.iter().zip(out.chunks_exact(4)).all(right)
}

/// `x = a * x + b`, whose order matters, with a value for each position: it uses all parts of folds.
const RECURRENCE: Program = Program {
    state: &[Type::U32, Type::U32],
    running: true,
    ..probe(
        "struct State { f0: u32, f1: u32 }
fn fa_identity() -> State { return State(1u, 0u); }
fn fa_merge(earlier: State, later: State) -> State {
  return State(later.f0 * earlier.f0, later.f0 * earlier.f1 + later.f1);
}
fn fa_advance(value: State, chunk: State) -> State { return State(1u, chunk.f0 * value.f1 + chunk.f1); }
fn fa_total(p: u32, s: ptr<function, State>) { *s = fa_merge(*s, State(2u * p + 1u, fa_load_0(p))); }
fn fa_iteration(p: u32, s: ptr<function, State>) {
  (*s).f1 = (2u * p + 1u) * (*s).f1 + fa_load_0(p);
  fa_store_1(p, (*s).f1);
}",
        &[Array { element: Type::U32, writes: false }, Array { element: Type::U32, writes: true }],
    )
};

/// Sums, which are exact in any order.
const SUMS: Program = Program {
    state: &[Type::U32],
    running: true,
    commutative: true,
    ..probe(
        "struct State { f0: u32 }
fn fa_identity() -> State { return State(0u); }
fn fa_merge(earlier: State, later: State) -> State { return State(earlier.f0 + later.f0); }
fn fa_advance(value: State, chunk: State) -> State { return fa_merge(value, chunk); }
fn fa_total(p: u32, s: ptr<function, State>) { (*s).f0 += fa_load_0(p); }
fn fa_iteration(p: u32, s: ptr<function, State>) { (*s).f0 += fa_load_0(p); fa_store_1(p, (*s).f0); }",
        RECURRENCE.arrays,
    )
};

static FOLDS: [Program; 2] = [RECURRENCE, SUMS];

/// The ways that work on this device. On one that is simulated there is nothing to gain.
pub(crate) fn ways(gpu: &Gpu) -> Ways {
    let mut ways = Ways::ALL;
    let subgroups = Ways { subgroups: true, ..ways };
    if !gpu.processor.simulated && gpu.has(subgroups) && folds(gpu, subgroups) {
        ways = subgroups;
    }
    let look_back = Ways { look_back: LookBack::Yes, ..ways };
    // Several times, as it depends on the moment.
    let shy = Ways { look_back: LookBack::Shy, ..ways };
    if gpu.processor.discrete && folds(gpu, shy) && (0..3).all(|_| folds(gpu, look_back)) {
        ways = look_back;
    }
    tracing::debug!(?ways, "in which kernels run");
    ways
}

/// Whether folds are right in these ways: of few positions and of many, at the edges of tiles.
fn folds(gpu: &Gpu, ways: Ways) -> bool {
    let counts = [1, 100, 1 << 16, (1 << 21) - 1];
    let tried = FOLDS.iter().flat_map(|program| counts.map(|count| (program, count)));
    tried.into_iter().all(|(program, count)| {
        let mut x: Vec<u32> = (0..count as u32).map(|i| i.wrapping_mul(2_654_435_761)).collect();
        let mut out = vec![0; count];
        let launch = Launch { arrays: &[part(&mut x), part(&mut out)], ..launch(program, count) };
        // SAFETY: the parts are the vectors above, of the types that the program has.
        let ran = unsafe { gpu.launch_in(ways, &launch) }.is_ok_and(|outcome| outcome.raised.is_none());
        let mut value = 0_u32;
        let right = x.iter().zip(&out).zip(0_u32..).all(|((x, out), p)| {
            let factor = if program.commutative { 1 } else { 2 * p + 1 };
            value = value.wrapping_mul(factor).wrapping_add(*x);
            value == *out
        });
        ran && right
    })
}

fn part<T>(all: &mut [T]) -> Part<'static> {
    Part {
        address: all.as_mut_ptr().cast(),
        first: 0,
        count: all.len(),
        len: all.len(),
        share: None,
        sparse: None,
        whole: false,
    }
}

fn launch(program: &'static Program, count: usize) -> Launch<'static> {
    Launch {
        program,
        positions: 0..count,
        arrays: &[],
        proved: true,
        overflow: false,
        values: &[],
        tables: &[],
        bins: &[],
        state: None,
        totals: None,
        timed: false,
    }
}

/// Whether the device did it.
fn run(gpu: &Gpu, program: &'static Program, arrays: &[Part<'_>]) -> bool {
    let launch = Launch { arrays, ..launch(program, COUNT) };
    // SAFETY: the parts are vectors of the caller, of the types that the program has.
    unsafe { gpu.launch(&launch) }.is_ok_and(|outcome| outcome.raised.is_none())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Choice;
    use forall_core::node::Serial;

    const FAR: &str = "fn fa_iteration(p: u32) {
        let a = fa_load_0(p); let b = fa_load_1(p);
        fa_store_2(2u * p, fa_div_TYPE(a, b)); fa_store_2(2u * p + 1u, fa_sqrt_TYPE(a));
    }";

    /// The functions of the library for devices that do not round to the nearest.
    macro_rules! far {
        ($test:ident $type:ident $bits:ident $name:ident) => {
            #[test]
            fn $test() {
                let Ok(gpu) = Gpu::open(Box::new(Serial), &Choice::LocalRank(0)) else {
                    assert_ne!(
                        std::env::var("FORALL_REQUIRE_GPU").as_deref(),
                        Ok("1"),
                        "there is no graphics processor"
                    );
                    eprintln!("SKIPPED: there is no graphics processor");
                    return;
                };
                gpu.native.set(Native { single: false, double: false, zero: false, long: false }).unwrap();
                let array = |writes| Array { element: Type::$name, writes };
                let arrays: &'static [Array] = vec![array(false), array(false), array(true)].leak();
                let source: &'static str = FAR.replace("TYPE", stringify!($type)).leak();
                let program: &'static Program = Box::leak(Box::new(probe(source, arrays)));
                let tiny = $type::MIN_POSITIVE;
                let mut some: Vec<$type> = vec![
                    0.0,
                    1.0,
                    2.0,
                    3.0,
                    0.1,
                    7.25,
                    1e10,
                    tiny,
                    tiny / 8.0,
                    tiny * 1.5,
                    $type::MAX,
                    $type::INFINITY,
                    $type::NAN,
                    1.0 + $type::EPSILON,
                    1.0 - $type::EPSILON / 2.0,
                ];
                some.extend(some.clone().iter().map(|a| -a));
                let mut bits: $bits = 1;
                for _ in 0..100 {
                    bits = bits.wrapping_mul(0x5851_f42d_4c95_7f2d_u64 as $bits).wrapping_add(0x1405_7b7f);
                    some.push($type::from_bits(bits));
                }
                let (mut a, mut b): (Vec<$type>, Vec<$type>) =
                    some.iter().flat_map(|a| some.iter().map(move |b| (*a, *b))).unzip();
                let mut out: Vec<$type> = vec![5.0; 2 * a.len()];
                let parts = [part(&mut a), part(&mut b), part(&mut out)];
                let launch = Launch {
                    program,
                    positions: 0..a.len(),
                    arrays: &parts,
                    proved: false,
                    overflow: true,
                    values: &[],
                    tables: &[],
                    bins: &[],
                    state: None,
                    totals: None,
                    timed: false,
                };
                // SAFETY: the parts are this test's vectors.
                assert_eq!(unsafe { gpu.launch(&launch) }.unwrap().raised, None);
                for (p, found) in out.chunks_exact(2).enumerate() {
                    let (a, b) = (a[p], b[p]);
                    for (found, wanted) in found.iter().zip([a / b, a.sqrt()]) {
                        let same = found.to_bits() == wanted.to_bits() || (found.is_nan() && wanted.is_nan());
                        assert!(same, "{a:e} {b:e}: {found:e}, not {wanted:e}");
                    }
                }
            }
        };
    }

    far!(quotients_and_roots_by_integers f32 u32 F32);
    far!(long_quotients_and_roots_by_integers f64 u64 F64);
}
