//! Schedules, grains, and states that are put together at once: who runs which iterations, and that no result depends on it.

// A vector of vectors is no slice of plain data.
#![allow(clippy::ptr_arg)]

use forall::{DistVec, Schedule, foreach, foreach_tls, kary_reduce};
use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// Takes long for the first iterations, and no time for the others.
fn heavy_at_first(i: usize, n: usize) -> f64 {
    let rounds = if i < n.div_ceil(8) { 400 } else { 1 };
    (0..rounds).fold(i as f64 + 0.5, |x, k| (x * 1.000_1 + k as f64).sqrt())
}

#[foreach(grain = 1)]
fn mapped(out: &mut [f64]) {
    let n = out.len();
    for i in 0..out.len() {
        out[i] = heavy_at_first(i, n);
    }
}

#[kary_reduce(grain = sqrt)]
fn summed(n: usize) -> f64 {
    let mut sum = 0.0;
    for i in 0..n {
        sum += heavy_at_first(i, n);
    }
    sum
}

#[foreach_tls(grain = 3)]
fn pushed(n: usize, out: &mut Vec<[u64; 2]>) {
    for i in 0..n {
        let value = heavy_at_first(i, n);
        if !value.to_bits().is_multiple_of(3) {
            out.push([i as u64, value.to_bits()]);
        }
    }
}

/// The iterations that a worker has seen, as text: their order shows.
#[derive(Clone, Debug, Default, PartialEq, serde::Serialize, serde::Deserialize)]
struct Seen {
    text: String,
    count: usize,
}

static MADE: AtomicUsize = AtomicUsize::new(0);

impl Seen {
    fn none() -> Seen {
        MADE.fetch_add(1, Ordering::Relaxed);
        Seen::default()
    }

    fn add(&mut self, i: usize, value: f64) {
        self.count += 1;
        if value.to_bits().is_multiple_of(5) {
            self.text.push_str(&format!("{i} "));
        }
    }

    fn join(&mut self, later: Seen) {
        self.text.push_str(&later.text);
        self.count += later.count;
    }
}

#[foreach_tls(grain = 1, init = Seen::none, merge = Seen::join)]
fn seen(n: usize) -> Seen {
    let mut all = Seen::none();
    for i in 0..n {
        let value = heavy_at_first(i, n);
        all.add(i, value);
    }
    all
}

/// Every schedule on some threads and ranks.
fn each_schedule(ranks: &[usize], mut check: impl FnMut(forall::Builder)) {
    for schedule in Schedule::ALL {
        for threads in [1, 2, 7] {
            for &ranks in ranks {
                check(forall::Runtime::builder().backend("threads").ranks(ranks).threads(threads).schedule(schedule));
            }
        }
    }
}

const SIZES: [usize; 5] = [0, 1, 2, 97, 1009];

#[test]
fn no_result_depends_on_the_schedule() {
    for n in SIZES {
        let mut expected = vec![0.0; n];
        mapped::sequential(&mut expected);
        let mut list = Vec::new();
        pushed::sequential(n, &mut list);
        let state = seen::sequential(n);
        let mut sums = Vec::new();
        each_schedule(&[1, 3], |builder| {
            for (values, found, all, sum) in builder.clone().run(|| {
                let mut out = DistVec::from_fn(n, |_| 0.0);
                mapped(&mut out);
                let mut found = DistVec::default();
                pushed(n, &mut found);
                (out.to_all(), found.to_all(), seen(n), summed(n))
            }) {
                assert_eq!(values, expected, "{builder:?}");
                assert_eq!(found, list, "{builder:?}");
                assert_eq!(all, state, "{builder:?}");
                sums.push(sum.to_bits());
            }
        });
        assert!(sums.iter().all(|bits| *bits == sums[0]), "sums of {n}: {sums:?}");
    }
}

/// Panics in the last iterations at once, and in the tenth after a while.
fn breaks(i: usize, n: usize) -> u64 {
    if i == 10 {
        std::thread::sleep(Duration::from_millis(3));
    }
    assert!(i != 10 && i + 5 < n, "iteration {i}");
    i as u64
}

#[foreach(grain = 1)]
fn breaking(out: &mut [u64]) {
    let n = out.len();
    for i in 0..n {
        out[i] = breaks(i, n);
    }
}

#[foreach_tls(grain = 1)]
fn breaking_list(n: usize) -> Vec<u64> {
    let mut list = Vec::new();
    for i in 0..n {
        list.push(breaks(i, n));
    }
    list
}

#[foreach_tls(grain = 1, init = Seen::none, merge = Seen::join)]
fn breaking_state(n: usize) -> Seen {
    let mut all = Seen::none();
    for i in 0..n {
        let value = breaks(i, n);
        all.add(i, value as f64);
    }
    all
}

#[test]
fn the_first_panic_is_the_sequential_loops_on_every_schedule() {
    let n = 97;
    let loops: [&(dyn Fn() + Sync); 3] =
        [&|| breaking(&mut vec![0; n]), &|| drop(breaking_list(n)), &|| drop(breaking_state(n))];
    each_schedule(&[1], |builder| {
        for (number, run) in loops.iter().enumerate() {
            let panic = catch_unwind(AssertUnwindSafe(|| builder.clone().run(run))).unwrap_err();
            let message = panic.downcast_ref::<String>().unwrap();
            assert!(message.contains("iteration 10"), "{message}: loop {number}, {builder:?}");
        }
    });
}

/// Where each iteration ran.
#[foreach(grain = 1)]
fn slow(ran: &mut [u64], slow_ones: usize) {
    for i in 0..ran.len() {
        if i < slow_ones {
            std::thread::sleep(Duration::from_millis(5));
        }
        ran[i] = thread_number();
    }
}

fn thread_number() -> u64 {
    static NEXT: AtomicUsize = AtomicUsize::new(1);
    thread_local!(static NUMBER: u64 = NEXT.fetch_add(1, Ordering::Relaxed) as u64);
    NUMBER.with(|number| *number)
}

#[foreach_tls(grain = 1, init = BTreeMap::new, merge = joined)]
fn slow_state(n: usize, slow_ones: usize) -> BTreeMap<u64, u64> {
    let mut ran = BTreeMap::new();
    for i in 0..n {
        if i < slow_ones {
            std::thread::sleep(Duration::from_millis(5));
        }
        ran.insert(i as u64, thread_number());
    }
    ran
}

fn joined(all: &mut BTreeMap<u64, u64>, later: BTreeMap<u64, u64>) {
    all.extend(later);
}

/// All the work is in the first iterations. A sleeping thread needs no core: threads are as fast as on a machine of their own.
#[test]
fn the_first_iterations_are_shared_unless_each_worker_has_its_own() {
    const SLOW: usize = 24;
    for (schedule, shared) in [(Schedule::Steal, true), (Schedule::Static, false)] {
        let builder = forall::Runtime::builder().backend("threads").threads(2).schedule(schedule);
        let mut of_ranks = builder.run(|| {
            let mut ran = vec![0; 4 * SLOW];
            let start = Instant::now();
            slow(&mut ran, SLOW);
            let took = start.elapsed();
            (ran, slow_state(4 * SLOW, SLOW).into_values().collect::<Vec<u64>>(), took)
        });
        let (of_map, of_state, took) = of_ranks.remove(0);
        let workers = |ran: &[u64]| {
            let mut threads = ran[..SLOW].to_vec();
            threads.sort_unstable();
            threads.dedup();
            threads.len()
        };
        let expected = if shared { 2 } else { 1 };
        assert_eq!(workers(&of_map), expected, "{schedule}: {of_map:?}");
        assert_eq!(workers(&of_state), expected, "{schedule}: {of_state:?}");
        assert!(shared || took >= Duration::from_millis(5 * SLOW as u64), "{schedule}: {took:?}");
    }
}

static COUNTED: AtomicUsize = AtomicUsize::new(0);

fn counted() -> BTreeMap<u64, u64> {
    COUNTED.fetch_add(1, Ordering::Relaxed);
    BTreeMap::new()
}

#[foreach_tls(grain = 1, init = counted, merge = joined)]
fn squares(n: usize) -> BTreeMap<u64, u64> {
    let mut all = counted();
    for i in 0..n {
        all.insert(i as u64, (i * i) as u64);
    }
    all
}

/// There are as many states as workers and thefts, and each theft takes half of what is left: they do not grow with the iterations.
#[test]
fn states_are_few() {
    for schedule in Schedule::ALL {
        let before = COUNTED.load(Ordering::Relaxed);
        forall::Runtime::builder().backend("threads").threads(2).schedule(schedule).run(|| squares(4096));
        let made = COUNTED.load(Ordering::Relaxed) - before;
        assert!(made < 80, "{schedule}: {made} states");
    }
}

/// How many states were given at once, and what they hold, bucket by bucket.
#[derive(Clone, Debug, Default, PartialEq, serde::Serialize, serde::Deserialize)]
struct Buckets {
    lists: Vec<Vec<u32>>,
}

const BUCKETS: usize = 13;

impl Buckets {
    fn empty() -> Buckets {
        Buckets { lists: vec![Vec::new(); BUCKETS] }
    }

    fn put(&mut self, i: usize) {
        self.lists[i * i % BUCKETS].push(i as u32);
    }

    fn join(&mut self, later: Buckets) {
        for (list, more) in self.lists.iter_mut().zip(later.lists) {
            list.extend(more);
        }
    }

    fn join_all(mut all: Vec<Buckets>) -> Buckets {
        assert!(!all.is_empty());
        let rows: Vec<Vec<Vec<u32>>> = all.iter_mut().map(|one| std::mem::take(&mut one.lists)).collect();
        let mut lists = Vec::new();
        join_buckets(&rows, &mut lists);
        Buckets { lists }
    }
}

/// One bucket of all workers after the other: in parallel, without locks.
#[foreach_tls]
fn join_buckets(#[replicated] rows: &Vec<Vec<Vec<u32>>>, lists: &mut Vec<Vec<u32>>) {
    for bucket in 0..BUCKETS {
        lists.push(rows.iter().flat_map(|row| row[bucket].iter().copied()).collect());
    }
}

#[foreach_tls(grain = 2, init = Buckets::empty, merge = Buckets::join, merge_all = Buckets::join_all)]
fn spread(n: usize) -> Buckets {
    let mut all = Buckets::empty();
    for i in 0..n {
        all.put(i);
    }
    all
}

#[test]
fn states_that_are_put_together_at_once_are_what_the_loop_gives() {
    for n in SIZES {
        let expected = spread::sequential(n);
        each_schedule(&[1, 2, 3, 4, 7], |builder| {
            for found in builder.run(|| spread(n)) {
                assert_eq!(found, expected);
            }
        });
    }
}

/// The fields of a call for a subscriber.
#[derive(Clone, Default)]
struct Fields(std::sync::Arc<std::sync::Mutex<BTreeMap<String, f64>>>);

impl<S: tracing::Subscriber> tracing_subscriber::Layer<S> for Fields {
    fn on_record(
        &self,
        _: &tracing::Id,
        values: &tracing::span::Record<'_>,
        _: tracing_subscriber::layer::Context<'_, S>,
    ) {
        values.record(&mut self.clone());
    }
}

impl tracing::field::Visit for Fields {
    fn record_debug(&mut self, _: &tracing::field::Field, _: &dyn std::fmt::Debug) {}

    fn record_f64(&mut self, field: &tracing::field::Field, value: f64) {
        self.0.lock().unwrap().insert(field.name().to_owned(), value);
    }
}

#[test]
fn the_trace_shows_an_unbalanced_loop() {
    use tracing_subscriber::layer::SubscriberExt;
    // While there is one subscriber alone, `tracing` asks that of the thread which comes to a span first, and keeps the answer for all:
    // the thread of another test here, which has none, would say that nobody looks.
    let _second = tracing::Dispatch::new(tracing_subscriber::registry());
    let imbalance = |schedule: Schedule, slow_ones: usize| {
        let fields = Fields::default();
        let dispatch = tracing::Dispatch::new(tracing_subscriber::registry().with(fields.clone()));
        let builder = forall::Runtime::builder().backend("threads").threads(2).schedule(schedule);
        builder.run(|| tracing::dispatcher::with_default(&dispatch, || slow(&mut [0; 32], slow_ones)));
        let fields = fields.0.lock().unwrap();
        fields["imbalance"]
    };
    // One worker sleeps sixteen times and the other one not at all; then each of them eight times.
    let (unbalanced, balanced) = (imbalance(Schedule::Static, 16), imbalance(Schedule::Steal, 16));
    assert!(unbalanced > 1.7, "{unbalanced}");
    assert!((1.0..1.5).contains(&balanced), "{balanced}");
}

#[foreach_tls(grain = 1000)]
fn multiples(n: usize, of: usize, out: &mut Vec<[u64; 2]>) {
    for i in 0..n {
        if i % of == 0 {
            out.push([i as u64, of as u64]);
        }
    }
}

#[foreach_tls(grain = 5)]
fn words(n: usize, fails_at: usize, out: &mut Vec<String>) {
    for i in 0..n {
        assert_ne!(i, fails_at);
        if i % 3 != 1 {
            out.push(format!("word {i}"));
        }
    }
}

#[test]
fn what_is_pushed_has_room_whatever_the_call_before_pushed() {
    // Much after little, which needs room; little after much, for which there was room that nobody needs; and none.
    let calls = [(0, 1), (7, 2), (300_000, 1), (600_001, 1), (600_001, 300_000), (700_003, 2), (13, 20), (250_000, 1)];
    for threads in [1, 2, 7] {
        for schedule in Schedule::ALL {
            forall::Runtime::builder().ranks(1).threads(threads).schedule(schedule).run(|| {
                for room in [0, 400_000] {
                    for (n, of) in calls {
                        let mut out = Vec::with_capacity(room);
                        out.push([1, 0]);
                        let had = out.capacity();
                        multiples(n, of, &mut out);
                        let expected = (0..n).step_by(of).map(|i| [i as u64, of as u64]);
                        assert!(
                            out.iter().copied().eq([[1, 0]].into_iter().chain(expected)),
                            "{n} {of} {room} {threads} {schedule}"
                        );
                        assert!(
                            out.capacity() >= had && out.capacity() <= had.max(2 * out.len()),
                            "{n} {of}: {}",
                            out.capacity()
                        );
                    }
                }
            });
        }
    }
}

#[foreach_tls]
fn kept(x: &[u32], out: &mut Vec<u32>) {
    for v in x {
        if *v % 100 < 43 {
            out.push(*v);
        }
    }
}

#[test]
fn a_vector_with_room_for_what_is_kept_does_not_grow_for_the_rest() {
    let x: Vec<u32> = (0..20_011u32).map(|i| i.wrapping_mul(2_654_435_761) >> 7).collect();
    let expected: Vec<u32> = x.iter().copied().filter(|v| v % 100 < 43).collect();
    forall::Runtime::builder().ranks(1).threads(1).run(|| {
        let mut out = Vec::with_capacity(expected.len());
        let had = out.capacity();
        kept(&x, &mut out);
        assert_eq!(out, expected);
        assert_eq!(out.capacity(), had);
    });
}

#[test]
fn what_is_pushed_is_dropped_once() {
    for threads in [1, 2, 7] {
        forall::Runtime::builder().ranks(1).threads(threads).run(|| {
            let mut all = vec!["a word".to_owned()];
            for n in [0, 1, 3001, 10, 5000] {
                let had = all.len();
                words(n, n, &mut all);
                assert!(all[had..].iter().cloned().eq((0..n).filter(|i| i % 3 != 1).map(|i| format!("word {i}"))));
                assert!(catch_unwind(AssertUnwindSafe(|| words(n + 50, n, &mut vec!["lost".to_owned()]))).is_err());
            }
        });
    }
}
