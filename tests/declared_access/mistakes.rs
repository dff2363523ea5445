//! Mistakes of programs that declare access: each ends the call with a message that names it.

use super::*;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};

fn on_ranks(ranks: usize, run: impl Fn() + Sync) {
    Runtime::builder().ranks(ranks).threads(2).run(run);
}

/// Another task's elements change in the same region.
#[foreach]
fn seen(data: &mut Object<i64, 1>) {
    for tile in data.tiles([4]) {
        let near = data.get(tile.grown([1]));
        let mut own = data.get_mut(tile.ranges());
        own.elements_mut().iter_mut().for_each(|value| *value += near.elements()[0]);
        drop(own);
        data.modified(tile.ranges());
    }
}

#[foreach]
fn twice(order: &Object<usize, 1>, to: &mut Object<i64, 1>) {
    for i in 0..order.len() {
        let at = order[[i]];
        let mut place = to.get_mut(at..at + 1);
        place[[at]] += 1;
        drop(place);
        to.modified(at..at + 1);
    }
}

/// Written by index before the cut, and read behind it.
#[foreach]
fn parts(order: &Object<usize, 1>, data: &mut Object<i64, 1>, out: &mut Object<i64, 1>) {
    for i in 0..order.len() {
        data[[i]] = 10 * i as i64;
        let at = order[[i]];
        let other = data.get(at..at + 1);
        out[[i]] = other[[at]];
    }
}

#[foreach]
fn outside(data: &Object<i64, 1>, out: &mut Object<i64, 1>, by: usize) {
    for tile in out.tiles([4]) {
        let end = tile.indices().end;
        let view = data.get(end - 1..end + by);
        out[[end - 1]] = view[[end - 1]];
    }
}

#[foreach]
fn chosen_outside(order: &Object<usize, 1>, data: &Object<i64, 1>, out: &mut Object<i64, 1>) {
    for i in 0..order.len() {
        let at = order[[i]];
        out[[i]] = data.get(at..at + 2).elements()[0];
    }
}

/// Less than the task has changed.
#[foreach]
fn partly(data: &mut Object<i64, 1>, flags: &Object<u8, 1>) {
    for tile in data.tiles([4]) {
        let mut own = data.get_mut(tile.ranges());
        own.elements_mut().iter_mut().for_each(|value| *value += 1);
        drop(own);
        let range = tile.indices();
        let end = range.end - usize::from(flags[[tile.number()]] > 0);
        data.modified(range.start..end);
    }
}

/// Changed before the cut, and declared behind it on one way alone.
#[foreach]
fn behind_a_barrier(data: &mut Object<i64, 1>, flags: &Object<u8, 1>) {
    for tile in data.tiles([4]) {
        let mut own = data.get_mut(tile.ranges());
        own.elements_mut().iter_mut().for_each(|value| *value += 1);
        drop(own);
        barrier();
        if flags[[tile.number()]] == 0 {
            data.modified(tile.ranges());
        }
    }
}

/// Some tasks end before the barrier.
#[foreach]
fn ends_early(data: &mut Object<i64, 1>, flags: &Object<u8, 1>) {
    for tile in data.tiles([4]) {
        let mut own = data.get_mut(tile.ranges());
        own.elements_mut().iter_mut().for_each(|value| *value += 1);
        drop(own);
        if flags[[tile.number()]] > 0 {
            continue;
        }
        barrier();
        goes_on();
        data.modified(tile.ranges());
    }
}

/// The tasks that have gone on behind the barrier.
static BEHIND: AtomicUsize = AtomicUsize::new(0);

fn goes_on() {
    BEHIND.fetch_add(1, Ordering::Relaxed);
}

#[test]
fn a_task_that_ends_before_a_barrier_is_examined_there() {
    for ranks in [1, 2, 3, 7] {
        BEHIND.store(0, Ordering::Relaxed);
        let text = message(ranks, || ends_early(&mut line(12, |i| i as i64), &line(3, |i| u8::from(i == 1))));
        assert!(text.contains("task 1 of") && text.contains("does not declare them as modified"), "{text}");
        assert_eq!(BEHIND.load(Ordering::Relaxed), 0, "{ranks} ranks");
    }
}

/// The view is larger than the changes, which the task declares.
#[foreach]
fn some_rows(data: &mut Object<f64, 2>, flags: &Object<u8, 1>) {
    for tile in data.tiles([4, 3]) {
        let [rows, columns] = tile.ranges();
        let mut own = data.get_mut([rows.clone(), columns.clone()]);
        let row = rows.start;
        if flags[[tile.number()]] > 0 {
            for x in columns.clone() {
                own[[row, x]] = 1.0;
            }
        }
        drop(own);
        if flags[[tile.number()]] > 0 {
            data.modified([row..row + 1, columns]);
        }
    }
}

#[test]
fn elements_of_a_view_that_do_not_change_need_no_declaration() {
    for ranks in [1, 2, 3, 7] {
        on_ranks(ranks, || {
            let start = || Object::from_fn([8, 5], |[y, x]| if x == 2 { f64::NAN } else { (5 * y + x) as f64 });
            let flags = line(4, |i| u8::from(i % 3 != 1));
            let mut one = start();
            some_rows(&mut one, &flags);
            if ranks == 1 {
                let mut other = start();
                some_rows::sequential(&mut other, &flags);
                let bits = |of: &Object<f64, 2>| -> Vec<u64> {
                    of.to_all().elements().iter().map(|value| value.to_bits()).collect()
                };
                assert_eq!(bits(&one), bits(&other));
            }
            let changed = |y: usize, x: usize| y % 4 == 0 && (y / 4 * 2 + x / 3) % 3 != 1;
            let all = one.to_all();
            let is_right = |y: usize, x: usize| match changed(y, x) {
                true => all[[y, x]] == 1.0,
                false => x == 2 && all[[y, x]].is_nan() || all[[y, x]] == (5 * y + x) as f64,
            };
            assert!((0..8).all(|y| (0..5).all(|x| is_right(y, x))));
        });
    }
}

#[test]
fn changes_that_a_task_does_not_declare_are_named() {
    for ranks in [1, 2, 3, 7] {
        for program in [partly, behind_a_barrier] {
            let text = message(ranks, || program(&mut line(12, |i| i as i64), &line(3, |i| u8::from(i == 1))));
            let (task, element) =
                (text.contains("task 1 of"), text.contains("the object of shape [12], such as the one at"));
            assert!(task && element && text.contains("does not declare them as modified"), "{ranks} ranks: {text}");
            on_ranks(ranks, || {
                let mut data = line(12, |i| i as i64);
                program(&mut data, &line(3, |_| 0));
                assert!(data.to_all().elements().iter().enumerate().all(|(i, value)| *value == i as i64 + 1));
            });
        }
    }
}

fn message(ranks: usize, run: impl Fn() + Sync) -> String {
    let failed = catch_unwind(AssertUnwindSafe(|| on_ranks(ranks, &run)));
    let failure = failed.expect_err("the program is wrong");
    let text = failure.downcast_ref::<String>().cloned();
    text.or_else(|| failure.downcast_ref::<&str>().map(|text| (*text).to_owned())).unwrap_or_default()
}

#[test]
fn are_named() {
    for ranks in [1, 3] {
        let order = |n: usize| line(n, move |i| n - 1 - i);
        let text = message(ranks, || seen(&mut line(12, |i| i as i64)));
        assert!(text.contains("modifies elements of the object of shape [12] that task"), "{text}");
        let text = message(ranks, || twice(&line(12, |i| i / 2), &mut line(6, |i| i as i64)));
        assert!(text.contains("modifies elements of the object of shape [6] that task"), "{text}");
        let text = message(ranks, || parts(&order(12), &mut line(12, |_| 1), &mut Object::zeroed([12])));
        assert!(text.contains("modifies elements of the object of shape [12] that task"), "{text}");
        let text = message(ranks, || outside(&line(12, |_| 1), &mut Object::zeroed([12]), 1));
        assert!(text.contains("the range [11..13] is outside of"), "{text}");
        outside_is_inside(ranks);
        let text = message(ranks, || chosen_outside(&order(12), &line(12, |_| 1), &mut Object::zeroed([12])));
        assert!(text.contains("the range [11..13] is outside of"), "{text}");
    }
}

/// An empty range is right anywhere in the shape.
fn outside_is_inside(ranks: usize) {
    on_ranks(ranks, || outside(&line(12, |_| 1), &mut Object::zeroed([12]), 0));
}

/// Each task reads back its own elements.
#[test]
fn and_parts_without_conflict_are_right() {
    on_ranks(3, || {
        let mut out = Object::zeroed([12]);
        parts(&line(12, |i| i), &mut line(12, |_| 1), &mut out);
        assert!(out.to_all().elements().iter().enumerate().all(|(i, value)| *value == 10 * i as i64));
    });
}
