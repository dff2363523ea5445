//! Annotated calls in a block: on any number of workers and ranks they have the results of the sequential program. If there are fewer blocks than
//! workers, they run on all workers.

mod everywhere;

use everywhere::{everywhere, runtime};
use forall::{Blocks, distributed_scan, distributed_sort, foreach, foreach_tls, kary_reduce};
use std::collections::HashSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Condvar, Mutex};
use std::thread::ThreadId;
use std::time::Duration;

#[foreach(grain = 7)]
fn scale(x: &mut [f64], by: f64) {
    for i in 0..x.len() {
        x[i] = x[i] * by + 1.0 / (1 + i) as f64;
    }
}

#[distributed_scan(grain = 5)]
fn totals(x: &mut [f64]) -> f64 {
    let mut sum = 0.0;
    for i in 0..x.len() {
        sum += x[i];
        x[i] = sum;
    }
    sum
}

#[kary_reduce(grain = 3)]
fn sum_of_squares(x: &[f64]) -> f64 {
    let mut sum = 0.0;
    for i in 0..x.len() {
        sum += x[i] * x[i];
    }
    sum
}

#[distributed_sort]
fn sorted(x: &mut [u64]) {
    x.sort_unstable();
}

#[foreach_tls(grain = 2)]
fn large(x: &[f64], least: f64, found: &mut Vec<usize>) {
    for i in 0..x.len() {
        if x[i] > least {
            found.push(i);
        }
    }
}

/// Calls of each attribute on the data of a block, and a reduction over the blocks.
#[kary_reduce]
fn advance(blocks: &mut Blocks<(Vec<f64>, Vec<u64>)>, by: f64) -> usize {
    let mut count = 0;
    for mut block in blocks.iter_mut() {
        let (values, bits) = &mut *block;
        scale(values, by);
        let sum = totals(values);
        let squares = sum_of_squares(values);
        bits.push(sum.to_bits());
        bits.push(squares.to_bits());
        let mut found = Vec::new();
        large(values, 0.5, &mut found);
        bits.extend(found.iter().map(|at| *at as u64));
        sorted(bits);
        count += found.len();
    }
    count
}

#[test]
fn calls_have_the_results_of_the_sequential_program() {
    for (n, length) in [(0, 0), (1, 1000), (2, 97), (3, 1), (9, 200)] {
        let begun = || {
            let values = |number: usize| (0..length).map(|i| ((i * 7 + number) % 13) as f64 * 0.1).collect();
            Blocks::from_fn(n, |number| (values(number), Vec::new()))
        };
        let results = everywhere(|| {
            let mut blocks = begun();
            let counts = [advance(&mut blocks, 0.3), advance(&mut blocks, -1.1)];
            (blocks.to_all(), counts)
        });
        // Floats of loops have the bits of any number of workers, and nearly those of plain loops.
        let mut blocks = begun();
        let counts = [advance::sequential(&mut blocks, 0.3), advance::sequential(&mut blocks, -1.1)];
        assert_eq!(results.1, counts, "{n} blocks");
        for (found, right) in results.0.iter().zip(blocks.to_all()) {
            assert_eq!(found.1.len(), right.1.len());
            assert!(found.0.iter().zip(&right.0).all(|(one, two)| (one - two).abs() < 1e-9));
        }
    }
}

/// The threads that have come, and a signal for each.
static SEEN: (Mutex<Option<HashSet<ThreadId>>>, Condvar) = (Mutex::new(None), Condvar::new());

/// Waits for a second thread, but not for long. Returns whether it came.
fn meet() -> bool {
    let mut seen = SEEN.0.lock().unwrap();
    seen.get_or_insert_default().insert(std::thread::current().id());
    SEEN.1.notify_all();
    let alone = |seen: &mut Option<HashSet<ThreadId>>| seen.as_ref().is_some_and(|threads| threads.len() < 2);
    !SEEN.1.wait_timeout_while(seen, Duration::from_secs(20), alone).unwrap().1.timed_out()
}

#[foreach(grain = 1)]
fn met(who: &mut [u8]) {
    for i in 0..who.len() {
        who[i] = u8::from(meet());
    }
}

#[foreach]
fn in_each(blocks: &mut Blocks<Vec<u8>>) {
    for mut block in blocks.iter_mut() {
        met(&mut block);
    }
}

#[test]
fn several_workers_run_the_calls_of_a_single_block() {
    // One block, also beside a rank without blocks; and several, with one in memory.
    for (n, plan) in [(1, (2, 2, None)), (1, (1, 2, None)), (3, (1, 2, Some(1))), (3, (4, 2, None))] {
        *SEEN.0.lock().unwrap() = None;
        let all = runtime(plan).run(|| {
            let mut blocks = Blocks::from_fn(n, |_| vec![0; 2]);
            in_each(&mut blocks);
            blocks.to_all()
        });
        assert_eq!(all[0], vec![vec![1, 1]; n], "{n} blocks, {plan:?}");
    }
}

#[foreach]
fn halved(x: &mut [u64]) {
    for i in 0..x.len() {
        x[i] = 100 / x[i];
    }
}

#[foreach]
fn halved_in_blocks(blocks: &mut Blocks<Vec<u64>>) {
    for mut block in blocks.iter_mut() {
        halved(&mut block);
    }
}

#[test]
fn a_panic_in_a_call_ends_the_loop() {
    for plan in [(1, 1, None), (1, 4, None), (1, 4, Some(1)), (2, 3, None)] {
        let run = || {
            runtime(plan).run(|| {
                let values = |number: usize| (0..200).map(|i| (i + 1) % (150 + 60 * number as u64)).collect();
                halved_in_blocks(&mut Blocks::from_fn(3, values));
            })
        };
        let panic = catch_unwind(AssertUnwindSafe(run)).unwrap_err();
        let text = panic.downcast_ref::<String>().cloned();
        let text = text.or_else(|| Some((*panic.downcast_ref::<&str>()?).to_owned())).unwrap_or_default();
        assert!(text.contains("divide by zero"), "{text}");
        // The next program runs as before.
        let all = runtime(plan).run(|| {
            let mut blocks = Blocks::from_fn(2, |_| vec![50; 100]);
            halved_in_blocks(&mut blocks);
            blocks.to_all()
        });
        assert_eq!(all[0], vec![vec![2; 100]; 2]);
    }
}

/// The reports of the test above, in a process of its own.
#[test]
fn explain_tells_it() {
    let mut program = std::process::Command::new(std::env::current_exe().unwrap());
    program.args(["--exact", "several_workers_run_the_calls_of_a_single_block", "--nocapture"]);
    let output = program.env("FORALL_EXPLAIN", "1").output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    let line =
        "`in_each`: rank 0 has 1 block at a time for 2 workers, so annotated calls in a block run on all workers";
    assert!(output.status.success() && said.matches(line).count() == 1, "{said}");
    let (_, called) = said.split_once("`met`").unwrap();
    assert!(called.contains("here: threads on 2 workers, solo of 1 rank"), "{said}");
}
