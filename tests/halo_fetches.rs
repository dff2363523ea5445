//! Fetches of other ranks' shares: no more than the iterations touch, in one message from each rank, and not again while
//! the share is unchanged; but never elements from before a change.

use forall::{Cuts, DistVec, Settings, foreach};
use forall_core::comm::{Local, Traffic};
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

/// The bytes that this rank sends meanwhile.
fn traffic(work: impl FnOnce()) -> Traffic {
    let so_far = || current().expect("several ranks have a context").traffic();
    let before = so_far();
    work();
    so_far() - before
}

/// A ring: the first element is beside the last one.
#[foreach]
fn turned(x: &[u64], out: &mut [u64], by: usize) {
    let n = x.len();
    for i in 0..n {
        out[i] = x[(i + by) % n] + 3 * x[i];
    }
}

/// A ring in place: the planes at the ends are those inside of the other end.
#[foreach]
fn wrapped(x: &mut [u64], plane: usize) {
    let planes = x.len() / plane;
    for i in 0..plane {
        x[i] = x[(planes - 2) * plane + i];
        x[(planes - 1) * plane + i] = x[plane + i];
    }
}

#[foreach]
fn transposed(x: &[u64], out: &mut [u64], n: usize) {
    for i in 0..n {
        for j in 0..n {
            out[i * n + j] = x[j * n + i];
        }
    }
}

/// The same, from where the elements are.
#[foreach]
fn put_across(x: &[u64], out: &mut [u64], n: usize) {
    for i in 0..n {
        for j in 0..n {
            out[j * n + i] = x[i * n + j];
        }
    }
}

/// Few elements from all over the array.
#[foreach]
fn sampled(x: &[u64], out: &mut [u64]) {
    for i in 0..out.len() {
        out[i] = x[i * 7919 % x.len()];
    }
}

#[foreach]
fn between_planes(x: &[f64], out: &mut [f64], plane: usize) {
    for i in plane..x.len() - plane {
        out[i] = x[i - plane] + x[i + plane];
    }
}

/// How many ranks a rank speaks to in a handshake: those beside it, and the others in rounds.
fn spoken_to(ranks: usize) -> u64 {
    match ranks {
        2 => 1,
        3 => 2,
        4 => 3,
        7 => 4,
        _ => unreachable!("no test has so many ranks"),
    }
}

#[test]
fn a_step_of_a_stencil_sends_its_halo_and_nothing_else() {
    // From 128 KiB on a halo goes from where it lies to where it belongs; a shorter one is copied.
    for plane in [1, 1000, 20_000] {
        for ranks in [2, 3, 4, 7] {
            on_ranks(ranks, || {
                let rank = forall::rank();
                let neighbours = u64::from(rank > 0) + u64::from(rank + 1 < ranks);
                let mut x = DistVec::from_fn(2 * ranks * plane, |i| i as f64).in_planes(plane);
                let mut out = DistVec::zeroed_like(&x);
                let (mut plain, mut plain_out) = (x.to_all(), out.to_all());
                for step in 0..4 {
                    let Traffic { messages, bytes_sent, .. } = traffic(|| between_planes(&x, &mut out, plane));
                    between_planes::sequential(&plain, &mut plain_out, plane);
                    assert_eq!(out.to_all(), plain_out, "step {step}, {plane} on {ranks}");
                    x.swap(&mut out);
                    std::mem::swap(&mut plain, &mut plain_out);
                    if step > 0 {
                        // One message to each neighbour is its halo. On more than two ranks the agreement of all needs others too,
                        // which are empty.
                        let expected = (spoken_to(ranks), neighbours * 8 * plane as u64);
                        assert_eq!((messages, bytes_sent), expected, "step {step}, {plane} on {ranks}");
                    }
                }
            });
        }
    }
}

#[foreach]
fn of_two(x: &[f64], y: &[f64], out: &mut [f64], plane: usize) {
    for i in plane..x.len() {
        out[i] = x[i - plane] * y[i - plane];
    }
}

#[test]
fn halos_of_several_arrays_are_one_message_and_one_more_for_each_long_piece_after_the_first() {
    for (plane, expected) in [(1000, 1), (20_000, 2)] {
        on_ranks(2, || {
            let mut x = DistVec::from_fn(8 * plane, |i| i as f64).in_planes(plane);
            let mut y = DistVec::from_fn(8 * plane, |i| (i % 7) as f64).in_planes(plane);
            let mut out = DistVec::zeroed_like(&x);
            let (mut plain_x, mut plain_y) = (x.to_all(), y.to_all());
            for step in 0..3 {
                let sent = traffic(|| of_two(&x, &y, &mut out, plane));
                let mut plain = vec![0.0; 8 * plane];
                of_two::sequential(&plain_x, &plain_y, &mut plain, plane);
                assert_eq!(out.to_all(), plain, "step {step}");
                if step > 0 {
                    let expected = if forall::rank() == 0 { (expected, 16 * plane as u64) } else { (1, 0) };
                    assert_eq!((sent.messages, sent.bytes_sent), expected, "step {step}");
                }
                x.local_mut().iter_mut().chain(y.local_mut()).for_each(|x| *x += 1.0);
                plain_x.iter_mut().chain(&mut plain_y).for_each(|x| *x += 1.0);
            }
        });
    }
}

#[test]
fn ranks_that_pass_other_values_are_an_error() {
    let failure = Local::try_run(2, |comm| {
        let _installed = install(Context::new(Box::new(comm), Arc::new(Serial), Settings::default()));
        let x = DistVec::from_fn(100, |i| i as u64);
        let mut out = DistVec::zeroed(100);
        turned(&x, &mut out, 1);
        turned(&x, &mut out, 2);
        turned(&x, &mut out, 3 + 2 * forall::rank());
    });
    let message = failure.expect_err("the ranks do not pass the same").message;
    let one =
        "the ranks pass different values in loop 1 of `turned` (call 3): rank 1 gives 40 bytes where rank 0 needs 24";
    let other =
        "the ranks pass different values in loop 1 of `turned` (call 3): rank 0 gives 24 bytes where rank 1 needs 40";
    assert!(message == one || message == other, "{message}");
}

#[test]
fn what_lies_apart_is_fetched_apart() {
    for ranks in [2, 3, 4, 7] {
        on_ranks(ranks, || {
            let (n, plane) = (12_000, 100);
            let mut x = DistVec::from_fn(n, |i| (i * i) as u64).in_planes(plane);
            let mut out = DistVec::zeroed_like(&x);
            let mut plain = x.to_all();
            let mut plain_out = plain.clone();
            for by in [1, 2, n - 1, n - 3] {
                let sent = traffic(|| turned(&x, &mut out, by)).bytes_sent;
                turned::sequential(&plain, &mut plain_out, by);
                assert_eq!(out.to_all(), plain_out);
                assert!(sent < 1500, "{sent} bytes by {by} on {ranks}");
            }
            let sent = traffic(|| wrapped(&mut x, plane)).bytes_sent;
            wrapped::sequential(&mut plain, plane);
            assert_eq!(x.to_all(), plain);
            assert!(sent < 16 * 4 * plane as u64 + 1500, "{sent} bytes on {ranks}");
            let mut few = DistVec::zeroed(10);
            let sent = traffic(|| sampled(&x, &mut few)).bytes_sent;
            let mut plain_few = vec![0; 10];
            sampled::sequential(&plain, &mut plain_few);
            assert_eq!(few.to_all(), plain_few);
            assert!(sent < 1500, "{sent} bytes on {ranks}");
        });
    }
}

#[test]
fn a_transpose_moves_each_element_once() {
    for ranks in [2, 3, 4, 7] {
        for n in [1, 2, 5, 300] {
            on_ranks(ranks, || {
                let x = DistVec::from_fn(n * n, |i| i as u64).in_planes(n);
                let mut out = DistVec::zeroed_like(&x);
                let plain = x.to_all();
                let mut plain_out = vec![0; n * n];
                let sent = traffic(|| transposed(&x, &mut out, n)).bytes_sent;
                transposed::sequential(&plain, &mut plain_out, n);
                assert_eq!(out.to_all(), plain_out);
                assert!(sent <= 8 * x.local().len() as u64 + 1500, "{sent} bytes on {ranks}");
                put_across(&out, &mut DistVec::zeroed_like(&x), n);
                let mut again = DistVec::zeroed_like(&x);
                put_across(&out, &mut again, n);
                assert_eq!(again.to_all(), plain);
            });
        }
    }
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

#[test]
fn a_matrix_that_does_not_change_is_fetched_once() {
    for ranks in [2, 3, 7] {
        on_ranks(ranks, || {
            // The rows at the end are longer, so that entries lie on other ranks than their rows.
            let rows = 1200;
            let start = DistVec::from_fn(rows + 1, |i| (i * i / 100) as u32);
            let entries = rows * rows / 100;
            let column = DistVec::from_fn(entries, |k| (k * 31 % 40) as u32);
            let value = DistVec::from_fn(entries, |k| k as f64);
            let (mut x, mut y) = (DistVec::from_fn(rows, |i| i as f64), DistVec::zeroed(rows));
            let sent: Vec<u64> = (0..4)
                .map(|_| {
                    let sent = traffic(|| product(&start, &column, &value, &x, &mut y)).bytes_sent;
                    let mut expected = vec![0.0; rows];
                    let whole = (start.to_all(), column.to_all(), value.to_all(), x.to_all());
                    product::sequential(&whole.0, &whole.1, &whole.2, &whole.3, &mut expected);
                    assert_eq!(y.to_all(), expected);
                    x.local_mut().iter_mut().for_each(|x| *x += 1.0);
                    sent
                })
                .collect();
            assert!(sent[2..].iter().all(|&sent| sent <= 8 * 40 * ranks as u64 + 100), "{sent:?} on {ranks}");
        });
    }
}

/// The events between calls.
#[derive(Debug, Clone, Copy)]
enum Change {
    Nothing,
    /// An element, by its owner alone.
    Element(usize),
    /// By a loop.
    Loop,
    /// By a statement of an annotated function.
    Statement(usize),
    Fill,
    Shift(isize),
    /// Two vectors change their names.
    Swap,
    Cuts(usize),
    OutCuts(usize),
    Clone,
    By(usize),
}

fn change() -> impl Strategy<Value = Change> {
    const N: usize = 61;
    prop_oneof![
        3 => Just(Change::Nothing),
        2 => (0..N).prop_map(Change::Element),
        1 => Just(Change::Loop),
        1 => (0..N).prop_map(Change::Statement),
        1 => Just(Change::Fill),
        1 => (-3..4_isize).prop_map(Change::Shift),
        2 => Just(Change::Swap),
        1 => (0..N).prop_map(Change::Cuts),
        1 => (0..N).prop_map(Change::OutCuts),
        1 => Just(Change::Clone),
        1 => (0..N).prop_map(Change::By),
    ]
}

#[foreach]
fn added(x: &mut [u64]) {
    for i in 0..x.len() {
        x[i] += i as u64;
    }
}

#[foreach]
fn set(x: &mut [u64], at: usize) {
    x[at] += 1000;
    for i in 1..2 {
        x[i] += 1;
    }
}

#[foreach]
fn filled(x: &mut [u64], value: u64) {
    x.fill(value);
    for i in 3..7 {
        x[i] += 1;
    }
}

/// The first rank has so many elements, and the last one the others.
fn cuts(n: usize, first: usize, ranks: usize) -> Cuts {
    let mut lengths = vec![0; ranks];
    lengths[0] = first.min(n);
    lengths[ranks - 1] += n - lengths[0];
    Cuts::from_lengths(&lengths)
}

proptest! {
    #![proptest_config(ProptestConfig { rng_seed: RngSeed::Fixed(2), cases: 80, ..ProptestConfig::default() })]

    #[test]
    fn nothing_that_was_fetched_is_stale(changes in proptest::collection::vec(change(), 1..16), ranks in 2..6_usize) {
        on_ranks(ranks, || {
            let n = 61;
            let mut x = DistVec::from_fn(n, |i| (i * i) as u64);
            let mut other = DistVec::from_fn(n, |i| 7 * i as u64);
            let mut out = DistVec::zeroed(n);
            let (mut plain, mut plain_other, mut by) = (x.to_all(), other.to_all(), 1);
            for change in &changes {
                match *change {
                    Change::Nothing => {}
                    Change::Element(i) => {
                        let own = x.range();
                        if own.contains(&i) {
                            x.local_mut()[i - own.start] += 5;
                        }
                        plain[i] += 5;
                    }
                    Change::Loop => {
                        added(&mut x);
                        added::sequential(&mut plain);
                    }
                    Change::Statement(at) => {
                        set(&mut x, at);
                        set::sequential(&mut plain, at);
                    }
                    Change::Fill => {
                        filled(&mut x, 3);
                        filled::sequential(&mut plain, 3);
                    }
                    Change::Shift(by) => {
                        x.shift(by);
                        plain = (0..n as isize)
                            .map(|i| plain.get((i - by) as usize).copied().unwrap_or(0))
                            .collect();
                    }
                    Change::Swap => {
                        x.swap(&mut other);
                        std::mem::swap(&mut plain, &mut plain_other);
                    }
                    Change::Cuts(at) => x.rebalance_to(&cuts(n, at, ranks)),
                    Change::OutCuts(at) => out.rebalance_to(&cuts(n, at, ranks)),
                    Change::Clone => x = x.clone(),
                    Change::By(to) => by = to,
                }
                let mut expected = vec![0; n];
                for _ in 0..2 {
                    turned(&x, &mut out, by);
                    turned::sequential(&plain, &mut expected, by);
                    assert_eq!(out.to_all(), expected, "{change:?}");
                }
            }
        });
    }
}
