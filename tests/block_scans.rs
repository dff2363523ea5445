//! Scans over blocks: each block starts from the state that the blocks before it leave, on any number of ranks and threads.

mod everywhere;

use everywhere::{everywhere, runtime};
use forall::blocks::{Blocks, Link};
use forall::{DistVec, distributed_scan};

/// The number of the first element of each block, as a file with all of them needs it.
#[distributed_scan]
fn numbered(blocks: &mut Blocks<(usize, Vec<u32>)>) -> usize {
    let mut count = 0;
    for mut block in blocks.iter_mut() {
        block.0 = count;
        count += block.1.len();
    }
    count
}

/// A float depends on the order of its terms: that of the blocks, in any case.
#[distributed_scan]
fn filtered(blocks: &mut Blocks<Vec<f64>>, firsts: &mut [f64], by: f64) -> f64 {
    let mut state = 0.25;
    for (mut block, first) in blocks.iter_mut().zip(firsts.iter_mut()) {
        *first = state;
        for value in block.iter_mut() {
            *value += 0.125 * by;
        }
        // The block has changed, so that no part of the body could find the state by itself.
        let mean = block.iter().sum::<f64>() / 3.0;
        state = by * state + mean;
        block.push(state);
    }
    state
}

/// Pushes beside a scan.
#[distributed_scan]
fn starts(blocks: &Blocks<Vec<u32>>, found: &mut Vec<[u64; 2]>) -> u64 {
    let mut sum = 0_u64;
    for block in blocks.iter() {
        if block.len() % 2 == 1 {
            found.push([block.number() as u64, sum]);
        }
        sum += block.iter().map(|value| u64::from(*value)).sum::<u64>();
    }
    sum
}

/// From the last block to the first, with two states: one needs the other.
#[distributed_scan]
fn backwards(blocks: &mut Blocks<Vec<u32>>) -> (u32, u32) {
    let (mut sum, mut most) = (0_u32, 0_u32);
    for mut block in blocks.iter_mut().rev() {
        let length = block.len() as u32;
        sum = sum.wrapping_add(3 * length);
        most = most.max(sum % 7);
        block.push(sum + 100 * most);
    }
    (sum, most)
}

/// Messages that a scan numbers.
#[distributed_scan]
fn sent(blocks: &mut Blocks<Vec<u32>>) -> u32 {
    let mut ticket = 0;
    for mut block in blocks.iter_mut() {
        for message in block.inbox() {
            block.push(message.read());
        }
        for link in block.links() {
            block.send(link, &ticket);
            ticket += 1;
        }
    }
    ticket
}

/// A loop that receives, in waves: the state goes on from wave to wave.
#[distributed_scan]
fn tickets(blocks: &mut Blocks<Vec<u32>>) -> u32 {
    let mut ticket = 0;
    for mut block in blocks.iter_mut() {
        if block.is_first_visit() {
            block.send(block.number(), &3_u32);
        }
        while let Some(message) = block.receive() {
            let left: u32 = message.read();
            block.push(1000 * left + ticket);
            ticket += 1;
            for link in block.links().filter(|_| left > 0) {
                block.send(link, &(left - 1));
            }
        }
    }
    ticket
}

fn of_lengths(n: usize) -> Blocks<Vec<u32>> {
    Blocks::linked(n, |number| {
        let values = (0..(number * 5 % 7) as u32).map(|value| value * value + number as u32).collect();
        (values, vec![Link::to((number + 1) % n), Link::to(number * 3 % n)])
    })
}

#[test]
fn scans_have_the_order_of_the_blocks() {
    for n in [0, 1, 2, 5, 11] {
        let found = everywhere(|| {
            let mut blocks = Blocks::from_fn(n, |number| (7, vec![1; number * 5 % 7]));
            let count = numbered(&mut blocks);
            (count, blocks.to_all())
        });
        let mut blocks = Blocks::from_fn(n, |number| (7, vec![1; number * 5 % 7]));
        let count = numbered::sequential(&mut blocks);
        assert_eq!(found, (count, blocks.to_all()), "{n} blocks");
    }
}

#[test]
fn floats_have_the_same_bits_as_in_the_sequential_loop() {
    let bits = |values: Vec<Vec<f64>>| values.into_iter().map(|list| list.into_iter().map(f64::to_bits).collect());
    for n in [0, 1, 3, 13] {
        let make = |number: usize| vec![0.1 * number as f64, 1.0 / (1.0 + number as f64)];
        let found: (u64, Vec<Vec<u64>>, Vec<u64>) = everywhere(|| {
            let (mut blocks, mut firsts) = (Blocks::from_fn(n, make), DistVec::from_fn(n, |_| 0.0));
            let state = filtered(&mut blocks, &mut firsts, 0.7);
            let firsts = firsts.to_all().into_iter().map(f64::to_bits).collect();
            (state.to_bits(), bits(blocks.to_all()).collect(), firsts)
        });
        let (mut blocks, mut firsts) = (Blocks::from_fn(n, make), vec![0.0; n]);
        let state = filtered::sequential(&mut blocks, &mut firsts, 0.7);
        let firsts = firsts.into_iter().map(f64::to_bits).collect();
        assert_eq!(found, (state.to_bits(), bits(blocks.to_all()).collect(), firsts), "{n} blocks");
    }
}

/// Compares the results of a program on all plans with those of its sequential form.
fn compare<R: PartialEq + std::fmt::Debug + Send>(program: impl Fn(Blocks<Vec<u32>>, bool) -> R + Sync) {
    for n in [1, 2, 7, 12] {
        assert_eq!(everywhere(|| program(of_lengths(n), false)), program(of_lengths(n), true), "{n} blocks");
    }
}

#[test]
fn pushes_go_with_scans() {
    compare(|blocks, sequential| {
        if sequential {
            let mut found = Vec::new();
            let sum = starts::sequential(&blocks, &mut found);
            return (sum, found);
        }
        let mut found: DistVec<[u64; 2]> = DistVec::default();
        let sum = starts(&blocks, &mut found);
        (sum, found.to_all())
    });
}

#[test]
fn scans_go_from_the_last_block_to_the_first() {
    compare(|mut blocks, sequential| {
        let last = if sequential { backwards::sequential(&mut blocks) } else { backwards(&mut blocks) };
        (last, blocks.to_all())
    });
}

#[test]
fn messages_have_scan_states() {
    compare(|mut blocks, sequential| {
        let mut round = || if sequential { sent::sequential(&mut blocks) } else { sent(&mut blocks) };
        ([round(), round()], blocks.to_all())
    });
}

#[test]
fn a_scan_goes_on_from_wave_to_wave() {
    compare(|mut blocks, sequential| {
        let last = if sequential { tickets::sequential(&mut blocks) } else { tickets(&mut blocks) };
        (last, blocks.to_all())
    });
}

/// Each block is loaded once.
#[test]
fn a_scan_loads_a_block_once() {
    let read = runtime((1, 2, Some(2))).run(|| {
        let mut blocks = Blocks::from_fn(9, |number| (0, vec![number as u32; 100]));
        numbered(&mut blocks);
        let before = blocks.moved().read;
        numbered(&mut blocks);
        blocks.moved().read - before
    });
    assert!(read[0] <= 9, "{read:?}");
    assert!(numbered::EXPLAIN.contains("block after block"), "{}", numbered::EXPLAIN);
}
