//! Random vectors, cut at random places over random ranks, threads and chunk lengths, against the sequential twins.
//!
//! The corpus runs many loops on a few plans; here a few loops, one of each class, run on many plans. The seed is fixed:
//! a run today and a run tomorrow try the same cases. `PROPTEST_CASES=5000` tries more of them.

use forall::{DistVec, distributed_scan, foreach, foreach_tls, kary_reduce};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use std::fmt::Debug;
use std::ops::Range;

/// Inclusive and exclusive running totals, and the total.
#[distributed_scan]
fn totals(x: &[i64], inclusive: &mut [i64], exclusive: &mut [i64]) -> i64 {
    let mut sum = 0;
    for i in 0..x.len() {
        exclusive[i] = sum;
        sum += x[i];
        inclusive[i] = sum;
    }
    sum
}

/// The largest so far, from the end.
#[distributed_scan]
fn largest_after(x: &[i64], out: &mut [i64]) {
    let mut most = i64::MIN;
    for i in (0..x.len()).rev() {
        most = most.max(x[i]);
        out[i] = most;
    }
}

/// Running totals that start again where a flag says so.
#[distributed_scan]
fn segmented(x: &[i64], starts: &[bool], out: &mut [i64]) {
    let mut sum = 0;
    for i in 0..x.len() {
        if starts[i] {
            sum = 0;
        }
        sum += x[i];
        out[i] = sum;
    }
}

/// A linear recurrence whose coefficients keep the numbers small.
#[distributed_scan]
fn recurrence(a: &[i64], x: &[i64], out: &mut [i64]) {
    let mut y = 1;
    for i in 0..x.len() {
        y = a[i] * y + x[i];
        out[i] = y;
    }
}

/// Four operators at once.
#[kary_reduce(k = 3)]
fn reductions(x: &[i64]) -> (i64, i64, i64, bool) {
    let (mut sum, mut least, mut bits, mut any) = (0, i64::MAX, 0, false);
    for v in x {
        sum += v;
        least = least.min(*v);
        bits ^= v;
        any = any || *v == 3;
    }
    (sum, least, bits, any)
}

/// The first of the largest, and the last of the smallest.
#[kary_reduce]
fn extremes(x: &[i64]) -> (i64, usize, i64, usize) {
    let (mut most, mut first) = (i64::MIN, usize::MAX);
    let (mut least, mut last) = (i64::MAX, usize::MAX);
    for i in 0..x.len() {
        if x[i] > most {
            most = x[i];
            first = i;
        }
        if x[i] <= least {
            least = x[i];
            last = i;
        }
    }
    (most, first, least, last)
}

/// How often each value comes.
#[kary_reduce]
fn counts(x: &[i64]) -> [u32; 11] {
    let mut counts = [0; 11];
    for v in x {
        counts[(*v + 5) as usize] += 1;
    }
    counts
}

/// Sums over neighbours, as many as asked for on each side.
#[foreach]
fn neighbours(x: &[i64], radius: usize, out: &mut [i64]) {
    for i in radius..x.len().saturating_sub(radius) {
        let mut sum = 0;
        for j in i - radius..=i + radius {
            sum += x[j];
        }
        out[i] = sum;
    }
}

/// Writes what other ranks may own.
#[foreach]
fn moved(x: &[i64], by: usize, out: &mut [i64]) {
    for i in 0..x.len() {
        out[i + by] = x[i];
    }
}

/// The last value and the sum of each key, and the last of each two values.
#[foreach]
fn scattered(
    x: &[i64],
    keys: usize,
    #[scatter] last: &mut [i64],
    #[scatter] sum: &mut [i64],
    #[scatter] second: &mut [i64],
) {
    for i in 0..x.len() {
        let key = (x[i].unsigned_abs() as usize * 7919 + i / 3) % keys;
        last[key % last.len()] = x[i];
        sum[key] += x[i];
        second[i / 2] = x[i];
    }
}

/// Any number of pushes an iteration.
#[foreach_tls]
fn repeated(x: &[i64], out: &mut Vec<[i64; 2]>) -> usize {
    let mut skipped = 0;
    for i in 0..x.len() {
        if x[i] < 0 {
            skipped += 1;
            continue;
        }
        for k in 0..x[i] {
            out.push([i as i64, k]);
        }
    }
    skipped
}

/// The sum of floats, which depends on the order.
#[kary_reduce]
fn sum_of_floats(x: &[f32]) -> f32 {
    let mut sum = 0.0;
    for v in x {
        sum += v * v;
    }
    sum
}

/// Where and how a loop runs.
#[derive(Debug, Clone)]
struct Plan {
    threads: usize,
    grain: usize,
    /// Where each of two vectors is cut, in thousandths; one cut fewer than ranks.
    cuts: Vec<(usize, usize)>,
}

fn plans() -> impl Strategy<Value = Plan> {
    (1..=3usize, 1..=300usize, vec((0..=1000usize, 0..=1000usize), 0..=5)).prop_map(|(threads, grain, cuts)| Plan {
        threads,
        grain,
        cuts,
    })
}

fn values() -> impl Strategy<Value = Vec<i64>> {
    vec(-5..=5i64, 0..1200)
}

impl Plan {
    fn ranks(&self) -> usize {
        self.cuts.len() + 1
    }

    /// Runs on every rank; all must return the same.
    fn run<R: Send + PartialEq + Debug>(&self, program: impl Fn() -> R + Sync) -> R {
        let builder = forall::Runtime::builder().ranks(self.ranks()).threads(self.threads).grain(self.grain);
        let mut results = builder.run(program);
        let first = results.swap_remove(0);
        assert!(results.iter().all(|result| *result == first), "the ranks' results differ: {first:?} and {results:?}");
        first
    }

    /// This rank's part of a vector, cut at the first or the second of the places.
    fn part<T: forall::Element>(&self, whole: &[T], second: bool) -> DistVec<T> {
        let mut cuts: Vec<usize> = self.cuts.iter().map(|cut| if second { cut.1 } else { cut.0 }).collect();
        cuts.extend([0, 1000]);
        cuts.sort_unstable();
        let at = |cut: usize| whole.len() * cuts[cut] / 1000;
        let range: Range<usize> = at(forall::rank())..at(forall::rank() + 1);
        DistVec::from_local(whole[range].to_vec())
    }
}

fn config() -> ProptestConfig {
    ProptestConfig {
        rng_seed: RngSeed::Fixed(0x5eed),
        failure_persistence: None,
        ..ProptestConfig::with_cases(std::env::var("PROPTEST_CASES").ok().and_then(|n| n.parse().ok()).unwrap_or(256))
    }
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn scans(plan in plans(), x in values()) {
        let mut expected = (vec![0; x.len()], vec![0; x.len()], vec![0; x.len()]);
        let total = totals::sequential(&x, &mut expected.0, &mut expected.1);
        largest_after::sequential(&x, &mut expected.2);
        let found = plan.run(|| {
            let zeros = vec![0; x.len()];
            let mine = plan.part(&x, false);
            let (mut a, mut b, mut c) = (plan.part(&zeros, false), plan.part(&zeros, true), plan.part(&zeros, true));
            let total = totals(&mine, &mut a, &mut b);
            largest_after(&mine, &mut c);
            (total, (a.to_all(), b.to_all(), c.to_all()))
        });
        prop_assert_eq!(found, (total, expected));
    }

    #[test]
    fn segmented_scans_and_recurrences(plan in plans(), x in values(), rare in 1..40i64) {
        let starts: Vec<bool> = x.iter().enumerate().map(|(i, v)| (i as i64 * 7 + v) % rare == 0).collect();
        let a: Vec<i64> = x.iter().map(|v| v % 2).collect();
        let mut expected = (vec![0; x.len()], vec![0; x.len()]);
        segmented::sequential(&x, &starts, &mut expected.0);
        recurrence::sequential(&a, &x, &mut expected.1);
        let found = plan.run(|| {
            let zeros = vec![0; x.len()];
            let (mine, starts, a) = (plan.part(&x, false), plan.part(&starts, true), plan.part(&a, true));
            let (mut sums, mut y) = (plan.part(&zeros, true), plan.part(&zeros, false));
            segmented(&mine, &starts, &mut sums);
            recurrence(&a, &mine, &mut y);
            (sums.to_all(), y.to_all())
        });
        prop_assert_eq!(found, expected);
    }

    #[test]
    fn reduces_and_ties_and_histograms(plan in plans(), x in values()) {
        let expected = (reductions::sequential(&x), extremes::sequential(&x), counts::sequential(&x));
        let found = plan.run(|| {
            let mine = plan.part(&x, false);
            (reductions(&mine), extremes(&mine), counts(&mine))
        });
        prop_assert_eq!(found, expected);
    }

    #[test]
    fn maps_with_halos(plan in plans(), x in values(), radius in 0..400usize) {
        let mut expected = x.clone();
        neighbours::sequential(&x, radius, &mut expected);
        let found = plan.run(|| {
            let mut out = plan.part(&x, true);
            neighbours(&plan.part(&x, false), radius, &mut out);
            out.to_all()
        });
        prop_assert_eq!(found, expected);
    }

    #[test]
    fn writes_to_other_ranks(plan in plans(), x in values(), by in 0..400usize) {
        let blank = vec![9; x.len() + by];
        let mut expected = blank.clone();
        moved::sequential(&x, by, &mut expected);
        let found = plan.run(|| {
            let mut out = plan.part(&blank, true);
            moved(&plan.part(&x, false), by, &mut out);
            out.to_all()
        });
        prop_assert_eq!(found, expected);
    }

    #[test]
    fn scattered_values_come_in_order(plan in plans(), x in values(), keys in 1..6000usize) {
        let blank = [vec![9; keys / 2 + 1], vec![7; keys], vec![5; x.len().div_ceil(2)]];
        let [mut last, mut sum, mut second] = blank.clone();
        scattered::sequential(&x, keys, &mut last, &mut sum, &mut second);
        let found = plan.run(|| {
            let [mut last, mut sum, mut second] = [(0, true), (1, false), (2, true)].map(|(k, second)| plan.part(&blank[k], second));
            scattered(&plan.part(&x, false), keys, &mut last, &mut sum, &mut second);
            (last.to_all(), sum.to_all(), second.to_all())
        });
        prop_assert_eq!(found, (last, sum, second));
    }

    #[test]
    fn pushes_keep_their_order(plan in plans(), x in values()) {
        let mut expected = vec![[-1, -1]];
        let skipped = repeated::sequential(&x, &mut expected);
        let found = plan.run(|| {
            let mut out = DistVec::from_global(&[[-1, -1]]);
            let skipped = repeated(&plan.part(&x, false), &mut out);
            (skipped, out.to_all())
        });
        prop_assert_eq!(found, (skipped, expected));
    }

    #[test]
    fn threads_do_not_change_the_bits(x in vec(-1.0f32..1.0, 0..5000), threads in 2..6usize, grain in 1..500usize) {
        let on = |backend, threads| {
            forall::Runtime::builder().backend(backend).threads(threads).grain(grain).run(|| sum_of_floats(&x).to_bits())
        };
        prop_assert_eq!(on("serial", 1), on("threads", threads));
    }

    #[test]
    fn moving_shares_keeps_the_vector(plan in plans(), x in values()) {
        let found = plan.run(|| {
            let (mut one, other) = (plan.part(&x, false), plan.part(&x, true));
            one.rebalance_like(&other);
            let like = one.local() == other.local();
            one.rebalance();
            (like, one.range() == forall::share(x.len()), one.to_all(), one.front(), one.back())
        });
        prop_assert_eq!(found, (true, true, x.clone(), x.first().copied(), x.last().copied()));
    }
}
