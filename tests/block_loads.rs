//! Which blocks a loop loads: guards that do not use the data leave a block in the store, and consecutive loops over the same blocks are one
//! pass.

mod everywhere;

use everywhere::{everywhere, runtime};
use forall::blocks::{Blocks, Link};
use forall::{DistVec, foreach, foreach_tls};

fn ring(n: usize) -> Blocks<Vec<u64>> {
    Blocks::linked(n, |number| (vec![number as u64; 300], vec![Link::to((number + 1) % n)]))
}

/// The number of blocks that a program loads with two of twenty in memory.
fn loaded(program: impl Fn(&mut Blocks<Vec<u64>>) + Sync) -> u64 {
    runtime((1, 1, Some(2))).run(|| {
        let mut blocks = ring(20);
        let before = blocks.moved().read;
        program(&mut blocks);
        blocks.moved().read - before
    })[0]
}

/// The lines of a report about what a loop loads.
fn lines(explain: &str) -> Vec<&str> {
    let words = ["loads:", "fused:", "not fused:"];
    explain.lines().map(str::trim).filter(|line| words.iter().any(|word| line.starts_with(word))).collect()
}

#[foreach]
fn sent(blocks: &mut Blocks<Vec<u64>>, every: usize) {
    for block in blocks.iter_mut() {
        if block.number() % every == 0 {
            for link in block.links() {
                block.send(link, &every);
            }
        }
    }
}

#[foreach]
fn added(blocks: &mut Blocks<Vec<u64>>) {
    for mut block in blocks.iter_mut() {
        if block.inbox().is_empty() || block[0] == 100 {
            continue;
        }
        for message in block.inbox() {
            block[0] += message.read::<usize>() as u64;
        }
    }
}

#[foreach]
fn nested(blocks: &mut Blocks<Vec<u64>>, low: usize, high: usize) {
    for (k, mut block) in blocks.iter_mut().enumerate() {
        let number = block.number();
        if low <= number && k < high && !block.is_empty() {
            block.push(1);
        }
    }
}

#[foreach]
fn absorbed(blocks: &mut Blocks<Vec<u64>>) {
    for mut block in blocks.iter_mut() {
        for message in block.inbox() {
            block.push(message.read::<usize>() as u64);
        }
    }
}

#[foreach]
fn all(blocks: &mut Blocks<Vec<u64>>) {
    for mut block in blocks.iter_mut() {
        block[0] += 1;
        if block.number() == 3 {
            continue;
        }
        block[1] += 1;
    }
}

#[test]
fn guards_leave_blocks_in_the_store() {
    assert_eq!(loaded(|blocks| sent(blocks, 4)), 0);
    let few = loaded(|blocks| {
        sent(blocks, 5);
        added(blocks);
    });
    assert!((2..=4).contains(&few), "{few}");
    let few = loaded(|blocks| {
        sent(blocks, 5);
        absorbed(blocks);
    });
    assert!((2..=4).contains(&few), "{few}");
    assert!((1..=3).contains(&loaded(|blocks| nested(blocks, 7, 10))));
    assert!((18..=20).contains(&loaded(all)));
}

#[test]
fn explain_tells_the_guards() {
    let but = "loads: each block that it visits, but none for which";
    assert_eq!(lines(sent::EXPLAIN), ["loads: no block"]);
    assert_eq!(lines(added::EXPLAIN), [format!("{but} `block.inbox().is_empty()`")]);
    assert_eq!(lines(nested::EXPLAIN), [format!("{but} not `low <= number`, or not `k < high`")]);
    assert_eq!(lines(absorbed::EXPLAIN), [format!("{but} `for message in block.inbox()` has no iteration")]);
    assert_eq!(lines(all::EXPLAIN), ["loads: each block that it visits"]);
}

#[foreach]
fn grown(blocks: &mut Blocks<Vec<u64>>, by: u64) {
    for mut block in blocks.iter_mut() {
        if block.number() % 3 == 1 {
            continue;
        }
        block[0] += by;
    }
    for mut region in blocks.iter_mut() {
        let first = region[0];
        region.push(2 * first);
    }
    for block in blocks.iter() {
        assert!(block.len() > 300, "block {} has {} values", block.number(), block.len());
    }
}

/// Messages of the first round, results of all passes, and messages for the next round.
#[foreach_tls]
fn mixed(blocks: &mut Blocks<Vec<u64>>, lengths: &mut Vec<[usize; 2]>) -> (u64, u64) {
    let mut received = 0;
    for mut block in blocks.iter_mut() {
        for message in block.inbox() {
            let value = message.read::<usize>() as u64;
            if value == 7 {
                continue;
            }
            block.push(value);
            received += value;
        }
    }
    for block in blocks.iter() {
        lengths.push([block.number(), block.len()]);
    }
    let mut most = 0;
    for mut block in blocks.iter_mut() {
        if let Some(last) = block.pop() {
            most = most.max(last);
        }
        for link in block.links() {
            block.send(link, &block.len());
        }
    }
    (received, most)
}

#[foreach]
fn apart(blocks: &mut Blocks<Vec<u64>>) {
    for block in blocks.iter_mut() {
        for link in block.links() {
            block.send(link, &block.len());
        }
    }
    for mut block in blocks.iter_mut() {
        for message in block.inbox() {
            block.push(message.read::<usize>() as u64);
        }
    }
}

#[test]
fn consecutive_loops_are_one_pass() {
    let once = loaded(all);
    assert_eq!(loaded(|blocks| grown(blocks, 3)), once);
    let mut lengths = Vec::new();
    let mixed_loads = runtime((1, 1, Some(2))).run(|| {
        let mut blocks = ring(20);
        let before = blocks.moved().read;
        mixed(&mut blocks, &mut DistVec::default());
        blocks.moved().read - before
    })[0];
    assert_eq!(mixed_loads, once);
    mixed::sequential(&mut ring(20), &mut lengths);
    assert_eq!(lengths.len(), 20);
    assert!(loaded(apart) > once + 10);
}

#[test]
fn explain_tells_which_loops_are_one_pass() {
    let each = "loads: each block that it visits";
    let none = |head: &str| format!("{each}, but none for which `{head}` has no iteration");
    let of =
        |explain| lines(explain).into_iter().map(|line| line.split(" in line").next().unwrap()).collect::<Vec<_>>();
    assert_eq!(of(grown::EXPLAIN), [each, "fused: with the loop"]);
    assert!(grown::EXPLAIN.contains("each block is loaded once for all of them"), "{}", grown::EXPLAIN);
    assert_eq!(of(mixed::EXPLAIN), [each, "fused: with the loop"]);
    assert_eq!(lines(apart::EXPLAIN)[0], none("for link in block.links()"));
    assert_eq!(lines(apart::EXPLAIN)[1], none("for message in block.inbox()"));
    let reason = "because messages of the first one reach the second one";
    assert!(lines(apart::EXPLAIN).iter().any(|line| line.starts_with("not fused") && line.ends_with(reason)));
}

#[test]
fn one_pass_gives_what_the_loops_give() {
    for n in [0, 1, 2, 5, 13] {
        let mut blocks = ring(n);
        let (mut lengths, mut counts) = (Vec::new(), Vec::new());
        for round in 0..3 {
            grown::sequential(&mut blocks, round);
            counts.push(mixed::sequential(&mut blocks, &mut lengths));
            apart::sequential(&mut blocks);
        }
        let expected = (blocks.to_all(), lengths, counts);
        let found = everywhere(|| {
            let mut blocks = ring(n);
            let (mut lengths, mut counts) = (DistVec::default(), Vec::new());
            for round in 0..3 {
                grown(&mut blocks, round);
                counts.push(mixed(&mut blocks, &mut lengths));
                apart(&mut blocks);
            }
            (blocks.to_all(), lengths.to_all(), counts)
        });
        assert_eq!(found, expected, "{n} blocks");
    }
}
