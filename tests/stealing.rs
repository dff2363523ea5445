//! Tasks that move to ranks which run out of them: the results and their owners are right, and unequal tasks end early.

use forall::{Object, Placement, Runtime, Settings, foreach, foreach_tls, rank};
use std::time::{Duration, Instant};

fn on_ranks<R: Send>(ranks: usize, threads: usize, run: impl Fn() -> R + Sync) -> Vec<R> {
    let settings = Settings { placement: Placement::Stealing, ..Settings::default() };
    Runtime::builder().settings(settings).ranks(ranks).threads(threads).run(run)
}

/// Sleeps for the cost of each task.
#[foreach]
fn sleep(costs: &Object<u32, 1>, ran: &mut Object<u64, 1>, unit: Duration) {
    for tile in ran.tiles([1]) {
        for i in tile.indices() {
            std::thread::sleep(unit * costs[[i]]);
            ran[[i]] = 1 + rank() as u64;
        }
    }
}

/// Costs from 1 to 100 by a power law.
fn power_law(count: usize) -> Vec<u32> {
    let mut seed = 11_u64;
    let mut next = || {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) as f64 / (1_u64 << 31) as f64
    };
    // The density falls with the square of the cost.
    (0..count).map(|_| (1.0 / (1.0 - 0.99 * next())).clamp(1.0, 100.0) as u32).collect()
}

/// The time on four ranks, and the least possible one.
fn measured(costs: &[u32], unit: Duration, placement: Placement) -> (Duration, Duration) {
    let settings = Settings { placement, ..Settings::default() };
    let times = Runtime::builder().settings(settings).ranks(4).threads(1).run(|| {
        let now = Object::from_fn([costs.len()], |[i]| costs[i]);
        let mut ran = Object::zeroed([costs.len()]);
        sleep(&now, &mut ran, Duration::ZERO);
        let start = Instant::now();
        sleep(&now, &mut ran, unit);
        start.elapsed()
    });
    let (sum, largest) = (costs.iter().sum::<u32>(), costs.iter().copied().max().unwrap_or(0));
    (times.into_iter().max().unwrap_or_default(), unit * sum.div_ceil(4).max(largest))
}

/// All costs are at the beginning, so that the first rank has them.
#[test]
fn tasks_move_to_idle_ranks() {
    let costs: Vec<u32> = (0..80).map(|i| if i < 20 { 20 } else { 0 }).collect();
    let owners = on_ranks(4, 1, || {
        let mut ran = Object::zeroed([costs.len()]);
        sleep(&Object::from_fn([costs.len()], |[i]| costs[i]), &mut ran, Duration::from_millis(1));
        let owned: usize = ran.owned().iter().map(|[range]| range.len()).sum();
        (owned, ran.to_all().into_elements())
    });
    assert_eq!(owners.iter().map(|(owned, _)| owned).sum::<usize>(), costs.len());
    let mut ranks: Vec<u64> = owners[0].1[..20].to_vec();
    ranks.sort_unstable();
    ranks.dedup();
    assert!(ranks.len() > 2, "the long tasks ran on {ranks:?}");
}

/// For measurements: `cargo test --test stealing -- --ignored --nocapture`.
#[test]
#[ignore = "a measurement"]
fn a_thousand_tasks_by_a_power_law() {
    let (any, mut rising) = (power_law(1000), power_law(1000));
    rising.sort_unstable();
    let falling: Vec<u32> = rising.iter().rev().copied().collect();
    let alternating: Vec<u32> =
        (0..1000).map(|i| if i % 2 == 0 { rising[999 - i / 2] } else { rising[i / 2] }).collect();
    let all = [("any", any), ("rising", rising), ("falling", falling), ("alternating", alternating)];
    for (order, costs) in &all {
        for placement in [Placement::Stealing, Placement::default()] {
            let (time, ideal) = measured(costs, Duration::from_millis(4), placement);
            let ratio = time.as_secs_f64() / ideal.as_secs_f64();
            println!("{order} order, {placement:?}: {time:?}, {ratio:.3} of the ideal");
        }
    }
}

#[foreach]
fn blurred(now: &Object<i64, 2>, next: &mut Object<i64, 2>, size: [usize; 2]) {
    let [ny, nx] = next.shape();
    for tile in next.tiles(size) {
        for y in tile.rows() {
            for x in tile.columns() {
                let (up, left) = (now[[y.saturating_sub(1), x]], now[[y, x.saturating_sub(1)]]);
                next[[y, x]] = (up + 3 * left + now[[(y + 1).min(ny - 1), x]] + now[[y, (x + 1).min(nx - 1)]]) % 1009;
            }
        }
        // Some tasks take longer.
        if tile.number() % 5 == 0 {
            std::thread::sleep(Duration::from_micros(200));
        }
    }
}

#[foreach]
fn raised(a: &mut Object<i64, 2>) {
    for y in 0..a.shape()[0] {
        for x in 0..a.shape()[1] {
            a[[y, x]] = (7 * a[[y, x]] + 1) % 1009;
        }
    }
}

#[foreach_tls]
fn medians(a: &Object<i64, 2>, out: &mut Object<i64, 2>) {
    let mut row = Vec::new();
    for tile in out.tiles([1, 40]) {
        for y in tile.rows() {
            row.clear();
            for x in tile.columns() {
                row.push(a[[y, x]]);
            }
            row.sort_unstable();
            for x in tile.columns() {
                out[[y, x]] = row[row.len() / 2] + a[[y, x]];
            }
        }
    }
}

fn steps(size: [usize; 2]) -> Vec<i64> {
    let shape = [23, 31];
    let mut now = Object::from_fn(shape, |[y, x]| ((7 * y + 3 * x) % 11) as i64);
    let mut next = Object::zeroed(shape);
    for _ in 0..4 {
        blurred(&now, &mut next, size);
        std::mem::swap(&mut now, &mut next);
        raised(&mut now);
        medians(&now, &mut next);
        std::mem::swap(&mut now, &mut next);
        for object in [&now, &next] {
            assert!(object.in_memory() <= 2 * object.held());
        }
    }
    let all = now.to_all().into_elements();
    for view in now.own_boxes() {
        let [rows, columns] = view.ranges();
        for y in rows {
            for x in columns.clone() {
                assert_eq!(view[[y, x]], all[31 * y + x]);
            }
        }
    }
    all
}

#[test]
fn results_do_not_depend_on_moves() {
    for size in [[1, 1], [4, 5], [30, 40]] {
        let expected = steps(size);
        for ranks in [1, 2, 3, 4, 7] {
            for threads in [1, 2, 3] {
                for result in on_ranks(ranks, threads, || steps(size)) {
                    assert_eq!(result, expected, "{size:?} on {ranks} ranks with {threads} threads");
                }
            }
        }
    }
}

#[test]
fn a_rank_may_own_nothing_and_there_may_be_no_tasks() {
    for threads in [1, 3] {
        on_ranks(4, threads, || {
            for count in [0, 1, 2] {
                let mut ran = Object::zeroed([count]);
                sleep(&Object::from_fn([count], |_| 1), &mut ran, Duration::from_micros(100));
                assert!(ran.to_all().elements().iter().all(|rank| *rank > 0));
            }
        });
    }
}

#[foreach]
fn failing(ran: &mut Object<u64, 1>, at: usize) {
    for tile in ran.tiles([1]) {
        assert!(tile.number() != at, "task {at} has had enough");
        for i in tile.indices() {
            ran[[i]] = 1;
        }
    }
}

#[test]
fn a_task_that_panics_ends_all_ranks() {
    for threads in [1, 2] {
        for at in [0, 7, 39] {
            let run = || {
                on_ranks(3, threads, || {
                    let mut ran = Object::zeroed([40]);
                    failing(&mut ran, at);
                    ran.to_all().elements().len()
                })
            };
            let failure = std::panic::catch_unwind(run).expect_err("a task panics");
            let message = failure.downcast_ref::<String>().expect("a message");
            assert!(message.contains(&format!("task {at} has had enough")), "{message}");
        }
    }
}
