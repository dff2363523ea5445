//! Loops over blocks that send each other messages.

use forall::blocks::{Decomposition, Link};
use forall::{Blocks, foreach, kary_reduce, on_this_rank};

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

/// Each block is linked to the one that it leads to, of which some are reached by several.
fn relays(n: usize) -> Blocks<Vec<u32>> {
    let count = n % 17;
    Blocks::linked(count, |number| (Vec::new(), vec![Link::to((number * number + 1) % count)]))
}

cases! {
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
