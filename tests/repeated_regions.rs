//! Regions that run again with the same objects and boxes: elements travel inside the handshake, and ranks that do something else are named.

use forall::{Object, Runtime, barrier, foreach};
use forall_core::runtime::current;
use std::panic::{AssertUnwindSafe, catch_unwind};

#[foreach]
fn smooth(now: &Object<f64, 2>, next: &mut Object<f64, 2>, size: [usize; 2]) {
    for tile in next.tiles(size) {
        let [rows, columns] = tile.inside([1, 1]);
        for y in rows {
            for x in columns.clone() {
                next[[y, x]] = 0.25 * (now[[y - 1, x]] + now[[y + 1, x]] + now[[y, x - 1]] + now[[y, x + 1]]);
            }
        }
    }
}

#[foreach]
fn smooth_in_place(plane: &mut Object<f64, 2>, size: [usize; 2]) {
    for tile in plane.tiles(size) {
        let [rows, columns] = tile.inside([1, 1]);
        let mut means = Vec::new();
        for y in rows.clone() {
            for x in columns.clone() {
                means.push(0.25 * (plane[[y - 1, x]] + plane[[y + 1, x]] + plane[[y, x - 1]] + plane[[y, x + 1]]));
            }
        }
        let width = columns.len();
        barrier();
        for (row, y) in rows.enumerate() {
            for (column, x) in columns.clone().enumerate() {
                plane[[y, x]] = means[row * width + column];
            }
        }
    }
}

#[foreach]
fn twice(now: &Object<f64, 2>, next: &mut Object<f64, 2>) {
    for tile in next.tiles([5, 5]) {
        for y in tile.rows() {
            for x in tile.columns() {
                next[[y, x]] = 2.0 * now[[y, x]];
            }
        }
    }
}

const SHAPE: [usize; 2] = [42, 13];

fn plane() -> Object<f64, 2> {
    Object::from_fn(SHAPE, |[y, x]| ((y * 7 + x * 3) % 11) as f64)
}

fn messages() -> u64 {
    current().map_or(0, |context| context.traffic().messages)
}

fn on_ranks<R: Send>(ranks: usize, program: impl Fn() -> R + Sync) -> Vec<R> {
    Runtime::builder().ranks(ranks).threads(1).run(program)
}

/// The elements after so many steps on one rank.
fn expected(steps: usize) -> Vec<f64> {
    let [mut now, mut next] = [plane(), plane()];
    for _ in 0..steps {
        smooth::sequential(&now, &mut next, [4, 13]);
        std::mem::swap(&mut now, &mut next);
    }
    now.to_all().into_elements()
}

#[test]
fn a_repeated_step_is_one_round_of_messages() {
    for ranks in [1, 2, 3, 4, 5, 6, 7, 11] {
        let all = on_ranks(ranks, || {
            let [mut now, mut next] = [plane(), plane()];
            let mut sent = Vec::new();
            for _ in 0..7 {
                let (before, data) = (messages(), now.counters().data + next.counters().data);
                smooth(&now, &mut next, [4, 13]);
                let of_elements = now.counters().data + next.counters().data - data;
                sent.push((messages() - before, of_elements, now.counters().control + next.counters().control));
                std::mem::swap(&mut now, &mut next);
            }
            (sent, now.to_all().into_elements())
        });
        let expected = expected(7);
        for (rank, (sent, plane)) in all.iter().enumerate() {
            assert_eq!(*plane, expected, "{ranks} ranks");
            // Strips have at most two neighbours. Both planes have been written once.
            for (all, of_elements, control) in &sent[4..] {
                let neighbours = u64::from(rank > 0) + u64::from(rank + 1 < ranks);
                assert_eq!((*of_elements, *control), (neighbours, 0), "rank {rank} of {ranks}");
                match ranks {
                    // The elements are in the handshake, and the loop has none of its own.
                    ..=4 => assert_eq!(*all, ranks as u64 - 1, "rank {rank} of {ranks}"),
                    // Few messages in each of several rounds.
                    _ => assert!(*all <= 6, "rank {rank} of {ranks} sends {all}"),
                }
            }
        }
    }
}

#[test]
fn a_repeated_step_with_a_barrier_is_two_rounds_of_messages() {
    for ranks in [1, 2, 4, 7] {
        let all = on_ranks(ranks, || {
            let mut plane = plane();
            let mut sent = 0;
            for _ in 0..5 {
                let before = messages();
                smooth_in_place(&mut plane, [4, 13]);
                sent = messages() - before;
            }
            (sent, plane.to_all().into_elements())
        });
        let expected = expected(5);
        for (sent, plane) in all {
            let messages = 2 * (ranks as u64 - 1).min(4);
            assert_eq!((sent, &plane), (messages, &expected), "{ranks} ranks");
        }
    }
}

/// Between steps a rank changes a box, others fetch boxes, and a new object takes part.
#[test]
fn what_happens_between_repeated_steps_is_not_missed() {
    for ranks in [1, 2, 3, 4, 7] {
        let run = || {
            let [mut now, mut next] = [plane(), plane()];
            let mut seen = Vec::new();
            for number in 0..12 {
                match number % 6 {
                    2 => {
                        let own = forall::rank() == number % forall::ranks();
                        let range = if own { [7..23, 2..9] } else { [0..0, 0..0] };
                        let mut view = now.get_mut(range.clone());
                        view.elements_mut().iter_mut().for_each(|value| *value += number as f64);
                        drop(view);
                        now.modified(range);
                    }
                    4 => {
                        let pending = now.fetch([3..30, 0..4]);
                        smooth(&now, &mut next, [4, 13]);
                        seen.push(pending.wait().elements().iter().sum::<f64>());
                        std::mem::swap(&mut now, &mut next);
                        continue;
                    }
                    5 => {
                        let mut other = Object::zeroed(SHAPE);
                        twice(&now, &mut other);
                        now = other;
                    }
                    _ => {}
                }
                smooth(&now, &mut next, [4, 13]);
                std::mem::swap(&mut now, &mut next);
            }
            (seen, now.to_all().into_elements())
        };
        let expected = on_ranks(1, run).remove(0);
        for found in on_ranks(ranks, run) {
            assert_eq!(found, expected, "{ranks} ranks");
        }
    }
}

/// The panic of a program after repeated steps.
fn failure(ranks: usize, end: impl Fn(&mut Object<f64, 2>, &mut Object<f64, 2>) + Sync) -> String {
    let run = || {
        on_ranks(ranks, || {
            let [mut now, mut next] = [plane(), plane()];
            for _ in 0..4 {
                smooth(&now, &mut next, [4, 13]);
                std::mem::swap(&mut now, &mut next);
            }
            end(&mut now, &mut next);
        });
    };
    let payload = catch_unwind(AssertUnwindSafe(run)).expect_err("the ranks do not do the same");
    payload.downcast_ref::<String>().cloned().unwrap_or_default()
}

#[test]
fn a_rank_that_does_something_else_after_repeated_steps_is_named() {
    for ranks in [2, 3, 4, 7, 9] {
        let last = || forall::rank() + 1 == ranks;
        let swapped = failure(ranks, |now, next| {
            if last() {
                std::mem::swap(now, next);
            }
            smooth(now, next, [4, 13]);
        });
        assert!(swapped.contains("the objects of the tasks"), "{swapped}");
        let boxes = failure(ranks, |now, next| smooth(now, next, if last() { [5, 13] } else { [4, 13] }));
        assert!(boxes.contains("the number of tasks"), "{boxes}");
        let function = failure(ranks, |now, next| if last() { twice(now, next) } else { smooth(now, next, [4, 13]) });
        assert!(function.contains("smooth") && function.contains("twice"), "{function}");
        let ended = failure(ranks, |now, next| {
            if !last() {
                smooth(now, next, [4, 13]);
            }
        });
        assert!(ended.contains("smooth") && ended.contains("reached the end"), "{ended}");
        let fetches = failure(ranks, |now, next| {
            let pending = last().then(|| now.fetch([0..1, 0..1]));
            smooth(now, next, [4, 13]);
            drop(pending);
        });
        assert!(fetches.contains("the number of fetches"), "{fetches}");
    }
}
