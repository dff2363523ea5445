//! Random sequences of loops over tiles, declared access and operations of ranks agree with a model of plain vectors after each step.
//!
//! On a device, the loops of a step run on the cores or on the device of each rank, so that boxes are on the host, on the device, or on both.
//!
//! The seeds are fixed. `SEQUENCES=10000` tries more of them than the default.

mod device;
mod loops;

use device::{Access, Switched};

use forall::objects::Tile;
use forall::{Backend, Criteria, Directory, Object, Placement, Runtime, Settings, rank, ranks};
use forall_core::comm::Local;
use forall_core::runtime::{Context, install};
use loops::{LIMIT, Loops};
use std::ops::Range;
use std::sync::Arc;

/// The pseudorandom numbers of a seed: the same ones on all ranks.
struct Random(u64);

impl Random {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % end.max(1)
    }

    fn range(&mut self, length: usize) -> Range<usize> {
        let start = self.below(length + 1);
        start..start + self.below(length + 1 - start)
    }
}

type Ranges<const D: usize> = [Range<usize>; D];

/// All indices of a box, in row-major order.
fn indices<const D: usize>(ranges: &Ranges<D>) -> Vec<[usize; D]> {
    let count = ranges.iter().map(Range::len).product();
    let index = |mut number: usize| {
        let mut index = [0; D];
        for axis in (0..D).rev() {
            index[axis] = ranges[axis].start + number % ranges[axis].len();
            number /= ranges[axis].len();
        }
        index
    };
    (0..count).map(index).collect()
}

/// An object as plain vectors.
struct Model<const D: usize> {
    shape: [usize; D],
    published: Vec<i64>,
    /// For each rank, the changes that it has not declared.
    private: Vec<Vec<Option<i64>>>,
}

impl<const D: usize> Model<D> {
    fn at(&self, index: [usize; D]) -> usize {
        index.iter().zip(self.shape).fold(0, |at, (index, length)| at * length + index)
    }

    fn of(&self, index: [usize; D]) -> i64 {
        self.published[self.at(index)]
    }

    fn whole(&self) -> Ranges<D> {
        self.shape.map(|length| 0..length)
    }

    fn positions(&self, ranges: &Ranges<D>) -> Vec<usize> {
        indices(ranges).into_iter().map(|index| self.at(index)).collect()
    }

    /// The elements of a box as a rank sees them.
    fn visible(&self, rank: usize, ranges: &Ranges<D>) -> Vec<i64> {
        let of = |at: usize| self.private[rank][at].unwrap_or(self.published[at]);
        self.positions(ranges).into_iter().map(of).collect()
    }

    /// Others have modified a box: undeclared changes end.
    fn end_private(&mut self, ranges: &Ranges<D>) {
        for at in self.positions(ranges) {
            self.private.iter_mut().for_each(|private| private[at] = None);
        }
    }

    fn publish(&mut self, published: Vec<i64>) {
        self.published = published;
        self.end_private(&self.whole());
    }

    fn mirrored(&self, index: [usize; D]) -> i64 {
        self.of(std::array::from_fn(|axis| self.shape[axis] - 1 - index[axis]))
    }

    fn beside(&self, mut index: [usize; D], axis: usize, forward: bool) -> i64 {
        index[axis] = if forward { (index[axis] + 1).min(self.shape[axis] - 1) } else { index[axis].saturating_sub(1) };
        self.of(index)
    }

    /// The elements that a loop from this object to another one of its shape leaves there.
    fn between(&self, kind: usize, tiles: &[Tile<D>]) -> Vec<i64> {
        let mut next = vec![0; self.published.len()];
        for (number, tile) in tiles.iter().enumerate() {
            let all = indices(&tile.ranges());
            let first = all[0];
            let near = indices(&tile.grown([1; D]));
            let ends = self.of(near[0]) + self.of(near[near.len() - 1]);
            let chosen = self.of(first) as usize % self.shape[0];
            let third = all.iter().filter(|index| index[D - 1] % 3 == 0);
            let fetched = third.map(|index| {
                let value = self.of(*index) as usize;
                self.of(self.shape.map(|length| value % length))
            });
            let fetched: i64 = fetched.sum();
            for index in all {
                let own = self.of(index);
                let value = match kind {
                    0 => {
                        let near = |axis| 3 * self.beside(index, axis, false) + self.beside(index, axis, true);
                        own + (0..D).map(near).sum::<i64>()
                    }
                    1 => self.mirrored(index) + 1,
                    2 => 2 * own + self.beside(index, D - 1, true),
                    3 => own + ends,
                    4 => {
                        let mut there = index;
                        there[0] = chosen;
                        self.of(there) + index[0] as i64
                    }
                    5 => fetched + own,
                    _ => {
                        let first = (2 + number as i64 % 3) * own % LIMIT;
                        let second = if number % 2 == 0 { (first + 7) % LIMIT } else { first };
                        let again = |value: i64| (3 * value + self.mirrored(index)) % LIMIT;
                        again(again(second))
                    }
                };
                next[self.at(index)] = value % LIMIT;
            }
        }
        next
    }

    /// Changes the elements as a loop over this object does.
    fn within(&mut self, kind: usize, tiles: &[Tile<D>]) {
        let mut next = self.published.clone();
        for index in indices(&self.whole()) {
            let (at, own) = (self.at(index), self.of(index));
            next[at] = match kind {
                0 => own + 10 * self.mirrored(index),
                1 => 2 * own + 1,
                2 => self.mirrored(index) + 5,
                _ => own,
            } % LIMIT;
        }
        if kind < 3 {
            return self.publish(next);
        }
        for tile in tiles {
            let mut half = tile.ranges();
            half[0].end = half[0].start + half[0].len() / 2;
            for at in self.positions(&half) {
                self.published[at] = (self.published[at] + 77) % LIMIT;
            }
            self.end_private(&half);
        }
    }
}

/// A sequence of steps on two objects and their models.
struct Sequence<const D: usize> {
    random: Random,
    objects: [Object<i64, D>; 2],
    models: [Model<D>; 2],
    loops: &'static Loops<D>,
    case: String,
    /// Chooses the devices of this rank.
    of_rank: Random,
}

impl<const D: usize> Sequence<D> {
    fn new(shape: [usize; D], seed: u64, loops: &'static Loops<D>) -> Self {
        let count = shape.iter().product();
        let model = |published: Vec<i64>| Model { shape, published, private: vec![vec![None; count]; ranks()] };
        let mut models = [model(vec![0; count]), model(vec![0; count])];
        for index in indices(&models[0].whole()) {
            let at = models[0].at(index);
            models[0].published[at] = (31 * at as i64 + 7) % LIMIT;
        }
        let start = |index: [usize; D]| models[0].of(index);
        let objects = [Object::from_fn(shape, start), Object::zeroed(shape)];
        Sequence {
            random: Random(seed),
            objects,
            models,
            loops,
            case: format!("seed {seed}"),
            of_rank: Random(seed ^ rank() as u64),
        }
    }

    /// A range of each rank.
    fn ranges(&mut self) -> Vec<Ranges<D>> {
        let shape = self.models[0].shape;
        (0..ranks()).map(|_| shape.map(|length| self.random.range(length))).collect()
    }

    /// A loop over tiles.
    fn run_loop(&mut self) {
        let all = [Access::Cores, Access::Device, Access::Device, Access::Full, Access::Choosy];
        device::choose(all[self.of_rank.below(all.len())]);
        let shape = self.models[0].shape;
        let size = shape.map(|length| 1 + self.random.below(length + 2));
        let tiles: Vec<Tile<D>> = self.objects[0].tiles(size).collect();
        let one = self.random.below(2);
        match self.random.below(14) {
            kind @ 0..7 => {
                let [now, next] = &mut self.objects;
                let (now, next) = if one == 0 { (now, next) } else { (next, now) };
                (self.loops.between[kind])(now, next, size);
                let left = self.models[one].between(kind, &tiles);
                self.models[1 - one].publish(left);
            }
            kind @ 7..11 => {
                (self.loops.within[kind - 7])(&mut self.objects[one], size);
                self.models[one].within(kind - 7, &tiles);
            }
            11 => {
                let found = (self.loops.changed)(&mut self.objects[one], size);
                let changed: Vec<i64> =
                    self.models[one].published.iter().map(|value| (5 * value + 1) % LIMIT).collect();
                assert_eq!(found, changed.iter().sum::<i64>(), "{}: changed", self.case);
                self.models[one].publish(changed);
            }
            12 => {
                let (skip, take) = (self.random.below(3), self.random.below(6));
                (self.loops.scaled)(&mut self.objects[one], size, skip, take);
                let model = &mut self.models[one];
                for tile in tiles.iter().skip(skip).take(take) {
                    for at in model.positions(&tile.ranges()) {
                        model.published[at] = 7 * model.published[at] % LIMIT;
                    }
                    model.end_private(&tile.ranges());
                }
            }
            _ => {
                let found = (self.loops.sums)(&self.objects[one], size);
                let all = &self.models[one].published;
                let expected = (all.iter().sum(), all.iter().copied().max().unwrap_or(0));
                assert_eq!(found, expected, "{}: sums", self.case);
            }
        }
    }

    /// An operation of each rank outside of loops.
    fn operate(&mut self) {
        let one = self.random.below(2);
        let all = self.ranges();
        let (own, kind) = (all[rank()].clone(), self.random.below(5));
        let (object, model, case) = (&mut self.objects[one], &mut self.models[one], &self.case);
        match kind {
            0 => assert_eq!(object.get(own.clone()).elements(), model.visible(rank(), &own), "{case}: get {own:?}"),
            1 => {
                let (first, second) = (object.fetch(own.clone()), object.fetch(model.whole()));
                assert_eq!(second.wait().elements(), model.visible(rank(), &model.whole()), "{case}: second fetch");
                assert_eq!(first.wait().elements(), model.visible(rank(), &own), "{case}: fetch");
            }
            2 | 3 => {
                let mut view = object.get_mut(own.clone());
                assert_eq!(view.elements(), model.visible(rank(), &own), "{case}: get_mut {own:?}");
                for (of, ranges) in all.iter().enumerate() {
                    for (k, at) in model.positions(ranges).into_iter().enumerate() {
                        let value = (100 * of + k) as i64 % LIMIT;
                        model.private[of][at] = Some(value);
                        if of == rank() {
                            view.elements_mut()[k] = value;
                        }
                    }
                }
                drop(view);
                if kind == 3 {
                    object.modified(own);
                    for (of, ranges) in all.iter().enumerate() {
                        for at in model.positions(ranges) {
                            model.published[at] = model.private[of][at].unwrap_or(model.published[at]);
                        }
                    }
                    all.iter().for_each(|ranges| model.end_private(ranges));
                }
            }
            _ => {
                self.objects.swap(0, 1);
                self.models.swap(0, 1);
            }
        }
    }

    /// Compares the objects with their models.
    fn check(&mut self) {
        for (object, model) in self.objects.iter().zip(&self.models) {
            for view in object.own_boxes() {
                let expected: Vec<i64> =
                    model.positions(&view.ranges()).into_iter().map(|at| model.published[at]).collect();
                assert_eq!(view.elements(), expected, "{}: own {:?}", self.case, view.ranges());
            }
            let private = model.private[rank()].iter().flatten().count();
            let (memory, held) = (object.in_memory(), object.held());
            assert!(memory <= 2 * (held + private), "{}: {memory} elements for {held} and {private}", self.case);
        }
        let (one, how, all) = (self.random.below(2), self.random.below(3), self.ranges());
        let (object, model, own) = (&self.objects[one], &self.models[one], &all[rank()]);
        match how {
            0 => assert_eq!(object.to_all().elements(), model.published, "{}: all", self.case),
            1 => assert_eq!(object.get(own.clone()).elements(), model.visible(rank(), own), "{}: {own:?}", self.case),
            _ => {}
        }
    }

    fn run(mut self, steps: usize) {
        let case = self.case.clone();
        for step in 0..steps {
            self.case = format!("{case}, step {step}, rank {} of {}", rank(), ranks());
            match self.random.below(5) {
                0..3 => self.run_loop(),
                _ => self.operate(),
            }
            self.check();
        }
        for (object, model) in self.objects.iter().zip(&self.models) {
            assert_eq!(object.to_all().elements(), model.published, "{case}: the end");
        }
    }
}

/// The sequence of a seed: its shape, ranks, threads, placement and directory follow from the seed.
fn sequence(seed: u64, on_device: bool) {
    let mut random = Random(seed ^ 0x5eed);
    random.below(2);
    let ranks = [1, 2, 3, 4, 5, 7][random.below(6)];
    let threads = 1 + random.below(4);
    let placements = [
        Placement::default(),
        Placement::RoundRobin,
        Placement::Stealing,
        Placement::By(Criteria { earlier: false, ..Criteria::ALL }),
        Placement::By(Criteria { earlier: false, load: false, ..Criteria::ALL }),
        Placement::By(Criteria { input: false, intersection: false, ..Criteria::ALL }),
    ];
    let placement = placements[random.below(placements.len())];
    let directory = Directory::ALL[random.below(2)];
    let mut lengths = |most: usize| if random.below(40) == 0 { 0 } else { 1 + random.below(most) };
    let (mut line, mut plane, volume) = ([lengths(40)], [lengths(9), lengths(8)], [lengths(5), lengths(4), lengths(6)]);
    // Some rows are so long that allocations have whole lines of the cache. They do not fit in the limited memory of the device.
    if random.below(12) == 0 && !on_device {
        let more = 120 + random.below(150);
        line[0] += more;
        plane[1] += more;
    }
    let settings = Settings { placement, directory, ..Settings::default() };
    let program = || match seed % 3 {
        0 => Sequence::new(line, seed, &loops::line::LOOPS).run(12),
        1 => Sequence::new(plane, seed, &loops::plane::LOOPS).run(12),
        _ => Sequence::new(volume, seed, &loops::volume::LOOPS).run(10),
    };
    if !on_device {
        Runtime::builder().settings(settings).ranks(ranks).threads(threads).run(program);
        return;
    }
    let Some(node) = Switched::new(threads, random.below(3) == 0) else { return };
    let (node, settings) = (Arc::new(node), Settings { backend: Backend::Gpu, ..settings });
    Local::run(ranks, |comm| {
        let _installed = install(Context::new(Box::new(comm), node.clone(), settings.clone()));
        program();
    });
}

fn count(default: u64) -> u64 {
    std::env::var("SEQUENCES").ok().and_then(|count| count.parse().ok()).unwrap_or(default)
}

#[test]
fn random_sequences_agree_with_a_model() {
    (0..count(150)).for_each(|seed| sequence(seed, false));
}

#[test]
fn random_sequences_agree_with_a_model_on_a_device() {
    let before = device::launches();
    (0..count(300)).for_each(|seed| sequence(seed, true));
    if Switched::new(1, false).is_some() {
        let launches = device::launches() - before;
        assert!(launches > 100, "{launches} tasks run on the device");
    }
}

#[test]
fn measured_times_choose_the_device_for_long_tasks() {
    let Some(node) = Switched::new(1, false) else { return };
    let settings = Settings { backend: Backend::Auto, ..Settings::default() };
    let (node, run) = (Arc::new(node), |length: usize| {
        let now = Object::from_fn([length, length], |[y, x]| ((31 * y + x) % 1009) as i64);
        let mut next = Object::zeroed([length, length]);
        let before = device::launches();
        for _ in 0..3 {
            (loops::plane::LOOPS.between[0])(&now, &mut next, [length.div_ceil(2), length]);
        }
        let sums = (loops::plane::LOOPS.sums)(&next, [length, length]);
        (next.to_all().elements().to_vec(), sums, device::launches() - before)
    });
    Local::run(1, |comm| {
        let _installed = install(Context::new(Box::new(comm), node.clone(), settings.clone()));
        device::choose(Access::Cores);
        let [expected, short] = [run(600), run(3)];
        device::choose(Access::Device);
        // Short loops stay on the cores.
        assert_eq!(run(3), short);
        let (elements, sums, launches) = run(600);
        assert!((elements, sums) == (expected.0, expected.1), "the same elements and sums");
        assert!(launches > 0, "the device runs a task");
    });
}
