//! Loops over blocks: on any number of ranks and workers, and with any number of blocks in memory, they do what their sequential twins do.

mod compositions;
mod everywhere;

use compositions::{Maps, after, composed};
use everywhere::{everywhere, runtime};
use forall::blocks::{Blocks, Cells, Decomposition, Link};
use forall::partners::{Algorithm, Partners, Whither};
use forall::{DistVec, Runtime, Settings, foreach, foreach_tls, kary_reduce};
use serde::{Deserialize, Serialize};
use std::num::NonZeroU64;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, RwLock};

/// A part of a picture, and the least label of what hangs together.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Region {
    own: Cells<2>,
    /// The labels of the cells, those of a frame of one cell around them too; `None` where the picture is empty.
    with_ghost: Cells<2>,
    labels: Vec<Option<usize>>,
    /// How often messages were looked at.
    looks: usize,
}

/// Whether there is something at this place of the picture.
fn is_set([y, x]: [usize; 2]) -> bool {
    (x * 7 + y * 3) % 5 != 0 && (x + 2 * y) % 7 != 3 && x % 9 != 8
}

impl Region {
    fn new(part: &forall::blocks::Part<2>, width: usize) -> Self {
        let label = |cell: [usize; 2]| (is_set(cell) && part.own.contains(cell)).then_some(cell[0] * width + cell[1]);
        let labels = part.with_ghost.iter().map(label).collect();
        Region { own: part.own.clone(), with_ghost: part.with_ghost.clone(), labels, looks: 0 }
    }

    fn label(&self, cell: [usize; 2]) -> Option<usize> {
        self.labels[self.with_ghost.index(cell)]
    }

    /// Lets labels spread until nothing changes. Whether anything has.
    fn relax(&mut self) -> bool {
        let mut changed = false;
        loop {
            let mut again = false;
            for cell in self.own.iter().filter(|cell| is_set(*cell)) {
                let [y, x] = cell;
                let near = [[y.wrapping_sub(1), x], [y + 1, x], [y, x.wrapping_sub(1)], [y, x + 1]];
                let near = near.into_iter().filter(|cell| self.with_ghost.contains(*cell));
                let least = near.filter_map(|cell| self.label(cell)).chain(self.label(cell)).min();
                if least != self.label(cell) {
                    let index = self.with_ghost.index(cell);
                    self.labels[index] = least;
                    again = true;
                }
            }
            changed |= again;
            if !again {
                return changed;
            }
        }
    }

    /// The facts for the block on this side.
    fn edge(&self, link: Link) -> Vec<([usize; 2], Option<usize>)> {
        let near = |axis: usize, at: usize| match link.direction[axis] {
            -1 => at == self.own.axes[axis].start,
            1 => at + 1 == self.own.axes[axis].end,
            _ => true,
        };
        let cells = self.own.iter().filter(|cell| near(0, cell[0]) && near(1, cell[1]));
        cells.map(|cell| (cell, self.label(cell))).collect()
    }

    fn absorb(&mut self, message: &forall::blocks::Message) {
        for (cell, label) in message.read::<Vec<([usize; 2], Option<usize>)>>() {
            if self.with_ghost.contains(cell) {
                let index = self.with_ghost.index(cell);
                self.labels[index] = label;
            }
        }
    }
}

#[foreach]
fn begin(blocks: &mut Blocks<Region>) {
    for mut block in blocks.iter_mut() {
        block.relax();
        for link in block.links() {
            let edge = block.edge(link);
            block.send(link, &edge);
        }
    }
}

#[foreach]
fn sweep(blocks: &mut Blocks<Region>) -> bool {
    let mut changed = false;
    for mut block in blocks.iter_mut() {
        if block.inbox().is_empty() {
            continue;
        }
        block.looks += 1;
        for message in block.inbox() {
            block.absorb(&message);
        }
        if block.relax() {
            changed = true;
            for link in block.links() {
                let edge = block.edge(link);
                block.send(link, &edge);
            }
        }
    }
    changed
}

#[kary_reduce]
fn cells_with_labels(blocks: &Blocks<Region>) -> usize {
    let mut count = 0;
    for block in blocks.iter() {
        count += block.own.iter().filter(|cell| block.label(*cell).is_some()).count();
    }
    count
}

/// The labels of the whole picture, without blocks.
fn labelled(shape: [usize; 2]) -> Vec<Option<usize>> {
    let width = shape[1];
    let all = Cells { axes: [0..shape[0], 0..width] };
    let mut labels: Vec<Option<usize>> =
        all.iter().map(|cell| is_set(cell).then_some(cell[0] * width + cell[1])).collect();
    loop {
        let before = labels.clone();
        for [y, x] in all.iter().filter(|cell| is_set(*cell)) {
            let near = [[y.wrapping_sub(1), x], [y + 1, x], [y, x.wrapping_sub(1)], [y, x + 1], [y, x]];
            let near = near.into_iter().filter(|cell| all.contains(*cell));
            labels[y * width + x] = near.filter_map(|[y, x]| labels[y * width + x]).min();
        }
        if labels == before {
            return labels;
        }
    }
}

#[test]
fn labels_spread_over_blocks() {
    for (shape, blocks) in [([23, 31], 6), ([23, 31], 1), ([10, 40], 13), ([3, 2], 8)] {
        let parts = Decomposition::new(shape, blocks).ghost(1);
        let spread = |sequential: bool| {
            let mut blocks = Blocks::over(&parts, |part| Region::new(part, shape[1]));
            if sequential {
                begin::sequential(&mut blocks)
            } else {
                begin(&mut blocks)
            }
            let mut rounds = 1;
            while if sequential { sweep::sequential(&mut blocks) } else { sweep(&mut blocks) } {
                rounds += 1;
            }
            let count = if sequential { cells_with_labels::sequential(&blocks) } else { cells_with_labels(&blocks) };
            (blocks.to_all(), rounds, count)
        };
        let (regions, rounds, count) = everywhere(|| spread(false));
        let expected = labelled(shape);
        for region in &regions {
            for cell in region.own.iter() {
                assert_eq!(region.label(cell), expected[cell[0] * shape[1] + cell[1]], "{cell:?} of {shape:?}");
            }
        }
        assert_eq!(count, expected.iter().flatten().count());
        assert_eq!(spread(true), (regions, rounds, count));
    }
}

#[foreach]
fn around(blocks: &mut Blocks<Vec<u64>>, rounds: usize) {
    let n = blocks.len();
    for round in 0..rounds {
        for mut block in blocks.iter_mut() {
            let number = block.number();
            for message in block.inbox() {
                let (sent, value) = message.read::<(usize, u64)>();
                block.push(1000 * sent as u64 + 10 * message.from() as u64 + value);
            }
            // To the next one and to itself, and every third one to the first.
            block.send((number + 1) % n, &(round, 1_u64));
            block.send(number, &(round, 2_u64));
            if number % 3 == 2 {
                block.send(0_usize, &(round, 3_u64));
            }
        }
    }
}

#[test]
fn messages_arrive_in_the_next_round_in_the_order_of_their_senders() {
    for n in [1, 2, 3, 5, 12] {
        let run = |sequential: bool| {
            let mut blocks = Blocks::from_fn(n, |_| Vec::new());
            if sequential {
                around::sequential(&mut blocks, 3)
            } else {
                around(&mut blocks, 3)
            }
            blocks.to_all()
        };
        let found = everywhere(|| run(false));
        assert_eq!(found, run(true), "{n} blocks");
        // What was sent in two of three rounds has been read.
        assert_eq!(found.iter().map(Vec::len).sum::<usize>(), 2 * (2 * n + n / 3));
    }
}

/// Blocks beside an array, and what they add up to.
#[kary_reduce]
fn weighed(blocks: &Blocks<Vec<u32>>, weights: &[f64], lengths: &mut [usize]) -> f64 {
    let mut sum = 0.0;
    for ((block, weight), length) in blocks.iter().zip(weights).zip(lengths.iter_mut()) {
        *length = block.len();
        sum += weight * block.iter().sum::<u32>() as f64;
    }
    sum
}

#[foreach_tls]
fn long_ones(blocks: &Blocks<Vec<u32>>, least: usize, found: &mut Vec<usize>) {
    for (number, block) in blocks.iter().enumerate().skip(1) {
        if block.len() >= least {
            found.push(number);
        }
    }
}

/// Every other block, from the last one on.
#[foreach]
fn grown(blocks: &mut Blocks<Vec<u32>>, by: u32) {
    for mut block in blocks.iter_mut().rev().step_by(2) {
        let number = block.number() as u32;
        block.push(by * number);
    }
}

#[test]
fn blocks_go_with_arrays_reductions_and_pushes() {
    for n in [0, 1, 2, 7, 11] {
        let results = everywhere(|| {
            let mut blocks = Blocks::from_fn(n, |number| (0..number as u32).collect::<Vec<_>>());
            let weights = DistVec::from_fn(n, |i| 0.1 * i as f64);
            let mut lengths = DistVec::from_fn(n, |_| 0);
            let mut found: DistVec<usize> = DistVec::default();
            grown(&mut blocks, 100);
            let sum = weighed(&blocks, &weights, &mut lengths);
            long_ones(&blocks, 3, &mut found);
            (blocks.to_all(), lengths.to_all(), sum.to_bits(), found.to_all())
        });
        let mut blocks = Blocks::from_fn(n, |number| (0..number as u32).collect::<Vec<_>>());
        let weights: Vec<f64> = (0..n).map(|i| 0.1 * i as f64).collect();
        let (mut lengths, mut found) = (vec![0; n], Vec::new());
        grown::sequential(&mut blocks, 100);
        let sum = weighed::sequential(&blocks, &weights, &mut lengths);
        long_ones::sequential(&blocks, 3, &mut found);
        assert_eq!((results.0, results.1, results.3), (blocks.to_all(), lengths, found));
        assert!((f64::from_bits(results.2) - sum).abs() <= 1e-12 * sum.abs());
    }
}

/// A block that nobody touches stays on the disk.
#[test]
fn what_is_skipped_is_not_read() {
    let read = runtime((1, 1, Some(2))).run(|| {
        let mut blocks = Blocks::from_fn(9, |number| vec![number as u64; 1000]);
        around_only(&mut blocks, 4);
        let before = blocks.moved();
        around_only(&mut blocks, 4);
        let after = blocks.moved();
        (before.written, after.read - before.read)
    });
    assert!(read[0].0 >= 7 && read[0].1 <= 1, "{read:?}");
}

/// A block that loops change through `&`.
#[derive(Serialize, Deserialize)]
struct Counted<T> {
    count: AtomicU64,
    nested: Vec<Option<Box<Mutex<T>>>>,
    set: RwLock<(i32, Vec<u8>)>,
}

impl<T> Counted<T> {
    fn set(&self, value: u8) {
        let mut set = self.set.write().unwrap();
        set.0 -= i32::from(value);
        set.1.push(value);
    }
}

#[foreach]
fn counted_by_readers(blocks: &Blocks<Counted<String>>, by: u64) {
    for block in blocks.iter() {
        block.count.fetch_add(by, Ordering::Relaxed);
    }
}

#[foreach]
fn named_without_mut(blocks: &mut Blocks<Counted<String>>) {
    for block in blocks.iter_mut() {
        if let Some(names) = &block.nested[1] {
            names.lock().unwrap().push('n');
        }
    }
}

#[foreach]
fn set_by_a_method(blocks: &Blocks<Counted<String>>) {
    for block in blocks.iter() {
        block.set(3);
    }
}

/// Whether a block has changed shows in its bytes alone.
#[test]
fn changes_through_shared_references_are_kept() {
    type Values = Vec<(u64, String, (i32, Vec<u8>))>;
    let changed = |sequential: bool| -> Values {
        let mut blocks = Blocks::from_fn(5, |number| Counted {
            count: AtomicU64::new(number as u64),
            nested: vec![None, Some(Box::new(Mutex::new(String::new())))],
            set: RwLock::default(),
        });
        for turn in 0..6 {
            match (turn % 3, sequential) {
                (0, false) => counted_by_readers(&blocks, turn),
                (0, true) => counted_by_readers::sequential(&blocks, turn),
                (1, false) => named_without_mut(&mut blocks),
                (1, true) => named_without_mut::sequential(&mut blocks),
                (_, false) => set_by_a_method(&blocks),
                (_, true) => set_by_a_method::sequential(&blocks),
            }
        }
        let values = |block: Counted<String>| {
            let names = block.nested.into_iter().flatten().map(|name| name.into_inner().unwrap()).collect();
            (block.count.into_inner(), names, block.set.into_inner().unwrap())
        };
        blocks.to_all().into_iter().map(values).collect()
    };
    let expected: Values = (0..5).map(|number| (number + 3, "nn".to_owned(), (-6, vec![3, 3]))).collect();
    assert_eq!(changed(true), expected);
    assert_eq!(everywhere(|| changed(false)), expected);
}

/// Two or three of the blocks fit into the memory of a rank.
#[test]
fn a_limit_in_bytes_changes_no_result() {
    let program = || {
        let mut blocks = Blocks::from_fn(11, |number| vec![number as u32; 300 + 20 * number]);
        (0..4).for_each(|_| passed_on(&mut blocks));
        (blocks.to_all(), blocks.moved().written)
    };
    let plain = runtime((1, 1, None)).run(program).remove(0).0;
    for (ranks, threads) in [(1, 1), (1, 3), (3, 2), (13, 1)] {
        let settings = Settings { block_bytes: NonZeroU64::new(5000), ..Settings::default() };
        let results = Runtime::builder().settings(settings).ranks(ranks).threads(threads).run(program);
        assert!(
            results.iter().all(|(all, written)| *all == plain && (*written > 0) == (ranks < 4)),
            "{ranks} {threads}"
        );
    }
}

/// Where blocks lie on the disk, long messages do too, on their way between blocks of one rank and of several.
#[test]
fn long_messages_arrive_from_the_disk() {
    let spread = |sequential: bool| {
        let mut blocks = Blocks::from_fn(5, |number| vec![number as u32; 700]);
        for _ in 0..3 {
            if sequential { passed_on::sequential(&mut blocks) } else { passed_on(&mut blocks) }
        }
        (blocks.to_all(), blocks.moved())
    };
    let found = everywhere(|| spread(false).0);
    let (plain, moved) = spread(true);
    assert_eq!(found, plain);
    assert_eq!(moved.bytes_written, 0);
    // Three rounds of five messages, those of the last one not read.
    let moved = runtime((1, 2, Some(4))).run(|| spread(false).1)[0];
    assert!(moved.bytes_written >= 15 * 2800 && moved.bytes_read >= 10 * 2800, "{moved:?}");
}

#[foreach]
fn passed_on(blocks: &mut Blocks<Vec<u32>>) {
    for mut block in blocks.iter_mut() {
        for message in block.inbox() {
            for (value, sent) in block.iter_mut().zip(&*message.elements::<u32>()) {
                *value = value.wrapping_mul(3).wrapping_add(*sent);
            }
        }
        let values = block.clone();
        let to = (block.number() * 2 + 1) % 5;
        block.send_elements(to, &values);
    }
}

/// Merges, swaps and all-reduces of what blocks hold, on any number of blocks, end with the maps of all blocks in order.
#[test]
fn what_blocks_hold_becomes_one_by_rounds_of_partners() {
    let tod_tree = Algorithm::TodTree { regions: 2, k: 2 };
    let radices = Algorithm::RadixK { radices: vec![3, 2] };
    for algorithm in [Algorithm::Tree { k: 2 }, Algorithm::Tree { k: 3 }, Algorithm::BinarySwap, radices, tod_tree] {
        for (count, length, whither) in
            [(1, 3, Whither::All), (5, 300, Whither::All), (6, 7, Whither::Root(2)), (13, 200, Whither::Scattered)]
        {
            let maps = |number: usize| (0..length).map(|i| [(number * 3 + 2) as u32, (i + number) as u32]).collect();
            let partners = Partners::of_all(algorithm.clone(), count, length, whither);
            let found = everywhere(|| {
                let mut blocks: Blocks<Maps> = Blocks::from_fn(count, maps);
                (0..=partners.count()).for_each(|round| composed(&mut blocks, &partners, round));
                blocks.to_all()
            });
            let expected: Maps = (0..count)
                .map(maps)
                .reduce(|one: Maps, next: Maps| one.into_iter().zip(next).map(|(one, next)| after(one, next)).collect())
                .unwrap();
            let wanted = match whither {
                Whither::Scattered => partners.owners(),
                Whither::Root(root) => vec![(root, 0..length)],
                Whither::All => (0..count).map(|block| (block, 0..length)).collect(),
            };
            for (block, region) in wanted {
                assert_eq!(found[block][region.clone()], expected[region], "block {block} of {count}, {algorithm}");
            }
        }
    }
}

#[foreach]
fn around_only(blocks: &mut Blocks<Vec<u64>>, only: usize) {
    for mut block in blocks.iter_mut() {
        if block.number() != only {
            continue;
        }
        block[0] += 1;
    }
}

#[foreach]
fn side_by_side(one: &mut Blocks<u64>, two: &Blocks<u64>) {
    for (mut one, two) in one.iter_mut().zip(two.iter()) {
        *one += *two;
    }
}

fn message(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().cloned();
    text.or_else(|| Some((*panic.downcast_ref::<&str>()?).to_owned())).unwrap_or_default()
}

#[test]
fn two_sets_go_together_where_they_are_on_the_same_ranks() {
    let sums = everywhere(|| {
        let mut one = Blocks::from_fn(7, |number| number as u64);
        side_by_side(&mut one, &Blocks::from_fn(7, |number| 10 * number as u64));
        one.to_all()
    });
    assert_eq!(sums, [0, 11, 22, 33, 44, 55, 66]);
    let apart = || {
        let mut one = Blocks::from_fn(4, |number| number as u64);
        side_by_side(&mut one, &Blocks::from_fn(9, |number| number as u64));
    };
    runtime((1, 2, None)).run(apart);
    let panic = catch_unwind(AssertUnwindSafe(|| runtime((3, 1, None)).run(apart))).unwrap_err();
    assert!(message(&*panic).contains("FA065"), "{}", message(&*panic));
}

#[foreach]
fn halved(blocks: &mut Blocks<u64>) {
    for mut block in blocks.iter_mut() {
        let number = block.number();
        *block = 100 / (5 - number as u64);
    }
}

#[foreach]
fn misdirected(blocks: &mut Blocks<u64>) {
    let n = blocks.len();
    for block in blocks.iter_mut() {
        let next = block.number() + 1;
        if next == n {
            block.send(next, &0);
        }
    }
}

#[test]
fn mistakes_name_the_block() {
    for plan in [(1, 1, None), (2, 2, Some(1)), (3, 1, None)] {
        let fails = |program: fn(&mut Blocks<u64>)| {
            let run = || runtime(plan).run(|| program(&mut Blocks::from_fn(7, |number| number as u64)));
            message(&*catch_unwind(AssertUnwindSafe(run)).unwrap_err())
        };
        assert!(fails(halved).contains("divide by zero"), "{}", fails(halved));
        let text = fails(misdirected);
        assert!(text.contains("block 6 sends to block 7, but there are only 7 blocks"), "{text}");
    }
}

#[test]
fn messages_that_are_not_taken_stay() {
    let left = everywhere(|| {
        let mut blocks = Blocks::from_fn(3, |_| Vec::new());
        for round in 0..4 {
            take_one(&mut blocks, round);
        }
        blocks.to_all()
    });
    assert_eq!(left, [vec![20, 21, 22], vec![0, 1, 2], vec![10, 11, 12]]);
}

/// Two messages a round in the first two rounds, and one a round is taken.
#[foreach]
fn take_one(blocks: &mut Blocks<Vec<usize>>, round: usize) {
    let n = blocks.len();
    for mut block in blocks.iter_mut() {
        if let Some(message) = block.inbox().next() {
            let value = message.read::<usize>();
            block.push(value);
        }
        let number = block.number();
        if round < 2 {
            for k in 0..2 {
                block.send((number + 1) % n, &(10 * number + 2 * round + k));
            }
        }
    }
}
