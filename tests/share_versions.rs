//! Calls inside of annotated functions see each change of a vector, and fetch nothing again that has not changed.

use forall::{Backend, DistVec, Runtime, Settings, distributed_scan, distributed_sort, foreach, kary_reduce};
use forall_core::comm::Local;
use forall_core::node::Serial;
use forall_core::runtime::{Context, current, install};
use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use std::panic::catch_unwind;
use std::sync::Arc;

fn on_ranks<R: Send>(ranks: usize, program: impl Fn() -> R + Sync) -> Vec<R> {
    with_settings(&Settings::default(), ranks, program)
}

fn with_settings<R: Send>(settings: &Settings, ranks: usize, program: impl Fn() -> R + Sync) -> Vec<R> {
    Local::run(ranks, |comm| {
        let _installed = install(Context::new(Box::new(comm), Arc::new(Serial), settings.clone()));
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
fn smooth(x: &[u32], y: &mut [u32]) {
    for i in 1..x.len() - 1 {
        y[i] = x[i - 1].wrapping_add(x[i + 1].wrapping_mul(3));
    }
}

#[foreach]
fn picked(#[gather] x: &[u32], at: &[u32], y: &mut [u32]) {
    for i in 0..y.len() {
        y[i] = x[at[i] as usize % x.len()].wrapping_add(y[i]);
    }
}

#[foreach]
fn raised(x: &mut [u32], by: u32) {
    for i in 0..x.len() {
        x[i] = x[i].wrapping_add(by + i as u32);
    }
}

/// A call inside of a call.
#[foreach]
fn twice(x: &mut [u32], y: &mut [u32], by: u32) {
    smooth(&*x, y);
    raised(x, by);
    smooth(&*x, y);
    for i in 0..y.len() {
        y[i] = y[i].wrapping_add(by);
    }
}

#[foreach]
fn between_loops(x: &mut [u32], y: &mut [u32]) {
    smooth(&*x, y);
    for i in 0..x.len() {
        x[i] += 1;
    }
    smooth(&*x, y);
}

#[foreach]
fn back_and_forth(x: &mut [u32], y: &mut [u32]) {
    for i in 0..x.len() {
        y[i] = 0;
    }
    #[sequential]
    for _ in 0..3 {
        smooth(&*x, y);
        smooth(&*y, x);
    }
}

/// Indices that change between two gathers.
#[foreach]
fn other_indices(x: &[u32], at: &mut [u32], y: &mut [u32]) {
    picked(x, &*at, y);
    for i in 0..at.len() {
        at[i] = at[i] * 5 + 1;
    }
    picked(x, &*at, y);
}

#[foreach]
fn by_halves(x: &mut [u32], y: &mut [u32], at: usize, by: u32) {
    smooth(&*x, y);
    let (a, b) = x.split_at_mut(at);
    for i in 0..a.len() {
        a[i] = a[i].wrapping_add(by);
    }
    for i in 0..b.len() {
        b[i] = b[i].wrapping_mul(by);
    }
    smooth(&*x, y);
}

#[foreach]
fn halves_called(x: &mut [u32], y: &mut [u32], by: u32) {
    smooth(&*x, y);
    for i in 0..y.len() {
        y[i] = y[i].wrapping_add(by);
    }
    let (a, b) = x.split_at_mut(15);
    smooth(&*a, b);
    raised(a, by);
    smooth(&*a, b);
    raised(b, by);
    for i in 0..a.len() {
        a[i] = a[i].wrapping_mul(by);
    }
    smooth(&*b, a);
    smooth(&*x, y);
}

#[foreach]
fn halves_read(x: &mut [u32], y: &mut [u32], at: usize) {
    smooth(&*x, y);
    let (a, b) = x.split_at(at);
    for i in 0..a.len() {
        y[i] = y[i].wrapping_add(a[a.len() - 1 - i]);
    }
    for i in 0..b.len() {
        y[i] = y[i].wrapping_add(b[b.len() - 1 - i]);
    }
    smooth(&*x, y);
}

#[distributed_sort]
fn sorted(x: &mut [u32]) {
    x.sort();
}

#[distributed_scan]
fn summed(x: &mut [u32]) {
    let mut sum = 0_u32;
    for i in 0..x.len() {
        sum = sum.wrapping_add(x[i]);
        x[i] = sum;
    }
}

#[foreach]
fn spread(at: &[u32], y: &[u32], #[scatter] x: &mut [u32]) {
    for i in 0..y.len() {
        x[at[i] as usize % 30] = y[i];
    }
}

#[kary_reduce]
fn counted(at: &[u32], x: &mut [u32]) {
    for i in 0..at.len() {
        x[at[i] as usize % 30] += 1;
    }
}

/// Unchanged elements are fetched once.
#[foreach]
fn unchanged(x: &mut [u32], y: &mut [u32], steps: usize) {
    for i in 0..y.len() {
        y[i] = 0;
    }
    #[sequential]
    for _ in 0..steps {
        smooth(&*x, y);
    }
}

/// Does what the numbers say.
#[foreach]
fn does(x: &mut [u32], y: &mut [u32], at: &mut [u32], #[replicated] steps: &[[usize; 3]], #[replicated] whole: &[u32]) {
    #[sequential]
    for k in 0..steps.len() {
        let [what, a, b] = steps[k];
        if what == 0 {
            smooth(&*x, y);
        }
        if what == 1 {
            smooth(&*y, x);
        }
        if what == 2 {
            picked(&*x, &*at, y);
        }
        if what == 3 {
            raised(x, a as u32);
        }
        if what == 4 {
            x.fill(b as u32);
        }
        if what == 5 {
            x.copy_from_slice(whole);
        }
        if what == 6 {
            x.swap_with_slice(y);
        }
        if what == 7 {
            x[a] = b as u32;
        }
        if what == 8 {
            x[a] += b as u32;
        }
        if what == 9 {
            for i in 0..x.len() {
                x[i] = x[i].wrapping_add(b as u32);
            }
        }
        if what == 10 {
            twice(x, y, b as u32);
        }
        if what == 11 {
            by_halves(x, y, a, b as u32);
        }
        if what == 12 {
            raised(at, b as u32);
        }
        if what == 13 {
            at[a] = b as u32;
        }
        if what == 14 {
            x[a..].fill(b as u32);
        }
        if what == 15 {
            x.copy_from_slice(y);
        }
        if what == 16 {
            x.swap(a, 0);
        }
        if what == 17 {
            for i in a..x.len() {
                x[i - a] = x[i - a].wrapping_mul(3);
            }
        }
        if what == 18 {
            sorted(x);
        }
        if what == 19 {
            summed(x);
        }
        if what == 20 {
            spread(&*at, &*y, x);
        }
        if what == 21 {
            counted(&*at, x);
        }
        if what == 22 {
            halves_called(x, y, b as u32);
        }
        if what == 23 {
            halves_read(x, y, a);
        }
        if what == 24 {
            x[a..a + 1].copy_from_slice(&whole[b..b + 1]);
        }
        if what == 25 {
            let sum = x[a].wrapping_add(x[b]).wrapping_add(x[x.len() - 1]);
            y[a] = sum.wrapping_add(x[b..6].iter().fold(0, |sum, x| sum ^ x));
        }
        if what == 26 {
            let all = x.to_vec();
            y[a] = all[a].wrapping_mul(all[b]);
        }
        if what == 27 {
            back_and_forth(x, y);
        }
    }
}

const KINDS: usize = 28;
const N: usize = 30;

/// Two vectors, and one of indices between them.
type Plain = [Vec<u32>; 3];

fn begin() -> Plain {
    let of = |f: fn(u32) -> u32| (0..N as u32).map(f).collect();
    [of(|i| i * i), of(|i| i * 7 % N as u32), of(|_| 0)]
}

/// The vectors after each call of a sequential function. This calls annotated ones, so that it runs outside of the ranks.
fn expected(calls: usize, plain: impl Fn(usize, &mut [u32], &mut [u32], &mut [u32])) -> Vec<Plain> {
    let mut now = begin();
    let each = (0..calls).map(|number| {
        let [x, at, y] = &mut now;
        plain(number, x, at, y);
        now.clone()
    });
    each.collect()
}

/// Makes the same calls on a rank, and compares the vectors after each.
fn compare(
    expected: &[Plain],
    call: impl Fn(usize, &mut DistVec<u32>, &mut DistVec<u32>, &mut DistVec<u32>),
    looks: impl Fn(usize) -> bool,
) {
    let [mut x, mut at, mut y] = begin().map(|plain| DistVec::from_global(&plain));
    for (number, expected) in expected.iter().enumerate() {
        call(number, &mut x, &mut at, &mut y);
        if looks(number) {
            assert_eq!([x.to_all(), at.to_all(), y.to_all()], *expected, "call {number}");
        }
    }
}

#[foreach]
fn shifted(x: &[f64], y: &mut [f64], by: usize) {
    for i in by..x.len() {
        y[i] = x[i - by] + 0.5 * y[i];
    }
}

/// Long halos go from where they lie to where they belong.
#[foreach]
fn shifted_often(x: &mut [f64], y: &mut [f64], by: usize) {
    for i in 0..y.len() {
        y[i] = i as f64;
    }
    #[sequential]
    for step in 0..3 {
        shifted(&*x, y, by);
        for i in 0..x.len() {
            x[i] += step as f64;
        }
        shifted(&*y, x, by);
    }
}

#[test]
fn long_halos_and_short_vectors() {
    for (n, by) in [(0, 1), (1, 1), (5, 2), (120_000, 20_000)] {
        let start: Vec<f64> = (0..n).map(|i| (i % 17) as f64).collect();
        let (mut plain_x, mut plain_y) = (start.clone(), vec![0.0; n]);
        shifted_often::sequential(&mut plain_x, &mut plain_y, by);
        for ranks in [2, 3, 7] {
            on_ranks(ranks, || {
                let (mut x, mut y) = (DistVec::from_global(&start), DistVec::zeroed(n));
                shifted_often(&mut x, &mut y, by);
                assert!(x.to_all() == plain_x && y.to_all() == plain_y, "{n} elements on {ranks} ranks");
            });
        }
    }
}

#[kary_reduce]
fn weighed(x: &[u32], #[gather] at: &[u32]) -> u32 {
    let mut sum = 0_u32;
    for i in 0..x.len() {
        sum = sum.wrapping_add(x[i].wrapping_mul(at[i * 7 % at.len()]));
    }
    sum
}

#[foreach]
fn inner(x: &mut [u32], y: &mut [u32]) {
    smooth(&*x, y);
    summed(x);
    for i in 0..x.len() {
        x[i] %= 1024;
    }
    smooth(&*x, y);
}

#[foreach]
fn middle(x: &mut [u32], y: &mut [u32], at: &mut [u32]) {
    smooth(&*x, y);
    inner(x, y);
    smooth(&*x, y);
    inner(y, x);
    let before = weighed(&*x, &*at);
    at[2] += 1;
    x[1] = weighed(&*x, &*at).wrapping_add(before);
    for i in 0..at.len() {
        at[i] = at[i] * 3 % 31;
    }
    y[1] = weighed(&*y, &*at);
    smooth(&*x, y);
}

#[foreach]
fn outermost(x: &mut [u32], y: &mut [u32], at: &mut [u32]) {
    for i in 0..y.len() {
        y[i] = y[i].wrapping_add(1);
    }
    #[sequential]
    for _ in 0..3 {
        middle(x, y, at);
        middle(y, x, at);
        x[4] = 3;
    }
}

#[test]
fn calls_in_calls_in_calls() {
    let expected = expected(2, |_, x, at, y| outermost::sequential(x, y, at));
    for ranks in [1, 2, 3, 4, 7] {
        on_ranks(ranks, || compare(&expected, |_, x, at, y| outermost(x, y, at), |_| true));
    }
}

/// `FORALL_VERIFY` runs the sequential function on whole vectors. The calls inside it must not take these for shares.
#[test]
fn verified_calls_raise_no_alarm() {
    let settings = Settings { verify: true, ..Settings::default() };
    let nested = expected(2, |_, x, at, y| outermost::sequential(x, y, at));
    let kinds = expected(10, each_kind_plain);
    for ranks in [1, 2, 3, 7] {
        with_settings(&settings, ranks, || {
            compare(&nested, |_, x, at, y| outermost(x, y, at), |_| true);
            compare(&kinds, each_kind, |_| true);
        });
    }
}

fn each_kind(number: usize, x: &mut DistVec<u32>, at: &mut DistVec<u32>, y: &mut DistVec<u32>) {
    match number % 5 {
        0 => between_loops(x, y),
        1 => back_and_forth(x, y),
        2 => other_indices(x, at, y),
        3 => by_halves(x, y, 13, 5),
        _ => twice(x, y, 9),
    }
}

fn each_kind_plain(number: usize, x: &mut [u32], at: &mut [u32], y: &mut [u32]) {
    match number % 5 {
        0 => between_loops::sequential(x, y),
        1 => back_and_forth::sequential(x, y),
        2 => other_indices::sequential(x, at, y),
        3 => by_halves::sequential(x, y, 13, 5),
        _ => twice::sequential(x, y, 9),
    }
}

#[test]
fn changes_between_calls_are_seen() {
    let expected = expected(10, each_kind_plain);
    for ranks in [1, 2, 3, 4, 7] {
        on_ranks(ranks, || compare(&expected, each_kind, |_| true));
    }
}

#[test]
fn vectors_that_do_not_change_are_fetched_once() {
    for ranks in [2, 3, 4, 7] {
        on_ranks(ranks, || {
            let n = 20_000 * ranks;
            let (mut x, mut y) = (DistVec::from_fn(n, |i| i as u32), DistVec::zeroed(n));
            // From the third call on, a word is enough to agree.
            let mut bytes = |steps: usize| sent(|| unchanged(&mut x, &mut y, steps));
            bytes(3);
            let (few, many) = (bytes(3), bytes(9));
            assert_eq!(few, many, "on {ranks}");
        });
    }
}

fn steps() -> impl Strategy<Value = Vec<[usize; 3]>> {
    proptest::collection::vec((0..KINDS, 0..N, 0..5_usize).prop_map(|(what, a, b)| [what, a, b]), 1..12)
}

fn whole() -> Vec<u32> {
    (0..N as u32).map(|i| i * 11).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { rng_seed: RngSeed::Fixed(1), cases: 200, ..ProptestConfig::default() })]

    #[test]
    fn whatever_changes_is_seen(calls in proptest::collection::vec(steps(), 1..5), ranks in 0..5_usize) {
        let expected = expected(calls.len(), |number, x, at, y| does::sequential(x, y, at, &calls[number], &whole()));
        on_ranks([1, 2, 3, 4, 7][ranks], || {
            compare(&expected, |number, x, at, y| does(x, y, at, &calls[number], &whole()), |_| true);
        });
    }
}

/// On a device, whose copy of a share changes while nothing looks at it.
#[test]
fn changes_on_a_device_are_seen() {
    let settings = Settings { backend: Backend::Gpu, ..Settings::from_env().unwrap() };
    let there = Runtime::builder().settings(Settings { require_gpu: false, ..settings.clone() });
    if catch_unwind(|| there.run(forall::rank)).is_err() {
        assert!(!settings.require_gpu);
        eprintln!("SKIPPED: there is no graphics processor");
        return;
    }
    // Each kind of step, between calls that fetch.
    let calls: Vec<Vec<[usize; 3]>> =
        (0..KINDS).map(|what| vec![[0, 0, 0], [2, 0, 0], [what, 17, 3], [0, 0, 0], [2, 0, 0], [1, 0, 0]]).collect();
    let each_step = expected(KINDS, |number, x, at, y| does::sequential(x, y, at, &calls[number], &whole()));
    let each_kind_plain = expected(5, each_kind_plain);
    for ranks in [1, 3] {
        Runtime::builder().settings(settings.clone()).ranks(ranks).run(|| {
            compare(&each_kind_plain, each_kind, |number| number == 4);
            compare(&each_step, |number, x, at, y| does(x, y, at, &calls[number], &whole()), |number| number % 4 == 3);
        });
    }
}
