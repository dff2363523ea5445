use super::moving::{LONG, Movable};
use super::workers::{Places, Workers};
use super::*;
use crate::comm::Local;
use crate::comm::Solo;
use crate::data::Cuts;
use crate::node::{Node, Serial};
use crate::runtime::Context;
use crate::settings::Settings;
use std::cmp::Ordering;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, AtomicU64, Ordering::Relaxed};

/// Threads that live as long as the work that they run.
struct Crew(usize);

impl Node for Crew {
    fn name(&self) -> &'static str {
        "crew"
    }

    fn workers(&self) -> usize {
        self.0
    }

    fn run(&self, workers: usize, work: &(dyn Fn(usize) + Sync)) {
        std::thread::scope(|scope| {
            (1..workers).for_each(|worker| drop(scope.spawn(move || work(worker))));
            work(0);
        });
    }
}

fn node(workers: usize) -> Arc<dyn Node> {
    if workers == 1 { Arc::new(Serial) } else { Arc::new(Crew(workers)) }
}

fn alone(workers: usize) -> Context {
    Context::new(Box::new(Solo), node(workers), Settings::default())
}

fn random(seed: u64) -> impl FnMut() -> u64 {
    let mut state = seed;
    move || {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }
}

/// Keys of many kinds.
fn keys(n: usize) -> Vec<(&'static str, Vec<u64>)> {
    let mut next = random(n as u64);
    let mut made = |key: &mut dyn FnMut(usize, u64) -> u64| (0..n).map(|i| key(i, next())).collect::<Vec<u64>>();
    vec![
        ("random", made(&mut |_, bits| bits)),
        ("small", made(&mut |_, bits| bits % 1000)),
        ("equal", made(&mut |_, _| 7)),
        ("sorted", made(&mut |i, _| i as u64 / 3)),
        ("reversed", made(&mut |i, _| (n - i) as u64 / 2)),
        ("nine in ten", made(&mut |_, bits| if bits % 10 == 0 { bits } else { 1 << 40 })),
        ("skewed", made(&mut |_, bits| bits >> (bits % 64))),
        ("high digits", made(&mut |_, bits| bits & 0xff00_0000_0000_ff00)),
    ]
}

const SIZES: &[usize] = if cfg!(miri) { &[0, 1, 2, 8, 90] } else { &[0, 1, 2, 8, 1000, 20_000, 65_537] };

/// A row that contains its original position.
type Row = [u64; 2];

fn rows(keys: &[u64]) -> Vec<Row> {
    keys.iter().enumerate().map(|(place, key)| [*key, place as u64]).collect()
}

fn check<T: Element + PartialEq + std::fmt::Debug>(what: &str, workers: usize, x: &[T], order: &impl Order<T>) {
    let mut expected = x.to_vec();
    expected.sort_by(|a, b| order.compare(a, b));
    let mut found = x.to_vec();
    order.sort(Workers::of(&alone(workers)), &mut found);
    assert!(found == expected, "{what}, {} elements on {workers} workers", x.len());
}

#[test]
fn a_node_sorts_as_std_does() {
    for &n in SIZES {
        for (what, keys) in keys(n) {
            for workers in [1, 3] {
                let rows = rows(&keys);
                check(what, workers, &keys, &Natural);
                check(what, workers, &keys.iter().map(|key| *key as u32).collect::<Vec<_>>(), &Natural);
                check(what, workers, &keys.iter().map(|key| *key as i16).collect::<Vec<_>>(), &Natural);
                check(what, workers, &rows, &ByKey::new(|row: &Row| row[0]));
                check(what, workers, &rows, &ByKey::new(|row: &Row| (row[0] as i32, row[0] as u8)));
                check(what, workers, &rows, &By(|a: &Row, b: &Row| b[0].cmp(&a[0])));
                check(what, workers, &rows, &ByCachedKey::new(|row: &Row| row[0].to_string().len()));
                let small: Vec<[u16; 2]> = keys.iter().map(|key| [*key as u16, (*key >> 16) as u16]).collect();
                check(what, workers, &small, &ByKey::new(|row: &[u16; 2]| row[1] as i8));
            }
        }
    }
}

#[test]
#[cfg_attr(miri, ignore = "takes hours")]
fn floats_have_their_total_order() {
    for (_, keys) in keys(30_000) {
        let floats: Vec<f64> = keys.iter().map(|key| f64::from_bits(*key)).collect();
        let mut expected = floats.clone();
        expected.sort_by(f64::total_cmp);
        let mut found = floats;
        TotalOrder(|a: &f64, b: &f64| a.total_cmp(b)).sort(Workers::of(&alone(2)), &mut found);
        assert!(found.iter().zip(&expected).all(|(a, b)| a.to_bits() == b.to_bits()));
    }
}

/// Sorts the whole over ranks whose shares are cut like this, and returns it.
fn over_ranks<T: Element>(x: &[T], lengths: &[usize], workers: usize, order: &impl Order<T>) -> Vec<T> {
    let (ranks, lengths) = (lengths.len(), lengths.to_vec());
    let shares = Local::run(ranks, |comm| {
        let cuts = Cuts::from_lengths(&lengths);
        let mut share = x[cuts.range(crate::comm::Comm::rank(&comm))].to_vec();
        let context = Context::new(Box::new(comm), node(workers), Settings::default());
        super::over_ranks::sort(&context, &mut share, &cuts, order);
        share
    });
    assert!(shares.iter().zip(&lengths).all(|(share, length)| share.len() == *length), "shares keep their lengths");
    shares.concat()
}

/// Several ways to cut `n` elements.
fn cuts(n: usize, ranks: usize) -> Vec<Vec<usize>> {
    let even = (0..ranks).map(|rank| super::workers::part(n, ranks, rank).len()).collect();
    let mut last = vec![0; ranks];
    last[ranks - 1] = n;
    let mut skewed = vec![n / 7; ranks];
    skewed[ranks / 2] = n - n / 7 * (ranks - 1);
    vec![even, last, skewed]
}

#[test]
#[cfg_attr(miri, ignore = "takes hours")]
fn ranks_sort_as_one() {
    for ranks in [1, 2, 3, 4, 7] {
        for n in [0, 1, 2, ranks - 1, ranks, ranks + 1, 1000, 65_537] {
            // All kinds of keys for small sizes, and some for large ones.
            let kinds = keys(n).into_iter().step_by(if n > 1000 { 5 } else { 1 });
            for (what, keys) in kinds {
                let rows = rows(&keys);
                let mut expected = rows.clone();
                expected.sort_by_key(|row| row[0]);
                for cuts in cuts(n, ranks) {
                    let found = over_ranks(&rows, &cuts, 1, &ByKey::new(|row: &Row| row[0]));
                    assert!(found == expected, "{what}: {n} rows on {ranks} ranks, {cuts:?}");
                }
            }
        }
    }
    let rows = rows(&keys(65_537)[1].1);
    let mut expected = rows.clone();
    expected.sort_by(|a, b| b[0].cmp(&a[0]));
    assert!(over_ranks(&rows, &cuts(rows.len(), 3)[2], 2, &By(|a: &Row, b: &Row| b[0].cmp(&a[0]))) == expected);
}

/// The elements of a vector, in increasing order.
fn elements(x: &[u64]) -> Vec<u64> {
    let mut all = x.to_vec();
    all.sort_unstable();
    all
}

#[test]
#[cfg_attr(miri, ignore = "takes hours")]
fn a_comparison_that_is_no_order_loses_nothing() {
    // Its answers are random: they differ between calls and ranks.
    let calls = AtomicU64::new(0);
    let odd = |a: &u64, b: &u64| match (a ^ b ^ calls.fetch_add(0x9e37_79b9, Relaxed) >> 7) % 3 {
        0 => Ordering::Less,
        1 => Ordering::Equal,
        _ => Ordering::Greater,
    };
    // The rows of a rank are merge-sorted: the sort of std may panic, which is allowed, but this test must come to its end.
    struct Odd<F>(F);
    impl<F: Fn(&u64, &u64) -> Ordering + Sync> Order<u64> for Odd<F> {
        fn compare(&self, one: &u64, other: &u64) -> Ordering {
            (self.0)(one, other)
        }
        fn sort(&self, workers: Workers<'_>, elements: &mut [u64]) {
            super::merging::sort(workers, elements, |_| (), &self.0);
        }
    }
    for ranks in [1, 2, 3, 7] {
        for (_, keys) in keys(20_001) {
            for cuts in cuts(keys.len(), ranks) {
                assert!(elements(&over_ranks(&keys, &cuts, 2, &Odd(odd))) == elements(&keys), "{ranks} ranks");
            }
        }
    }
}

#[test]
#[cfg_attr(miri, ignore = "takes hours")]
fn a_panic_leaves_all_elements() {
    let keys = &keys(50_000)[0].1;
    for limit in [1000, 400_000, 700_000, 730_000, 760_000] {
        let (mut x, calls) = (keys.clone(), AtomicU64::new(0));
        let compare = |a: &u64, b: &u64| {
            assert!(calls.fetch_add(1, Relaxed) < limit, "enough");
            a.cmp(b)
        };
        let sorted =
            std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| By(compare).sort(Workers::of(&alone(3)), &mut x)));
        assert!(elements(&x) == elements(keys), "{limit}: {}", sorted.is_ok());
    }
}

/// A long row that contains its original position.
type Long = [u64; 5];

/// Rows that count how often each place is set.
struct Counted {
    rows: Places<Long>,
    sets: Vec<AtomicU8>,
}

impl Movable for Counted {
    type Row = Long;

    fn len(&self) -> usize {
        self.sets.len()
    }

    fn prefetch(&self, at: usize) {
        self.rows.prefetch(at);
    }

    unsafe fn row(&self, at: usize) -> Long {
        assert!(at < self.len());
        // SAFETY: there is such a place, and the caller's promise.
        unsafe { self.rows.get(at) }
    }

    unsafe fn set(&self, at: usize, row: Long) {
        self.sets[at].fetch_add(1, Relaxed);
        // SAFETY: as above.
        unsafe { self.rows.set(at, row) }
    }
}

/// Sorts a share of long rows by their keys: each place is set once at most.
fn sort_long(workers: Workers<'_>, over: Option<(&dyn crate::comm::Comm, &Cuts)>, share: &mut [Long]) {
    const { assert!(size_of::<Long>() >= LONG) };
    let sets = (0..share.len()).map(|_| AtomicU8::new(0)).collect();
    let rows = Counted { rows: Places::new(share.as_mut_ptr()), sets };
    assert!(ByKey::new(|row: &Long| row[0] as i64).sort_long(workers, over, &rows), "they are long, and have numbers");
    assert!(rows.sets.iter().all(|sets| sets.load(Relaxed) <= 1), "each row moves once at most");
}

/// Long rows with keys of many kinds, also such that rows change places in pairs and in short rings.
fn long_rows(n: usize) -> Vec<(&'static str, Vec<Long>)> {
    let mut kinds = keys(n);
    let ring = |i: usize| if i % 6 == 5 { i - 5 } else { i + 1 };
    kinds.push(("pairs", (0..n).map(|i| (i ^ 1) as u64).collect()));
    kinds.push(("rings", (0..n).map(|i| ring(i) as u64).collect()));
    let rows =
        |keys: Vec<u64>| keys.iter().zip(0..).map(|(key, place)| [*key, place, !place, 7, key + place]).collect();
    kinds.into_iter().map(|(what, keys)| (what, rows(keys.iter().map(|key| key >> 1).collect()))).collect()
}

#[test]
fn long_rows_move_once() {
    for &n in SIZES {
        for (what, rows) in long_rows(n) {
            let mut expected = rows.clone();
            expected.sort_by_key(|row| row[0] as i64);
            for workers in [1, 3] {
                let mut found = rows.clone();
                sort_long(Workers::of(&alone(workers)), None, &mut found);
                assert!(found == expected, "{what}, {n} rows on {workers} workers");
            }
        }
    }
}

#[test]
#[cfg_attr(miri, ignore = "takes hours")]
fn long_rows_move_once_over_ranks() {
    for ranks in [1, 2, 3, 4, 7] {
        for n in [0, 1, 2, ranks - 1, ranks, ranks + 1, 1000, 30_011] {
            for (what, rows) in long_rows(n).into_iter().step_by(if n > 1000 { 3 } else { 1 }) {
                let mut expected = rows.clone();
                expected.sort_by_key(|row| row[0] as i64);
                for lengths in cuts(n, ranks) {
                    let shares = Local::run(ranks, |comm| {
                        let cuts = Cuts::from_lengths(&lengths);
                        let mut share = rows[cuts.range(crate::comm::Comm::rank(&comm))].to_vec();
                        let context = Context::new(Box::new(comm), node(2), Settings::default());
                        sort_long(Workers::of(&context), Some((context.comm(), &cuts)), &mut share);
                        share
                    });
                    assert!(shares.concat() == expected, "{what}: {n} rows on {ranks} ranks, {lengths:?}");
                }
            }
        }
    }
}

#[test]
#[cfg_attr(miri, ignore = "takes hours")]
fn a_key_that_changes_loses_no_row() {
    let rows = long_rows(20_001).swap_remove(0).1;
    for ranks in [1, 3] {
        let lengths = &cuts(rows.len(), ranks)[2];
        let shares = Local::run(ranks, |comm| {
            let cuts = Cuts::from_lengths(lengths);
            let mut share = rows[cuts.range(crate::comm::Comm::rank(&comm))].to_vec();
            let context = Context::new(Box::new(comm), node(2), Settings::default());
            let sets = share.iter().map(|_| AtomicU8::new(0)).collect();
            let counted = Counted { rows: Places::new(share.as_mut_ptr()), sets };
            let calls = AtomicU64::new(0);
            let key = |row: &Long| row[0] ^ calls.fetch_add(0x9e37_79b9_7f4a_7c15, Relaxed);
            ByKey::new(key).sort_long(Workers::of(&context), Some((context.comm(), &cuts)), &counted);
            share
        });
        let mut found = shares.concat();
        found.sort_by_key(|row| row[1]);
        assert!(found == rows, "{ranks} ranks");
    }
}
