//! Tasks on a device that give more than elements: sums, extrema, histograms and pushed elements.

use crate::common::annotated::{gives_on, on_ranks};
use crate::common::{Room, gpu_within};
use forall::{Backend, Object, Settings, foreach, foreach_tls, kary_reduce};
use forall_core::comm::Local;
use forall_core::runtime::{Context, install};

/// A step that also says how far it changed the plane.
#[foreach]
fn relaxed(now: &Object<f64, 2>, next: &mut Object<f64, 2>) -> f64 {
    let mut worst = 0.0f64;
    for tile in next.tiles([4, 6]) {
        let [rows, columns] = tile.inside([1, 1]);
        for y in rows {
            for x in columns.clone() {
                let mean = 0.25 * (now[[y - 1, x]] + now[[y + 1, x]] + now[[y, x - 1]] + now[[y, x + 1]]);
                worst = worst.max((mean - now[[y, x]]).abs());
                next[[y, x]] = mean;
            }
        }
    }
    worst
}

/// In place, with an exact sum.
#[kary_reduce]
fn aged(plane: &mut Object<i32, 2>) -> (i64, u32) {
    let (mut sum, mut odd) = (0, 0);
    for tile in plane.tiles([3, 5]) {
        for y in tile.rows() {
            for x in tile.columns() {
                plane[[y, x]] += 3;
                if plane[[y, x]] % 2 == 1 {
                    odd += 1;
                }
                sum += plane[[y, x]] as i64;
            }
        }
    }
    (sum, odd)
}

#[kary_reduce]
fn extrema(plane: &Object<f32, 2>) -> (f32, f32) {
    let (mut low, mut high) = (f32::INFINITY, f32::NEG_INFINITY);
    for tile in plane.tiles([4, 4]) {
        for y in tile.rows() {
            for x in tile.columns() {
                low = low.min(plane[[y, x]]);
                high = high.max(plane[[y, x]]);
            }
        }
    }
    (low, high)
}

/// Of several largest elements, the first in the order of the tasks.
#[kary_reduce]
fn largest(plane: &Object<i32, 2>) -> (i32, usize, usize) {
    let mut best = (i32::MIN, 0, 0);
    for tile in plane.tiles([4, 4]) {
        for y in tile.rows() {
            for x in tile.columns() {
                if plane[[y, x]] > best.0 {
                    best = (plane[[y, x]], y, x);
                }
            }
        }
    }
    best
}

#[kary_reduce]
fn histogram(plane: &Object<u32, 2>, bins: &mut [u64; 8]) {
    for tile in plane.tiles([5, 4]) {
        for y in tile.rows() {
            for x in tile.columns() {
                bins[(plane[[y, x]] & 7) as usize] += 1;
            }
        }
    }
}

#[foreach_tls]
fn above(plane: &Object<u32, 2>, limit: u32, found: &mut Vec<u32>) {
    for tile in plane.tiles([5, 4]) {
        for y in tile.rows() {
            for x in tile.columns() {
                if plane[[y, x]] > limit {
                    found.push(plane[[y, x]]);
                }
            }
        }
    }
}

/// Without tiles.
#[kary_reduce]
fn dot(a: &Object<u32, 1>, b: &Object<u32, 1>) -> u64 {
    let mut sum = 0;
    for i in 0..a.len() {
        sum += u64::from(a[[i]]) * u64::from(b[[i]]);
    }
    sum
}

#[kary_reduce]
fn mean_square(plane: &Object<f32, 2>) -> f32 {
    let mut sum = 0.0;
    for tile in plane.tiles([4, 4]) {
        for y in tile.rows() {
            for x in tile.columns() {
                sum += plane[[y, x]] * plane[[y, x]];
            }
        }
    }
    sum / plane.len() as f32
}

/// From a row on, the device lacks numbers of more than 32 bits.
#[kary_reduce]
fn far(plane: &mut Object<u32, 2>) -> (u64, u32) {
    let (mut sum, mut most) = (0u64, 0);
    for tile in plane.tiles([3, 4]) {
        for y in tile.rows() {
            for x in tile.columns() {
                plane[[y, x]] = 3 * plane[[y, x]] + 1;
                let distance = y * 500_000_000 + x;
                sum += distance as u64;
                most = most.max(plane[[y, x]]);
            }
        }
    }
    (sum, most)
}

#[foreach_tls]
fn far_apart(plane: &mut Object<u32, 2>, found: &mut Vec<u32>) {
    for tile in plane.tiles([3, 4]) {
        for y in tile.rows() {
            for x in tile.columns() {
                let distance = y * 500_000_000 + x;
                plane[[y, x]] += 1;
                if distance % 3 == 0 {
                    found.push(plane[[y, x]]);
                }
            }
        }
    }
}

#[kary_reduce]
fn small_sum(plane: &Object<i32, 2>) -> i32 {
    let mut sum = 0;
    for tile in plane.tiles([4, 4]) {
        for y in tile.rows() {
            for x in tile.columns() {
                sum += plane[[y, x]];
            }
        }
    }
    sum
}

const SHAPES: [[usize; 2]; 5] = [[1, 1], [13, 17], [40, 3], [5, 0], [3, 50]];

fn number([y, x]: [usize; 2]) -> u32 {
    ((7 * y + 3 * x) % 11 + x % 5) as u32
}

fn real(index: [usize; 2]) -> f64 {
    0.25 + f64::from(number(index))
}

/// The same on 1 to 4 ranks, each with the device.
macro_rules! alike {
    ($function:ident, |$shape:ident, $call:ident| $run:expr) => {
        for $shape in SHAPES {
            let expected = {
                let $call = $function::sequential;
                $run
            };
            gives_on(1..=4, &expected, || {
                let $call = $function;
                $run
            });
        }
    };
}

fn all<T: forall::Element + bytemuck::Zeroable>(object: &Object<T, 2>) -> Vec<T> {
    object.to_all().elements().to_vec()
}

#[test]
fn a_step_gives_its_change() {
    alike!(relaxed, |shape, call| {
        let (now, mut next) = (Object::from_fn(shape, real), Object::from_fn(shape, real));
        (call(&now, &mut next).to_bits(), all(&next).into_iter().map(f64::to_bits).collect::<Vec<_>>())
    });
}

#[test]
fn exact_sums_and_extrema_are_those_of_the_cores() {
    alike!(aged, |shape, call| {
        let mut plane = Object::from_fn(shape, |index| number(index) as i32 - 7);
        let first = call(&mut plane);
        (first, call(&mut plane), all(&plane))
    });
    alike!(extrema, |shape, call| call(&Object::from_fn(shape, |index| real(index) as f32)));
    alike!(largest, |shape, call| call(&Object::from_fn(shape, |index| number(index) as i32)));
    alike!(dot, |shape, call| {
        let of = |[i]: [usize; 1]| number(shape) * i as u32 + 5;
        call(&Object::from_fn([shape[0] * shape[1]], of), &Object::from_fn([shape[0] * shape[1]], of))
    });
}

#[test]
fn histograms_and_pushed_elements_are_those_of_the_cores() {
    alike!(histogram, |shape, call| {
        let mut bins = [1, 2, 3, 4, 5, 6, 7, 8];
        call(&Object::from_fn(shape, number), &mut bins);
        bins
    });
    // Each rank has what its tasks have pushed.
    for shape in SHAPES {
        let run = |call: fn(&Object<u32, 2>, u32, &mut Vec<u32>)| {
            let mut found = vec![100];
            call(&Object::from_fn(shape, number), 6, &mut found);
            found
        };
        gives_on(1..=1, &run(above::sequential), || run(above));
    }
}

#[test]
fn sums_of_floats_differ_in_their_last_bits() {
    let plane = || Object::from_fn([41, 33], |index| real(index) as f32);
    let expected = mean_square::sequential(&plane());
    for ranks in 1..=4 {
        let Some(found) = on_ranks(ranks, || mean_square(&plane())) else { return };
        let found = found.unwrap();
        assert!((found - expected).abs() < 1e-5 * expected, "{found} is not {expected}");
    }
}

#[test]
fn an_overflow_panics_as_on_the_cores() {
    let run = || small_sum(&Object::from_fn([9, 9], |_| 100_000_000));
    let Some(found) = on_ranks(1, run) else { return };
    match cfg!(debug_assertions) {
        true => assert!(found.unwrap_err().contains("attempt to add with overflow")),
        false => assert!(found.is_ok()),
    }
}

/// Runs a program on ranks whose devices may refuse loops.
fn on_willing_ranks<R: Send>(ranks: usize, program: impl Fn() -> R + Sync) -> Option<Vec<R>> {
    let gpu = gpu_within(Room::default())?;
    Some(Local::run(ranks, |comm| {
        let settings = Settings { backend: Backend::Gpu, ..Settings::default() };
        let _installed = install(Context::new(Box::new(comm), gpu.clone(), settings));
        program()
    }))
}

#[test]
fn the_workers_run_the_tasks_that_a_device_refuses() {
    let run = |call: &dyn Fn(&mut Object<u32, 2>) -> (u64, u32)| {
        let mut plane = Object::from_fn([26, 9], number);
        (call(&mut plane), all(&plane))
    };
    let expected = run(&far::sequential);
    for ranks in [1, 2, 3, 5] {
        let Some(found) = on_willing_ranks(ranks, || run(&far)) else { return };
        assert!(found.iter().all(|found| *found == expected), "{ranks} ranks: {:?}", found[0].0);
    }
    let run = |call: &dyn Fn(&mut Object<u32, 2>, &mut Vec<u32>)| {
        let (mut plane, mut pushed) = (Object::from_fn([26, 9], number), vec![5]);
        call(&mut plane, &mut pushed);
        (all(&plane), pushed)
    };
    let expected = run(&far_apart::sequential);
    let found = on_willing_ranks(1, || run(&far_apart)).unwrap_or_default();
    assert_eq!(found, [expected]);
}
