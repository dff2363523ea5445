//! Particles that move to the blocks of their boxes, on any number of ranks and with blocks on the disk.

mod everywhere;

use everywhere::{PLANS, runtime};
use forall::blocks::{Blocks, Bounds, KdTree, Misplaced};
use forall::foreach;
use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, Copy, PartialEq, bytemuck::Pod, bytemuck::Zeroable, Serialize, Deserialize)]
#[repr(C)]
struct Particle {
    at: [f64; 3],
    id: u64,
}

#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
struct Box3 {
    name: String,
    particles: Vec<Particle>,
    heard: Vec<u64>,
}

const UNIT: Bounds<3> = Bounds { low: [-1.0, 0.0, 0.0], high: [1.0, 1.0, 0.5] };

/// Numbers from 0 to 1.
fn random(id: u64, axis: u64) -> f64 {
    let mut bits = (id * 3 + axis + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    bits = (bits ^ bits >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    bits = (bits ^ bits >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    ((bits ^ bits >> 31) >> 11) as f64 / (1_u64 << 53) as f64
}

fn anywhere(id: u64) -> [f64; 3] {
    [2.0 * random(id, 0) - 1.0, random(id, 1), 0.5 * random(id, 2)]
}

type Places = fn(u64) -> [f64; 3];

/// Distributions, each with whether coordinates are all different.
const PLACES: [(Places, bool); 5] = [
    (anywhere, true),
    (|id| anywhere(id).map(|at| 1e-3 * at), true),
    // All at one place, on a side of the space.
    (|_| [-1.0, 1.0, 0.25], false),
    // A lattice, with particles on all cuts.
    (|id| [(id % 5) as f64 / 2.0 - 1.0, (id / 5 % 5) as f64 / 4.0, (id / 25 % 3) as f64 / 4.0], false),
    // Zeros of both signs.
    (|id| [if id.is_multiple_of(2) { 0.0 } else { -0.0 }, random(id, 1), 0.0], false),
];

fn made(blocks: usize, count: u64, place: Places) -> Blocks<Box3> {
    Blocks::from_fn(blocks, |number| {
        let ids = (count * number as u64 / blocks as u64)..(count * (number as u64 + 1) / blocks as u64);
        let particles = ids.map(|id| Particle { at: place(id), id }).collect();
        Box3 { name: format!("block {number}"), particles, heard: Vec::new() }
    })
}

fn distributed(blocks: &mut Blocks<Box3>) -> Result<KdTree<3>, Misplaced> {
    blocks.distribute(UNIT, |block| &mut block.particles, |particle| particle.at)
}

/// Each particle is in its box, the order is that of before, and boxes have about as many.
fn check(tree: &KdTree<3>, found: &[Box3], count: u64, differ: bool) {
    assert_eq!(tree.len(), found.len());
    let mut seen = vec![false; count as usize];
    for (number, block) in found.iter().enumerate() {
        assert_eq!(block.name, format!("block {number}"));
        assert!(block.particles.is_sorted_by_key(|particle| particle.id));
        for particle in &block.particles {
            assert_eq!(tree.owner(particle.at), number);
            assert!(tree.bounds(number).covers(particle.at));
            assert!(!std::mem::replace(&mut seen[particle.id as usize], true));
        }
        let levels = found.len().next_power_of_two().ilog2();
        let even = count as f64 / found.len() as f64;
        assert!(!differ || (block.particles.len() as f64 - even).abs() <= f64::from(levels), "{even}");
    }
    assert!(seen.iter().all(|seen| *seen));
    let volume = |bounds: Bounds<3>| (0..3).map(|axis| bounds.high[axis] - bounds.low[axis]).product::<f64>();
    let volumes: f64 = (0..tree.len()).map(|number| volume(tree.bounds(number))).sum();
    assert!(tree.is_empty() || (volumes - volume(UNIT)).abs() < 1e-12, "{volumes}");
}

#[test]
fn particles_are_in_their_boxes_whatever_the_ranks() {
    for (place, differ) in PLACES {
        for (blocks, count) in [(0, 0), (1, 7), (2, 0), (3, 1), (5, 97), (8, 500), (13, 40), (64, 1000)] {
            let run = || {
                let mut blocks = made(blocks, count, place);
                let tree = distributed(&mut blocks).expect("all are in the space");
                (tree, blocks.to_all())
            };
            let expected = run();
            check(&expected.0, &expected.1, count, differ);
            for plan in PLANS {
                for found in runtime(plan).run(run) {
                    assert!(found == expected, "{blocks} blocks, {plan:?}");
                }
            }
        }
    }
}

/// Particles that drift, so that each call moves some of them.
#[test]
fn particles_move_again() {
    let run = || {
        let mut blocks = made(6, 300, anywhere);
        let mut trees = Vec::new();
        for _ in 0..3 {
            drift(&mut blocks);
            trees.push(distributed(&mut blocks).expect("all are in the space"));
        }
        (trees, blocks.to_all())
    };
    let expected = run();
    assert!(expected.0[0] != expected.0[2]);
    for plan in PLANS {
        for found in runtime(plan).run(run) {
            assert!(found == expected, "{plan:?}");
        }
    }
}

#[foreach]
fn drift(blocks: &mut Blocks<Box3>) {
    for mut block in blocks.iter_mut() {
        for particle in &mut block.particles {
            particle.at[0] = (particle.at[0] + 0.5 * particle.at[1]).min(1.0);
        }
    }
}

#[test]
fn a_misplaced_particle_is_named_and_nothing_moves() {
    for wrong in [[f64::NAN, 0.5, 0.1], [0.0, f64::INFINITY, 0.1], [0.0, 0.5, -0.1], [1.5, 0.5, 0.1]] {
        let run = || {
            let mut blocks = made(5, 50, anywhere);
            for mut block in blocks.iter_mut() {
                if block.number() % 3 == 1 {
                    block.particles[4].at = wrong;
                }
            }
            let before = format!("{:?}", blocks.to_all());
            let failed = distributed(&mut blocks).expect_err("it is outside");
            assert_eq!(failed, Misplaced { block: 1, index: 4 });
            assert!(failed.to_string().starts_with("particle 4 of block 1 lies outside of the space"));
            assert_eq!(format!("{:?}", blocks.to_all()), before);
        };
        run();
        for plan in PLANS {
            runtime(plan).run(run);
        }
    }
}

#[foreach]
fn tell(blocks: &mut Blocks<Box3>) {
    let n = blocks.len();
    for block in blocks.iter_mut() {
        block.send((block.number() + 1) % n, &(block.number() as u64));
    }
}

#[foreach]
fn hear(blocks: &mut Blocks<Box3>) {
    for mut block in blocks.iter_mut() {
        for message in block.inbox() {
            let number: u64 = message.read();
            block.heard.push(number);
        }
    }
}

#[test]
fn messages_wait_meanwhile() {
    let run = || {
        let mut blocks = made(7, 30, anywhere);
        tell(&mut blocks);
        distributed(&mut blocks).expect("all are in the space");
        hear(&mut blocks);
        blocks.to_all().into_iter().map(|block| block.heard).collect::<Vec<_>>()
    };
    for plan in PLANS {
        for heard in runtime(plan).run(run) {
            assert_eq!(heard, (0..7).map(|number| vec![(number + 6) % 7]).collect::<Vec<Vec<u64>>>(), "{plan:?}");
        }
    }
}

#[test]
fn boxes_touch_their_neighbours() {
    let mut blocks = made(27, 1000, anywhere);
    let tree = distributed(&mut blocks).expect("all are in the space");
    for number in 0..27 {
        let around = tree.bounds(number).wider(0.05);
        let expected: Vec<usize> = (0..27)
            .filter(|other| {
                let other = tree.bounds(*other);
                (0..3).all(|axis| other.low[axis] <= around.high[axis] && around.low[axis] <= other.high[axis])
            })
            .collect();
        assert_eq!(tree.touching(&around), expected);
    }
}

#[test]
fn one_and_two_dimensions() {
    let run = || {
        let mut numbers = Blocks::from_fn(6, |number| {
            (0..20).map(|k| [random(20 * number as u64 + k, 0)]).collect::<Vec<[f64; 1]>>()
        });
        let line = numbers.distribute(Bounds { low: [0.0], high: [1.0] }, |block| block, |at| *at).expect("inside");
        assert!((0..5).all(|number| line.bounds(number).high == line.bounds(number + 1).low));
        let mut places = Blocks::from_fn(4, |number| {
            (0..20).map(|k| [random(20 * number as u64 + k, 0), random(k, 1)]).collect::<Vec<[f64; 2]>>()
        });
        places.distribute(Bounds { low: [0.0; 2], high: [1.0; 2] }, |block| block, |at| *at).expect("inside");
        assert!(places.iter().all(|block| block.len() == 20));
        (numbers.to_all(), places.to_all())
    };
    let expected = run();
    for found in runtime(PLANS[3]).run(run) {
        assert_eq!(found, expected);
    }
}

/// The same on the launcher's ranks.
#[forall::test]
fn on_this_launch() {
    let mut blocks = made(9, 200, anywhere);
    let tree = distributed(&mut blocks).expect("all are in the space");
    check(&tree, &blocks.to_all(), 200, true);
}
