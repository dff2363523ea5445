//! Objects on several ranks, which are threads of this process.

// Functions for any number of dimensions take arrays of ranges.
#![allow(clippy::single_range_in_vec_init)]

use super::*;
use crate::comm::Local;
use crate::node::{Node, Serial};
use crate::runtime::{Context, End, close, install, rank, ranks};
use crate::settings::{Criteria, Directory, Placement, Settings};
use std::ops::Range;
use std::sync::Arc;

/// Runs a program on ranks, and returns its results in rank order.
fn on_ranks<R: Send>(ranks: usize, directory: Directory, program: impl Fn() -> R + Sync) -> Vec<R> {
    Local::run(ranks, |comm| run(comm, directory, &program))
}

fn run<R>(comm: Local, directory: Directory, program: impl Fn() -> R) -> R {
    let settings = Settings { directory, ..Settings::default() };
    run_with(comm, settings, Arc::new(Serial), program)
}

fn run_with<R>(comm: Local, settings: Settings, node: Arc<dyn Node>, program: impl Fn() -> R) -> R {
    let context = install(Context::new(Box::new(comm), node, settings));
    let result = program();
    assert!(close(context.comm(), "main", context.calls(), End::Finished).is_ok());
    result
}

/// The message with which a program ends.
fn failure(ranks: usize, program: impl Fn() + Sync) -> String {
    Local::try_run(ranks, |comm| run(comm, Directory::Hashed, &program)).unwrap_err().message
}

/// This range on one rank, and an empty one on the others.
fn on<const D: usize>(one: usize, ranges: [Range<usize>; D]) -> [Range<usize>; D] {
    if rank() == one { ranges } else { ranges.map(|_| 0..0) }
}

/// The messages of all ranks in a step.
fn sent<R>(object: &Object<u32, 2>, step: impl FnOnce() -> R) -> Counters {
    let before = object.counters();
    step();
    let after = object.counters();
    Counters {
        control: after.control - before.control,
        data: after.data - before.data,
        bytes: after.bytes - before.bytes,
    }
}

fn total(all: Vec<Counters>) -> (u64, u64, u64) {
    let mut sum = Counters::default();
    all.into_iter().for_each(|counters| sum += counters);
    (sum.control, sum.data, sum.bytes)
}

/// The four cases of section 3.2 of the paper.
#[test]
fn a_get_takes_as_many_messages_as_it_has_to() {
    for directory in Directory::ALL {
        // A box that the rank holds.
        let local = on_ranks(4, directory, || {
            let plane = Object::from_fn([8, 8], |[y, x]| (8 * y + x) as u32);
            sent(&plane, || {
                assert_eq!(plane.get(on(1, [2..4, 0..8])).elements().len(), if rank() == 1 { 16 } else { 0 })
            })
        });
        assert_eq!(total(local), (0, 0, 0));
        // A box that nobody has written: at most two.
        let unwritten = on_ranks(4, directory, || {
            let plane = Object::<u32, 2>::zeroed([8, 8]);
            sent(&plane, || assert!(plane.get([0..8, 0..8]).elements().iter().all(|value| *value == 0)))
        });
        assert_eq!(total(unwritten), (0, 0, 0));
        // A box whose owner the rank does not know: at most four, and the elements. Its cell is on neither of the two ranks.
        let plane = || {
            let mut plane = Object::<u32, 2>::zeroed([64, 64]);
            let [reader, writer] = if directory == Directory::Root { [1, 2] } else { outsiders() };
            let mut view = plane.get_mut(on(writer, [0..2, 0..2]));
            view.elements_mut().fill(7);
            drop(view);
            plane.modified(on(writer, [0..2, 0..2]));
            (plane, reader)
        };
        let unknown = on_ranks(4, directory, || {
            let (plane, reader) = plane();
            let first = sent(&plane, || {
                assert_eq!(
                    plane.get(on(reader, [0..1, 0..2])).elements(),
                    vec![7; if rank() == reader { 2 } else { 0 }]
                )
            });
            // Once more, from the copy.
            let again = sent(&plane, || plane.get(on(reader, [0..1, 0..2])));
            (first, again)
        });
        let (first, again): (Vec<_>, Vec<_>) = unknown.into_iter().unzip();
        assert_eq!((total(first), total(again)), ((3, 1, 8), (0, 0, 0)));
        // A box whose owner the rank knows: at most two, and the elements.
        let known = on_ranks(4, directory, || {
            let plane = Object::from_fn([8, 8], |[y, x]| (8 * y + x) as u32);
            sent(&plane, || plane.get(on(0, [7..8, 3..5])))
        });
        assert_eq!(total(known), (1, 1, 8));
    }
}

/// Two ranks that do not keep the first cell of the first object of a program, on four ranks.
fn outsiders() -> [usize; 2] {
    let keepers = knowledge::Knowledge::new(1, area::Area::whole([64, 64]), 0, 4, Directory::Hashed, &[])
        .keepers(area::Area::of(&[0..2, 0..2]));
    let mut others = (0..4).filter(|rank| keepers.iter().all(|(_, keeper)| keeper != rank));
    [others.next().unwrap(), others.next().unwrap()]
}

#[test]
fn a_claim_tells_the_ranks_that_knew_and_frees_their_copies() {
    on_ranks(4, Directory::Hashed, || {
        let mut plane = Object::from_fn([64, 64], |[y, x]| (y * 64 + x) as u32);
        assert_eq!(plane.owned(), [[16 * rank()..16 * rank() + 16, 0..64]]);
        plane.get(on(0, [16..64, 0..64]));
        assert_eq!((plane.held(), plane.in_memory()), if rank() == 0 { (4096, 4096) } else { (1024, 1024) });
        // Rank 3 takes all of it.
        let mut view = plane.get_mut(on(3, [0..64, 0..64]));
        view.elements_mut().iter_mut().for_each(|value| *value += 1);
        drop(view);
        plane.modified(on(3, [0..64, 0..64]));
        assert_eq!((plane.held(), plane.in_memory()), if rank() == 3 { (4096, 4096) } else { (0, 0) });
        assert_eq!(plane.owned(), if rank() == 3 { vec![[0..64, 0..64]] } else { vec![] });
        assert_eq!(plane.get([5..6, 7..8])[[5, 7]], 5 * 64 + 7 + 1);
        // A claim in the middle splits the box, and a claim of the rest joins it.
        plane.get_mut(on(1, [20..30, 10..20]));
        plane.modified(on(1, [20..30, 10..20]));
        let owned: usize = plane.owned().iter().map(|[y, x]| y.len() * x.len()).sum();
        assert_eq!((owned, plane.owned().len()), [(0, 0), (100, 1), (0, 0), (3996, 4)][rank()]);
        assert_eq!(plane.to_all()[[25, 15]], 25 * 64 + 15 + 1);
    });
}

#[test]
fn changes_are_private_until_they_are_declared() {
    for ranks in [1, 3] {
        on_ranks(ranks, Directory::Hashed, || {
            let mut line = Object::<u32, 1>::zeroed([10]);
            line.get_mut([2..5]).elements_mut().fill(rank() as u32 + 1);
            assert_eq!((line.get([4..5])[[4]], line.to_all()[[4]]), (rank() as u32 + 1, 0));
            // The last rank owns what all of them claim.
            line.modified([2..4]);
            let last = super::super::runtime::ranks() as u32;
            assert_eq!((line.get([3..4])[[3]], line.to_all()[[3]], line.to_all()[[4]]), (last, last, 0));
            assert_eq!(line.get([4..5])[[4]], rank() as u32 + 1);
        });
    }
}

#[test]
fn fetches_travel_together_and_overlap_with_work() {
    let sent = on_ranks(3, Directory::Hashed, || {
        let plane = Object::from_fn([6, 6], |[y, x]| (6 * y + x) as u32);
        sent(&plane, || {
            let (first, second) = (plane.fetch(on(0, [2..3, 0..6])), plane.fetch(on(0, [3..4, 0..6])));
            let mut pieces = 0;
            let view = second.wait_while(|| {
                pieces += 1;
                pieces < 10
            });
            assert_eq!((pieces, view.elements().len()), (10, if rank() == 0 { 6 } else { 0 }));
            assert_eq!(first.wait().elements(), (12..if rank() == 0 { 18 } else { 12 }).collect::<Vec<_>>());
        })
    });
    assert_eq!(total(sent), (1, 1, 48));
}

#[test]
fn names_find_objects() {
    on_ranks(2, Directory::Hashed, || {
        let mut plane = Object::<f32, 2>::named("plane", [4, 5]);
        plane.get_mut(on(1, [0..1, 0..1])).elements_mut().fill(3.0);
        plane.modified(on(1, [0..1, 0..1]));
        drop(plane);
        let again = Object::<f32, 2>::find("plane").unwrap();
        assert_eq!((again.get([0..1, 0..1])[[0, 0]], again.shape()), (3.0, [4, 5]));
        drop(again.unnamed());
        assert!(Object::<f32, 2>::find("plane").is_none());
        assert_eq!(Object::<u8, 1>::named("plane", [3]).get([0..3]).elements(), [0, 0, 0]);
    });
}

#[test]
fn an_object_on_one_rank_is_an_array() {
    let mut plane = Object::<u32, 2>::zeroed([3, 4]);
    plane[[2, 1]] = 7;
    assert_eq!((plane[[2, 1]], plane.get([2..3, 0..2]).elements(), plane.to_all()[[2, 1]]), (7, &[0, 7][..], 7));
    plane.get_mut([2..3, 1..2])[[2, 1]] = 8;
    assert_eq!((plane[[2, 1]], plane.get([2..3, 1..2])[[2, 1]]), (7, 8));
    plane.modified([0..3, 0..4]);
    assert_eq!(plane[[2, 1]], 8);
    let elsewhere = failure(2, || assert_eq!(Object::<u32, 2>::zeroed([3, 4])[[0, 0]], 0));
    assert!(
        elsewhere.contains("the object of shape [3, 4] is on 2 ranks, so its elements are not in one memory"),
        "{elsewhere}"
    );
    let outside = failure(1, || Object::<u32, 2>::zeroed([3, 4])[[0, 4]] = 1);
    assert_eq!(outside, "the index [0, 4] is outside of an object of shape [3, 4]");
}

#[cfg(feature = "ndarray")]
#[test]
fn views_are_arrays_of_ndarray() {
    let mut plane = Object::from_fn([4, 6], |[y, x]| (10 * y + x) as u32);
    let view = plane.get([1..3, 2..5]);
    assert_eq!((view.array().dim(), view.array()[[1, 2]], view.array().row(0).sum()), ((2, 3), 24, 39));
    plane.get_mut([1..3, 2..5]).array_mut().column_mut(1).fill(0);
    plane.modified([1..3, 2..5]);
    assert_eq!(plane.get([1..3, 2..5]).elements(), [12, 0, 14, 22, 0, 24]);
}

#[test]
fn mistakes_are_named() {
    let outside = failure(1, || drop(Object::<u32, 2>::zeroed([4, 5]).get([0..4, 2..6])));
    assert_eq!(outside, "the range [0..4, 2..6] is outside of the object of shape [4, 5], whose shape is [4, 5]");
    #[allow(clippy::reversed_empty_ranges)]
    let wrong = || 3..2;
    let reversed = failure(3, || drop(Object::<u32, 1>::zeroed([4]).get(wrong())));
    assert!(reversed.starts_with("the range [3..2] is outside"), "{reversed}");
    let other = failure(2, || {
        let _plane = Object::<u32, 2>::named("plane", [4, 5]);
        Object::<u32, 2>::named("plane", [5, 4]);
    });
    let twice = failure(2, || {
        let _plane = Object::<u32, 2>::named("plane", [4, 5]);
        Object::<u32, 2>::find("plane");
    });
    assert_eq!(twice, "the object `plane` has a handle already: use that one, or drop it first");
    assert!(
        other.contains("the name `plane` belongs to an object of shape [4, 5] with elements of type `u32`"),
        "{other}"
    );
    let other = failure(1, || {
        let _plane = Object::<u32, 2>::named("plane", [4, 5]);
        Object::<f32, 2>::find("plane");
    });
    assert!(other.contains("is used for one of shape of 2 dimensions with elements of type `f32`"), "{other}");
    let absent = failure(2, || Object::from_fn([4], |[i]| i).modified(on(1, [0..4])));
    assert!(
        absent.contains("declares elements of the object of shape [4] as modified that it does not have"),
        "{absent}"
    );
    let unseen = failure(1, || {
        let mut line = Object::<u32, 1>::zeroed([10]);
        let mut region = Region::new("unseen", line.tiles([3]));
        region.writes(&mut line, Tile::ranges);
        region.run(|_| {
            barrier();
        });
    });
    assert!(unseen.contains("a barrier that the compiler has not seen"), "{unseen}");
    let different = failure(2, || {
        let (one, two) = (Object::<u8, 1>::zeroed([4]), Object::<u8, 1>::zeroed([4]));
        (if rank() == 0 { one } else { two }).barrier();
    });
    assert!(different.contains("the number of the object is 1 on rank 0 and 2 on rank 1"), "{different}");
    assert!(std::panic::catch_unwind(|| Object::<u8, 2>::zeroed([usize::MAX, 2])).is_err());
}

#[test]
fn a_rank_that_panics_ends_the_others() {
    for at in 0..3 {
        let message = failure(3, || {
            let line = Object::from_fn([30], |[i]| i as u32);
            if rank() == at {
                panic!("rank {at} has had enough");
            }
            line.get([0..30]);
        });
        assert_eq!(message, format!("rank {at} has had enough"));
    }
}

#[test]
fn there_may_be_more_ranks_than_indices() {
    on_ranks(7, Directory::Hashed, || {
        let line = Object::from_fn([3], |[i]| i as u32);
        assert_eq!(line.get([0..3]).elements(), [0, 1, 2]);
        let mut empty = Object::<u32, 3>::from_fn([3, 0, 2], |_| unreachable!("there is no index"));
        assert!(empty.get([0..3, 0..0, 1..2]).elements().is_empty() && empty.is_empty());
        empty.modified([0..3, 0..0, 0..2]);
        assert!(empty.to_all().elements().is_empty());
    });
}

/// Pseudorandom numbers, the same on all ranks.
struct Random(u64);

impl Random {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 33) as usize % end
    }

    fn range(&mut self, length: usize) -> Range<usize> {
        let start = self.below(length + 1);
        start..start + self.below(length + 1 - start)
    }
}

/// The published elements, and the changes of each rank, as each rank computes them.
struct Shadow<const D: usize> {
    shape: [usize; D],
    published: Vec<u32>,
    private: Vec<Vec<Option<u32>>>,
}

impl<const D: usize> Shadow<D> {
    fn positions(&self, ranges: &[Range<usize>; D]) -> Vec<usize> {
        let whole = area::Area::whole(self.shape);
        whole.rows(&area::Area::of(ranges)).flatten().collect()
    }

    fn visible(&self, rank: usize, ranges: &[Range<usize>; D]) -> Vec<u32> {
        let value = |at: usize| self.private[rank][at].unwrap_or(self.published[at]);
        self.positions(ranges).into_iter().map(value).collect()
    }
}

/// A pseudorandom sequence of operations gives on all ranks what the shadow gives.
fn sequence<const D: usize>(shape: [usize; D], seed: u64, steps: usize) {
    let mut random = Random(seed);
    let mut object = match random.below(2) {
        0 => Object::<u32, D>::zeroed(shape),
        _ => Object::from_fn(shape, |index| index.iter().fold(1, |value, at| 31 * value + *at as u32)),
    };
    let published = object.to_all().into_elements();
    let mut shadow = Shadow { shape, private: vec![vec![None; published.len()]; ranks()], published };
    let mut fresh = 1000;
    for step in 0..steps {
        let kind = random.below(6);
        let ranges: Vec<[Range<usize>; D]> = (0..ranks())
            .map(|_| {
                let takes_part = random.below(3) > 0;
                shape.map(|length| if takes_part { random.range(length) } else { 0..0 })
            })
            .collect();
        let own = ranges[rank()].clone();
        match kind {
            0 | 1 => {
                let expected = shadow.visible(rank(), &own);
                assert_eq!(object.get(own.clone()).elements(), expected, "seed {seed}, step {step}: get {own:?}");
            }
            2 => {
                let other = random.range(shape[0]);
                let mut second = shape.map(|length| 0..length);
                second[0] = other;
                let fetches = [object.fetch(own.clone()), object.fetch(second.clone())];
                let [one, two] = fetches.map(Fetch::wait);
                assert_eq!(one.elements(), shadow.visible(rank(), &own), "seed {seed}, step {step}: fetch");
                assert_eq!(two.elements(), shadow.visible(rank(), &second), "seed {seed}, step {step}: second fetch");
            }
            3 | 4 => {
                let mut view = object.get_mut(own.clone());
                for (of, ranges) in ranges.iter().enumerate() {
                    for (k, at) in shadow.positions(ranges).into_iter().enumerate() {
                        let value = fresh + k as u32;
                        shadow.private[of][at] = Some(value);
                        if of == rank() {
                            view.elements_mut()[k] = value;
                        }
                    }
                    fresh += 1000;
                }
                drop(view);
                if kind == 4 {
                    object.modified(own);
                    for (of, ranges) in ranges.iter().enumerate() {
                        for at in shadow.positions(ranges) {
                            if let Some(value) = shadow.private[of][at] {
                                shadow.published[at] = value;
                            }
                        }
                    }
                    for at in ranges.iter().flat_map(|ranges| shadow.positions(ranges)).collect::<Vec<_>>() {
                        shadow.private.iter_mut().for_each(|private| private[at] = None);
                    }
                }
            }
            _ => {
                object.barrier();
                assert_eq!(object.to_all().elements(), shadow.published, "seed {seed}, step {step}: all");
            }
        }
        assert!(object.knowledge(|knowledge, memory| memory <= 2 * knowledge.held.count()), "seed {seed}, step {step}");
    }
}

#[test]
fn random_sequences_agree_with_a_shadow() {
    for ranks in [1, 2, 3, 4, 7] {
        for seed in 0..40 {
            let directory = Directory::ALL[seed as usize % 2];
            on_ranks(ranks, directory, || match seed % 3 {
                0 => sequence([23], seed, 30),
                1 => sequence([9, 7], seed, 30),
                _ => sequence([5, 4, 6], seed, 30),
            });
        }
    }
}

/// Three workers, which are threads for each loop.
struct Three;

impl Node for Three {
    fn name(&self) -> &'static str {
        "three"
    }

    fn workers(&self) -> usize {
        3
    }

    fn run(&self, workers: usize, work: &(dyn Fn(usize) + Sync)) {
        std::thread::scope(|scope| {
            (1..workers).for_each(|worker| drop(scope.spawn(move || work(worker))));
            work(0);
        });
    }
}

/// The sum of the elements around each index, as far as a margin reaches.
fn blur<const D: usize>(shape: [usize; D], from: &[u32], margin: [usize; D]) -> Vec<u32> {
    let whole = area::Area::whole(shape);
    let all = Tile::new(0, whole.ranges::<D>(), shape);
    let sum = |index: [usize; D]| {
        let near = Tile::new(0, index.map(|at| at..at + 1), shape).grown(margin);
        whole.rows(&area::Area::of(&near)).flatten().fold(1_u32, |sum, at| sum.wrapping_mul(3).wrapping_add(from[at]))
    };
    indices(&all.ranges()).map(sum).collect()
}

/// All indices of a box, in row-major order.
fn indices<const D: usize>(ranges: &[Range<usize>; D]) -> impl Iterator<Item = [usize; D]> + use<D> {
    let ranges = ranges.clone();
    (0..ranges.iter().map(Range::len).product()).map(move |mut number| {
        let mut index = [0; D];
        for axis in (0..D).rev() {
            index[axis] = ranges[axis].start + number % ranges[axis].len();
            number /= ranges[axis].len();
        }
        index
    })
}

/// Runs [`blur`] as a region.
fn blur_tiles<const D: usize>(now: &Object<u32, D>, next: &mut Object<u32, D>, tile: [usize; D], margin: [usize; D]) {
    let mut region = Region::new("blur", next.tiles(tile));
    let from = region.reads(now, |tile| tile.grown(margin));
    let to = region.writes(next, Tile::ranges);
    region.run(|task| {
        let (from, mut to) = (task.read(&from), task.write(&to));
        let shape = now_shape(task.tile());
        for index in indices(&task.tile().ranges()) {
            let near = Tile::new(0, index.map(|at| at..at + 1), shape).grown(margin);
            to[index] = indices(&near).fold(1, |sum: u32, at| sum.wrapping_mul(3).wrapping_add(from[at]));
        }
    });
}

/// The shape of the object of a tile: an infinite margin ends there.
fn now_shape<const D: usize>(tile: &Tile<D>) -> [usize; D] {
    tile.grown([usize::MAX; D]).map(|range| range.end)
}

/// A pseudorandom sequence of regions and declared accesses gives on all ranks what the shadow gives.
fn regions<const D: usize>(shape: [usize; D], seed: u64, steps: usize) {
    let mut random = Random(seed);
    let mut objects = [
        Object::from_fn(shape, |index| index.iter().fold(1, |value, at| 31 * value + *at as u32)),
        Object::zeroed(shape),
    ];
    let count = shape.iter().product();
    let mut shadows = [objects[0].to_all().into_elements(), vec![0_u32; count]];
    let whole = area::Area::whole(shape);
    for step in 0..steps {
        let tile = shape.map(|length| 1 + random.below(length + 1));
        let case = format!("seed {seed}, step {step}, rank {} of {}", rank(), ranks());
        match random.below(6) {
            0..=2 => {
                let margin = shape.map(|_| random.below(3));
                let [now, next] = &mut objects;
                blur_tiles(now, next, tile, margin);
                shadows[1] = blur(shape, &shadows[0], margin);
                objects.swap(0, 1);
                shadows.swap(0, 1);
            }
            3 => {
                // Some tiles are updated in place.
                let tiles: Vec<Tile<D>> = objects[0].tiles(tile).filter(|_| random.below(3) > 0).collect();
                for tile in &tiles {
                    whole
                        .rows(&area::Area::of(&tile.ranges()))
                        .flatten()
                        .for_each(|at| shadows[0][at] = shadows[0][at].wrapping_mul(7));
                }
                let mut region = Region::new("update", tiles);
                let own = region.updates(&mut objects[0], Tile::ranges);
                region.run(|task| {
                    let mut own = task.write(&own);
                    for index in indices(&task.tile().ranges()) {
                        own[index] = own[index].wrapping_mul(7);
                    }
                });
            }
            4 => {
                let ranges: Vec<[Range<usize>; D]> =
                    (0..ranks()).map(|_| shape.map(|length| random.range(length))).collect();
                let value = |rank: usize, step: usize, at: usize| (rank * 1_000_000 + step * 1000 + at) as u32;
                let mut view = objects[0].get_mut(ranges[rank()].clone());
                for (at, element) in view.elements_mut().iter_mut().enumerate() {
                    *element = value(rank(), step, at);
                }
                drop(view);
                objects[0].modified(ranges[rank()].clone());
                for (rank, ranges) in ranges.iter().enumerate() {
                    for (number, at) in whole.rows(&area::Area::of(ranges)).flatten().enumerate() {
                        shadows[0][at] = value(rank, step, number);
                    }
                }
            }
            _ => {
                let own = shape.map(|length| random.range(length));
                let expected: Vec<u32> = whole.rows(&area::Area::of(&own)).flatten().map(|at| shadows[1][at]).collect();
                assert_eq!(objects[1].get(own).elements(), expected, "{case}");
            }
        }
        if random.below(3) == 0 {
            assert_eq!(objects[0].to_all().elements(), shadows[0], "{case}");
        }
        for object in &objects {
            assert!(object.knowledge(|knowledge, memory| memory <= 2 * knowledge.held.count()), "{case}");
        }
    }
    assert_eq!(objects[0].to_all().elements(), shadows[0], "seed {seed}");
}

#[test]
fn random_regions_agree_with_a_shadow() {
    let placements = [
        Placement::default(),
        Placement::RoundRobin,
        Placement::By(Criteria { earlier: false, ..Criteria::ALL }),
        Placement::By(Criteria { earlier: false, load: false, ..Criteria::ALL }),
        Placement::By(Criteria { input: false, intersection: false, ..Criteria::ALL }),
    ];
    for ranks in [1, 2, 3, 4, 7] {
        for seed in 0..40 {
            let (directory, placement) =
                (Directory::ALL[seed as usize % 2], placements[seed as usize % placements.len()]);
            let node: Arc<dyn Node> = if seed % 4 == 0 { Arc::new(Three) } else { Arc::new(Serial) };
            Local::run(ranks, |comm| {
                let settings = Settings { directory, placement, ..Settings::default() };
                run_with(comm, settings, node.clone(), || match seed % 3 {
                    0 => regions([23], seed, 20),
                    1 => regions([9, 7], seed, 20),
                    _ => regions([5, 4, 6], seed, 12),
                });
            });
        }
    }
}

#[test]
fn a_step_sends_no_control_messages_and_each_neighbour_gets_one_message() {
    let steps = on_ranks(4, Directory::Hashed, || {
        let [mut now, mut next] = [Object::from_fn([32, 32], |[y, x]| (32 * y + x) as u32), Object::zeroed([32, 32])];
        let step = |now: &Object<u32, 2>, next: &mut Object<u32, 2>| {
            let before = now.counters();
            blur_tiles(now, next, [4, 4], [1, 1]);
            let after = now.counters();
            let claims = next.counters().control;
            (after.control - before.control + claims, after.data - before.data, after.bytes - before.bytes)
        };
        [step(&now, &mut next), step(&next, &mut now), step(&now, &mut next), step(&next, &mut now)]
    });
    for step in 1..4 {
        let total = steps.iter().fold((0, 0, 0), |sum, of| {
            let (control, data, bytes) = of[step];
            (sum.0 + control, sum.1 + data, sum.2 + bytes)
        });
        // Four strips have three borders. A row of elements crosses each border in both directions.
        assert_eq!(total, (0, 6, 6 * 32 * 4), "step {step}");
    }
}

#[test]
fn tasks_read_one_object_by_several_declarations() {
    let sums = on_ranks(3, Directory::Hashed, || {
        let line = Object::from_fn([12], |[i]| i as u32);
        let mut sums = Object::<u32, 1>::zeroed([12]);
        let mut region = Region::new("pairs", sums.tiles([4]));
        let (own, next) = (region.reads(&line, Tile::ranges), region.reads(&line, |tile| tile.grown([1])));
        let to = region.writes(&mut sums, Tile::ranges);
        region.run(|task| {
            let (own, next, mut to) = (task.read(&own), task.read(&next), task.write(&to));
            for i in task.tile().indices() {
                to[[i]] = own[[i]] + next[[(i + 1).min(11)]];
            }
        });
        sums.to_all().elements().to_vec()
    });
    assert!(sums.iter().all(|sums| sums.iter().enumerate().all(|(i, sum)| *sum as usize == i + (i + 1).min(11))));
}

#[test]
fn mistakes_in_regions_are_named() {
    let overlap = failure(2, || {
        let mut line = Object::<u32, 1>::zeroed([10]);
        let mut region = Region::new("wide", line.tiles([3]));
        region.writes(&mut line, |tile| tile.grown([1]));
        region.run(|_| {});
    });
    assert_eq!(
        overlap,
        "tasks 0 and 1 of `wide` both write elements of the object of shape [10]: each element is written by one task, and no other reads it"
    );
    let outside = failure(1, || {
        let line = Object::<u32, 1>::zeroed([10]);
        Region::new("far", line.tiles([3])).reads(&line, |tile| 0..tile.indices().end + 1);
    });
    assert_eq!(outside, "the range [0..11] is outside of the object of shape [10], whose shape is [10]");
    let undeclared = failure(3, || {
        let mut line = Object::from_fn([12], |[i]| i as u32);
        let mut region = Region::new("near", line.tiles([4]));
        let own = region.updates(&mut line, Tile::ranges);
        region.run(|task| {
            let mut own = task.write(&own);
            let after = task.tile().indices().end;
            // Each rank may be the first to fail, and all say the same.
            if after < 12 {
                own[[after - 1]] = own[[after]];
            }
        });
    });
    assert!(undeclared.contains("is outside of the task's box"), "{undeclared}");
    let taken = failure(1, || {
        let mut line = Object::<u32, 1>::zeroed([10]);
        let mut region = Region::new("taken", line.tiles([3]));
        let own = region.writes(&mut line, Tile::ranges);
        region.run(|task| {
            let _views = [task.write(&own), task.write(&own)];
        });
    });
    assert_eq!(taken, "a task takes the box that it writes once");
    let different = failure(2, || {
        let mut line = Object::<u32, 1>::zeroed([10]);
        let mut region = Region::new("different", line.tiles([3 + rank()]));
        region.writes(&mut line, Tile::ranges);
        region.run(|_| {});
    });
    assert!(
        different.contains("the ranks call `different` (call 1) differently: the number of tasks is 4 on rank 0 and 3"),
        "{different}"
    );
}

#[test]
fn a_task_that_panics_ends_all_ranks() {
    for at in [0, 5, 11] {
        let message = failure(3, || {
            let mut line = Object::from_fn([12], |[i]| i as u32);
            let mut region = Region::new("panics", line.tiles([1]));
            let own = region.updates(&mut line, Tile::ranges);
            region.run(|task| {
                assert!(task.tile().number() != at, "task {at} has had enough");
                task.write(&own)[[task.tile().number()]] += 1;
            });
            line.to_all();
        });
        assert_eq!(message, format!("task {at} has had enough"));
    }
}

#[test]
fn regions_may_have_no_tasks_and_tasks_no_elements() {
    on_ranks(3, Directory::Hashed, || {
        let (mut empty, mut line) = (Object::<u32, 2>::zeroed([0, 5]), Object::from_fn([4], |[i]| i as u32));
        let mut region = Region::new("empty", empty.tiles([2, 2]));
        region.writes(&mut empty, Tile::ranges);
        region.run(|_| unreachable!("there is no tile"));
        let tiles = (0..9).map(|number| Tile::new(number, 0..0, [4]));
        let mut region = Region::new("nothing", tiles);
        let nothing = region.updates(&mut line, Tile::ranges);
        region.run(|task| assert_eq!(task.write(&nothing).ranges(), [0..0]));
        assert_eq!(line.to_all().elements(), [0, 1, 2, 3]);
    });
}
