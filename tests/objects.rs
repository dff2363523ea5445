//! Objects through the facade: on threads, on ranks in one process and on the ranks of a launcher.

use forall::objects::View;
use forall::{Object, rank, ranks};
use std::ops::Range;

/// This range on one rank, and an empty one on the others.
fn on(one: usize, ranges: [Range<usize>; 2]) -> [Range<usize>; 2] {
    if rank() == one { ranges } else { ranges.map(|_| 0..0) }
}

/// The ranks take a plane over, one after the other, each a box that overlaps the others'.
fn relay(plane: &Object<u32, 2>) -> View<u32, 2> {
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
    let plane = Object::from_fn([40, 20], |[y, x]| (100 * y + x) as u32);
    assert_eq!(relay(&plane).elements(), expected());
    assert!(plane.in_memory() <= 2 * plane.held());
}

#[forall::test(ranks = 5)]
fn boxes_change_their_owners_on_five_ranks() {
    let plane = Object::from_fn([40, 20], |[y, x]| (100 * y + x) as u32);
    assert_eq!(relay(&plane).elements(), expected());
    let parts: usize = plane.owned().iter().map(|[y, x]| y.len() * x.len()).sum();
    assert!(parts <= plane.held());
}

#[forall::test(ranks = 2)]
fn an_object_has_the_same_name_on_all_ranks() {
    let volume = Object::<f64, 3>::named("volume", [2, 3, 4]);
    assert_eq!(volume.get([0..2, 0..3, 0..4]).elements(), [0.0; 24]);
    assert_eq!(Object::<f64, 3>::find("volume").map(|found| found.shape()), Some([2, 3, 4]));
}

#[test]
fn objects_work_without_a_runtime() {
    let line = Object::from_fn([9], |[i]| i as f32);
    let (first, last) = (line.fetch(0..1), line.fetch(8..9));
    assert_eq!((last.wait()[[8]], first.wait()[[0]]), (8.0, 0.0));
}
