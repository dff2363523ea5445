//! The message for a user if the ranks make different calls, or a loop panics: one message that names both sides, and no hang.
//!
//! The ranks are threads of this process; `backends/mpi/tests` has the same for processes.

use forall::{DistVec, Runtime, distributed_scan, foreach, kary_reduce};
use std::panic::{AssertUnwindSafe, catch_unwind};

#[foreach]
fn double(x: &[i64], out: &mut [i64]) {
    for i in 0..x.len() {
        out[i] = 2 * x[i];
    }
}

#[foreach]
fn halve(x: &[i64], out: &mut [i64]) {
    for i in 0..x.len() {
        out[i] = x[i] / 2;
    }
}

#[kary_reduce]
fn sum_up_to(n: usize) -> usize {
    let mut sum = 0;
    for i in 0..n {
        sum += i;
    }
    sum
}

#[distributed_scan]
fn running(x: &[i64], out: &mut [i64], end: usize) {
    let mut sum = 0;
    for i in 0..end {
        sum += x[i];
        out[i] = sum;
    }
}

#[foreach]
fn quotient(x: &[i64], by: &[i64], out: &mut [i64]) {
    for i in 0..x.len() {
        out[i] = x[i] / by[i];
    }
}

/// A sum that the author does not let grow.
fn small_sum(a: i64, b: i64) -> i64 {
    assert!(a + b < 60, "the sum is too large");
    a + b
}

#[distributed_scan(combine = small_sum)]
fn small_sums(x: &[i64], out: &mut [i64]) {
    let mut sum = 0;
    for i in 0..x.len() {
        sum = small_sum(sum, x[i]);
        out[i] = sum;
    }
}

/// Iterations meet where the stride is smaller than what they write.
#[foreach]
fn strided(x: &[i64], stride: usize, out: &mut [i64]) {
    for i in 0..x.len() {
        out[i * stride] = x[i];
        out[i * stride + 1] = -x[i];
    }
}

/// Rows may be longer than their stride.
#[foreach]
fn halved(x: &[i64], width: usize, out: &mut [i64]) {
    for y in 0..4 {
        for k in 0..width {
            out[y * (x.len() / 2) + k] = x[k];
        }
    }
}

#[kary_reduce]
fn total_of_bytes(start: u8, x: &[u8]) -> u8 {
    let mut total = start;
    for i in 0..x.len() {
        total += x[i];
    }
    total
}

#[kary_reduce]
fn left_of_bytes(start: u8, x: &[u8]) -> u8 {
    let mut left = start;
    for i in 0..x.len() {
        left -= x[i];
    }
    left
}

#[kary_reduce(combine = small_sum, identity = NOTHING, algorithm = binary_swap)]
fn small_sums_of_columns(x: &[i64], #[replicated] totals: &mut [i64]) {
    for row in x.chunks_exact(4) {
        for (t, v) in totals.iter_mut().zip(row) {
            *t = small_sum(*t, *v);
        }
    }
}

const NOTHING: i64 = 0;

/// The message of the run's panic.
fn complaint<R: Send>(ranks: usize, program: impl Fn() -> R + Sync) -> String {
    let run = || Runtime::builder().ranks(ranks).threads(2).grain(4).run(program);
    let payload = match catch_unwind(AssertUnwindSafe(run)) {
        Ok(_) => panic!("the ranks went on as if nothing was wrong"),
        Err(payload) => payload,
    };
    let text = payload.downcast_ref::<String>().map(String::as_str).or_else(|| payload.downcast_ref::<&str>().copied());
    text.expect("a message").to_owned()
}

/// Fails unless all parts are in the message.
#[track_caller]
fn says(message: &str, parts: &[&str]) {
    for part in parts {
        assert!(message.contains(part), "{part:?} is missing in: {message}");
    }
}

fn vector(n: usize) -> DistVec<i64> {
    DistVec::from_fn(n, |i| i as i64 - 3)
}

#[foreach]
fn scattered(place: &[usize], #[scatter] out: &mut [i64]) {
    for i in 0..place.len() {
        out[place[i]] += 1;
    }
}

#[test]
fn a_place_out_of_bounds_panics_as_in_the_sequential_loop() {
    for ranks in [1, 3] {
        let message = complaint(ranks, || {
            let place = DistVec::from_fn(40, |i| if i == 37 { 40 } else { i });
            scattered(&place, &mut DistVec::zeroed(40));
        });
        assert_eq!(message, "index out of bounds: the len is 40 but the index is 40");
    }
}

#[foreach]
fn counted(place: &[usize], #[scatter] out: &mut [u8]) {
    for i in 0..place.len() {
        out[place[i]] += 1;
    }
}

/// Owners write after the loop: an element that grows too large is found then.
#[cfg(debug_assertions)]
#[test]
fn an_element_that_is_scattered_to_too_often_panics_as_in_the_sequential_loop() {
    for (ranks, threads) in [(1, 1), (1, 2), (3, 1)] {
        let message = catch_unwind(AssertUnwindSafe(|| {
            Runtime::builder().ranks(ranks).threads(threads).grain(8).run(|| {
                let place = DistVec::from_fn(300, |i| if i % 100 == 7 { i } else { 29 });
                counted(&place, &mut DistVec::zeroed(300));
            });
        }));
        let message = message.expect_err("a byte holds less than 297");
        let text = message.downcast_ref::<String>().map(String::as_str).or(message.downcast_ref::<&str>().copied());
        assert!(text.is_some_and(|text| text.contains("attempt to add with overflow")), "{ranks} ranks: {text:?}");
    }
}

#[test]
fn other_functions() {
    let message = complaint(3, || {
        let (x, mut out) = (vector(20), DistVec::zeroed(20));
        if forall::rank() == 1 { halve(&x, &mut out) } else { double(&x, &mut out) }
    });
    says(&message, &["the ranks do not make the same calls", "rank 0", "double", "rank 1", "halve"]);
}

#[test]
fn other_lengths() {
    let message = complaint(4, || {
        let n = if forall::rank() == 2 { 21 } else { 20 };
        double(&vector(n), &mut DistVec::zeroed(n));
    });
    says(&message, &["double", "the length of `x` is 20 on rank 0 and 21 on rank 2"]);
}

#[test]
fn other_lengths_of_arrays_that_every_rank_has() {
    let message = complaint(3, || {
        let mut totals = vec![0; 4 + forall::rank() / 2];
        small_sums_of_columns(&vector(8), &mut totals);
    });
    says(&message, &["small_sums_of_columns", "the length of `totals` is 4 on rank 0 and 5 on rank 2"]);
}

#[test]
fn an_operator_of_arrays_that_panics() {
    for ranks in 1..=4 {
        let message = complaint(ranks, || small_sums_of_columns(&vector(48), &mut [0; 4]));
        says(&message, &["the sum is too large"]);
    }
}

#[test]
fn other_loop_bounds() {
    let message = complaint(2, || sum_up_to(10 + forall::rank()));
    says(&message, &["sum_up_to", "number of iterations is 10 on rank 0 and 11 on rank 1"]);
}

#[test]
fn other_loop_bounds_over_slices() {
    let message = complaint(3, || running(&vector(30), &mut DistVec::zeroed(30), 30 - 10 * (forall::rank() / 2)));
    says(&message, &["running", "number of iterations is 30 on rank 0 and 20 on rank 2"]);
}

#[test]
fn one_call_fewer() {
    let message = complaint(3, || {
        let (x, mut out) = (vector(20), DistVec::zeroed(20));
        double(&x, &mut out);
        if forall::rank() != 1 {
            double(&x, &mut out);
        }
    });
    says(&message, &["rank 0 calls", "double", "call 2", "rank 1 reached the end of the program"]);
}

#[test]
fn a_rank_that_returns_early() {
    let message = complaint(2, || {
        if forall::rank() == 0 {
            return 0;
        }
        sum_up_to(5)
    });
    says(&message, &["rank 0 reached the end of the program", "rank 1 calls", "sum_up_to"]);
}

#[test]
fn a_panic_on_one_rank_ends_all() {
    // Only the last rank divides by zero; the others wait for it in the next call, and must not hang.
    let message = complaint(3, || {
        let (x, mut out) = (vector(30), DistVec::zeroed(30));
        let by = DistVec::from_fn(30, |i| 25 - i as i64);
        quotient(&x, &by, &mut out);
        sum_up_to(out.len())
    });
    says(&message, &["divide by zero"]);
}

/// Wherever it is called: in an iteration, or to put chunks together.
#[test]
fn an_operator_that_panics_ends_the_call() {
    for ranks in [1, 2, 3] {
        for _ in 0..20 {
            let message =
                complaint(ranks, || small_sums(&DistVec::from_fn(1000, |i| i64::from(i % 8 == 0)), &mut vector(1000)));
            says(&message, &["the sum is too large"]);
        }
    }
}

#[test]
fn an_index_out_of_bounds_panics_as_in_the_sequential_loop() {
    let sequential = catch_unwind(|| double::sequential(&[1, 2, 3], &mut [0, 0])).expect_err("out of bounds");
    let expected = sequential.downcast_ref::<String>().expect("a message").clone();
    for ranks in [1, 2, 3] {
        let message = complaint(ranks, || double(&vector(3), &mut DistVec::zeroed(2)));
        assert_eq!(message, expected, "on {ranks} ranks");
    }
}

/// A total that its type does not hold is found wherever the parts are added up.
#[cfg(debug_assertions)]
#[test]
fn a_sum_out_of_range_panics_as_in_the_sequential_loop() {
    let ones = || DistVec::from_fn(200, |_| 1u8);
    for ranks in [1, 2, 3] {
        assert_eq!(Runtime::builder().ranks(ranks).run(|| total_of_bytes(55, &ones())), vec![255; ranks]);
        assert_eq!(Runtime::builder().ranks(ranks).run(|| left_of_bytes(200, &ones())), vec![0; ranks]);
        says(&complaint(ranks, || total_of_bytes(56, &ones())), &["attempt to add with overflow"]);
        says(&complaint(ranks, || left_of_bytes(199, &ones())), &["attempt to subtract with overflow"]);
        let many = || DistVec::from_fn(1024, |_| 1u8);
        says(&complaint(ranks, || total_of_bytes(0, &many())), &["attempt to add with overflow"]);
    }
}

#[test]
fn overlapping_writes_are_refused_before_they_happen() {
    for ranks in [1, 3] {
        let message = complaint(ranks, || strided(&vector(10), 1, &mut DistVec::zeroed(30)));
        says(&message, &["FA061", "strided", "`out`"]);
        Runtime::builder().ranks(ranks).run(|| strided(&vector(10), 2, &mut DistVec::zeroed(30)));
        let message = complaint(ranks, || halved(&vector(11), 6, &mut DistVec::zeroed(30)));
        says(&message, &["FA061", "halved", "`out`"]);
        Runtime::builder().ranks(ranks).run(|| halved(&vector(11), 5, &mut DistVec::zeroed(30)));
    }
}

/// A panic's message names function, iteration and rank; it goes to the standard error of a process, so a process of its
/// own makes it: this test runs its own binary again.
#[test]
fn a_panic_names_function_iteration_and_rank() {
    let output = std::process::Command::new(std::env::current_exe().expect("this test's binary"))
        .args(["--exact", "a_panic_on_one_rank_ends_all", "--nocapture"])
        .output()
        .expect("it starts");
    assert!(output.status.success());
    says(
        &String::from_utf8_lossy(&output.stderr),
        &["rank 2 of 3 panicked", "quotient", "iteration 25", "attempt to divide by zero", "misuse.rs"],
    );
}
