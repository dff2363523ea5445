//! Tasks that move to ranks which run out of them: the results and their owners are right, and unequal tasks end early.

use forall::{Object, Placement, Runtime, Settings, foreach, foreach_tls, kary_reduce, rank, ranks};
use std::sync::atomic::{AtomicUsize, Ordering};
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

/// The same, with a sum of floats.
#[kary_reduce]
fn sleep_and_add(costs: &Object<u32, 1>, ran: &mut Object<u64, 1>, unit: Duration) -> f64 {
    let mut sum = 0.0;
    for tile in ran.tiles([1]) {
        for i in tile.indices() {
            std::thread::sleep(unit * costs[[i]]);
            ran[[i]] = 1 + rank() as u64;
            sum += 0.1 * f64::from(costs[[i]]);
        }
    }
    sum
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
fn measured(costs: &[u32], unit: Duration, placement: Placement, adds: bool) -> (Duration, Duration) {
    let settings = Settings { placement, ..Settings::default() };
    let times = Runtime::builder().settings(settings).ranks(4).threads(1).run(|| {
        let now = Object::from_fn([costs.len()], |[i]| costs[i]);
        let mut ran = Object::zeroed([costs.len()]);
        let mut all = |unit| match adds {
            true => drop(sleep_and_add(&now, &mut ran, unit)),
            false => sleep(&now, &mut ran, unit),
        };
        all(Duration::ZERO);
        let start = Instant::now();
        all(unit);
        start.elapsed()
    });
    let (sum, largest) = (costs.iter().sum::<u32>(), costs.iter().copied().max().unwrap_or(0));
    (times.into_iter().max().unwrap_or_default(), unit * sum.div_ceil(4).max(largest))
}

/// All costs are at the beginning, so that the first rank has them.
#[test]
fn tasks_move_to_idle_ranks() {
    let costs: Vec<u32> = (0..80).map(|i| if i < 20 { 20 } else { 0 }).collect();
    let expected = costs.iter().fold(0.0, |sum, cost| sum + 0.1 * f64::from(*cost));
    for adds in [false, true] {
        let owners = on_ranks(4, 1, || {
            let (now, mut ran) = (Object::from_fn([costs.len()], |[i]| costs[i]), Object::zeroed([costs.len()]));
            if adds {
                let sum = sleep_and_add(&now, &mut ran, Duration::from_millis(1));
                assert!((sum - expected).abs() < 1e-9, "{sum} {expected}");
            } else {
                sleep(&now, &mut ran, Duration::from_millis(1));
            }
            let owned: usize = ran.owned().iter().map(|[range]| range.len()).sum();
            (owned, ran.to_all().into_elements())
        });
        assert_eq!(owners.iter().map(|(owned, _)| owned).sum::<usize>(), costs.len());
        let mut ranks: Vec<u64> = owners[0].1[..20].to_vec();
        ranks.sort_unstable();
        ranks.dedup();
        assert!(ranks.len() > 2, "the long tasks ran on {ranks:?}");
    }
}

/// For measurements: `cargo test --test task_stealing -- --ignored --nocapture`.
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
            for adds in [false, true] {
                let (time, ideal) = measured(costs, Duration::from_millis(4), placement, adds);
                let (ratio, adds) = (time.as_secs_f64() / ideal.as_secs_f64(), if adds { ", with a sum" } else { "" });
                println!("{order} order, {placement:?}{adds}: {time:?}, {ratio:.3} of the ideal");
            }
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

/// The tasks that have run on another rank than at first.
static MOVED: AtomicUsize = AtomicUsize::new(0);

/// The first tasks take longer, so that others move.
fn pause(number: usize, count: usize) {
    let home = (2 * number + 1) * ranks() / (2 * count);
    MOVED.fetch_add(usize::from(rank() != home), Ordering::Relaxed);
    wait(number);
}

fn wait(number: usize) {
    if number < 30 {
        std::thread::sleep(Duration::from_micros(200));
    }
}

/// Sums of floats and integers, extremes, and a best value with its place.
#[kary_reduce]
fn measures(a: &Object<f64, 2>, size: [usize; 2], tasks: usize) -> (f64, i64, f64, (f64, [usize; 2])) {
    let (mut sum, mut count, mut least, mut best) = (0.1, 7_i64, f64::INFINITY, (-1.0, [0, 0]));
    for tile in a.tiles(size) {
        pause(tile.number(), tasks);
        for y in tile.rows() {
            for x in tile.columns() {
                let value = a[[y, x]];
                sum += value;
                count += (value * 8.0) as i64;
                least = least.min(value);
                if value > best.0 {
                    best = (value, [y, x]);
                }
            }
        }
    }
    (sum, count, least, best)
}

/// Pushed elements: numbers, and strings.
#[foreach_tls]
fn collected(a: &Object<f64, 2>, size: [usize; 2], tasks: usize, found: &mut Vec<[u32; 2]>, names: &mut Vec<String>) {
    for tile in a.tiles(size) {
        pause(tile.number(), tasks);
        for y in tile.rows() {
            for x in tile.columns() {
                if a[[y, x]] > 0.6 {
                    found.push([y as u32, x as u32]);
                }
            }
        }
        if tile.number() % 3 == 0 {
            names.push(format!("tile {}", tile.number()));
        }
    }
}

/// Histograms of integers and of floats, and a written object.
#[kary_reduce]
fn histograms(a: &Object<f64, 2>, out: &mut Object<f64, 2>, size: [usize; 2], tasks: usize) -> (Vec<u32>, Vec<f64>) {
    let (mut counts, mut weights) = (vec![0_u32; 10], vec![0.5; 10]);
    for tile in out.tiles(size) {
        pause(tile.number(), tasks);
        for y in tile.rows() {
            for x in tile.columns() {
                let bin = (a[[y, x]] * 10.0) as usize;
                counts[bin] += 1;
                weights[bin] += a[[y, x]];
                out[[y, x]] = 2.0 * a[[y, x]];
            }
        }
    }
    (counts, weights)
}

/// Without tiles: a task is some of the iterations.
#[kary_reduce]
fn rows(a: &Object<f64, 2>) -> (f64, f64) {
    let (mut sum, mut most) = (0.0, 0.0_f64);
    for y in 0..a.shape()[0] {
        wait(y);
        for x in 0..a.shape()[1] {
            sum += a[[y, x]] * a[[y, x]];
            most = most.max(a[[y, x]]);
        }
    }
    (sum, most)
}

/// All ranks have the weights.
#[kary_reduce]
fn weighted(a: &Object<f64, 2>, size: [usize; 2], tasks: usize, #[replicated] weights: &[f64]) -> f64 {
    let mut sum = 0.0;
    for tile in a.tiles(size) {
        pause(tile.number(), tasks);
        let weight = weights[tile.number()];
        for y in tile.rows() {
            for x in tile.columns() {
                sum += weight * a[[y, x]];
            }
        }
    }
    sum
}

type Reduced =
    ((f64, i64, f64, (f64, [usize; 2])), Vec<[u32; 2]>, Vec<String>, (Vec<u32>, Vec<f64>), Vec<f64>, Vec<f64>);

fn reduced(size: [usize; 2]) -> Reduced {
    let shape = [19, 29];
    let a = Object::from_fn(shape, |[y, x]| ((7919 * (y * 29 + x)) % 1013) as f64 / 1013.0);
    let mut out = Object::zeroed(shape);
    let (mut found, mut names) = (Vec::new(), Vec::new());
    names.push("before".to_owned());
    let tasks = a.tiles(size).len();
    let measured = measures(&a, size, tasks);
    collected(&a, size, tasks, &mut found, &mut names);
    let counted = histograms(&a, &mut out, size, tasks);
    // Once more, where the first call has moved tasks.
    assert_eq!(histograms(&a, &mut out, size, tasks), counted);
    assert_eq!(measures(&a, size, tasks), measured);
    let others = [rows(&a).0, rows(&a).1];
    let weights: Vec<f64> = (0..tasks).map(|i| i as f64 + 0.1).collect();
    let others = [&others[..], &[weighted(&a, size, tasks, &weights)]].concat();
    (measured, found, names, counted, out.to_all().into_elements(), others)
}

#[test]
fn reductions_do_not_depend_on_moves() {
    for size in [[1, 1], [4, 5], [30, 40]] {
        for ranks in [1, 2, 3, 4, 7] {
            let before = MOVED.load(Ordering::Relaxed);
            let plain = Runtime::builder().ranks(ranks).threads(1).run(|| reduced(size));
            assert_eq!(MOVED.load(Ordering::Relaxed), before);
            for threads in [1, 2, 3] {
                let before = MOVED.load(Ordering::Relaxed);
                let results = on_ranks(ranks, threads, || reduced(size));
                let moved = MOVED.load(Ordering::Relaxed) - before;
                assert!(moved > 0 || ranks == 1 || size[0] > 1, "no task moves between {ranks} ranks");
                for (result, plain) in results.into_iter().zip(&plain) {
                    assert_eq!(&result, plain, "{size:?} on {ranks} ranks with {threads} threads");
                }
            }
        }
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

#[kary_reduce]
fn failing_sum(ran: &Object<u64, 1>, at: usize) -> f64 {
    let mut sum = 0.0;
    for tile in ran.tiles([1]) {
        assert!(tile.number() != at, "task {at} has had enough");
        for i in tile.indices() {
            sum += 0.5 + ran[[i]] as f64;
        }
    }
    sum
}

#[test]
fn a_task_that_panics_ends_all_ranks() {
    for threads in [1, 2] {
        for (at, sums) in [(0, false), (7, false), (39, false), (0, true), (7, true), (39, true)] {
            let run = || {
                on_ranks(3, threads, || {
                    let mut ran = Object::zeroed([40]);
                    match sums {
                        true => drop(failing_sum(&ran, at)),
                        false => failing(&mut ran, at),
                    }
                    ran.to_all().elements().len()
                })
            };
            let failure = std::panic::catch_unwind(run).expect_err("a task panics");
            let message = failure.downcast_ref::<String>().expect("a message");
            assert!(message.contains(&format!("task {at} has had enough")), "{message}");
        }
    }
}

/// In builds with overflow checks.
#[kary_reduce]
fn total(a: &Object<i32, 1>) -> i32 {
    let mut sum = 0;
    for tile in a.tiles([2]) {
        for i in tile.indices() {
            sum += a[[i]];
        }
    }
    sum
}

#[test]
fn an_overflow_panics_as_without_moves() {
    let with = |placement: Placement, elements: [i32; 9]| {
        let settings = Settings { placement, ..Settings::default() };
        let run = || {
            let all = || total(&Object::from_fn([9], |[i]| elements[i]));
            Runtime::builder().settings(settings).ranks(3).threads(2).run(all)
        };
        std::panic::catch_unwind(run).map_err(|panic| panic.downcast_ref::<String>().cloned())
    };
    let half = i32::MAX / 2 + 1;
    for elements in [[half, -half, half, -half, half, -half, half, -half, 7], [1, half, 1, 1, 1, half, 1, 1, 1]] {
        let [moved, stays] = [Placement::Stealing, Placement::default()].map(|placement| with(placement, elements));
        assert_eq!(moved, stays);
        assert_eq!(moved.is_err(), cfg!(debug_assertions) && elements[0] == 1);
    }
}
