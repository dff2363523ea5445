//! Tasks that take several launches: loops that follow each other, and statements between them.

use crate::common::annotated::{gives_on, on_ranks};
use crate::common::{Room, gpu_within};
use forall::{Backend, Object, Settings, foreach, foreach_tls, kary_reduce};
use forall_core::comm::Local;
use forall_core::runtime::{Context, install};

#[foreach]
fn one_after_the_other(now: &Object<f32, 2>, next: &mut Object<f32, 2>) {
    for tile in next.tiles([8, 5]) {
        for y in tile.rows() {
            for x in tile.columns() {
                next[[y, x]] = 2.0 * now[[y, x]];
            }
        }
        for x in tile.columns() {
            for y in tile.rows() {
                next[[y, x]] += x as f32;
            }
        }
    }
}

/// The second loop reads neighbours that the first one wrote.
#[foreach]
fn blurred(now: &Object<f32, 2>, between: &mut Object<f32, 2>, next: &mut Object<f32, 2>) {
    for tile in next.tiles([4, 64]) {
        let [rows, columns] = tile.ranges();
        let (first, end) = (columns.start, columns.end);
        for y in rows.clone() {
            for x in columns.clone() {
                between[[y, x]] = 2.0 * now[[y, x]] + 1.0;
            }
        }
        for y in rows.clone() {
            for x in columns.clone() {
                let left = between[[y, x.max(first + 1) - 1]];
                next[[y, x]] = left + between[[y, (x + 1).min(end - 1)]];
            }
        }
    }
}

/// The host chooses the loops.
#[foreach]
fn chosen(now: &Object<f32, 2>, next: &mut Object<f32, 2>) {
    for tile in next.tiles([4, 8]) {
        if tile.number() % 3 == 0 {
            for y in tile.rows() {
                for x in tile.columns() {
                    next[[y, x]] = now[[y, x]];
                }
            }
        } else {
            for y in tile.rows() {
                for x in tile.columns() {
                    next[[y, x]] = -1.0;
                }
            }
        }
    }
}

/// Tiles by index arithmetic.
#[foreach]
fn written_out(now: &Object<f32, 2>, next: &mut Object<f32, 2>, size: usize) {
    let [ny, nx] = next.shape();
    for ty in 0..ny.div_ceil(size) {
        for tx in 0..nx.div_ceil(size) {
            for y in ty * size..((ty + 1) * size).min(ny) {
                for x in tx * size..((tx + 1) * size).min(nx) {
                    next[[y, x]] = 0.5 * (now[[y, x]] + now[[y, (x + 1).min(nx - 1)]]);
                }
            }
        }
    }
}

/// Variables of the task change between the loops.
#[foreach]
fn with_variables(now: &Object<f64, 2>, next: &mut Object<f64, 2>, time: f64) {
    for tile in next.tiles([4, 8]) {
        let wave = time.sqrt();
        let mut factor = 1.0 + wave;
        let twice = factor * 2.0;
        factor = 5.0;
        for y in tile.rows() {
            for x in tile.columns() {
                next[[y, x]] = factor * now[[y, x]] + twice;
            }
        }
        factor += twice;
        for y in tile.rows() {
            for x in tile.columns() {
                next[[y, x]] += factor;
            }
        }
    }
}

/// A table of the task.
#[foreach]
fn with_a_table(now: &Object<f32, 2>, next: &mut Object<f32, 2>) {
    for tile in next.tiles([4, 8]) {
        let mut weights = [0.0f32; 5];
        for k in 0..5 {
            weights[k] = 1.0 / (1 + k + tile.number()) as f32;
        }
        for y in tile.rows() {
            for x in tile.columns() {
                next[[y, x]] = weights[(y + x) % 5] * now[[y, x]];
            }
        }
    }
}

/// A constant from another object, and a loop that repeats another.
#[foreach]
fn repeated(now: &Object<f32, 2>, next: &mut Object<f32, 2>) {
    for tile in next.tiles([3, 8]) {
        let corner = now[[0, 0]];
        let half = 0.5 * corner;
        for k in 0..3 {
            for y in tile.rows() {
                for x in tile.columns() {
                    next[[y, x]] = half * next[[y, x]] + now[[y, x]] * k as f32;
                }
            }
        }
    }
}

/// Gauss-Seidel in two colours. Each task has whole columns.
#[foreach]
fn two_colours(plane: &mut Object<f64, 2>, right: &Object<f64, 2>) {
    for tile in plane.tiles([64, 1]) {
        for colour in 0..2 {
            for y in tile.rows() {
                for x in tile.columns() {
                    if (y + x) % 2 == colour {
                        plane[[y, x]] = 0.25 * (plane[[y, x]] + right[[y, x]]);
                    }
                }
            }
        }
    }
}

#[kary_reduce]
fn with_sums(plane: &mut Object<i32, 2>) -> (i64, i32) {
    let (mut sum, mut most) = (0, i32::MIN);
    for tile in plane.tiles([3, 5]) {
        for y in tile.rows() {
            for x in tile.columns() {
                plane[[y, x]] += 3;
                sum += i64::from(plane[[y, x]]);
            }
        }
        for y in tile.rows() {
            for x in tile.columns() {
                plane[[y, x]] *= 2;
                most = most.max(plane[[y, x]]);
            }
        }
    }
    (sum, most)
}

/// Bands by index arithmetic, without tiles, and halves of their rows.
#[foreach]
fn bands(now: &Object<u64, 2>, next: &mut Object<u64, 2>, size: usize) {
    let [ny, nx] = next.shape();
    for t in 0..ny.div_ceil(size) {
        let scale = 3 + t as u64;
        let (first, end) = (t * size, ((t + 1) * size).min(ny));
        for y in first..end {
            for x in 0..nx {
                next[[y, x]] = scale * now[[y, x]];
            }
        }
        for half in 0..2 {
            for y in first..end {
                for x in half * (nx / 2)..(half + 1) * (nx / 2) {
                    next[[y, x]] += 1;
                }
            }
        }
    }
}

/// Results of the second loop of a task come behind those of the first, and before those of the next task.
#[foreach_tls]
fn found(plane: &Object<u32, 2>, rest: u32, out: &mut Vec<u32>) {
    for (number, tile) in plane.tiles([3, 3]).enumerate() {
        let kind = number as u32 % 3;
        for y in tile.rows() {
            for x in tile.columns() {
                if plane[[y, x]] % 3 == rest {
                    out.push(plane[[y, x]] * 10 + kind);
                }
            }
        }
        for x in tile.columns() {
            for y in tile.rows() {
                if plane[[y, x]] % 3 == kind {
                    out.push(plane[[y, x]]);
                }
            }
        }
    }
}

/// From a row on, the second launch lacks numbers of more than 32 bits, when the first has written already.
#[kary_reduce]
fn far(plane: &mut Object<u32, 2>) -> u64 {
    let mut sum = 0u64;
    for tile in plane.tiles([3, 4]) {
        for y in tile.rows() {
            for x in tile.columns() {
                plane[[y, x]] = 3 * plane[[y, x]] + 1;
                sum += u64::from(plane[[y, x]]);
            }
        }
        for y in tile.rows() {
            for x in tile.columns() {
                let distance = y * 500_000_000 + x;
                plane[[y, x]] += (distance % 10) as u32;
            }
        }
    }
    sum
}

/// The first loop makes a number that the second does not take.
#[foreach]
fn failing(plane: &mut Object<u32, 2>, limit: u32) {
    for tile in plane.tiles([3, 4]) {
        for y in tile.rows() {
            for x in tile.columns() {
                plane[[y, x]] += 1;
            }
        }
        for y in tile.rows() {
            for x in tile.columns() {
                assert!(plane[[y, x]] != limit, "the limit");
                plane[[y, x]] = 100;
            }
        }
    }
}

const SHAPES: [[usize; 2]; 5] = [[1, 1], [13, 17], [40, 3], [5, 0], [3, 50]];

fn number([y, x]: [usize; 2]) -> u32 {
    ((7 * y + 3 * x) % 11 + x % 5) as u32
}

type Step<T> = fn(&Object<T, 2>, &mut Object<T, 2>);

/// Each step gives the same on 1 to 4 ranks with the device as its sequential function.
fn same<T: forall::Element + bytemuck::Zeroable + PartialEq + std::fmt::Debug>(
    of: fn(u32) -> T,
    steps: [impl Fn(&Object<T, 2>, &mut Object<T, 2>) + Sync; 2],
) {
    for shape in SHAPES {
        let run = |step: &dyn Fn(&Object<T, 2>, &mut Object<T, 2>)| {
            let start = |index| of(number(index));
            let (now, mut next) = (Object::from_fn(shape, start), Object::from_fn(shape, start));
            step(&now, &mut next);
            step(&now, &mut next);
            next.to_all().elements().to_vec()
        };
        let expected = run(&steps[1]);
        gives_on(1..=4, &expected, || run(&steps[0]));
    }
}

#[test]
fn loops_run_in_their_order() {
    let steps: [[Step<f32>; 2]; 4] = [
        [one_after_the_other, one_after_the_other::sequential],
        [chosen, chosen::sequential],
        [with_a_table, with_a_table::sequential],
        [repeated, repeated::sequential],
    ];
    for steps in steps {
        same(|value| value as f32 - 3.0, steps);
    }
    let of_size: fn(Step3) -> _ = |step| move |now: &Object<f32, 2>, next: &mut Object<f32, 2>| step(now, next, 4);
    same(|value| value as f32, [of_size(written_out), of_size(written_out::sequential)]);
}

#[test]
fn bands_and_pushed_elements_are_those_of_the_cores() {
    type OfSize = fn(&Object<u64, 2>, &mut Object<u64, 2>, usize);
    let of_size: fn(OfSize) -> _ = |step| move |now: &Object<u64, 2>, next: &mut Object<u64, 2>| step(now, next, 5);
    same(u64::from, [of_size(bands), of_size(bands::sequential)]);
    for shape in SHAPES {
        let run = |call: fn(&Object<u32, 2>, u32, &mut Vec<u32>)| {
            let mut out = vec![7];
            call(&Object::from_fn(shape, number), 1, &mut out);
            out
        };
        gives_on(1..=1, &run(found::sequential), || run(found));
    }
}

type Step3 = fn(&Object<f32, 2>, &mut Object<f32, 2>, usize);

#[test]
fn variables_of_tasks_have_their_values_at_each_launch() {
    type Timed = fn(&Object<f64, 2>, &mut Object<f64, 2>, f64);
    let at: fn(Timed) -> _ = |step| move |now: &Object<f64, 2>, next: &mut Object<f64, 2>| step(now, next, 2.25);
    same(f64::from, [at(with_variables), at(with_variables::sequential)]);
    type Turned = fn(&mut Object<f64, 2>, &Object<f64, 2>);
    let turned: fn(Turned) -> _ = |step| move |now: &Object<f64, 2>, next: &mut Object<f64, 2>| step(next, now);
    same(f64::from, [turned(two_colours), turned(two_colours::sequential)]);
}

#[test]
fn a_launch_reads_what_an_earlier_one_wrote() {
    type Blur = fn(&Object<f32, 2>, &mut Object<f32, 2>, &mut Object<f32, 2>);
    let alone: fn(Blur) -> _ = |step| {
        move |now: &Object<f32, 2>, next: &mut Object<f32, 2>| {
            let mut between = Object::zeroed(now.shape());
            step(now, &mut between, next);
        }
    };
    same(|value| value as f32, [alone(blurred), alone(blurred::sequential)]);
}

/// On ranks whose devices may refuse loops.
fn on_willing_ranks<R: Send>(ranks: usize, program: impl Fn() -> R + Sync) -> Option<Vec<R>> {
    let gpu = gpu_within(Room::default())?;
    Some(Local::run(ranks, |comm| {
        let settings = Settings { backend: Backend::Gpu, ..Settings::default() };
        let _installed = install(Context::new(Box::new(comm), gpu.clone(), settings));
        program()
    }))
}

#[test]
fn a_refused_launch_leaves_nothing_of_the_earlier_ones() {
    let run = |call: &dyn Fn(&mut Object<u32, 2>) -> u64| {
        let mut plane = Object::from_fn([26, 9], number);
        let sums = [call(&mut plane), call(&mut plane)];
        (sums, plane.to_all().elements().to_vec())
    };
    let expected = run(&far::sequential);
    for ranks in [1, 2, 3, 5] {
        let Some(found) = on_willing_ranks(ranks, || run(&far)) else { return };
        assert!(found.iter().all(|found| *found == expected), "{ranks} ranks: {:?}", found[0].0);
    }
    let run = |call: &dyn Fn(&mut Object<i32, 2>) -> (i64, i32)| {
        let mut plane = Object::from_fn([13, 17], |index| number(index) as i32 - 5);
        let sums = [call(&mut plane), call(&mut plane)];
        (sums, plane.to_all().elements().to_vec())
    };
    gives_on(1..=4, &run(&with_sums::sequential), || run(&with_sums));
}

#[test]
fn a_later_launch_panics_as_on_the_cores() {
    for limit in [1, 12] {
        let run = || failing(&mut Object::from_fn([13, 17], number), limit);
        let Some(found) = on_ranks(1, run) else { return };
        assert!(found.unwrap_err().contains("the limit"), "{limit}");
    }
    let run = || failing(&mut Object::from_fn([13, 17], number), 100);
    assert!(on_ranks(1, run).is_none_or(|found| found.is_ok()), "no number is 100 before the second loop");
}
