//! The strategy of each loop, as a trace shows it, where the settings force or forbid strategies. The sequential functions are the oracle.

use forall::{Blocks, DistVec, Strategies, Strategy, distributed_scan, foreach, foreach_tls, kary_reduce};
use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};
use tracing_subscriber::layer::SubscriberExt;

use Strategy::{Arrivals, Chunks, InOrder, OnePiece, Overlapped, Speculative};

const N: usize = 4000;

fn number(i: usize) -> i64 {
    (i as i64 * 7919) % 1013 - 500
}

fn numbers() -> Vec<i64> {
    (0..N).map(number).collect()
}

/// Compares what a function writes with what its sequential form writes.
fn same_output(parallel: impl Fn(&DistVec<i64>, &mut DistVec<i64>), sequential: impl Fn(&[i64], &mut [i64])) {
    let (x, mut out, mut expected) = (DistVec::from_fn(N, number), DistVec::filled(N, 0), vec![0; N]);
    parallel(&x, &mut out);
    sequential(&numbers(), &mut expected);
    assert_eq!(out.to_all(), expected);
}

#[foreach]
fn squares(x: &[i64], out: &mut [i64]) {
    for i in 0..x.len() {
        out[i] = x[i] * x[i];
    }
}

fn map() {
    same_output(squares, squares::sequential);
}

#[kary_reduce]
fn total(x: &[i64]) -> i64 {
    let mut sum = 0;
    for v in x {
        sum += v;
    }
    sum
}

fn reduction() {
    assert_eq!(total(&DistVec::from_fn(N, number)), total::sequential(&numbers()));
}

#[foreach]
fn smooth(x: &[i64], out: &mut [i64]) {
    for i in 1..x.len() - 1 {
        out[i] = x[i - 1] + x[i] + x[i + 1];
    }
}

fn stencil() {
    same_output(smooth, smooth::sequential);
}

/// Another value may be the least one so far in a chunk than in the loop, so that other conditions run.
#[kary_reduce]
fn least(x: &[i64], best: &mut (i64, usize)) {
    for i in 0..x.len() {
        let t = x[i];
        if t < best.0 && i % 3 != 0 {
            (best.0, best.1) = (t, i);
        }
    }
}

fn guarded() {
    let (mut best, mut expected) = ((0, 0), (0, 0));
    least(&DistVec::from_fn(N, number), &mut best);
    least::sequential(&numbers(), &mut expected);
    assert_eq!(best, expected);
}

#[distributed_scan]
fn running(x: &[i64], out: &mut [i64]) {
    let mut sum = 0;
    for i in 0..x.len() {
        sum += x[i];
        out[i] = sum;
    }
}

/// The totals of its chunks are all that it computes.
#[kary_reduce]
fn largest_subarray(x: &[i64]) -> i64 {
    let (mut here, mut best) = (0i64, i64::MIN);
    for i in 0..x.len() {
        here = (here + x[i]).max(x[i]);
        best = best.max(here);
    }
    best
}

fn totals() {
    assert_eq!(largest_subarray(&DistVec::from_fn(N, number)), largest_subarray::sequential(&numbers()));
}

fn scan() {
    same_output(running, running::sequential);
}

/// Each message goes five times to the next block.
#[foreach_tls]
fn hops(blocks: &mut Blocks<u64>, seen: &mut Vec<u64>) {
    let n = blocks.len();
    for block in blocks.iter_mut() {
        if block.is_first_visit() {
            block.send(block.number(), &5_u64);
        }
        while let Some(message) = block.receive() {
            let left: u64 = message.read();
            seen.push(*block * left);
            if left > 0 {
                block.send((block.number() + 1) % n, &(left - 1));
            }
        }
    }
}

fn messages() {
    let blocks = || Blocks::from_fn(9, |number| number as u64);
    let (mut seen, mut expected) = (DistVec::default(), Vec::new());
    hops(&mut blocks(), &mut seen);
    forall::on_this_rank(|| hops::sequential(&mut blocks(), &mut expected));
    assert_eq!(seen.to_all(), expected);
}

/// The strategies that calls have had.
#[derive(Clone, Default)]
struct Traced(Arc<Mutex<BTreeSet<String>>>);

impl<S: tracing::Subscriber> tracing_subscriber::Layer<S> for Traced {
    fn on_record(
        &self,
        _: &tracing::Id,
        values: &tracing::span::Record<'_>,
        _: tracing_subscriber::layer::Context<'_, S>,
    ) {
        values.record(&mut self.clone());
    }
}

impl tracing::field::Visit for Traced {
    fn record_debug(&mut self, _: &tracing::field::Field, _: &dyn std::fmt::Debug) {}

    fn record_str(&mut self, field: &tracing::field::Field, value: &str) {
        if field.name() == "strategies" {
            self.0.lock().unwrap().insert(value.to_owned());
        }
    }
}

/// Runs a loop, and forbids one strategy after the other: `expected` are the strategies by which it runs.
#[track_caller]
fn runs_by(case: fn(), (ranks, threads): (usize, usize), expected: &[Strategy]) {
    // See `iteration_schedules.rs`: a single subscriber is not asked by other tests' threads.
    let _second = tracing::Dispatch::new(tracing_subscriber::registry());
    let strategy = |strategies: Strategies| {
        let traced = Traced::default();
        let dispatch = tracing::Dispatch::new(tracing_subscriber::registry().with(traced.clone()));
        let builder = forall::Runtime::builder().backend("threads").ranks(ranks).threads(threads).grain(64);
        builder.strategies(strategies).run(|| tracing::dispatcher::with_default(&dispatch, case));
        let found: Vec<String> = traced.0.lock().unwrap().iter().cloned().collect();
        found.join(" or ")
    };
    let mut allowed = Strategies::default();
    for next in expected {
        assert_eq!(strategy(allowed), next.name(), "{ranks} ranks, {threads} threads");
        assert_eq!(strategy(Strategies::only(*next)), next.name(), "{ranks} ranks, {threads} threads, forced");
        allowed = allowed.without(*next);
    }
    // None of the others is right.
    assert_eq!(strategy(allowed), expected[0].name(), "{ranks} ranks, {threads} threads, all are forbidden");
}

#[test]
fn maps_and_reductions() {
    for case in [map, reduction] {
        runs_by(case, (1, 1), &[OnePiece, Chunks, InOrder]);
        runs_by(case, (1, 2), &[Chunks, OnePiece, InOrder]);
        runs_by(case, (3, 1), &[Chunks, InOrder]);
        runs_by(case, (3, 2), &[Chunks, InOrder]);
    }
}

#[test]
fn messages_of_blocks() {
    runs_by(messages, (1, 1), &[OnePiece, Chunks, InOrder, Arrivals]);
    runs_by(messages, (1, 2), &[Chunks, OnePiece, InOrder, Arrivals]);
    runs_by(messages, (3, 1), &[Chunks, InOrder, Arrivals]);
    runs_by(messages, (3, 2), &[Chunks, InOrder, Arrivals]);
}

#[test]
fn loops_with_halos() {
    runs_by(stencil, (1, 2), &[Chunks, OnePiece, InOrder]);
    runs_by(stencil, (3, 1), &[Overlapped, Chunks, InOrder]);
    runs_by(stencil, (2, 2), &[Overlapped, Chunks, InOrder]);
}

#[test]
fn loops_whose_chunks_may_panic() {
    runs_by(guarded, (1, 2), &[Speculative, OnePiece, InOrder]);
    runs_by(guarded, (3, 1), &[Speculative, InOrder]);
}

#[test]
fn scans() {
    runs_by(totals, (1, 1), &[OnePiece, Chunks, InOrder]);
    runs_by(totals, (1, 2), &[Speculative, Chunks, OnePiece, InOrder]);
    runs_by(totals, (3, 2), &[Chunks, InOrder]);
    runs_by(scan, (1, 1), &[OnePiece, Chunks, InOrder]);
    runs_by(scan, (1, 2), &[Chunks, OnePiece, InOrder]);
    runs_by(scan, (3, 2), &[Chunks, InOrder]);
}
