//! Loops over blocks whose messages are processed as they arrive: the results are those of the sequential loop, which runs in waves, and those of
//! the waves.

// Of some functions only the explanations are read.
#![allow(dead_code)]

mod chains;
mod everywhere;

use chains::{Chain, Particle, below, chains};
use everywhere::{PLANS, Plan};
use forall::blocks::Blocks;
use forall::{DistVec, Strategies, Strategy, foreach, foreach_tls, kary_reduce};
use serde::{Deserialize, Serialize};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Messages are processed as they arrive, also if results must be put into order.
fn arrivals() -> Strategies {
    Strategies::only(Strategy::Arrivals)
}

fn runtime(plan: Plan, strategies: Strategies) -> forall::Builder {
    everywhere::runtime(plan).strategies(strategies)
}

/// A program leaves the same on all ranks of all plans, in waves and without.
fn on_all_plans<R: PartialEq + std::fmt::Debug + Send>(expected: &R, program: impl Fn() -> R + Sync) {
    for plan in PLANS {
        for strategies in [arrivals(), Strategies::default().without(Strategy::Arrivals)] {
            for result in runtime(plan, strategies).run(&program) {
                assert_eq!(result, *expected, "{plan:?}, {strategies:?}");
            }
        }
    }
}

/// The particles in the order in which they stop.
#[foreach_tls]
fn stopped(blocks: &mut Blocks<Chain>, done: &mut Vec<Particle>) {
    for block in blocks.iter_mut() {
        if block.is_first_visit() {
            for seed in &block.seeds {
                block.send(block.number(), seed);
            }
        }
        let links = block.links();
        while let Some(message) = block.receive() {
            let mut particle: Particle = message.read();
            let Some(link) = block.next(&particle, links.as_slice()) else {
                done.push(particle);
                continue;
            };
            particle.hops -= 1;
            particle.done += 1;
            block.send(link, &particle);
        }
    }
}

/// Numbers of particles and hops, and the largest number of hops with the last of the particles.
#[kary_reduce]
fn counted(blocks: &mut Blocks<Chain>) -> (u64, u64, u64) {
    let (mut particles, mut hops, mut most) = (0, 0, 0);
    for block in blocks.iter_mut() {
        if block.is_first_visit() {
            for seed in &block.seeds {
                block.send_elements(block.number(), &[*seed]);
            }
        }
        while let Some(message) = block.receive() {
            let mut particle = message.elements::<Particle>()[0];
            match block.next(&particle, block.links().as_slice()) {
                Some(link) => {
                    particle.hops -= 1;
                    particle.done += 1;
                    hops += 1;
                    block.send_elements(link, &[particle]);
                }
                None => {
                    particles += 1;
                    most = most.max(particle.done);
                }
            }
        }
    }
    (particles, hops, most)
}

#[test]
fn particles_and_hops_are_conserved() {
    for n in [0, 1, 2, 5, 13] {
        let all: Vec<Particle> = chains(n).to_all().into_iter().flat_map(|block| block.seeds).collect();
        let mut done = Vec::new();
        stopped::sequential(&mut chains(n), &mut done);
        let counts = counted::sequential(&mut chains(n));
        on_all_plans(&(done.clone(), counts, chains(n).to_all()), || {
            let (mut blocks, mut done) = (chains(n), DistVec::default());
            stopped(&mut blocks, &mut done);
            (done.to_all(), counted(&mut blocks), blocks.to_all())
        });
        let moves = |particle: &Particle| if n > 1 { particle.hops } else { 0 };
        assert_eq!((counts.0, counts.1), (all.len() as u64, all.iter().map(moves).sum()));
        done.sort_unstable_by_key(|particle| particle.id);
        assert!(done.iter().map(|particle| particle.id).eq(all.iter().map(|particle| particle.id)));
    }
}

/// One in a random graph of messages: its wave, its receiver and its value.
type Node = [u64; 3];

/// The receivers and values of the messages that the work on one sends.
fn children(n: usize, [wave, block, value]: Node) -> impl Iterator<Item = (usize, u64)> {
    let count = if wave < 9 { (value * 7 + block) % 4 } else { 0 };
    (0..count).map(move |k| {
        let mut seed = value * 31 + k * 1009 + block;
        (below(&mut seed, n), below(&mut seed, 5000) as u64)
    })
}

/// The first messages of a block.
fn roots(n: usize, number: usize) -> impl Iterator<Item = (usize, u64)> {
    (0..number % 3).map(move |k| ((number * 5 + k) % n, (number * 100 + k) as u64))
}

#[foreach]
fn sent_before(blocks: &mut Blocks<u64>) {
    let n = blocks.len();
    for block in blocks.iter_mut() {
        for (to, value) in roots(n, block.number()) {
            block.send(to, &(0_u64, value, vec![value; 40]));
        }
    }
}

/// All messages in the order of the waves, with the number that the block adds. Some messages are long.
#[foreach_tls]
fn graph(blocks: &mut Blocks<u64>, seen: &mut Vec<Node>) {
    let n = blocks.len();
    for block in blocks.iter_mut() {
        if block.is_first_visit() {
            seen.push([0, block.number() as u64, *block]);
            for (to, value) in roots(n, block.number() + 1) {
                block.send(to, &(1_u64, value, vec![value; 7]));
            }
        }
        while let Some(message) = block.receive() {
            let (wave, value, ballast): (u64, u64, Vec<u64>) = message.read();
            assert!(ballast.iter().all(|other| *other == value));
            let node = [wave, block.number() as u64, value];
            seen.push(node);
            for (to, next) in children(n, node) {
                if next % 5 == 4 {
                    continue;
                }
                block.send(to, &(wave + 1, next, vec![next; next as usize % 300]));
            }
            if value % 3 == 0 {
                seen.push([wave, node[1], value + *block]);
            }
        }
    }
}

/// The same, without blocks.
fn model(n: usize) -> Vec<Node> {
    let mut seen = Vec::new();
    let mut inboxes: Vec<Vec<u64>> = vec![Vec::new(); n];
    (0..n).flat_map(|from| roots(n, from)).for_each(|(to, value)| inboxes[to].push(value));
    let mut wave = 0;
    while wave == 0 || inboxes.iter().any(|inbox| !inbox.is_empty()) {
        let mut next = vec![Vec::new(); n];
        for (number, inbox) in inboxes.into_iter().enumerate() {
            let (block, data) = (number as u64, 3 * number as u64);
            if wave == 0 {
                seen.push([0, block, data]);
                roots(n, number + 1).for_each(|(to, value)| next[to].push(value));
            }
            for value in inbox {
                let node = [wave, block, value];
                seen.push(node);
                let sent = children(n, node).filter(|(_, next)| next % 5 != 4);
                sent.for_each(|(to, value)| next[to].push(value));
                seen.extend((value % 3 == 0).then_some([wave, block, value + data]));
            }
        }
        (inboxes, wave) = (next, wave + 1);
    }
    seen
}

fn numbered(n: usize) -> Blocks<u64> {
    Blocks::from_fn(n, |number| 3 * number as u64)
}

#[test]
fn random_graphs_of_messages_are_as_without_blocks() {
    for n in [0, 1, 2, 7, 16] {
        let (mut plain, mut seen) = (numbered(n), Vec::new());
        sent_before::sequential(&mut plain);
        graph::sequential(&mut plain, &mut seen);
        let expected = if n > 0 { model(n) } else { Vec::new() };
        assert_eq!(seen, expected, "{n} blocks");
        on_all_plans(&expected, || {
            let (mut blocks, mut seen) = (numbered(n), DistVec::default());
            sent_before(&mut blocks);
            graph(&mut blocks, &mut seen);
            seen.to_all()
        });
    }
}

/// The best values, where many are equal and the first one counts; and sums whose parts may leave the range.
#[foreach_tls]
fn judged(blocks: &mut Blocks<u64>, rare: &mut Vec<u64>) -> (i32, (u64, usize), u64, bool) {
    let n = blocks.len();
    let (mut sum, mut best, mut least, mut odd) = (0_i32, (0, usize::MAX), u64::MAX, false);
    for block in blocks.iter_mut() {
        if block.is_first_visit() {
            block.send((block.number() * 3 + 1) % n, &(0_u32, block.number() as u64));
        }
        while let Some(message) = block.receive() {
            let (hops, value): (u32, u64) = message.read();
            let (worth, number) = (value * 37 % 11, block.number());
            if worth > best.0 {
                best = (worth, number);
            }
            sum += if hops % 2 == 0 { 100_000_000 } else { -100_000_000 };
            least = least.min(value + 5);
            odd |= value % 2 == 1;
            if hops < 12 {
                block.send((block.number() + value as usize) % n, &(hops + 1, value * 5 % 1013));
            }
            if value == 17 {
                rare.push(value);
            }
        }
    }
    (sum, best, least, odd)
}

#[test]
fn the_order_of_the_waves_decides_between_equal_values() {
    for n in [1, 6, 17] {
        let mut rare = Vec::new();
        let plain = catch_unwind(AssertUnwindSafe(|| judged::sequential(&mut numbered(n), &mut rare))).ok();
        if let Some(plain) = plain {
            on_all_plans(&(plain, rare), || {
                let mut rare: DistVec<u64> = DistVec::default();
                (judged(&mut numbered(n), &mut rare), rare.to_all())
            });
        }
    }
}

/// A sum of floats depends on the grouping of its parts.
#[kary_reduce]
fn weighed(blocks: &mut Blocks<u64>) -> f64 {
    let n = blocks.len();
    let mut sum = 0.0;
    for block in blocks.iter_mut() {
        if block.is_first_visit() {
            block.send(0, &8_usize);
        }
        while let Some(message) = block.receive() {
            let left: usize = message.read();
            sum += 0.1 * (*block + left as u64) as f64;
            if left > 0 {
                block.send((block.number() * 2 + left) % n, &(left - 1));
            }
        }
    }
    sum
}

#[test]
fn sums_of_floats_have_the_bits_of_the_waves() {
    let run = |threads, strategies| runtime((1, threads, None), strategies).run(|| weighed(&mut numbered(9)).to_bits());
    let waves = run(1, Strategies::default().without(Strategy::Arrivals));
    assert_eq!([1, 2, 7].map(|threads| run(threads, arrivals())), [(); 3].map(|()| waves.clone()));
}

/// A sum that leaves its range although each message adds little.
#[kary_reduce]
fn overflows(blocks: &mut Blocks<u64>, add: u8) -> u8 {
    let n = blocks.len();
    let mut sum = 0_u8;
    for block in blocks.iter_mut() {
        if block.is_first_visit() {
            block.send(block.number(), &5_usize);
        }
        while let Some(message) = block.receive() {
            let left: usize = message.read();
            sum += add;
            if left > 0 {
                block.send((block.number() + left) % n, &(left - 1));
            }
        }
    }
    sum
}

/// Fails in the tenth hop, in one block.
#[foreach_tls]
fn fails_later(blocks: &mut Blocks<u64>, done: &mut Vec<u64>) {
    let n = blocks.len();
    for block in blocks.iter_mut() {
        if block.is_first_visit() && block.number() == usize::MAX {
            done.push(0);
        }
        while let Some(message) = block.receive() {
            let hop: u64 = message.read();
            done.push(10 / (9 - hop));
            block.send((block.number() + 2) % n, &(hop + 1));
        }
    }
}

#[foreach_tls]
fn fails_in_the_tenth_hop(blocks: &mut Blocks<u64>, done: &mut Vec<u64>) {
    let n = blocks.len();
    for block in blocks.iter_mut() {
        if block.is_first_visit() {
            block.send((block.number() + 1) % n, &(block.number(), 0_u64));
        }
        while let Some(message) = block.receive() {
            let (root, hop): (usize, u64) = message.read();
            assert!(root != 3 || hop < 9, "the particle of block {root} fails in hop {hop}");
            done.push(hop);
            if hop < 40 {
                block.send((block.number() + 2) % n, &(root, hop + 1));
            }
        }
    }
}

trait Forwards {
    fn forward(&self) -> usize;
}

impl Forwards for forall::blocks::BlockMut<'_, u64> {
    fn forward(&self) -> usize {
        usize::from(self.receive().is_some())
    }
}

/// Takes messages where nobody sees it.
#[foreach_tls]
fn hides(blocks: &mut Blocks<u64>, done: &mut Vec<usize>) {
    for block in blocks.iter_mut() {
        if block.is_first_visit() {
            block.send(0, &1_u64);
        }
        while let Some(message) = block.receive() {
            done.push(message.from() + block.forward());
        }
    }
}

#[test]
fn mistakes_end_all_ranks_with_one_message() {
    for plan in [(1, 1, None), (1, 2, Some(1)), (2, 2, Some(1)), (3, 1, None)] {
        let fails = |program: &(dyn Fn(&mut Blocks<u64>) + Sync)| {
            let run = || runtime(plan, arrivals()).run(|| program(&mut numbered(7)));
            let panic = catch_unwind(AssertUnwindSafe(run)).unwrap_err();
            let text = panic.downcast_ref::<String>().cloned();
            text.or_else(|| Some((*panic.downcast_ref::<&str>()?).to_owned())).unwrap_or_default()
        };
        let text = fails(&|blocks| fails_in_the_tenth_hop(blocks, &mut Vec::new()));
        assert_eq!(text, "the particle of block 3 fails in hop 9");
        let text = fails(&|blocks| hides(blocks, &mut Vec::new()));
        assert!(
            text.contains("sends or receives messages of a block: call `send` and `receive` in the body itself"),
            "{text}"
        );
        assert_eq!(runtime(plan, arrivals()).run(|| overflows(&mut numbered(7), 6))[0], 252);
        if cfg!(debug_assertions) {
            let text = fails(&|blocks| _ = overflows(blocks, 7));
            assert!(text.contains("attempt to add with overflow"), "{text}");
        }
    }
}

#[derive(Default, Serialize, Deserialize)]
struct Ledger(std::sync::Mutex<Vec<u64>>);

impl Ledger {
    fn note(&self, value: u64) -> u64 {
        let mut all = self.0.lock().unwrap();
        all.push(value);
        all.len() as u64
    }
}

/// A lock that the compiler does not see.
#[foreach_tls]
fn noted(blocks: &mut Blocks<Ledger>, out: &mut Vec<u64>) {
    for block in blocks.iter_mut() {
        if block.is_first_visit() {
            block.send(0, &(block.number() as u64));
        }
        while let Some(message) = block.receive() {
            out.push(block.note(message.read()));
        }
    }
}

#[test]
#[cfg(debug_assertions)]
#[should_panic(expected = "block 0 has changed while it processed messages as they arrived")]
fn changes_behind_a_lock_end_the_call() {
    let run = || noted(&mut Blocks::from_fn(3, |_| Ledger::default()), &mut Vec::new());
    runtime((1, 2, None), arrivals()).run(run);
}

#[foreach]
fn changes(blocks: &mut Blocks<u64>) {
    for mut block in blocks.iter_mut() {
        while let Some(message) = block.receive() {
            *block += message.read::<u64>();
        }
    }
}

#[kary_reduce]
fn visits(blocks: &mut Blocks<u64>) -> u64 {
    let mut count = 0;
    for block in blocks.iter_mut() {
        count += 1;
        while let Some(message) = block.receive() {
            count += message.read::<u64>();
        }
    }
    count
}

#[kary_reduce]
fn keeps(blocks: &mut Blocks<u64>) -> u64 {
    let mut sum = 0;
    for block in blocks.iter_mut() {
        let mut seen = 0;
        while let Some(message) = block.receive() {
            seen += 1;
            sum += message.read::<u64>() * seen;
        }
    }
    sum
}

#[kary_reduce]
fn stops(blocks: &mut Blocks<u64>) -> u64 {
    let mut sum = 0;
    for block in blocks.iter_mut() {
        while let Some(message) = block.receive() {
            sum += message.read::<u64>();
            if message.from() == 3 {
                break;
            }
        }
    }
    sum
}

fn looks(_: &forall::blocks::BlockMut<'_, u64>) {}

#[kary_reduce]
fn hands_on(blocks: &mut Blocks<u64>) -> u64 {
    let mut sum = 0;
    for block in blocks.iter_mut() {
        while let Some(message) = block.receive() {
            looks(&block);
            sum += message.read::<u64>();
        }
    }
    sum
}

#[foreach_tls]
fn first_in_turn(blocks: &mut Blocks<u64>, out: &mut Vec<bool>) {
    for block in blocks.iter_mut() {
        while let Some(message) = block.receive() {
            out.push(block.is_first_visit() && message.from() == 1);
        }
    }
}

#[foreach_tls]
fn in_a_cell(blocks: &mut Blocks<std::sync::Mutex<u64>>, out: &mut Vec<u64>) {
    for block in blocks.iter_mut() {
        while let Some(message) = block.receive() {
            *block.lock().unwrap() += 1;
            out.push(message.read());
        }
    }
}

#[test]
fn explain_tells_which_and_why() {
    let receives =
        |explain: &'static str| explain.lines().map(str::trim).find(|line| line.starts_with("receives: ")).unwrap();
    for explain in [stopped::EXPLAIN, counted::EXPLAIN, graph::EXPLAIN, judged::EXPLAIN, hides::EXPLAIN] {
        assert!(receives(explain).starts_with("receives: each message as it arrives, without waves"), "{explain}");
    }
    let more = "its body is more than `if block.is_first_visit() { .. }`, `let` and a last `while let Some(message) = block.receive() { .. }`";
    for (explain, reason) in [
        (changes::EXPLAIN, "`block` is `mut`, so messages may change the block"),
        (visits::EXPLAIN, more),
        (fails_later::EXPLAIN, more),
        (keeps::EXPLAIN, "`seen` is `mut`, so it may keep something from one message for the next"),
        (stops::EXPLAIN, "it has `break` in the work on a message"),
        (hands_on::EXPLAIN, "other code gets `block`, which may send and receive"),
        (first_in_turn::EXPLAIN, "it has `block.is_first_visit()` in the work on a message"),
        (in_a_cell::EXPLAIN, "`block.lock()` changes shared state"),
    ] {
        let line = receives(explain);
        assert!(line.starts_with("receives: in waves") && line.ends_with(reason), "{line}");
    }
}

/// The same on ranks that are processes.
#[forall::test]
fn on_this_launch() {
    for n in [1, 5, 13] {
        let (plain, counts) = forall::on_this_rank(|| {
            let mut done = Vec::new();
            stopped::sequential(&mut chains(n), &mut done);
            (done, counted::sequential(&mut chains(n)))
        });
        let mut done = DistVec::default();
        stopped(&mut chains(n), &mut done);
        assert_eq!((done.to_all(), counted(&mut chains(n))), (plain, counts), "{n} blocks");
        let (mut blocks, mut seen) = (numbered(n), DistVec::default());
        sent_before(&mut blocks);
        graph(&mut blocks, &mut seen);
        assert_eq!(seen.to_all(), model(n), "{n} blocks");
    }
}
