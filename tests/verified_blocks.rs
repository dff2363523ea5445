//! `FORALL_VERIFY` and blocks: it compares the data and the messages of each block with those of the sequential function.

mod everywhere;

use everywhere::{PLANS, runtime};
use forall::blocks::{Blocks, Link};
use forall::{Backend, DistVec, Settings, distributed_scan, foreach, foreach_tls, kary_reduce};
use std::collections::{HashMap, HashSet};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU32, Ordering};

/// Runs a program with `FORALL_VERIFY=1`.
fn verified<R: Send>(plan: everywhere::Plan, program: impl Fn() -> R + Sync) -> Vec<R> {
    let blocks = plan.2.and_then(std::num::NonZeroUsize::new);
    // The contents of messages are compared if no device may round differently.
    let settings = Settings { verify: true, backend: Backend::Threads, blocks, ..Settings::default() };
    runtime(plan).settings(settings).run(&program)
}

#[foreach]
fn averaged(blocks: &mut Blocks<Vec<f64>>) {
    for mut block in blocks.iter_mut() {
        let mut count = 1.0;
        for message in block.inbox() {
            block[0] += message.read::<f64>();
            count += 1.0;
        }
        block[0] /= count;
        for link in block.links() {
            block.send(link, &block[0]);
        }
    }
}

/// A sum of floats over blocks, which the blocks then keep.
#[kary_reduce]
fn normed(blocks: &mut Blocks<Vec<f64>>, out: &mut [f64]) -> f64 {
    let mut sum = 0.1;
    for block in blocks.iter() {
        sum += block.iter().sum::<f64>();
    }
    for (mut block, out) in blocks.iter_mut().zip(out.iter_mut()) {
        *out = block[0] / sum;
        block.push(*out);
    }
    sum
}

#[foreach_tls]
fn chased(blocks: &mut Blocks<Vec<f64>>, found: &mut Vec<u32>) -> usize {
    let mut hops = 0;
    for block in blocks.iter_mut() {
        if block.is_first_visit() {
            block.send(block.number(), &4_u32);
        }
        while let Some(message) = block.receive() {
            let left: u32 = message.read();
            hops += 1;
            if left == 0 {
                found.push(block.number() as u32);
            }
            for link in block.links().take(1).filter(|_| left > 0) {
                block.send(link, &(left - 1));
            }
        }
    }
    hops
}

#[distributed_scan]
fn numbered(blocks: &mut Blocks<Vec<f64>>) -> usize {
    let mut count = 0;
    for mut block in blocks.iter_mut() {
        block.push(count as f64);
        count += block.len();
    }
    count
}

/// A block without an order.
type Named = (HashMap<String, u32>, HashSet<u32>);

#[foreach]
fn named(blocks: &mut Blocks<Named>) {
    for mut block in blocks.iter_mut() {
        let number = block.number() as u32;
        for k in 0..9 {
            block.0.insert(format!("{k}"), k + number);
            block.1.insert(k * k);
        }
    }
}

#[test]
fn right_calls_pass() {
    for plan in PLANS {
        let results = verified(plan, || {
            let link = |number: usize| vec![Link::to((number + 1) % 7), Link::to(number * 3 % 7)];
            let mut blocks = Blocks::linked(7, |number| (vec![0.1 * number as f64 + 0.3], link(number)));
            let (mut out, mut found) = (DistVec::from_fn(7, |_| 0.0), DistVec::default());
            averaged(&mut blocks);
            averaged(&mut blocks);
            let sum = normed(&mut blocks, &mut out);
            // Messages of `averaged` are in the inboxes, so the loops that receive must not read them.
            let mut others = Blocks::linked(7, |number| (vec![0.5], link(number)));
            let hops = chased(&mut others, &mut found);
            let mut sets = Blocks::from_fn(3, |_| Named::default());
            named(&mut sets);
            (sum > 0.0, hops, numbered(&mut others), found.to_all())
        });
        assert!(results.iter().all(|result| *result == results[0]), "{plan:?}");
        assert_eq!((results[0].0, results[0].1), (true, 35));
    }
}

static CALLS: AtomicU32 = AtomicU32::new(0);

/// Another number in each call.
fn next() -> u32 {
    CALLS.fetch_add(1, Ordering::Relaxed)
}

#[foreach]
fn counted(blocks: &mut Blocks<Vec<u32>>) {
    for mut block in blocks.iter_mut() {
        if block.number() == 2 {
            block.push(next());
        }
    }
}

#[foreach]
fn told(blocks: &mut Blocks<Vec<u32>>) {
    for block in blocks.iter_mut() {
        if block.number() == 1 {
            block.send(0_usize, &next());
        }
    }
}

#[foreach]
fn told_through_a_reference(blocks: &Blocks<AtomicU32>) {
    for block in blocks.iter() {
        block.fetch_add(1 + next(), Ordering::Relaxed);
    }
}

#[test]
fn a_difference_names_the_block() {
    for plan in [(1, 2, None), (3, 1, None)] {
        let message = |program: &(dyn Fn() + Sync)| {
            let payload = catch_unwind(AssertUnwindSafe(|| verified(plan, program))).unwrap_err();
            payload.downcast_ref::<String>().cloned().unwrap_or_default()
        };
        let changed = message(&|| counted(&mut Blocks::from_fn(5, |_| vec![7])));
        assert!(changed.contains("FA062") && changed.contains("in `blocks`: block 2: element 1"), "{changed}");
        let sent = message(&|| told(&mut Blocks::from_fn(3, |_| vec![7])));
        assert!(sent.contains("block 1: its messages"), "{sent}");
        let shared = message(&|| told_through_a_reference(&Blocks::from_fn(3, |_| AtomicU32::new(0))));
        assert!(shared.contains("block 0: expected"), "{shared}");
    }
}
