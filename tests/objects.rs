//! Objects through the facade: on threads, on ranks in one process and on the ranks of a launcher.

use forall::objects::{Region, Tile, View};
use forall::{Object, foreach, rank, ranks};
use std::ops::Range;

/// This range on one rank, and an empty one on the others.
fn on(one: usize, ranges: [Range<usize>; 2]) -> [Range<usize>; 2] {
    if rank() == one { ranges } else { ranges.map(|_| 0..0) }
}

/// The ranks take a plane over, one after the other, each a box that overlaps the others'.
fn relay(plane: &mut Object<u32, 2>) -> View<u32, 2> {
    for (turn, taker) in (0..ranks()).chain((0..ranks()).rev()).enumerate() {
        let own = on(taker, [turn..10 + turn, 5..15]);
        let mut view = plane.get_mut(own.clone());
        view.elements_mut().iter_mut().for_each(|value| *value = 2 * *value + turn as u32);
        drop(view);
        plane.modified(own);
    }
    plane.barrier();
    plane.to_all()
}

fn expected() -> Vec<u32> {
    let start = |[y, x]: [usize; 2]| (100 * y + x) as u32;
    let mut all: Vec<u32> = (0..40).flat_map(|y| (0..20).map(move |x| start([y, x]))).collect();
    for turn in 0..2 * ranks() {
        for y in turn..10 + turn {
            all[20 * y + 5..20 * y + 15].iter_mut().for_each(|value| *value = 2 * *value + turn as u32);
        }
    }
    all
}

#[forall::test]
fn boxes_change_their_owners_on_this_launch() {
    let mut plane = Object::from_fn([40, 20], |[y, x]| (100 * y + x) as u32);
    assert_eq!(relay(&mut plane).elements(), expected());
    assert!(plane.in_memory() <= 2 * plane.held());
}

#[forall::test(ranks = 5)]
fn boxes_change_their_owners_on_five_ranks() {
    let mut plane = Object::from_fn([40, 20], |[y, x]| (100 * y + x) as u32);
    assert_eq!(relay(&mut plane).elements(), expected());
    let parts: usize = plane.owned().iter().map(|[y, x]| y.len() * x.len()).sum();
    assert!(parts <= plane.held());
}

#[forall::test(ranks = 2)]
fn an_object_has_the_same_name_on_all_ranks() {
    let volume = Object::<f64, 3>::named("volume", [2, 3, 4]);
    assert_eq!(volume.get([0..2, 0..3, 0..4]).elements(), [0.0; 24]);
    drop(volume);
    assert_eq!(Object::<f64, 3>::find("volume").map(|found| found.shape()), Some([2, 3, 4]));
}

#[test]
fn objects_work_without_a_runtime() {
    let line = Object::from_fn([9], |[i]| i as f32);
    let (first, last) = (line.fetch(0..1), line.fetch(8..9));
    assert_eq!((last.wait()[[8]], first.wait()[[0]]), (8.0, 0.0));
}

/// The mean of the four neighbours, by tiles; the border stays.
fn step(now: &Object<f32, 2>, next: &mut Object<f32, 2>, tile: [usize; 2]) {
    let mut region = Region::new("step", next.tiles(tile));
    let from = region.reads(now, |tile| tile.grown([1, 1]));
    let to = region.writes(next, Tile::ranges);
    let inner = now.shape().map(|length| 1..length.max(1) - 1);
    region.run(|task| {
        let (from, mut to) = (task.read(&from), task.write(&to));
        for y in task.tile().rows() {
            for x in task.tile().columns() {
                to[[y, x]] = match inner[0].contains(&y) && inner[1].contains(&x) {
                    true => 0.25 * (from[[y - 1, x]] + from[[y + 1, x]] + from[[y, x - 1]] + from[[y, x + 1]]),
                    false => from[[y, x]],
                };
            }
        }
    });
}

fn steps(tile: [usize; 2]) -> Vec<f32> {
    let start = |[y, x]: [usize; 2]| ((y * 37 + x * 11) % 29) as f32;
    let mut planes = [Object::from_fn([45, 33], start), Object::zeroed([45, 33])];
    for _ in 0..5 {
        let [now, next] = &mut planes;
        step(now, next, tile);
        planes.swap(0, 1);
    }
    planes[0].to_all().into_elements()
}

fn expected_steps() -> Vec<f32> {
    let start: Vec<f32> = (0..45).flat_map(|y| (0..33).map(move |x| ((y * 37 + x * 11) % 29) as f32)).collect();
    let mut planes = [start.clone(), start];
    for _ in 0..5 {
        for y in 1..44 {
            for x in 1..32 {
                let at = 33 * y + x;
                planes[1][at] =
                    0.25 * (planes[0][at - 33] + planes[0][at + 33] + planes[0][at - 1] + planes[0][at + 1]);
            }
        }
        planes.swap(0, 1);
    }
    let [last, _] = planes;
    last
}

#[forall::test]
fn regions_have_the_same_bits_on_this_launch() {
    for tile in [[8, 8], [45, 33], [1, 40], [7, 5]] {
        assert_eq!(steps(tile), expected_steps(), "{tile:?}");
    }
}

#[forall::test(ranks = 4)]
fn regions_have_the_same_bits_on_four_ranks() {
    for tile in [[8, 8], [45, 33], [1, 40], [7, 5]] {
        assert_eq!(steps(tile), expected_steps(), "{tile:?}");
    }
}

mod with_own_methods {
    use forall::{Object, foreach};

    /// A method of the user's with the name of one of std.
    trait Larger {
        #[allow(dead_code)]
        fn max(self, other: usize) -> usize;
    }

    impl Larger for usize {
        fn max(self, other: usize) -> usize {
            self + other
        }
    }

    #[foreach]
    pub fn inner_elements(plane: &mut Object<u32, 2>) {
        for tile in plane.tiles([4, 4]) {
            let [rows, columns] = tile.inside([1, 1]);
            for y in rows {
                for x in columns.clone() {
                    plane[[y, x]] += 1;
                }
            }
        }
    }
}

#[forall::test(ranks = 5)]
fn ranges_of_tiles_call_no_method_of_the_user() {
    let mut plane = Object::zeroed([9, 11]);
    with_own_methods::inner_elements(&mut plane);
    let inside = |at: usize| (1..8).contains(&(at / 11)) && (1..10).contains(&(at % 11));
    assert!(plane.to_all().elements().iter().enumerate().all(|(at, value)| *value == u32::from(inside(at))));
}

/// Rows that are long enough for whole lines of the cache, with margins.
#[foreach]
fn spread(now: &Object<f32, 2>, next: &mut Object<f32, 2>, tile: [usize; 2]) {
    for tile in next.tiles(tile) {
        let [rows, columns] = tile.inside([1, 3]);
        for y in rows {
            for x in columns.clone() {
                next[[y, x]] = 0.25 * (now[[y, x - 3]] + now[[y, x + 1]] + now[[y - 1, x]] + now[[y + 1, x + 3]]);
            }
        }
    }
}

/// On any number of ranks, two boxes that overlap change their owners in between.
fn wide(tile: [usize; 2]) -> Vec<f32> {
    let shape = [11, 1931];
    let mut now = Object::from_fn(shape, |[y, x]| ((37 * y + 11 * x) % 101) as f32);
    let mut next = Object::from_fn(shape, |[y, x]| ((37 * y + 11 * x) % 101) as f32);
    for step in 0..4 {
        spread(&now, &mut next, tile);
        std::mem::swap(&mut now, &mut next);
        let taken = on(step % ranks(), [1..9, 300 + step..1533]);
        let mut view = now.get_mut(taken.clone());
        view.elements_mut().iter_mut().for_each(|value| *value += 0.5);
        drop(view);
        now.modified(taken);
        for object in [&now, &next] {
            assert!(object.in_memory() <= 2 * object.held() + 11 * 32);
        }
    }
    now.to_all().into_elements()
}

#[test]
fn long_rows_give_the_same_on_all_ranks() {
    let expected = forall::Runtime::builder().ranks(1).threads(1).run(|| wide([11, 1931]));
    for (ranks, tile) in [(2, [11, 517]), (3, [4, 640]), (4, [5, 1000]), (7, [3, 333]), (7, [11, 1931])] {
        for result in forall::Runtime::builder().ranks(ranks).threads(2).run(|| wide(tile)) {
            assert!(result == expected[0], "{ranks} ranks, {tile:?}");
        }
    }
}
