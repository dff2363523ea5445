//! Gathered elements are requested once, as long as no input of the requests changes: and not longer.

use forall::{Cuts, DistVec, Settings, foreach, kary_reduce};
use forall_core::comm::Local;
use forall_core::node::Serial;
use forall_core::runtime::{Context, current, install};
use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use std::sync::Arc;

fn on_ranks<R: Send>(ranks: usize, program: impl Fn() -> R + Sync) -> Vec<R> {
    Local::run(ranks, |comm| {
        let _installed = install(Context::new(Box::new(comm), Arc::new(Serial), Settings::default()));
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
fn product(start: &[u32], #[gather] column: &[u32], #[gather] value: &[f64], #[gather] x: &[f64], y: &mut [f64]) {
    for i in 0..y.len() {
        let mut sum = 0.0;
        for k in start[i] as usize..start[i + 1] as usize {
            sum += value[k] * x[column[k] as usize];
        }
        y[i] = sum;
    }
}

/// The same, with rows as iterators.
#[foreach]
fn zipped(start: &[u32], #[gather] column: &[u32], #[gather] value: &[f64], #[gather] x: &[f64], y: &mut [f64]) {
    for i in 0..y.len() {
        let row = start[i] as usize..start[i + 1] as usize;
        y[i] = value[row.clone()].iter().zip(&column[row]).map(|(value, x_at)| value * x[*x_at as usize]).sum();
    }
}

#[foreach]
fn picked(#[gather] x: &[u32], place: &[u32], out: &mut [u32], offset: usize, add: u32) {
    for i in 0..out.len() {
        out[i] = x[(place[i] as usize + offset) % x.len()].wrapping_add(add);
    }
}

/// Positions that begin elsewhere are other ones.
#[kary_reduce]
fn some(#[gather] x: &[u32], place: &[u32], first: usize) -> u32 {
    let mut sum = 0u32;
    for i in first..first + 5 {
        sum = sum.wrapping_add(x[place[i] as usize]);
    }
    sum
}

/// The places change while the function runs.
#[foreach]
fn stepped(#[gather] x: &[u32], place: &mut [u32], out: &mut [u32], steps: u32) {
    for step in 0..steps {
        place[0] = step;
        for i in 0..out.len() {
            out[i] += x[place[i] as usize];
        }
    }
}

/// Its dependence beside arrays is hidden.
#[foreach]
fn hidden(#[gather] x: &[u32], out: &mut [u32]) {
    for i in 0..out.len() {
        out[i] = x[somewhere(i, x.len())];
    }
}

static SHIFT: std::sync::atomic::AtomicUsize = std::sync::atomic::AtomicUsize::new(0);

fn somewhere(i: usize, len: usize) -> usize {
    (i * 7 + SHIFT.load(std::sync::atomic::Ordering::SeqCst)) % len
}

fn matrix(rows: usize) -> (Vec<u32>, Vec<u32>, Vec<f64>) {
    let counts = (0..rows).map(|i| i % 5);
    let start = counts.clone().scan(0, |at, count| Some(std::mem::replace(at, *at + count) as u32));
    let mut start: Vec<u32> = start.collect();
    start.push(counts.sum::<usize>() as u32);
    let entries = start[rows] as usize;
    let column = (0..entries).map(|k| (k.wrapping_mul(2_654_435_761) % rows) as u32).collect();
    (start, column, (0..entries).map(|k| k as f64 * 0.25).collect())
}

#[test]
fn a_product_asks_once() {
    for ranks in [2, 3, 4, 7] {
        on_ranks(ranks, || {
            let rows = 1009;
            let (start, column, value) = matrix(rows);
            let cuts = |len: usize| DistVec::<u8>::zeroed(len).cuts().clone();
            let [a, b, c] = [
                DistVec::from_fn_cut(&cuts(rows + 1), |i| start[i]),
                DistVec::from_global(&column),
                DistVec::from_global(&column),
            ];
            let values = DistVec::from_global(&value);
            let (mut x, mut y) = (DistVec::from_fn(rows, |i| i as f64), DistVec::zeroed(rows));
            let (mut plain_x, mut plain_y) = (x.to_all(), vec![0.0; rows]);
            let mut bytes = Vec::new();
            for step in 0..6 {
                // The same columns elsewhere are others.
                let column_here = if step == 4 { &c } else { &b };
                bytes.push(sent(|| product(&a, column_here, &values, &x, &mut y)));
                product::sequential(&start, &column, &value, &plain_x, &mut plain_y);
                assert_eq!(y.to_all(), plain_y);
                x.swap(&mut y);
                std::mem::swap(&mut plain_x, &mut plain_y);
            }
            let [first, second, third, fourth, other, last]: [u64; 6] = bytes[..].try_into().unwrap();
            // From the third on, a word is enough to agree.
            let asked_once = [fourth, last] == [third; 2] && third < second;
            assert!(second < other && other <= first && asked_once, "{ranks}: {bytes:?}");
        });
    }
}

/// Entries that lie with the rows that they are of are not fetched, though they change.
#[test]
fn entries_that_lie_with_their_rows_do_not_move() {
    let moved = |ranks: usize, with_rows: bool| {
        let of_ranks = on_ranks(ranks, || {
            let rows = 1009;
            let (start, column, value) = matrix(rows);
            let start = DistVec::from_global(&start);
            let (mut column, mut value) = (DistVec::from_global(&column), DistVec::from_global(&value));
            let (x, mut y) = (DistVec::from_fn(rows, |i| i as f64), DistVec::zeroed(rows));
            if with_rows {
                column.rebalance_rows(&start, &y);
                value.rebalance_rows(&start, &y);
            }
            let mut bytes = Vec::new();
            for _ in 0..3 {
                value.local_mut().iter_mut().for_each(|value| *value += 1.0);
                bytes.push(sent(|| product(&start, &column, &value, &x, &mut y)));
                let mut expected = vec![0.0; rows];
                product::sequential(&start.to_all(), &column.to_all(), &value.to_all(), &x.to_all(), &mut expected);
                assert_eq!(y.to_all(), expected);
            }
            bytes[2]
        });
        of_ranks.into_iter().sum::<u64>()
    };
    for ranks in [2, 3, 7] {
        let [with_rows, evenly] = [true, false].map(|with_rows| moved(ranks, with_rows));
        assert!(with_rows < evenly, "{ranks}: {with_rows} and {evenly}");
    }
}

/// Rows as iterators ask for the same elements.
#[test]
fn rows_as_iterators_move_no_more() {
    for ranks in [2, 5] {
        on_ranks(ranks, || {
            let rows = 1009;
            let (start, column, value) = matrix(rows);
            let cuts = DistVec::<u8>::zeroed(rows + 1).cuts().clone();
            let vectors = || {
                let start = DistVec::from_fn_cut(&cuts, |i| start[i]);
                let (column, value) = (DistVec::from_global(&column), DistVec::from_global(&value));
                (start, column, value, DistVec::from_fn(rows, |i| i as f64), DistVec::zeroed(rows))
            };
            let (start, column, value, x, mut y) = vectors();
            let by_counter = sent(|| product(&start, &column, &value, &x, &mut y));
            let (start, column, value, x, mut z) = vectors();
            assert_eq!(sent(|| zipped(&start, &column, &value, &x, &mut z)), by_counter);
            assert_eq!(y.to_all(), z.to_all());
        });
    }
}

#[test]
fn hidden_state_is_asked_for_each_time() {
    on_ranks(3, || {
        let (x, mut out) = (DistVec::from_fn(1000, |i| i as u32), DistVec::zeroed(300));
        let mut expected = vec![0; 300];
        for _ in 0..4 {
            // No rank is still in the last call, and none in the next one.
            x.to_all();
            if forall::rank() == 0 {
                SHIFT.fetch_add(13, std::sync::atomic::Ordering::SeqCst);
            }
            x.to_all();
            hidden(&x, &mut out);
            hidden::sequential(&x.to_all(), &mut expected);
            assert_eq!(out.to_all(), expected);
        }
    });
}

#[test]
fn places_that_change_between_loops_of_a_call_are_asked_for_again() {
    for ranks in [1, 2, 3] {
        on_ranks(ranks, || {
            let x = DistVec::from_fn(100, |i| 1 << (i % 23));
            let (mut place, mut out) = (DistVec::from_fn(100, |i| (i * 37 % 100) as u32), DistVec::zeroed(100));
            let (mut plain_place, mut plain_out) = (place.to_all(), vec![0; 100]);
            stepped(&x, &mut place, &mut out, 9);
            stepped::sequential(&x.to_all(), &mut plain_place, &mut plain_out, 9);
            assert_eq!((place.to_all(), out.to_all()), (plain_place, plain_out));
        });
    }
}

#[foreach]
fn spread(place: &[u32], x: &[f64], #[scatter] out: &mut [f64]) {
    for i in 0..x.len() {
        out[place[i] as usize] += x[i];
    }
}

/// The places of what is scattered move when they are others than the last time, the values always.
#[test]
fn places_that_stay_are_sent_once() {
    for ranks in [2, 3, 7] {
        on_ranks(ranks, || {
            let n = 3001;
            let at = |by: usize| move |i: usize| (i * by % n) as u32;
            let (mut place, x) = (DistVec::from_fn(n, at(7)), DistVec::from_fn(n, |i| i as f64 * 0.25));
            let (mut out, mut expected) = (DistVec::zeroed(n), vec![0.0; n]);
            let mut bytes = Vec::new();
            for step in 0..6 {
                if step == 3 {
                    place = DistVec::from_fn(n, at(11));
                }
                bytes.push(sent(|| spread(&place, &x, &mut out)));
                spread::sequential(&place.to_all(), &x.to_all(), &mut expected);
                assert_eq!(out.to_all(), expected);
            }
            let [first, second, third, other, fifth, last]: [u64; 6] = bytes[..].try_into().unwrap();
            // A place takes four bytes, a value eight.
            assert!(10 * second < 7 * first && second < other, "{ranks}: {bytes:?}");
            assert!(third <= second && fifth < other && last <= fifth, "{ranks}: {bytes:?}");
        });
    }
}

/// Shares that lie elsewhere, and longer vectors, are written to as they are.
#[test]
fn places_that_stay_in_vectors_that_do_not() {
    on_ranks(3, || {
        for (n, lengths) in
            [(90, [30, 30, 30]), (90, [0, 80, 10]), (5000, [0, 4999, 1]), (90, [90, 0, 0]), (90, [30, 30, 30])]
        {
            let place = DistVec::from_fn(60, |i| (i * 7 % 40) as u32);
            let x = DistVec::from_fn(60, |i| i as f64);
            let mut out = DistVec::from_fn_cut(&Cuts::from_lengths(&lengths), |_| 0.5);
            let mut expected = vec![0.5; n];
            spread(&place, &x, &mut out);
            spread::sequential(&place.to_all(), &x.to_all(), &mut expected);
            assert_eq!(out.to_all(), expected);
        }
    });
}

/// The events between calls.
#[derive(Debug, Clone, Copy)]
enum Change {
    Nothing,
    /// A place, of this rank alone.
    Place(usize, u32),
    /// A whole loop writes the places.
    Places(u32),
    Element(usize),
    /// Other places, and back.
    Swap,
    Offset(usize),
    Add(u32),
    /// The elements lie on other ranks.
    Cuts(usize),
    OutCuts(usize),
    First(usize),
    /// The contents of a slice have no version.
    Slices,
}

fn change() -> impl Strategy<Value = Change> {
    prop_oneof![
        3 => Just(Change::Nothing),
        1 => (0..97_usize, 0..97_u32).prop_map(|(i, to)| Change::Place(i, to)),
        1 => (0..97_u32).prop_map(Change::Places),
        1 => (0..97_usize).prop_map(Change::Element),
        2 => Just(Change::Swap),
        1 => (0..5_usize).prop_map(Change::Offset),
        1 => any::<u32>().prop_map(Change::Add),
        1 => (0..97_usize).prop_map(Change::Cuts),
        1 => (0..97_usize).prop_map(Change::OutCuts),
        1 => (0..92_usize).prop_map(Change::First),
        1 => Just(Change::Slices),
    ]
}

#[foreach]
fn moved(place: &mut [u32], by: u32) {
    for i in 0..place.len() {
        place[i] = (place[i] + by) % 97;
    }
}

/// The first rank has so many elements.
fn cuts(n: usize, first: usize, ranks: usize) -> Cuts {
    let mut lengths = vec![0; ranks];
    lengths[0] = first.min(n);
    lengths[ranks - 1] += n - lengths[0];
    Cuts::from_lengths(&lengths)
}

proptest! {
    #![proptest_config(ProptestConfig { rng_seed: RngSeed::Fixed(1), cases: 60, ..ProptestConfig::default() })]

    #[test]
    fn whatever_changes_is_seen(changes in proptest::collection::vec(change(), 1..14), ranks in 2..5_usize) {
        on_ranks(ranks, || {
            let n = 97;
            let mut x = DistVec::from_fn(n, |i| (i * i) as u32);
            let mut place = DistVec::from_fn(n, |i| (i * 31 % n) as u32);
            let mut other = DistVec::from_fn(n, |i| (n - 1 - i) as u32);
            let mut out = DistVec::zeroed(n);
            let (mut plain_x, mut plain_place, mut plain_other) = (x.to_all(), place.to_all(), other.to_all());
            let (mut offset, mut add, mut first) = (0, 0, 0);
            for change in &changes {
                match *change {
                    Change::Nothing | Change::Slices => {}
                    Change::Place(i, to) => {
                        let own = place.range();
                        if own.contains(&i) {
                            place.local_mut()[i - own.start] = to;
                        }
                        plain_place[i] = to;
                    }
                    Change::Places(by) => {
                        moved(&mut place, by);
                        moved::sequential(&mut plain_place, by);
                    }
                    Change::Element(i) => {
                        let own = x.range();
                        if own.contains(&i) {
                            x.local_mut()[i - own.start] += 5;
                        }
                        plain_x[i] += 5;
                    }
                    Change::Swap => {
                        place.swap(&mut other);
                        std::mem::swap(&mut plain_place, &mut plain_other);
                    }
                    Change::Offset(to) => offset = to,
                    Change::Add(to) => add = to,
                    Change::Cuts(at) => x.rebalance_to(&cuts(n, at, ranks)),
                    Change::OutCuts(at) => out.rebalance_to(&cuts(n, at, ranks)),
                    Change::First(to) => first = to,
                }
                let mut expected = vec![0; n];
                picked::sequential(&plain_x, &plain_place, &mut expected, offset, add);
                if matches!(change, Change::Slices) {
                    let mut share = vec![0; place.local().len()];
                    picked(&x, place.local(), &mut share[..], offset, add);
                    assert_eq!(share, expected[place.range()]);
                } else {
                    picked(&x, &place, &mut out, offset, add);
                    assert_eq!(out.to_all(), expected, "{change:?}");
                }
                let sum = some::sequential(&plain_x, &plain_place, first);
                assert_eq!(some(&x, &place, first), sum, "{change:?}");
            }
        });
    }
}
