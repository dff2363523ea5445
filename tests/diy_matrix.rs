//! The matrix of DIY's tests: numbers of blocks, arities, ranks, threads and blocks in memory, for merges, swaps, all-reduces and k-d trees.

mod compositions;
mod everywhere;

use compositions::{Maps, after, composed};
use everywhere::runtime;
use forall::blocks::{Assigner, Blocks, Bounds};
use forall::partners::{Algorithm, Partners, Whither};

const BLOCKS: [usize; 12] = [1, 2, 4, 8, 9, 12, 24, 36, 44, 48, 56, 64];
const ARITIES: [usize; 3] = [2, 4, 8];
const PLANS: [everywhere::Plan; 6] =
    [(1, 1, None), (1, 2, Some(1)), (2, 1, Some(1)), (2, 2, None), (3, 1, None), (3, 1, Some(1))];

/// The number of elements of a block: some messages are empty, and some are spilled.
fn length(count: usize, k: usize) -> usize {
    match (count + k) % 4 {
        0 => 3,
        1 => 300,
        2 => 0,
        _ => count * k,
    }
}

#[test]
fn merges_swaps_and_all_reduces_are_right_for_all_numbers_of_blocks() {
    for (count, k) in BLOCKS.into_iter().flat_map(|count| ARITIES.map(|k| (count, k))) {
        let length = length(count, k);
        let maps =
            |number: usize| -> Maps { (0..length).map(|i| [(number * 3 + 2) as u32, (i + number) as u32]).collect() };
        let compose = |one: Maps, next: Maps| one.into_iter().zip(next).map(|(one, next)| after(one, next)).collect();
        let expected: Maps = (0..count).map(maps).reduce(compose).unwrap();
        let swap = Algorithm::RadixK { radices: vec![k; 6] };
        let kinds =
            [(Algorithm::Tree { k }, Whither::Root(0)), (swap.clone(), Whither::Scattered), (swap, Whither::All)];
        for (number, plan) in PLANS.into_iter().enumerate() {
            let assigner = if number % 2 == 0 { Assigner::Contiguous } else { Assigner::RoundRobin };
            for (algorithm, whither) in &kinds {
                let partners = Partners::of_all(algorithm.clone(), count, length, *whither);
                let found = runtime(plan).run(|| {
                    let mut blocks = Blocks::assigned(count, &assigner, |number| (maps(number), Vec::new()));
                    (0..=partners.count()).for_each(|round| composed(&mut blocks, &partners, round));
                    blocks.to_all()
                });
                let wanted = match whither {
                    Whither::Scattered => partners.owners(),
                    Whither::Root(root) => vec![(*root, 0..length)],
                    Whither::All => (0..count).map(|block| (block, 0..length)).collect(),
                };
                for (block, region) in wanted {
                    let found = &found[0][block][region.clone()];
                    assert_eq!(found, &expected[region], "block {block} of {count}, {algorithm}, {plan:?}");
                }
            }
        }
    }
}

#[test]
fn particles_are_sorted_into_boxes_for_all_numbers_of_blocks() {
    let space = Bounds { low: [0.0, 0.0], high: [1.0, 1.0] };
    let particle = |i: usize| [(i * 37 % 101) as f64 / 101.0, (i * 53 % 97) as f64 / 97.0];
    for count in BLOCKS {
        let mut first = None;
        for plan in PLANS {
            let all = runtime(plan).run(|| {
                let own = |number: usize| (0..20).map(|i| particle(20 * number + i)).collect::<Vec<_>>();
                let mut blocks = Blocks::assigned(count, &Assigner::RoundRobin, |number| (own(number), Vec::new()));
                let tree = blocks.distribute(space, |block| block, |place| *place).unwrap();
                let all = blocks.to_all();
                for (number, block) in all.iter().enumerate() {
                    assert!(block.iter().all(|place| tree.owner(*place) == number), "block {number} of {count}");
                }
                all
            });
            assert_eq!(all[0].iter().map(Vec::len).sum::<usize>(), 20 * count);
            assert_eq!(*first.get_or_insert_with(|| all[0].clone()), all[0], "{count} blocks, {plan:?}");
        }
    }
}
