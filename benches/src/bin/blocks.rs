//! Times loops over blocks, as the drivers of DIY do: the values of each block are changed, merged, swapped, added up or sorted, or faces
//! are sent to neighbours.
//!
//! Usage: `blocks MODE BLOCKS N K REPS`. `MODE` is `foreach`, `merge`, `swap`, `allreduce`, `sort` or `halo`. `N` is the number of values in each
//! block, or for `halo` the number of points of the grid along each side. `K` is the arity of merges and swaps, and `REPS` the number of timed runs.
//! `FORALL_THREADS` and `FORALL_BLOCKS` say how many threads a rank has, and how many blocks are in memory.

use forall::blocks::{Blocks, Decomposition};
use forall::partners::{Algorithm, Does, Partners, Whither};
use forall::{DistVec, foreach, foreach_tls, kary_reduce};
use std::process::ExitCode;
use std::time::Instant;

/// The values of a block.
type Values = Vec<f32>;

#[foreach]
fn changed(blocks: &mut Blocks<Values>) {
    for mut block in blocks.iter_mut() {
        for value in block.iter_mut() {
            *value = value.sqrt() * 1.5;
        }
    }
}

/// The messages of the round before are added, and those of this round are sent.
#[foreach]
fn added(blocks: &mut Blocks<Values>, partners: &Partners, round: usize) {
    for mut block in blocks.iter_mut() {
        let number = block.number();
        if let Some(before) = round.checked_sub(1).and_then(|before| partners.round(number, before)) {
            for (piece, message) in block.inbox().pieces(&before) {
                let values = message.elements::<f32>();
                let own = &mut block[piece.region];
                match before.does {
                    Does::Merge => own.iter_mut().zip(&*values).for_each(|(sum, value)| *sum += value),
                    Does::Copy => own.copy_from_slice(&values),
                }
            }
        }
        for piece in partners.round(number, round).into_iter().flat_map(|round| round.sends) {
            block.send_elements(piece.rank, &block[piece.region]);
        }
    }
}

fn together(blocks: &mut Blocks<Values>, partners: &Partners) {
    (0..=partners.count()).for_each(|round| added(blocks, partners, round));
}

/// Values at even distances in each block, once it is sorted.
#[foreach_tls]
fn samples(blocks: &mut Blocks<Vec<u32>>, count: usize, out: &mut Vec<u32>) {
    for mut block in blocks.iter_mut() {
        block.sort_unstable();
        for i in 0..count {
            if !block.is_empty() {
                let sample = block[i * block.len() / count];
                out.push(sample);
            }
        }
    }
}

/// Each block gets the values between two splitters.
#[foreach]
fn split(blocks: &mut Blocks<Vec<u32>>, #[replicated] splitters: &[u32]) {
    for mut block in blocks.iter_mut() {
        let mut start = 0;
        for to in 0..=splitters.len() {
            let end = splitters.get(to).map_or(block.len(), |most| block.partition_point(|value| value < most));
            block.send_elements(to, &block[start..end]);
            start = end;
        }
        block.clear();
    }
}

/// The received messages are merged: each message is sorted.
#[foreach]
fn joined(blocks: &mut Blocks<Vec<u32>>) {
    for mut block in blocks.iter_mut() {
        for message in block.inbox() {
            block.extend_from_slice(&message.elements::<u32>());
        }
        block.sort();
    }
}

fn sort(blocks: &mut Blocks<Vec<u32>>) {
    let mut found = Vec::new();
    samples(blocks, 256, &mut found);
    let mut all = DistVec::from_local(found).to_all();
    all.sort_unstable();
    let splitters: Vec<u32> = (1..blocks.len()).map(|part| all[part * all.len() / blocks.len()]).collect();
    split(blocks, &splitters);
    joined(blocks);
}

#[kary_reduce]
fn unsorted(blocks: &Blocks<Vec<u32>>) -> usize {
    let mut count = 0;
    for block in blocks.iter() {
        count += block.windows(2).filter(|pair| pair[0] > pair[1]).count();
    }
    count
}

#[foreach]
fn faces_sent(blocks: &mut Blocks<Values>) {
    for block in blocks.iter_mut() {
        for link in block.links() {
            block.send_elements(link, &block[..]);
        }
    }
}

#[foreach]
fn faces_taken(blocks: &mut Blocks<Values>) {
    for mut block in blocks.iter_mut() {
        for message in block.inbox() {
            block[0] += message.elements::<f32>()[0] * 0.0;
        }
    }
}

/// The timed program.
struct Bench {
    mode: String,
    blocks: usize,
    n: usize,
    k: usize,
    reps: usize,
}

impl Bench {
    fn from_arguments() -> Option<Bench> {
        let mut arguments = std::env::args().skip(1);
        let mode = arguments.next()?;
        let mut number = || arguments.next()?.parse().ok().filter(|number| *number > 0);
        Some(Bench { mode, blocks: number()?, n: number()?, k: number()?.max(2), reps: number()? })
    }

    /// The milliseconds of one run, and a value that says whether it was right.
    fn run(&self) -> Option<(f64, f64)> {
        let Bench { blocks, n, k, .. } = *self;
        let values = || Blocks::from_fn(blocks, |number| vec![(number + 1) as f32; n]);
        let tree = Algorithm::Tree { k };
        let (algorithm, whither) = match self.mode.as_str() {
            "merge" => (tree, Whither::Scattered),
            "allreduce" => (tree, Whither::All),
            "swap" => (Algorithm::RadixK { radices: vec![k; blocks.ilog2() as usize] }, Whither::Scattered),
            "foreach" => {
                let mut blocks = values();
                let time = timed(|| changed(&mut blocks));
                return Some((time, first(&blocks, 0)));
            }
            "sort" => {
                let mut blocks = Blocks::from_fn(blocks, |number| random(number, n));
                let time = timed(|| sort(&mut blocks));
                return Some((time, unsorted(&blocks) as f64));
            }
            "halo" => {
                let parts = Decomposition::new([n; 3], blocks);
                let mut blocks = Blocks::over(&parts, |part| vec![1.0; part.own.shape()[1] * part.own.shape()[2]]);
                let time = timed(|| {
                    for _ in 0..10 {
                        faces_sent(&mut blocks);
                        faces_taken(&mut blocks);
                    }
                });
                return Some((time, first(&blocks, 0)));
            }
            _ => return None,
        };
        let partners = Partners::of_all(algorithm, blocks, n, whither);
        let mut blocks = values();
        let time = timed(|| together(&mut blocks, &partners));
        Some((time, first(&blocks, partners.owners()[0].0)))
    }
}

/// The milliseconds of the slowest rank, from a time at which all are ready.
fn timed(run: impl FnOnce()) -> f64 {
    DistVec::from_local(vec![0_u8]).to_all();
    let start = Instant::now();
    run();
    let own = start.elapsed().as_secs_f64() * 1e3;
    DistVec::from_local(vec![own]).to_all().into_iter().fold(0.0, f64::max)
}

/// The first value of a block.
fn first(blocks: &Blocks<Values>, number: usize) -> f64 {
    let own = blocks.iter().filter(|block| block.number() == number);
    let own = own.map(|block| block.first().map_or(0.0, |value| f64::from(*value))).collect();
    DistVec::from_local(own).to_all()[0]
}

fn random(number: usize, n: usize) -> Vec<u32> {
    let mut state = number as u64 * 977 + 13;
    let next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 32) as u32
    };
    std::iter::repeat_with(next).take(n).collect()
}

#[forall::main]
fn main() -> ExitCode {
    let bench = Bench::from_arguments();
    let times: Option<Vec<(f64, f64)>> =
        bench.as_ref().and_then(|bench| (0..=bench.reps).map(|_| bench.run()).collect());
    let (Some(bench), Some(times)) = (bench, times) else {
        if forall::rank() == 0 {
            eprintln!(
                "usage: blocks foreach|merge|swap|allreduce|sort|halo BLOCKS N K REPS, the numbers whole and from 1 on"
            );
        }
        return ExitCode::from(2);
    };
    // The first run is not counted.
    let mut milliseconds: Vec<f64> = times[1..].iter().map(|(time, _)| *time).collect();
    milliseconds.sort_by(f64::total_cmp);
    if forall::rank() == 0 {
        let Bench { mode, blocks, n, k, reps } = bench;
        let median = milliseconds[reps / 2];
        println!(
            "{mode} ranks={} blocks={blocks} n={n} k={k}: median {median:.2} ms, least {:.2}, check {}",
            forall::ranks(),
            milliseconds[0],
            times[reps].1
        );
    }
    ExitCode::SUCCESS
}
