//! Blocks that move between ranks: with their data, links and messages, and without any change of what programs find.

mod everywhere;

use everywhere::{PLANS, runtime};
use forall::blocks::{Blocks, Link};
use forall::{DistVec, foreach, foreach_tls, kary_reduce};
use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Place {
    values: Vec<u64>,
    name: String,
}

fn ring(n: usize) -> Blocks<Place> {
    Blocks::linked(n, |number| {
        let links = vec![Link::to((number + 1) % n), Link { to: (number * 3) % n, direction: [1, -1, 0, 0] }];
        (Place { values: vec![number as u64; number * 40], name: format!("block {number}") }, links)
    })
}

/// Takes one message a round, so that messages wait, and sends long and short ones.
#[foreach]
fn walk(blocks: &mut Blocks<Place>, round: u64) {
    for mut block in blocks.iter_mut() {
        let first = block.inbox().next();
        if let Some(message) = first {
            let values = message.read::<Vec<u64>>();
            block.values.push(values.iter().sum::<u64>() * 31 + message.from() as u64);
        }
        for link in block.links() {
            let number = block.number() as u64;
            block.send(link, &vec![number + round; if number.is_multiple_of(2) { 900 } else { 1 }]);
        }
    }
}

#[foreach_tls]
fn numbers(blocks: &Blocks<Place>, out: &mut Vec<[usize; 2]>) {
    for block in blocks.iter() {
        out.push([block.number(), block.values.len()]);
    }
}

#[kary_reduce]
fn sum(blocks: &Blocks<Place>) -> f64 {
    let mut sum = 0.0;
    for block in blocks.iter() {
        sum += block.values.iter().map(|value| 1.0 / (1 + value) as f64).sum::<f64>();
    }
    sum
}

type Found = (Vec<Place>, Vec<[usize; 2]>, u64);

fn found(blocks: &Blocks<Place>) -> Found {
    let mut pushed = DistVec::default();
    numbers(blocks, &mut pushed);
    (blocks.to_all(), pushed.to_all(), sum(blocks).to_bits())
}

/// Weights that move blocks to and fro, and some that leave ranks without blocks.
fn weight(round: u64, number: usize, size: usize) -> usize {
    match round % 4 {
        0 => size,
        1 => 1,
        2 => usize::from(number == 0),
        _ => 1 << number.min(40),
    }
}

#[test]
fn what_programs_find_does_not_depend_on_where_blocks_are() {
    for n in [0, 1, 2, 5, 13] {
        let mut plain = ring(n);
        (0..9).for_each(|round| walk::sequential(&mut plain, round));
        let expected = found(&plain);
        for plan in PLANS {
            let ranks = plan.0;
            let all = runtime(plan).run(|| {
                let mut blocks = ring(n);
                let mut moves = 0;
                for round in 0..9 {
                    walk(&mut blocks, round);
                    moves += blocks.balance_by(|block| weight(round, block.number(), block.values.len()));
                    let here = |number: &usize| blocks.rank_of(*number) == Some(forall::rank());
                    assert!((0..n).filter(here).eq(blocks.numbers().iter().copied()));
                    assert_eq!(blocks.rank_of(n), None);
                    assert!(blocks.iter().all(|block| block.links().len() == 2));
                }
                (found(&blocks), moves)
            });
            for (result, moves) in all {
                assert!(result == expected, "{n} blocks, {plan:?}");
                assert!(moves > 0 || ranks == 1 || n < 5, "{n} blocks, {plan:?}");
            }
        }
    }
}

/// A rank's blocks after a balance, as numbers.
fn balanced(ranks: usize, weights: &[usize]) -> Vec<Vec<usize>> {
    runtime((ranks, 1, None)).run(|| {
        let mut blocks = Blocks::from_fn(weights.len(), |number| number);
        blocks.balance_by(|block| weights[**block]);
        assert_eq!(blocks.balance_by(|block| weights[**block]), 0, "they are where they belong");
        let by_weights = Blocks::by_weights(weights, |number| (number, Vec::new()));
        assert_eq!(blocks.numbers(), by_weights.numbers());
        assert_eq!(by_weights.to_all(), blocks.to_all());
        let mine: Vec<usize> = blocks.iter().map(|block| *block).collect();
        assert_eq!(mine, blocks.numbers());
        mine
    })
}

#[test]
fn the_heaviest_rank_is_as_light_as_possible() {
    assert_eq!(balanced(2, &[1, 1, 1, 1, 4]), [vec![0, 1, 2, 3], vec![4]]);
    assert_eq!(balanced(3, &[9, 1, 1, 1, 9]), [vec![0], vec![1, 2, 3], vec![4]]);
    assert_eq!(balanced(4, &[0, 0, 7]).concat(), [0, 1, 2]);
    assert_eq!(balanced(3, &[]).concat(), [0; 0]);
    assert_eq!(balanced(7, &[1; 14]), [[0, 1], [2, 3], [4, 5], [6, 7], [8, 9], [10, 11], [12, 13]]);
}

/// Hops from block to block until none is left.
#[kary_reduce]
fn hops(blocks: &mut Blocks<u64>) -> u64 {
    let mut hops = 0;
    let n = blocks.len();
    for mut block in blocks.iter_mut() {
        while let Some(message) = block.receive() {
            let left: u64 = message.read();
            *block += left;
            hops += 1;
            if left > 0 {
                block.send((block.number() * 5 + left as usize) % n, &(left - 1));
            }
        }
    }
    hops
}

#[foreach]
fn begin(blocks: &mut Blocks<u64>) {
    for block in blocks.iter_mut() {
        block.send(block.number(), &(10 + block.number() as u64));
    }
}

/// Messages that are under way, and checkpoints after blocks have moved.
#[test]
fn loops_that_receive_and_checkpoints_go_on() {
    let folder = tempfile::tempdir().unwrap();
    let program = |moves: bool, path: &std::path::Path| {
        let mut blocks = Blocks::from_fn(11, |number| number as u64);
        begin(&mut blocks);
        if moves {
            blocks.balance_by(|block| 100 * usize::from(block.number() % 5 == 0));
        }
        blocks.save(path).unwrap();
        let count = hops(&mut blocks);
        let mut loaded = Blocks::<u64>::load(path).unwrap();
        if moves {
            loaded.balance_by(|block| block.number());
        }
        assert_eq!((hops(&mut loaded), loaded.to_all()), (count, blocks.to_all()));
        (count, blocks.to_all())
    };
    let expected = runtime((1, 1, None)).run(|| program(false, &folder.path().join("plain"))).remove(0);
    for plan in PLANS {
        let results = runtime(plan).run(|| program(true, &folder.path().join("moved")));
        assert!(results.iter().all(|result| *result == expected), "{plan:?}");
    }
}

#[test]
fn spilled_blocks_move_to_and_fro() {
    let written = |rounds: usize| {
        runtime((2, 1, Some(1))).run(|| {
            let mut blocks = Blocks::from_fn(6, |number| vec![number as u64; 5000]);
            for round in 0..rounds {
                blocks.balance_by(|block| if (block.number() < 3) == (round % 2 == 0) { 1 } else { 100 });
            }
            assert!(blocks.to_all().iter().enumerate().all(|(number, values)| *values == vec![number as u64; 5000]));
            blocks.numbers().to_vec()
        })
    };
    assert_eq!(written(1), [vec![0, 1, 2, 3], vec![4, 5]]);
    assert_eq!(written(20), [vec![0, 1], vec![2, 3, 4, 5]]);
}
