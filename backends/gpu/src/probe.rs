//! What a device computes as Rust does, by trial.

use crate::Gpu;
use crate::library::Native;
use forall_core::device::{Array, Launch, Part, Program, Type};

const SINGLE: Program = probe(
    "fn fa_iteration(p: u32) {
  let a = fa_load_0(p); let b = fa_load_0(p + 1u);
  fa_store_1(2u * p, a / b); fa_store_1(2u * p + 1u, sqrt(a));
}",
    &[Array { element: Type::F32, writes: false }, Array { element: Type::F32, writes: true }],
);

const DOUBLE: Program =
    probe(SINGLE.source, &[Array { element: Type::F64, writes: false }, Array { element: Type::F64, writes: true }]);

const fn probe(source: &'static str, arrays: &'static [Array]) -> Program {
    Program { name: "probe", source, arrays, ..Program::EMPTY }
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
    let native = Native { single, double, long: gpu.long() };
    tracing::debug!(?native, "what the device rounds to the nearest");
    native
}

fn part<T>(all: &mut [T]) -> Part<'static> {
    Part { address: all.as_mut_ptr().cast(), first: 0, count: all.len(), len: all.len(), share: None }
}

/// Whether the device did it.
fn run(gpu: &Gpu, program: &'static Program, arrays: &[Part<'_>]) -> bool {
    let launch = Launch {
        program,
        positions: 0..COUNT,
        arrays,
        proved: true,
        overflow: false,
        values: &[],
        tables: &[],
        bins: &[],
        state: None,
        totals: None,
    };
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

    /// What the library does where the device does not round to the nearest.
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
                gpu.native.set(Native { single: false, double: false, long: false }).unwrap();
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
