//! Loops over blocks that send each other messages.

use forall::blocks::{Decomposition, Link};
use forall::{Blocks, DistVec, foreach, foreach_tls, kary_reduce, on_this_rank};

/// Heat in a bar that is cut into blocks: each knows the last values of its neighbours.
type Bar = (Vec<f64>, [f64; 2]);

#[foreach]
fn exchanged(blocks: &mut Blocks<Bar>) {
    for block in blocks.iter_mut() {
        for link in block.links() {
            let edge = if link.direction[0] < 0 { block.0.first() } else { block.0.last() };
            if let Some(edge) = edge.copied() {
                block.send(link, &(link.back()[0], edge));
            }
        }
    }
}

#[foreach]
fn diffused(blocks: &mut Blocks<Bar>) {
    for mut block in blocks.iter_mut() {
        for message in block.inbox() {
            let (side, value) = message.read::<(i8, f64)>();
            block.1[usize::from(side > 0)] = value;
        }
        let (values, [before, after]) = &mut *block;
        let mut left = *before;
        for i in 0..values.len() {
            let right = values.get(i + 1).copied().unwrap_or(*after);
            let here = values[i];
            values[i] = 0.25 * left + 0.5 * here + 0.25 * right;
            left = here;
        }
    }
}

#[kary_reduce]
fn warmest(blocks: &Blocks<Bar>) -> f64 {
    let mut most = 0.0_f64;
    for block in blocks.iter() {
        for value in &block.0 {
            if *value > most {
                most = *value;
            }
        }
    }
    most
}

fn bars(n: usize) -> Blocks<Bar> {
    let parts = Decomposition::divided([n], [1 + n % 13]);
    Blocks::over(&parts, |part| (part.own.iter().map(|[i]| (i * 7 % 11) as f64).collect(), [0.0; 2]))
}

#[foreach]
fn relayed(blocks: &mut Blocks<Vec<u32>>) {
    for mut block in blocks.iter_mut() {
        let number = block.number() as u32;
        for message in block.inbox() {
            block.extend_from_slice(&message.elements::<u32>());
        }
        block.push(number);
        for link in block.links() {
            let all = block.clone();
            block.send_elements(link, &all);
        }
    }
}

/// Each block is linked to the one that it leads to, and several lead to some of them.
fn relays(n: usize) -> Blocks<Vec<u32>> {
    let count = n % 17;
    Blocks::linked(count, |number| (Vec::new(), vec![Link::to((number * number + 1) % count)]))
}

/// Walkers that go from block to block until they are tired. A block keeps the steps that they have made when they come.
#[kary_reduce]
fn walked(blocks: &mut Blocks<Vec<u32>>) -> (u32, u32) {
    let n = blocks.len();
    let (mut arrivals, mut most) = (0, 0);
    for mut block in blocks.iter_mut() {
        let number = block.number();
        if block.is_first_visit() {
            (0..number % 5).for_each(|k| block.send((number + k) % n, &(k as u32)));
        }
        while let Some(message) = block.receive() {
            let steps = message.read::<u32>();
            block.push(steps);
            arrivals += 1;
            most = most.max(steps);
            if steps < 9 {
                block.send((number * 3 + message.from() + 1) % n, &(steps + 1));
            }
        }
    }
    (arrivals, most)
}

/// The same, from walkers that earlier loops have sent; where they stop is a list.
#[foreach_tls]
fn stopped(blocks: &mut Blocks<Vec<u32>>, stops: &mut Vec<[u32; 2]>) {
    let n = blocks.len();
    for block in blocks.iter_mut() {
        while let Some(message) = block.receive() {
            let steps = message.read::<u32>();
            if (steps as usize + block.len()) % 7 == 3 {
                stops.push([block.number() as u32, steps]);
            } else if steps < 20 {
                block.send((block.number() + steps as usize) % n, &(steps + 1));
            }
        }
    }
}

/// Numbers that go from block to block: how many there are, the largest one, and the first of the best ones with its block.
#[kary_reduce]
fn toured(blocks: &mut Blocks<Vec<u32>>) -> (u64, u32, u32, usize) {
    let n = blocks.len();
    let (mut count, mut most, mut best, mut place) = (0, 0, 0, 0);
    for block in blocks.iter_mut() {
        if block.is_first_visit() {
            block.links().for_each(|link| block.send(link, &(1_u32, block.number() as u32)));
        }
        while let Some(message) = block.receive() {
            let (steps, value): (u32, u32) = message.read();
            count += 1;
            most = most.max(value);
            let number = block.number();
            if value % 13 > best {
                best = value % 13;
                place = number;
            }
            for k in 0..u32::from(steps < 9) + u32::from(steps == 3) {
                block.send((block.number() + value as usize) % n, &(steps + 1, (value * 11 + k + steps) % 401));
            }
        }
    }
    (count, most, best, place)
}

#[foreach]
fn sent_out(blocks: &mut Blocks<Vec<u32>>) {
    let n = blocks.len();
    for block in blocks.iter_mut() {
        block.send((block.number() * 5 + 2) % n, &1_u32);
        block.send(0, &2_u32);
    }
}

cases! {
    walkers_of_blocks(n) {
        let plain = on_this_rank(|| {
            let mut blocks = relays(n);
            (walked::sequential(&mut blocks), blocks.to_all())
        });
        let mut blocks = relays(n);
        assert_eq!((walked(&mut blocks), blocks.to_all()), plain);
    }
    tours_of_blocks(n) {
        let plain = on_this_rank(|| toured::sequential(&mut relays(n)));
        assert_eq!(toured(&mut relays(n)), plain);
    }
    stops_of_blocks(n) {
        let plain = on_this_rank(|| {
            let (mut blocks, mut stops) = (relays(n), Vec::new());
            sent_out::sequential(&mut blocks);
            stopped::sequential(&mut blocks, &mut stops);
            stops
        });
        let (mut blocks, mut stops) = (relays(n), DistVec::default());
        sent_out(&mut blocks);
        stopped(&mut blocks, &mut stops);
        assert_eq!(stops.to_all(), plain);
    }
    heat_in_blocks(n) {
        let plain = on_this_rank(|| {
            let mut blocks = bars(n);
            for _ in 0..3 {
                exchanged::sequential(&mut blocks);
                diffused::sequential(&mut blocks);
            }
            (warmest::sequential(&blocks), blocks.to_all())
        });
        let mut blocks = bars(n);
        for _ in 0..3 {
            exchanged(&mut blocks);
            diffused(&mut blocks);
        }
        assert_eq!((warmest(&blocks), blocks.to_all()), plain);
    }
    relays_of_blocks(n) {
        let plain = on_this_rank(|| {
            let mut blocks = relays(n);
            (0..4).for_each(|_| relayed::sequential(&mut blocks));
            blocks.to_all()
        });
        let mut blocks = relays(n);
        (0..4).for_each(|_| relayed(&mut blocks));
        assert_eq!(blocks.to_all(), plain);
    }
}
