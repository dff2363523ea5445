//! Tasks on objects whose boxes are on the device.

use crate::common::annotated::{gives_on, refusal};
use crate::common::{Room, gpu_within};
use forall::{Backend, Object, Settings, barrier, foreach};
use forall_core::comm::Local;
use forall_core::device::Moved;
use forall_core::runtime::{Context, install};

#[foreach]
fn heat(now: &Object<f32, 2>, next: &mut Object<f32, 2>, tile: [usize; 2]) {
    for tile in next.tiles(tile) {
        let [rows, columns] = tile.inside([1, 1]);
        for y in rows {
            for x in columns.clone() {
                next[[y, x]] =
                    0.25 * (now[[y - 1, x]] + now[[y + 1, x]] + now[[y, x - 1]] + now[[y, x + 1]]) + 0.001 * y as f32;
            }
        }
    }
}

/// Without tiles, with values that differ from row to row and a loop inside.
#[foreach]
fn blurred(now: &Object<f32, 2>, next: &mut Object<f32, 2>, weights: [f32; 3]) {
    let [ny, nx] = now.shape();
    for y in 0..ny {
        let row = y as f32;
        for x in 1..nx - 1 {
            let mut sum = row;
            for k in 0..3 {
                if k == 1 && x % 3 == 0 {
                    continue;
                }
                sum += weights[k] * now[[y, x + k - 1]];
            }
            next[[y, x]] = sum;
        }
    }
}

/// Three dimensions, integers, and a box that the task reads and writes.
#[foreach]
fn aged(volume: &mut Object<u32, 3>, layers: &Object<u32, 1>) {
    for (number, tile) in volume.tiles([3, 4, 5]).enumerate() {
        let step = 2 * number as u32;
        for z in tile.planes() {
            for y in tile.rows() {
                for x in tile.columns() {
                    volume[[z, y, x]] = volume[[z, y, x]] * 3 + layers[[z]] + step;
                }
            }
        }
    }
}

/// Constants of a task: one whose type follows from its use, one that is an element, one that uses the tile, and one that a range depends on.
#[foreach]
fn with_constants(now: &Object<f32, 2>, next: &mut Object<f32, 2>) {
    for tile in next.tiles([4, 8]) {
        let weight = 0.25;
        let corner = now[[0, 0]];
        let number = tile.number();
        let width = tile.columns().end.min(19);
        let rest = if number % 2 == 0 { corner } else { 1.0 };
        for y in tile.rows() {
            let row = rest * y as f32;
            for x in tile.columns().start..width {
                next[[y, x]] = weight * now[[y, x]] + row;
            }
        }
    }
}

/// A condition keeps the indices inside.
#[foreach]
fn guarded(now: &Object<f32, 2>, next: &mut Object<f32, 2>) {
    for tile in next.tiles([4, 8]) {
        for y in tile.rows() {
            for x in tile.columns() {
                let above = if y > 0 { now[[y - 1, x]] } else { 0.0 };
                let right = if x + 1 < now.shape()[1] { now[[y, x + 1]] } else { 0.0 };
                next[[y, x]] = above + 2.0 * right;
            }
        }
    }
}

/// An index that the data choose.
#[foreach]
fn picked(from: &Object<u32, 1>, at: &Object<u32, 1>, out: &mut Object<u32, 1>) {
    for i in 0..out.len() {
        out[[i]] = from[[at[[i]] as usize]];
    }
}

fn start([y, x]: [usize; 2]) -> f32 {
    ((7 * y + 3 * x) % 11) as f32 + 0.25
}

fn steps(shape: [usize; 2], tile: [usize; 2], count: usize) -> Vec<f32> {
    let mut now = Object::from_fn(shape, start);
    let mut next = Object::from_fn(shape, start);
    for _ in 0..count {
        heat(&now, &mut next, tile);
        std::mem::swap(&mut now, &mut next);
    }
    now.to_all().elements().to_vec()
}

fn steps_in_order(shape: [usize; 2], tile: [usize; 2], count: usize) -> Vec<f32> {
    let mut now = Object::from_fn(shape, start);
    let mut next = Object::from_fn(shape, start);
    for _ in 0..count {
        heat::sequential(&now, &mut next, tile);
        std::mem::swap(&mut now, &mut next);
    }
    now.to_all().elements().to_vec()
}

#[test]
fn steps_of_a_stencil_stay_on_the_device() {
    for (shape, tile, count) in
        [([33, 29], [8, 16], 4), ([5, 7], [2, 3], 3), ([1, 1], [4, 4], 2), ([40, 40], [40, 40], 5)]
    {
        let expected = steps_in_order(shape, tile, count);
        gives_on(1..=4, &expected, || steps(shape, tile, count));
    }
}

#[test]
fn nothing_moves_between_the_steps() {
    let moved = || {
        let (mut now, mut next) = (Object::from_fn([64, 64], start), Object::from_fn([64, 64], start));
        let mut step = || {
            let before = Moved::so_far();
            heat(&now, &mut next, [32, 32]);
            std::mem::swap(&mut now, &mut next);
            Moved::since(before)
        };
        let first = step();
        assert!(first.up >= 2 * 64 * 64 * 4, "the tasks run on the device");
        let steps = [step(), step(), step()];
        // The last index reads from the device.
        (steps.map(|moved| moved.up + moved.down < 4096), now[[3, 4]] > 0.0)
    };
    gives_on(1..=1, &([true; 3], true), moved);
}

#[test]
fn planes_that_do_not_fit_go_there_and_back_by_rows() {
    let (shape, tile, count) = ([200, 300], [16, 100], 3);
    let expected = steps_in_order(shape, tile, count);
    // A plane has 240,000 bytes.
    for room in [Room { buffer: 1 << 17, ..Room::default() }, Room { memory: 1 << 17, ..Room::default() }] {
        let Some(gpu) = gpu_within(room) else { return };
        for ranks in [1, 2, 3] {
            let results = Local::run(ranks, |comm| {
                let settings = Settings { backend: Backend::Gpu, require_gpu: true, ..Settings::from_env().unwrap() };
                let _installed = install(Context::new(Box::new(comm), gpu.clone(), settings));
                steps(shape, tile, count)
            });
            assert!(results.iter().all(|result| *result == expected), "{ranks} ranks, {room:?}");
        }
    }
}

#[test]
fn loops_without_tiles_run_there() {
    let run = |blur: &dyn Fn(&Object<f32, 2>, &mut Object<f32, 2>)| {
        let now = Object::from_fn([13, 17], start);
        let mut next = Object::zeroed([13, 17]);
        blur(&now, &mut next);
        next.to_all().elements().to_vec()
    };
    let weights = [0.5, 0.25, 0.125];
    let expected = run(&|now, next| blurred::sequential(now, next, weights));
    gives_on(1..=3, &expected, || run(&|now, next| blurred(now, next, weights)));
}

#[test]
fn conditions_keep_indices_inside() {
    let run = |step: &dyn Fn(&Object<f32, 2>, &mut Object<f32, 2>)| {
        let (now, mut next) = (Object::from_fn([9, 21], start), Object::zeroed([9, 21]));
        step(&now, &mut next);
        next.to_all().elements().to_vec()
    };
    let expected = run(&|now, next| guarded::sequential(now, next));
    gives_on(1..=3, &expected, || run(&|now, next| guarded(now, next)));
}

#[test]
fn constants_of_tasks_keep_their_types() {
    let run = |step: &dyn Fn(&Object<f32, 2>, &mut Object<f32, 2>)| {
        let (now, mut next) = (Object::from_fn([9, 21], start), Object::zeroed([9, 21]));
        step(&now, &mut next);
        next.to_all().elements().to_vec()
    };
    let expected = run(&|now, next| with_constants::sequential(now, next));
    gives_on(1..=3, &expected, || run(&|now, next| with_constants(now, next)));
}

#[test]
fn boxes_are_updated_in_place() {
    let run = |age: &dyn Fn(&mut Object<u32, 3>, &Object<u32, 1>)| {
        let mut volume = Object::from_fn([7, 9, 11], |[z, y, x]| (z * 100 + y * 10 + x) as u32);
        let layers = Object::from_fn([7], |[z]| z as u32);
        age(&mut volume, &layers);
        age(&mut volume, &layers);
        volume.to_all().elements().to_vec()
    };
    let expected = run(&|volume, layers| aged::sequential(volume, layers));
    gives_on(1..=4, &expected, || run(&|volume, layers| aged(volume, layers)));
}

#[test]
fn the_host_and_the_device_see_what_the_other_wrote() {
    let run = |heat: &dyn Fn(&Object<f32, 2>, &mut Object<f32, 2>)| {
        let mut now = Object::from_fn([12, 10], start);
        let mut next = Object::zeroed([12, 10]);
        heat(&now, &mut next);
        next[[3, 3]] += 100.0;
        now[[2, 2]] = next[[3, 3]];
        heat(&now, &mut next);
        heat(&next, &mut now);
        let mut view = now.get_mut([0..2, 0..10]);
        view[[1, 5]] = -7.0;
        drop(view);
        now.modified([0..2, 0..10]);
        heat(&now, &mut next);
        let sum: f32 = (0..10).map(|x| now[[5, x]]).sum();
        (next.to_all().elements().to_vec(), now.get([0..3, 1..4]).elements().to_vec(), sum)
    };
    let expected = run(&|now, next| heat::sequential(now, next, [5, 4]));
    gives_on(1..=1, &expected, || run(&|now, next| heat(now, next, [5, 4])));
}

type Line = Object<u32, 1>;

#[test]
fn chosen_indices_are_checked() {
    let run = |pick: &dyn Fn(&Line, &Line, &mut Line)| {
        let from = Object::from_fn([20], |[i]| 3 * i as u32);
        let at = Object::from_fn([50], |[i]| (7 * i % 20) as u32);
        let mut out = Object::zeroed([50]);
        pick(&from, &at, &mut out);
        out.to_all().elements().to_vec()
    };
    let expected = run(&|from, at, out| picked::sequential(from, at, out));
    gives_on(1..=3, &expected, || run(&|from, at, out| picked(from, at, out)));
    let outside = refusal(|| {
        let from = Object::from_fn([20], |[i]| 3 * i as u32);
        let at = Object::from_fn([50], |[i]| i as u32);
        picked(&from, &at, &mut Object::zeroed([50]));
    });
    assert!(outside.is_none_or(|why| why.contains("the index [20] is outside of an object of shape [20]")));
}

/// Another name for a variable, halved: two iterations write one element, and the last one counts.
#[foreach]
fn halved(now: &Object<f32, 2>, next: &mut Object<f32, 2>) {
    for tile in next.tiles([3, 21]) {
        for y in tile.rows() {
            for x in tile.columns() {
                let at = x;
                let at = at / 2;
                next[[y, at]] = now[[y, x]] + 0.5;
            }
        }
    }
}

/// The outer loop repeats the elements; two loops of a row follow each other; and a row ends early.
#[foreach]
fn repeated(now: &Object<f32, 2>, next: &mut Object<f32, 2>) {
    for tile in next.tiles([3, 8]) {
        for k in 0..3 {
            for y in tile.rows() {
                for x in tile.columns() {
                    next[[y, x]] = 0.5 * next[[y, x]] + now[[y, x]] * k as f32;
                }
            }
        }
    }
}

#[foreach]
fn in_rows(now: &Object<f32, 2>, next: &mut Object<f32, 2>) {
    for y in 0..now.shape()[0] {
        for x in 0..now.shape()[1] {
            if now[[y, x]] > 9.0 {
                break;
            }
            next[[y, x]] = 1.0 + now[[y, x]];
        }
        for x in 0..now.shape()[1] {
            next[[y, x]] *= 2.0;
        }
    }
}

/// Each element is written once, so the order of the iterations does not matter.
#[foreach]
fn reversed(now: &Object<f32, 2>, next: &mut Object<f32, 2>) {
    for tile in next.tiles([3, 8]) {
        let columns = tile.columns();
        for y in tile.rows().rev() {
            for x in columns.clone().rev() {
                next[[y, x]] = 0.5 * next[[y, x]] + now[[y, x]] * y as f32;
            }
        }
    }
}

/// The same without tiles.
#[foreach]
fn reversed_rows(now: &Object<f32, 2>, next: &mut Object<f32, 2>) {
    let [ny, nx] = now.shape();
    for y in 0..ny {
        for x in (1..nx).rev() {
            next[[y, x]] = now[[y, x - 1]] - now[[y, x]];
        }
    }
}

/// A loop that has to stay in its order inside of an iteration: the last element counts.
#[foreach]
fn last_of_reversed(now: &Object<f32, 2>, next: &mut Object<f32, 2>) {
    for tile in next.tiles([3, 21]) {
        for y in tile.rows() {
            for x in tile.columns().rev() {
                let at = x / 2;
                next[[y, at]] = now[[y, x]] + 0.5;
            }
        }
    }
}

#[test]
fn reversed_loops_over_elements_run_there() {
    type Step = fn(&Object<f32, 2>, &mut Object<f32, 2>);
    let steps: [(Step, Step); 2] = [(reversed, reversed::sequential), (reversed_rows, reversed_rows::sequential)];
    for (annotated, sequential) in steps {
        let run = |step: Step| {
            let (now, mut next) = (Object::from_fn([11, 21], start), Object::from_fn([11, 21], start));
            step(&now, &mut next);
            next.to_all().elements().to_vec()
        };
        let expected = run(sequential);
        gives_on(1..=3, &expected, || run(annotated));
    }
}

/// All tasks wait for each other.
#[foreach]
fn in_place(now: &Object<f32, 2>, next: &mut Object<f32, 2>) {
    for tile in next.tiles([3, 8]) {
        let [rows, columns] = [tile.rows(), tile.columns()];
        let mut old = Vec::new();
        for y in rows.clone() {
            for x in columns.clone() {
                old.push(next[[y, (x + 1).min(20)]] + now[[y, x]]);
            }
        }
        let width = columns.len();
        barrier();
        for (row, y) in rows.enumerate() {
            for (column, x) in columns.clone().enumerate() {
                next[[y, x]] = old[row * width + column];
            }
        }
    }
}

/// A sum that each task has for itself.
#[foreach]
fn above_the_mean(now: &Object<f32, 2>, next: &mut Object<f32, 2>) {
    for tile in next.tiles([3, 8]) {
        let mut sum = 0.0;
        for y in tile.rows() {
            for x in tile.columns() {
                sum += now[[y, x]];
            }
        }
        let mean = sum / tile.len() as f32;
        for y in tile.rows() {
            for x in tile.columns() {
                next[[y, x]] = now[[y, x]] - mean;
            }
        }
    }
}

#[test]
fn tasks_that_stay_on_the_cores_say_why() {
    for (explained, why) in [
        (in_place::EXPLAIN, "the tasks wait for each other"),
        (above_the_mean::EXPLAIN, "changes `sum`, a variable of the task"),
    ] {
        assert!(explained.contains("gpu: no") && explained.contains(why), "{explained}");
    }
}

#[test]
fn loops_whose_order_matters_keep_it() {
    type Step = fn(&Object<f32, 2>, &mut Object<f32, 2>);
    let steps: [(Step, Step); 6] = [
        (halved, halved::sequential),
        (repeated, repeated::sequential),
        (in_rows, in_rows::sequential),
        (last_of_reversed, last_of_reversed::sequential),
        (in_place, |now, next| {
            let old = next.to_all();
            for y in 0..11 {
                for x in 0..21 {
                    next[[y, x]] = old[[y, (x + 1).min(20)]] + now[[y, x]];
                }
            }
        }),
        (above_the_mean, above_the_mean::sequential),
    ];
    let run = |step: Step| {
        let (now, mut next) = (Object::from_fn([11, 21], start), Object::from_fn([11, 21], start));
        step(&now, &mut next);
        next.to_all().elements().to_vec()
    };
    let Some(gpu) = gpu_within(Room::default()) else { return };
    for (number, (annotated, sequential)) in steps.into_iter().enumerate() {
        let expected = run(sequential);
        for ranks in [1, 2, 5] {
            // Some of them run on the cores.
            let results = Local::run(ranks, |comm| {
                let settings = Settings { backend: Backend::Gpu, ..Settings::from_env().unwrap() };
                let settings = Settings { require_gpu: false, ..settings };
                let _installed = install(Context::new(Box::new(comm), gpu.clone(), settings));
                run(annotated)
            });
            assert!(results.iter().all(|result| *result == expected), "loop {number}, {ranks} ranks");
        }
    }
}
