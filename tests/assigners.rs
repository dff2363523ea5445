//! Blocks on any ranks: random sequences of calls leave what the sequential functions leave, with random assigners on 1 to 7 ranks.

mod everywhere;

use everywhere::runtime;
use forall::blocks::{Assigner, Blocks, Bounds, Link};
use forall::partners::{Algorithm, Does, Partners, Whither};
use forall::{DistVec, distributed_scan, foreach, foreach_tls, kary_reduce};
use std::panic::{AssertUnwindSafe, catch_unwind};

#[foreach]
fn exchanged(blocks: &mut Blocks<Vec<f64>>, by: f64) {
    for mut block in blocks.iter_mut() {
        for message in block.inbox() {
            let value = message.read::<f64>() + 0.1 * message.from() as f64;
            block.push(value);
        }
        let sum = by * block.iter().sum::<f64>();
        for link in block.links() {
            block.send(link, &sum);
        }
    }
}

#[kary_reduce]
fn counted(blocks: &Blocks<Vec<f64>>) -> (usize, f64) {
    let (mut count, mut sum) = (0, 0.0);
    for block in blocks.iter() {
        count += block.len();
        sum += block.iter().sum::<f64>();
    }
    (count, sum)
}

#[foreach_tls]
fn pushed(blocks: &Blocks<Vec<f64>>, found: &mut Vec<f64>) -> usize {
    let mut count = 0;
    for block in blocks.iter() {
        for value in block.iter().take(2 + block.number() % 3) {
            found.push(*value + block.number() as f64);
            count += 1;
        }
    }
    count
}

#[distributed_scan]
fn scanned(blocks: &mut Blocks<Vec<f64>>, found: &mut Vec<usize>) -> f64 {
    let mut state = 0.5;
    for mut block in blocks.iter_mut() {
        if block.len() % 2 == 1 {
            found.push(block.number());
        }
        block.push(state);
        state = 0.25 * state + block[0];
    }
    state
}

/// Arrays beside the blocks, read and written.
#[foreach]
fn beside(blocks: &mut Blocks<Vec<f64>>, x: &[f64], out: &mut [f64]) {
    for ((mut block, x), out) in blocks.iter_mut().zip(x).zip(out.iter_mut()) {
        block[0] += *x;
        *out = block[0] * 2.0;
    }
}

/// By the numbers of blocks, with the element of a neighbour.
#[foreach]
fn indexed(blocks: &Blocks<Vec<f64>>, x: &[f64], out: &mut [f64]) {
    let n = x.len();
    for (number, block) in blocks.iter().enumerate() {
        out[n - 1 - number] = x[(number + 1) % n] + block[0];
    }
}

#[foreach]
fn every_other(blocks: &mut Blocks<Vec<f64>>, by: f64) {
    for mut block in blocks.iter_mut().rev().step_by(2) {
        block[0] += by;
    }
}

/// The first block with the longest list.
#[kary_reduce]
fn longest(blocks: &Blocks<Vec<f64>>) -> (usize, usize) {
    let (mut most, mut at) = (0, 0);
    for block in blocks.iter() {
        let length = block.len();
        if length > most {
            most = length;
            at = block.number();
        }
    }
    (most, at)
}

/// A loop that ends early.
#[kary_reduce]
fn first_longer(blocks: &Blocks<Vec<f64>>, length: usize) -> Option<usize> {
    for block in blocks.iter() {
        if block.len() > length {
            return Some(block.number());
        }
    }
    None
}

#[foreach_tls]
fn received(blocks: &mut Blocks<Vec<f64>>, hops: u32, found: &mut Vec<u64>) -> u64 {
    let mut sum = 0;
    for block in blocks.iter_mut() {
        if block.is_first_visit() {
            block.send(block.number(), &(hops, 1_u64));
        }
        while let Some(message) = block.receive() {
            let (left, weight): (u32, u64) = message.read();
            sum += weight;
            if left == 0 {
                found.push(weight * 100 + block.number() as u64);
            }
            for (way, link) in block.links().enumerate().filter(|_| left > 0) {
                block.send(link, &(left - 1, 2 * weight + way as u64));
            }
        }
    }
    sum
}

#[kary_reduce]
fn hops(blocks: &mut Blocks<Vec<f64>>, hops: u32) -> u32 {
    let mut most = 0;
    for block in blocks.iter_mut() {
        if block.is_first_visit() {
            block.send(block.number(), &hops);
        }
        while let Some(message) = block.receive() {
            let left: u32 = message.read();
            most = most.max(left * 8 + block.number() as u32 % 8);
            for link in block.links().filter(|_| left > 0) {
                block.send(link, &(left - 1));
            }
        }
    }
    most
}

#[foreach]
fn summed(blocks: &mut Blocks<Vec<f64>>, partners: &Partners, round: usize) {
    for mut block in blocks.iter_mut() {
        if let Some(before) = round.checked_sub(1).and_then(|before| partners.round(block.number(), before)) {
            for (piece, message) in block.inbox().pieces(&before) {
                for (sum, value) in block[piece.region].iter_mut().zip(&*message.elements::<f64>()) {
                    *sum = if before.does == Does::Merge { *sum + value } else { *value };
                }
            }
        }
        for piece in partners.round(block.number(), round).into_iter().flat_map(|round| round.sends) {
            block.send_elements(piece.rank, &block[piece.region]);
        }
    }
}

/// Random numbers with a fixed seed.
struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % n.max(1)
    }

    fn assigner(&mut self, n: usize, ranks: usize) -> Assigner {
        match self.below(5) {
            0 => Assigner::Contiguous,
            1 => Assigner::RoundRobin,
            2 => Assigner::ByWeights((0..n).map(|_| self.below(9)).collect()),
            3 => Assigner::Ranks(vec![self.below(ranks); n]),
            _ => Assigner::Ranks((0..n).map(|_| self.below(ranks)).collect()),
        }
    }
}

/// Calls the function, or its sequential form.
macro_rules! call {
    ($sequential:expr, $function:ident($($argument:expr),*)) => {
        if $sequential { $function::sequential($($argument),*) } else { $function($($argument),*) }
    };
}

/// Calls a function that pushes.
macro_rules! pushes {
    ($sequential:expr, $found:ident, $call:expr, $plain:expr) => {
        if $sequential {
            let mut $found = Vec::new();
            let value = $plain;
            ($found, value)
        } else {
            let mut $found = DistVec::default();
            let value = $call;
            ($found.to_all(), value)
        }
    };
}

fn bits(values: impl IntoIterator<Item = f64>) -> Vec<u64> {
    values.into_iter().map(f64::to_bits).collect()
}

/// A random program. Its results do not depend on `ranks`, nor on whether the functions are sequential.
fn program(seed: u64, n: usize, ranks: usize, sequential: bool) -> Vec<Vec<u64>> {
    // Which calls there are does not depend on the ranks; which assigners does.
    let (mut calls, mut places) = (Random(seed), Random(seed + 1));
    let links = |number: usize| vec![Link::to((number + 1) % n), Link::to(number * 5 % n)];
    let make = |number: usize| (vec![0.5 + number as f64, 0.1, 0.7], links(number));
    let mut blocks = Blocks::assigned(n, &places.assigner(n, ranks), make);
    let mut log = Vec::new();
    for _ in 0..14 {
        match calls.below(13) {
            0 => {
                let assigner = places.assigner(n, ranks);
                blocks.assign(&assigner);
            }
            1 => {
                let by = 0.1 + calls.below(5) as f64;
                call!(sequential, exchanged(&mut blocks, by));
            }
            2 => {
                let (count, sum) = call!(sequential, counted(&blocks));
                // The sum of chunks has other bits than the sequential sum.
                log.push(vec![count as u64, (sum.ln() * 1e6).round() as u64]);
            }
            3 => log.push(bits(
                pushes!(sequential, found, pushed(&blocks, &mut found), pushed::sequential(&blocks, &mut found)).0,
            )),
            4 => {
                let (found, state) = pushes!(
                    sequential,
                    found,
                    scanned(&mut blocks, &mut found),
                    scanned::sequential(&mut blocks, &mut found)
                );
                log.push(found.into_iter().map(|number| number as u64).chain([state.to_bits()]).collect());
            }
            5 | 6 => {
                let kind = calls.below(2);
                let (x, mut out) = (DistVec::from_fn(n, |i| 0.3 * i as f64), DistVec::from_fn(n, |_| 0.0));
                let (all, mut plain) = (x.to_all(), vec![0.0; n]);
                match (kind, sequential) {
                    (0, false) => beside(&mut blocks, &x, &mut out),
                    (0, true) => beside::sequential(&mut blocks, &all, &mut plain),
                    (_, false) => indexed(&blocks, &x, &mut out),
                    (_, true) => indexed::sequential(&blocks, &all, &mut plain),
                }
                log.push(bits(if sequential { plain } else { out.to_all() }));
            }
            7 => call!(sequential, every_other(&mut blocks, 0.1)),
            8 => {
                let (most, at) = call!(sequential, longest(&blocks));
                let first = call!(sequential, first_longer(&blocks, most - 1));
                log.push(vec![most as u64, at as u64, first.map_or(99, |number| number as u64)]);
            }
            // A loop that receives takes the messages of earlier rounds, so it has blocks of its own.
            9 | 10 => {
                let mut others = Blocks::assigned(n, &places.assigner(n, ranks), make);
                let (found, sum) = pushes!(
                    sequential,
                    found,
                    received(&mut others, 3, &mut found),
                    received::sequential(&mut others, 3, &mut found)
                );
                log.push(found.into_iter().chain([sum, u64::from(call!(sequential, hops(&mut others, 4)))]).collect());
            }
            11 => {
                let mut others = Blocks::assigned(n, &places.assigner(n, ranks), make);
                let algorithm = if calls.below(2) == 0 {
                    Algorithm::Tree { k: 2 }
                } else {
                    Algorithm::RadixK { radices: vec![3, 2] }
                };
                let partners = Partners::of_all(algorithm, n, 3, Whither::All);
                for round in 0..=partners.count() {
                    call!(sequential, summed(&mut others, &partners, round));
                    let assigner = places.assigner(n, ranks);
                    others.assign(&assigner);
                }
                log.extend(others.to_all().into_iter().map(bits));
            }
            _ => {
                let moved = blocks.balance_by(|block| block.len() * (block.number() % 3));
                assert!(moved <= n);
            }
        }
        assert!(
            (0..n)
                .filter(|number| blocks.rank_of(*number) == Some(forall::rank()))
                .eq(blocks.numbers().iter().copied())
        );
    }
    log.extend(blocks.to_all().into_iter().map(bits));
    log
}

#[test]
fn no_result_depends_on_the_assigner() {
    for seed in 0..24 {
        let n = [1, 2, 5, 8, 13, 3][seed as usize % 6];
        let expected = program(seed, n, 1, true);
        for (plan, threads) in [(1, 2), (2, 1), (3, 2), (4, 1), (7, 1)] {
            let blocks = if seed % 3 == 0 { Some(1) } else { None };
            for found in runtime((plan, threads, blocks)).run(|| program(seed, n, plan, false)) {
                assert_eq!(found, expected, "seed {seed}, {n} blocks, {plan} ranks");
            }
        }
    }
}

/// A call of one rank goes over the blocks of this rank.
#[test]
fn a_rank_alone_has_its_own_blocks() {
    runtime((3, 2, None)).run(|| {
        let mut blocks = Blocks::assigned(8, &Assigner::RoundRobin, |number| (vec![1.0; number + 1], vec![]));
        let own: usize = blocks.numbers().iter().map(|number| number + 1).sum();
        assert_eq!(forall::on_this_rank(|| counted(&blocks)).0, own);
        forall::on_this_rank(|| every_other(&mut blocks, 0.0));
        let most = forall::on_this_rank(|| hops(&mut blocks, 0));
        assert_eq!(most as usize, blocks.numbers().iter().copied().max().unwrap_or(0));
    });
}

#[test]
fn the_sequential_functions_run_beside_them() {
    for seed in 0..6 {
        let settings = forall::Settings { verify: true, ..forall::Settings::default() };
        runtime((3, 1, None)).settings(settings).run(|| program(seed, 5, 3, false));
    }
}

/// Floats merge in the tree of chunks, so their bits do not depend on the assigner either.
#[test]
fn sums_of_floats_have_the_same_bits_on_all_ranks() {
    let sum = |ranks: usize, assigner: &(dyn Fn(usize) -> Assigner + Sync)| {
        let run = || {
            counted(&Blocks::assigned(19, &assigner(ranks), |i| (vec![1.0 / (1 + i) as f64; 5], vec![]))).1.to_bits()
        };
        runtime((ranks, 1, None)).run(run)
    };
    let expected = sum(1, &|_| Assigner::Contiguous)[0];
    for ranks in [2, 3, 7] {
        assert_eq!(sum(ranks, &|_| Assigner::RoundRobin), vec![expected; ranks]);
        let random = |ranks: usize| Random(7).assigner(19, ranks);
        assert_eq!(sum(ranks, &random), vec![expected; ranks]);
    }
}

#[test]
fn checkpoints_load_and_particles_move_with_any_assigner() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("blocks");
    let particles = |number: usize| (0..20).map(|k| [(number * 7 + k * 3) as f64 % 40.0, k as f64]).collect::<Vec<_>>();
    let space = Bounds { low: [0.0, 0.0], high: [40.0, 20.0] };
    let distributed = |assigner: &Assigner| {
        let mut blocks = Blocks::assigned(9, assigner, |number| (particles(number), vec![]));
        blocks.distribute(space, |block| block, |place| *place).unwrap();
        assert_eq!(blocks.rank_of(4), assigner_rank(assigner, 4));
        blocks.to_all()
    };
    let expected = distributed(&Assigner::Contiguous);
    for (saves, loads) in [(3, 4), (4, 1), (2, 7)] {
        let found = runtime((saves, 1, None)).run(|| {
            let mut blocks = Blocks::assigned(9, &Assigner::RoundRobin, |number| (number, vec![Link::to(8 - number)]));
            for block in blocks.iter_mut() {
                block.links().for_each(|link| block.send(link, &block.number()));
            }
            blocks.save(&path).unwrap();
            distributed(&Assigner::RoundRobin)
        });
        assert!(found.iter().all(|found| *found == expected), "{saves} ranks");
        runtime((loads, 1, Some(2))).run(|| {
            let mut blocks = Blocks::<usize>::load(&path).unwrap();
            blocks.assign(&Assigner::RoundRobin);
            answered(&mut blocks);
            assert_eq!(blocks.to_all(), (0..9).map(|number| 10 * number + 8 - number).collect::<Vec<_>>());
        });
    }
}

fn assigner_rank(assigner: &Assigner, number: usize) -> Option<usize> {
    match assigner {
        Assigner::RoundRobin => Some(number % forall::ranks()),
        _ => Some(0),
    }
}

#[foreach]
fn answered(blocks: &mut Blocks<usize>) {
    for mut block in blocks.iter_mut() {
        for message in block.inbox() {
            *block = 10 * *block + message.read::<usize>();
        }
    }
}

/// Two sets of blocks.
#[foreach]
fn aligned(blocks: &Blocks<Vec<f64>>, others: &mut Blocks<f64>) {
    for (block, mut other) in blocks.iter().zip(others.iter_mut()) {
        *other += block[0];
    }
}

#[test]
fn two_sets_go_together_if_their_assigners_are_equal() {
    let run = |other: &(dyn Fn() -> Assigner + Sync)| {
        runtime((3, 1, None)).run(|| {
            let blocks = Blocks::assigned(8, &Assigner::RoundRobin, |number| (vec![number as f64], vec![]));
            let mut others = Blocks::assigned(8, &other(), |_| (0.5, vec![]));
            aligned(&blocks, &mut others);
            others.to_all()
        })
    };
    let all = run(&|| Assigner::RoundRobin);
    assert!(all.iter().all(|all| all.iter().enumerate().all(|(number, value)| *value == number as f64 + 0.5)));
    let payload = catch_unwind(AssertUnwindSafe(|| run(&|| Assigner::Contiguous))).unwrap_err();
    let message = payload.downcast_ref::<String>().cloned().unwrap_or_default();
    assert!(message.contains("FA065"), "{message}");
}
