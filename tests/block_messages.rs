//! Loops over blocks that receive: on any number of ranks and workers, and with any number of blocks in memory, they do what their sequential
//! twins do.

mod chains;
mod everywhere;

use chains::{Chain, Particle, chains};
use everywhere::{everywhere, runtime};
use forall::blocks::Blocks;
use forall::{DistVec, foreach, foreach_tls, kary_reduce};
use std::panic::{AssertUnwindSafe, catch_unwind};

#[foreach_tls]
fn hopped(blocks: &mut Blocks<Chain>, done: &mut Vec<Particle>) {
    for block in blocks.iter_mut() {
        if block.is_first_visit() {
            for seed in &block.seeds {
                block.send(block.number(), seed);
            }
        }
        let links = block.links();
        while let Some(message) = block.receive() {
            let mut particle: Particle = message.read();
            match block.next(&particle, links.as_slice()) {
                Some(link) => {
                    particle.hops -= 1;
                    particle.done += 1;
                    block.send(link, &particle);
                }
                None => done.push(particle),
            }
        }
    }
}

#[kary_reduce]
fn counted(blocks: &mut Blocks<Chain>) -> (u64, u64, u64, usize) {
    let (mut particles, mut hops, mut most, mut visits) = (0, 0, 0, 0);
    for block in blocks.iter_mut() {
        if block.is_first_visit() {
            for seed in &block.seeds {
                block.send_elements(block.number(), &[*seed]);
            }
        }
        visits += 1;
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
    (particles, hops, most, visits)
}

/// DIY's own test of `iexchange`: particles and hops are conserved.
#[test]
fn particles_and_hops_are_conserved() {
    for n in [0, 1, 2, 5, 13] {
        let all: Vec<Particle> = chains(n).to_all().into_iter().flat_map(|block| block.seeds).collect();
        let mut done = Vec::new();
        hopped::sequential(&mut chains(n), &mut done);
        let counts = counted::sequential(&mut chains(n));
        let found = everywhere(|| {
            let mut done: DistVec<Particle> = DistVec::default();
            hopped(&mut chains(n), &mut done);
            (done.to_all(), counted(&mut chains(n)))
        });
        assert_eq!(found, (done.clone(), counts), "{n} blocks");
        let moves = |particle: &Particle| if n > 1 { particle.hops } else { 0 };
        assert_eq!((counts.0, counts.1), (all.len() as u64, all.iter().map(moves).sum()));
        done.sort_unstable_by_key(|particle| particle.id);
        assert!(done.iter().map(|particle| particle.id).eq(all.iter().map(|particle| particle.id)));
    }
}

/// The messages that a block has received: the wave, the sender and a value.
type Log = Vec<(usize, usize, u64)>;

/// The block keeps what it receives, so the order of messages shows.
#[foreach]
fn logged(blocks: &mut Blocks<Log>, at_most: usize) {
    let n = blocks.len();
    for mut block in blocks.iter_mut() {
        let number = block.number();
        if block.is_first_visit() {
            for k in 0..number % 4 {
                block.send((number * 7 + k * 3) % n, &(1_usize, (number * 10 + k) as u64));
            }
        }
        let mut taken = 0;
        while taken < at_most
            && let Some(message) = block.receive()
        {
            taken += 1;
            let (wave, value) = message.read::<(usize, u64)>();
            block.push((wave, message.from(), value));
            for k in 0..(value % 3) as usize * usize::from(wave < 7) {
                block.send((number + value as usize * (k + 1)) % n, &(wave + 1, value * 31 % 1009 + k as u64));
            }
        }
    }
}

/// The same, without blocks.
fn model(n: usize, at_most: usize) -> Vec<Log> {
    let mut logs: Vec<Log> = vec![Vec::new(); n];
    let mut inboxes: Vec<std::collections::VecDeque<(usize, usize, u64)>> = vec![Default::default(); n];
    let mut sent: Vec<(usize, usize, usize, u64)> = Vec::new();
    for number in 0..n {
        for k in 0..number % 4 {
            sent.push(((number * 7 + k * 3) % n, number, 1, (number * 10 + k) as u64));
        }
    }
    while !sent.is_empty() || inboxes.iter().any(|inbox| !inbox.is_empty()) {
        for (to, from, wave, value) in sent.drain(..) {
            inboxes[to].push_back((wave, from, value));
        }
        for number in 0..n {
            for _ in 0..at_most {
                let Some((wave, from, value)) = inboxes[number].pop_front() else { break };
                logs[number].push((wave, from, value));
                for k in 0..(value % 3) as usize * usize::from(wave < 7) {
                    sent.push((
                        (number + value as usize * (k + 1)) % n,
                        number,
                        wave + 1,
                        value * 31 % 1009 + k as u64,
                    ));
                }
            }
        }
    }
    logs
}

#[test]
fn messages_are_processed_in_the_order_of_the_waves() {
    for n in [0, 1, 2, 7, 16] {
        for at_most in [1, 3, usize::MAX] {
            let mut plain = Blocks::from_fn(n, |_| Log::new());
            logged::sequential(&mut plain, at_most);
            let expected = model(n, at_most);
            assert_eq!(plain.to_all(), expected, "{n} blocks, {at_most} messages");
            let found = everywhere(|| {
                let mut blocks = Blocks::from_fn(n, |_| Log::new());
                logged(&mut blocks, at_most);
                blocks.to_all()
            });
            assert_eq!(found, expected, "{n} blocks, {at_most} messages");
        }
    }
}

/// Messages that nobody takes end the loop, and stay.
#[foreach]
fn reluctant(blocks: &mut Blocks<u64>) {
    for mut block in blocks.iter_mut() {
        *block += 1;
        if block.is_first_visit() {
            block.send(block.number(), &());
            block.send(block.number(), &());
        } else if block.number() % 2 == 0 {
            block.receive();
        }
    }
}

#[test]
fn messages_that_are_left_do_not_keep_the_loop_going() {
    let run = |sequential: bool| {
        let mut blocks = Blocks::from_fn(5, |_| 0);
        for _ in 0..2 {
            if sequential { reluctant::sequential(&mut blocks) } else { reluctant(&mut blocks) }
        }
        blocks.to_all()
    };
    let expected = run(true);
    // The first visits, those of the wave in which the messages come, and those of what is left.
    assert_eq!(expected, [6, 4, 6, 4, 6]);
    assert_eq!(everywhere(|| run(false)), expected);
}

fn hidden(block: &forall::blocks::BlockMut<'_, u64>) -> bool {
    block.receive().is_some()
}

#[foreach]
fn hides(blocks: &mut Blocks<u64>) {
    for mut block in blocks.iter_mut() {
        if hidden(&block) {
            *block += 1;
        }
    }
}

/// Fails in the tenth wave, in one block.
#[foreach]
fn fails_later(blocks: &mut Blocks<u64>) {
    let n = blocks.len();
    for mut block in blocks.iter_mut() {
        if block.is_first_visit() && block.number() == 0 {
            block.send(0, &0_u64);
        }
        while let Some(message) = block.receive() {
            let wave: u64 = message.read();
            *block = 10 / (9 - wave);
            block.send((block.number() + 2) % n, &(wave + 1));
        }
    }
}

#[foreach]
fn misdirected(blocks: &mut Blocks<u64>) {
    for block in blocks.iter_mut() {
        if block.is_first_visit() {
            block.send(block.number() + 1, &());
        }
        block.receive();
    }
}

#[test]
fn mistakes_end_all_ranks_with_one_message() {
    for plan in [(1, 1, None), (1, 2, None), (2, 2, Some(1)), (3, 1, None)] {
        let fails = |program: fn(&mut Blocks<u64>)| {
            let run = || runtime(plan).run(|| program(&mut Blocks::from_fn(7, |number| number as u64)));
            let panic = catch_unwind(AssertUnwindSafe(run)).unwrap_err();
            let text = panic.downcast_ref::<String>().cloned();
            text.or_else(|| Some((*panic.downcast_ref::<&str>()?).to_owned())).unwrap_or_default()
        };
        assert!(fails(fails_later).contains("divide by zero"), "{}", fails(fails_later));
        let text = fails(misdirected);
        assert!(text.contains("block 6 sends to block 7, but there are only 7 blocks"), "{text}");
        assert!(fails(hides).contains("calls `receive` or `is_first_visit` of a block"), "{}", fails(hides));
    }
}
