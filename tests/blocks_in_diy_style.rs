//! Loops over blocks as users of DIY write them: reductions, scans, pushes and histograms beside messages, calls of annotated functions inside
//! of a block, several sets of blocks in one loop.

mod everywhere;

use everywhere::everywhere;
use forall::blocks::{BlockData, Blocks, Decomposition, Link};
use forall::{DistVec, foreach, foreach_tls, kary_reduce};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Cells {
    values: Vec<f64>,
    sum: f64,
    done: bool,
    name: String,
}

fn cells(n: usize) -> Blocks<Cells> {
    Blocks::linked(n, |number| {
        let values = (0..number * 7 % 23).map(|k| ((k * 31 + number * 17) % 101) as f64 / 8.0).collect();
        let links = vec![Link::to((number + 1) % n), Link::to((number + n - 1) % n)];
        (Cells { values, sum: 0.0, done: false, name: format!("{number}") }, links)
    })
}

// 1: a reduction beside sends
#[kary_reduce]
fn residual(blocks: &mut Blocks<Cells>) -> f64 {
    let mut worst: f64 = 0.0;
    for mut block in blocks.iter_mut() {
        let mut change: f64 = 0.0;
        for message in block.inbox() {
            let value: f64 = message.read();
            change = change.max((value - block.sum).abs());
            block.sum = 0.5 * (block.sum + value);
        }
        worst = worst.max(change);
        let sum = block.sum;
        for link in block.links() {
            block.send(link, &sum);
        }
    }
    worst
}

// 2: sums and counts and the best block
#[kary_reduce]
fn heaviest(blocks: &Blocks<Cells>) -> (usize, f64, usize) {
    let mut best = f64::NEG_INFINITY;
    let mut which = 0;
    let mut count = 0;
    for block in blocks.iter() {
        let sum: f64 = block.values.iter().sum();
        if sum > best {
            best = sum;
            which = block.number();
        }
        count += block.values.len();
    }
    (which, best, count)
}

// 3: pushes beside sends
#[foreach_tls]
fn leaving(blocks: &mut Blocks<Cells>, limit: f64, left: &mut Vec<[f64; 2]>) {
    for mut block in blocks.iter_mut() {
        let number = block.number();
        let (stay, go): (Vec<f64>, Vec<f64>) = block.values.iter().partition(|value| **value < limit);
        for value in &go {
            left.push([number as f64, *value]);
        }
        for (k, link) in block.links().enumerate() {
            if k == 0 {
                block.send(link, &go);
            }
        }
        block.values = stay;
    }
}

// 4: the number of a block as an index
#[foreach]
fn lengths(blocks: &Blocks<Cells>, out: &mut [usize]) {
    for block in blocks.iter() {
        out[block.number()] = block.values.len();
    }
}

// 7: a histogram of all blocks
#[kary_reduce]
fn histogram(blocks: &Blocks<Cells>, bins: &mut [u64]) {
    let n = bins.len();
    for block in blocks.iter() {
        for value in &block.values {
            bins[(*value as usize).min(n - 1)] += 1;
        }
    }
}

// 8: a histogram as a local array
#[kary_reduce]
fn small_histogram(blocks: &Blocks<Cells>) -> [u64; 8] {
    let mut bins = [0; 8];
    for block in blocks.iter() {
        for &value in &block.values {
            bins[(value as usize).min(7)] += 1;
        }
    }
    bins
}

// 9: an annotated function inside of a block
#[kary_reduce]
fn norm(x: &[f64]) -> f64 {
    let mut sum = 0.0;
    for i in 0..x.len() {
        sum += x[i] * x[i];
    }
    sum.sqrt()
}

#[foreach]
fn norms(blocks: &mut Blocks<Cells>) {
    for mut block in blocks.iter_mut() {
        block.sum = norm(&block.values);
    }
}

// 10: an annotated map inside, and a reduction outside
#[foreach]
fn scale(x: &mut [f64], by: f64) {
    for i in 0..x.len() {
        x[i] *= by;
    }
}

#[kary_reduce]
fn normalized(blocks: &mut Blocks<Cells>) -> f64 {
    let mut sum = 0.0;
    for mut block in blocks.iter_mut() {
        scale(&mut block.values, 0.5);
        sum += norm(&block.values);
    }
    sum
}

// 11: three sets
#[kary_reduce]
fn three(one: &mut Blocks<Cells>, two: &Blocks<u64>, three: &mut Blocks<Vec<u64>>) -> u64 {
    let mut sum = 0;
    for ((mut a, b), mut c) in one.iter_mut().zip(two.iter()).zip(three.iter_mut()) {
        a.sum += *b as f64;
        c.push(*b);
        sum += *b;
    }
    sum
}

// 12: two sets, one of which sends
#[foreach]
fn two_send(one: &mut Blocks<Cells>, two: &mut Blocks<u64>) {
    for (a, mut b) in one.iter_mut().zip(two.iter_mut()) {
        for message in b.inbox() {
            *b += message.read::<u64>();
        }
        let count = a.values.len() as u64;
        a.send(0, &count);
        b.send((b.number() + 1) % 2, &count);
    }
}

// 13: all done?
#[kary_reduce]
fn all_done(blocks: &mut Blocks<Cells>, limit: f64) -> bool {
    let mut all = true;
    for mut block in blocks.iter_mut() {
        block.done = block.sum <= limit;
        all &= block.done;
    }
    all
}

// 14: any, with &&
#[kary_reduce]
fn any_left(blocks: &Blocks<Cells>) -> bool {
    let mut any = false;
    for block in blocks.iter() {
        if !block.done {
            any = true;
        }
    }
    any
}

// 15: rounds in the function
#[kary_reduce]
fn relaxed(blocks: &mut Blocks<Cells>, rounds: usize) -> f64 {
    let mut last = 0.0;
    for _ in 0..rounds {
        let mut change = 0.0_f64;
        for mut block in blocks.iter_mut() {
            let mut sum = block.values.len() as f64;
            for message in block.inbox() {
                sum += message.read::<f64>() / 3.0;
            }
            change = change.max((sum - block.sum).abs());
            block.sum = sum;
            for link in block.links() {
                block.send(link, &sum);
            }
        }
        last = change;
    }
    last
}

// 16: until it converges
#[kary_reduce]
fn converged(blocks: &mut Blocks<Cells>, tolerance: f64) -> usize {
    let mut rounds = 0;
    loop {
        let mut change = 0.0_f64;
        for mut block in blocks.iter_mut() {
            let mut sum = 1.0;
            for message in block.inbox() {
                sum += message.read::<f64>() / 4.0;
            }
            change = change.max((sum - block.sum).abs());
            block.sum = sum;
            for link in block.links() {
                block.send(link, &sum);
            }
        }
        rounds += 1;
        if change < tolerance || rounds > 40 {
            break;
        }
    }
    rounds
}

// 17: a map of names
#[kary_reduce]
fn first_name(blocks: &Blocks<Cells>) -> Option<usize> {
    let mut first = None;
    for block in blocks.iter() {
        if first.is_none() && block.values.len() > 10 {
            first = Some(block.number());
        }
    }
    first
}

// 18: chains
#[kary_reduce]
fn total(blocks: &Blocks<Cells>) -> usize {
    blocks.iter().map(|block| block.values.len()).sum()
}

// 19: for_each
#[foreach]
fn cleared(blocks: &mut Blocks<Cells>) {
    blocks.iter_mut().for_each(|mut block| block.values.clear());
}

// 20: for block in blocks
#[foreach]
fn renamed(blocks: &mut Blocks<Cells>, prefix: &str) {
    for mut block in blocks {
        block.name = format!("{prefix}{}", block.number());
    }
}

// 21: a captured table by the number
#[foreach]
fn weighed(blocks: &mut Blocks<Cells>, weights: &[f64]) {
    for mut block in blocks.iter_mut() {
        let weight = weights[block.number()];
        for value in block.values.iter_mut() {
            *value *= weight;
        }
    }
}

// 22: parts of a grid
#[kary_reduce]
fn edges(blocks: &mut Blocks<Vec<f64>>, parts: &Decomposition<2>) -> usize {
    let mut cells = 0;
    for mut block in blocks.iter_mut() {
        let part = parts.part(block.number());
        cells += part.own.len();
        for link in block.links() {
            block.send(link, &part.own.len());
        }
        block.push(part.own.len() as f64);
    }
    cells
}

// 23: an early end
#[kary_reduce]
fn find_empty(blocks: &Blocks<Cells>) -> Option<usize> {
    for block in blocks.iter() {
        if block.values.is_empty() {
            return Some(block.number());
        }
    }
    None
}

// 24: a method that gets the block
fn step(cells: &mut Cells, by: f64) -> f64 {
    cells.sum += by;
    cells.sum
}

#[kary_reduce]
fn stepped(blocks: &mut Blocks<Cells>, by: f64) -> f64 {
    let mut sum = 0.0;
    for mut block in blocks.iter_mut() {
        sum += step(&mut block, by);
    }
    sum
}

// 25: bounds of all values
#[kary_reduce]
fn bounds(blocks: &Blocks<Cells>) -> (f64, f64) {
    let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
    for block in blocks.iter() {
        for value in block.values.iter() {
            low = low.min(*value);
            high = high.max(*value);
        }
    }
    (low, high)
}

// 26: to one block, of the data
#[foreach]
fn gathered(blocks: &mut Blocks<Cells>) {
    for block in blocks.iter_mut() {
        if block.number() > 0 {
            block.send_elements(0, &block.values);
        }
    }
    for mut block in blocks.iter_mut() {
        for message in block.inbox() {
            block.values.extend_from_slice(&message.elements::<f64>());
        }
    }
}

// 27: counts by key
#[kary_reduce]
fn by_length(blocks: &Blocks<Cells>) -> BTreeMap<usize, usize> {
    let mut counts = BTreeMap::new();
    for block in blocks.iter() {
        *counts.entry(block.values.len()).or_insert(0) += 1;
    }
    counts
}

// 28: a loop over numbers of blocks
#[foreach]
fn indexed(blocks: &mut Blocks<Cells>, out: &mut [f64]) {
    for (k, mut block) in blocks.iter_mut().enumerate() {
        out[k] = block.values.iter().sum();
        block.sum = out[k];
    }
}

// 29: a sum that the block and the total share
#[kary_reduce]
fn shared_sum(blocks: &mut Blocks<Cells>) -> f64 {
    let mut total = 0.0;
    for mut block in blocks.iter_mut() {
        for k in 0..block.values.len() {
            let value = block.values[k];
            block.sum += value;
            total += value;
        }
    }
    total
}

// 30: pushes in waves with a total
#[foreach_tls]
fn travelled(blocks: &mut Blocks<Cells>, ways: &mut Vec<[usize; 2]>) -> u32 {
    let mut most = 0;
    for mut block in blocks.iter_mut() {
        if block.is_first_visit() {
            block.send(block.number(), &3_u32);
        }
        while let Some(message) = block.receive() {
            let left: u32 = message.read();
            block.sum += 1.0;
            ways.push([block.number(), left as usize]);
            most = most.max(left);
            if left > 0 {
                for link in block.links() {
                    block.send(link, &(left - 1));
                }
            }
        }
    }
    most
}

// 31: until nothing changes
#[foreach]
fn spread(blocks: &mut Blocks<Cells>) -> usize {
    let mut rounds = 0;
    let mut done = false;
    while !done {
        done = true;
        for mut block in blocks.iter_mut() {
            let before = block.sum;
            for message in block.inbox() {
                block.sum = block.sum.max(message.read());
            }
            let own = block.values.iter().fold(0.0, |most: f64, value| most.max(*value));
            block.sum = block.sum.max(own);
            if block.sum > before {
                done = false;
                let sum = block.sum;
                block.links().for_each(|link| block.send(link, &sum));
            }
        }
        rounds += 1;
    }
    rounds
}

// 32: any block, of a type with bounds
#[foreach]
fn each<B: BlockData + Clone>(blocks: &mut Blocks<B>, with: &B) {
    for mut block in blocks.iter_mut() {
        *block = with.clone();
    }
}

// 33: kinds of messages
#[derive(Serialize, Deserialize)]
enum Word {
    Add(f64),
    Name(String),
    Clear,
}

#[foreach]
fn words(blocks: &mut Blocks<Cells>) {
    for mut block in blocks.iter_mut() {
        for message in block.inbox() {
            match message.read::<Word>() {
                Word::Add(value) => block.values.push(value),
                Word::Name(name) => block.name = format!("{name}, from {}", message.from()),
                Word::Clear => block.values.clear(),
            }
        }
        for (k, link) in block.links().enumerate() {
            let word = match (block.number() + k) % 3 {
                0 => Word::Add(block.sum + 1.0),
                1 => Word::Name(block.name.clone()),
                _ => Word::Clear,
            };
            block.send(link, &word);
        }
    }
}

// 34: a name for the data
#[foreach]
fn named(blocks: &mut Blocks<Cells>) {
    for mut block in blocks.iter_mut() {
        let data = &mut *block;
        for value in data.values.iter_mut() {
            *value += data.sum;
        }
        data.sum = 1.0;
    }
}

// 35: a sum of arrays
#[kary_reduce]
fn momentum(blocks: &Blocks<Vec<[f64; 3]>>) -> [f64; 3] {
    let mut total = [0.0; 3];
    for block in blocks.iter() {
        for v in block.iter() {
            for d in 0..3 {
                total[d] += v[d];
            }
        }
    }
    total
}

// 36: bins in a vector
#[kary_reduce]
fn binned(blocks: &Blocks<Cells>, n: usize) -> Vec<u64> {
    let mut bins = vec![0; n];
    for block in blocks.iter() {
        for value in &block.values {
            bins[(*value as usize) % n] += 1;
        }
    }
    bins
}

// 37: statistics of the user's
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
struct Statistics {
    count: u64,
    sum: u64,
}

#[kary_reduce]
fn statistics(blocks: &Blocks<Cells>) -> Statistics {
    let mut all = Statistics::default();
    for block in blocks.iter() {
        all.count += 1;
        all.sum += block.values.len() as u64;
    }
    all
}

// 38: messages as a vector, and faces
#[foreach]
fn faces(blocks: &mut Blocks<Cells>) {
    for mut block in blocks.iter_mut() {
        let messages: Vec<_> = block.inbox().collect();
        for message in &messages {
            block.values.extend_from_slice(&message.elements::<f64>());
        }
        if let Some(link) = block.links().next() {
            let half = block.values.len() / 2;
            block.send_elements(link, &block.values[..half]);
        }
        for (link, k) in block.links().zip(0..) {
            if k > 0 && link.to != block.number() {
                block.send_elements(link, &[k as f64]);
            }
        }
    }
}

// 39: an error of one block
#[kary_reduce]
fn checked(blocks: &Blocks<Cells>) -> Result<f64, usize> {
    let mut sum = 0.0;
    for block in blocks.iter() {
        if block.values.len() > 20 {
            return Err(block.number());
        }
        sum += block.values.len() as f64;
    }
    Ok(sum)
}

// 40: backwards
#[kary_reduce]
fn backwards(blocks: &mut Blocks<Cells>) -> (usize, usize) {
    let (mut most, mut which) = (0, 0);
    for (k, mut block) in blocks.iter_mut().enumerate().rev() {
        block.sum += 1.0;
        if block.values.len() > most {
            most = block.values.len();
            which = k;
        }
    }
    (most, which)
}

// 41: a method
struct Simulation {
    step: f64,
}

impl Simulation {
    #[kary_reduce]
    fn advance(&self, blocks: &mut Blocks<Cells>) -> f64 {
        let mut energy = 0.0;
        for mut block in blocks.iter_mut() {
            block.sum += self.step;
            energy += block.sum * block.sum;
        }
        energy
    }
}

// 42: a sort inside
#[forall::distributed_sort]
fn sorted(x: &mut [f64]) {
    x.sort_by(|a, b| a.total_cmp(b));
}

#[foreach]
fn each_sorted(blocks: &mut Blocks<Cells>) {
    for mut block in blocks.iter_mut() {
        sorted(&mut block.values);
    }
}

// 43: a scan inside, and pushes inside
#[forall::distributed_scan]
fn running(x: &[f64], out: &mut [f64]) {
    let mut sum = 0.0;
    for i in 0..x.len() {
        sum += x[i];
        out[i] = sum;
    }
}

#[foreach_tls]
fn large(x: &[f64], least: f64, out: &mut Vec<f64>) {
    for i in 0..x.len() {
        if x[i] >= least {
            out.push(x[i]);
        }
    }
}

#[foreach]
fn each_scanned(blocks: &mut Blocks<Cells>) {
    for mut block in blocks.iter_mut() {
        let mut sums = vec![0.0; block.values.len()];
        running(&block.values, &mut sums);
        block.values.clear();
        large(&sums, 3.0, &mut block.values);
    }
}

// 44: the sum of the block's own, and the total, by an iterator
#[kary_reduce]
fn by_iterators(blocks: &Blocks<Cells>) -> (f64, usize, bool) {
    let total: f64 = blocks.iter().map(|block| block.values.iter().sum::<f64>()).sum();
    let most = blocks.iter().map(|block| block.values.len()).max().unwrap_or(0);
    let any = blocks.iter().any(|block| block.values.is_empty());
    (total, most, any)
}

// 45: a number of rounds that blocks know
#[foreach]
fn doubling(blocks: &mut Blocks<Cells>) {
    let n = blocks.len();
    let mut step = 1;
    while step < n {
        for mut block in blocks.iter_mut() {
            for message in block.inbox() {
                block.sum += message.read::<f64>();
            }
            let to = block.number() + step;
            if to < n {
                block.send(to, &(block.sum + 1.0));
            }
        }
        step *= 2;
    }
}

fn found(blocks: &Blocks<Cells>) -> Vec<Cells> {
    blocks.to_all()
}

/// Runs a program on all plans, and in order.
macro_rules! same {
    ($(|$n:ident| $annotated:expr, $plain:expr;)*) => {$(
        for $n in [1, 2, 5, 13] {
            let plain = $plain;
            assert_eq!(everywhere(|| $annotated), plain, "{} blocks: {}", $n, stringify!($plain));
        }
    )*};
}

#[test]
fn reductions_beside_messages() {
    same! {
        |n| { let mut b = cells(n); let r: Vec<f64> = (0..4).map(|_| residual(&mut b)).collect(); (r, found(&b)) },
            { let mut b = cells(n); let r: Vec<f64> = (0..4).map(|_| residual::sequential(&mut b)).collect(); (r, found(&b)) };
        |n| heaviest(&cells(n)), heaviest::sequential(&cells(n));
        |n| { let mut b = cells(n); (all_done(&mut b, 0.0), any_left(&b), found(&b)) },
            { let mut b = cells(n); (all_done::sequential(&mut b, 0.0), any_left::sequential(&b), found(&b)) };
        |n| { let mut b = cells(n); (relaxed(&mut b, 7), converged(&mut b, 1e-3), found(&b)) },
            { let mut b = cells(n); (relaxed::sequential(&mut b, 7), converged::sequential(&mut b, 1e-3), found(&b)) };
        |n| { let mut b = cells(n); (stepped(&mut b, 0.25), shared_sum(&mut b), found(&b)) },
            { let mut b = cells(n); (stepped::sequential(&mut b, 0.25), shared_sum::sequential(&mut b), found(&b)) };
        |n| (bounds(&cells(n)), by_length(&cells(n)), small_histogram(&cells(n))),
            (bounds::sequential(&cells(n)), by_length::sequential(&cells(n)), small_histogram::sequential(&cells(n)));
        |n| { let mut h = DistVec::from_fn(5, |_| 0); histogram(&cells(n), &mut h); h.to_all() }, { let mut h = vec![0; 5]; histogram::sequential(&cells(n), &mut h); h };
        |n| (first_name(&cells(n)), find_empty(&cells(n)), total(&cells(n))),
            (first_name::sequential(&cells(n)), find_empty::sequential(&cells(n)), total::sequential(&cells(n)));
    }
}

#[test]
fn pushes_and_elements_beside_messages() {
    same! {
        |n| { let (mut b, mut left) = (cells(n), DistVec::default()); leaving(&mut b, 6.0, &mut left); (left.to_all(), found(&b)) },
            { let (mut b, mut left) = (cells(n), Vec::new()); leaving::sequential(&mut b, 6.0, &mut left); (left, found(&b)) };
        |n| { let mut out = DistVec::from_fn(n, |_| 0); lengths(&cells(n), &mut out); out.to_all() },
            { let mut out = vec![0; n]; lengths::sequential(&cells(n), &mut out); out };
        |n| { let mut b = cells(n); weighed(&mut b, &DistVec::from_fn(n, |k| k as f64)); found(&b) },
            { let mut b = cells(n); weighed::sequential(&mut b, &(0..n).map(|k| k as f64).collect::<Vec<_>>()); found(&b) };
        |n| { let (mut b, mut out) = (cells(n), DistVec::from_fn(n, |_| 0.0)); indexed(&mut b, &mut out); (out.to_all(), found(&b)) },
            { let (mut b, mut out) = (cells(n), vec![0.0; n]); indexed::sequential(&mut b, &mut out); (out, found(&b)) };
        |n| { let mut b = cells(n); gathered(&mut b); found(&b) }, { let mut b = cells(n); gathered::sequential(&mut b); found(&b) };
        |n| { let (mut b, mut ways) = (cells(n), DistVec::default()); (travelled(&mut b, &mut ways), ways.to_all(), found(&b)) },
            { let (mut b, mut ways) = (cells(n), Vec::new()); (travelled::sequential(&mut b, &mut ways), ways, found(&b)) };
        |n| { let mut b = cells(n); renamed(&mut b, "x"); let names = found(&b); cleared(&mut b); (names, found(&b)) },
            { let mut b = cells(n); renamed::sequential(&mut b, "x"); let names = found(&b); cleared::sequential(&mut b); (names, found(&b)) };
        |n| { let parts = Decomposition::new([20, 30], n); let mut b = Blocks::over(&parts, |_| Vec::new()); (edges(&mut b, &parts), b.to_all()) },
            { let parts = Decomposition::new([20, 30], n); let mut b = Blocks::over(&parts, |_| Vec::new()); (edges::sequential(&mut b, &parts), b.to_all()) };
    }
}

#[test]
fn annotated_calls_inside_of_blocks() {
    same! {
        |n| { let mut b = cells(n); norms(&mut b); (normalized(&mut b), found(&b)) },
            { let mut b = cells(n); norms::sequential(&mut b); (normalized::sequential(&mut b), found(&b)) };
    }
}

#[test]
fn several_sets_of_blocks() {
    let numbers = |n| Blocks::from_fn(n, |number| number as u64);
    same! {
        |n| { let (mut a, mut c) = (cells(n), Blocks::from_fn(n, |_| Vec::new())); (three(&mut a, &numbers(n), &mut c), found(&a), c.to_all()) },
            { let (mut a, mut c) = (cells(n), Blocks::from_fn(n, |_| Vec::new())); (three::sequential(&mut a, &numbers(n), &mut c), found(&a), c.to_all()) };
    }
    for n in [2, 5, 13] {
        let run = |step: &dyn Fn(&mut Blocks<Cells>, &mut Blocks<u64>)| {
            let (mut one, mut two) = (cells(n), numbers(n));
            (0..3).for_each(|_| step(&mut one, &mut two));
            (found(&one), two.to_all())
        };
        let plain = run(&|one, two| two_send::sequential(one, two));
        assert_eq!(everywhere(|| run(&|one, two| two_send(one, two))), plain);
    }
}

/// Calls with mutable blocks: the result, and the blocks after it.
macro_rules! changes {
    ($($name:ident($($argument:expr),*);)*) => {$(
        for n in [1, 2, 5, 13] {
            let plain = { let mut b = cells(n); let r = [0; 3].map(|_| $name::sequential(&mut b $(, $argument)*)); (r, found(&b)) };
            let all = everywhere(|| { let mut b = cells(n); let r = [0; 3].map(|_| $name(&mut b $(, $argument)*)); (r, found(&b)) });
            assert_eq!(all, plain, "{n} blocks: {}", stringify!($name));
        }
    )*};
}

#[test]
fn more_of_them() {
    changes! {
        spread();
        words();
        named();
        faces();
        each_sorted();
        each_scanned();
        doubling();
        backwards();
        each(&Cells { values: vec![1.0], sum: 2.0, done: true, name: String::new() });
    }
    let vectors = |n| Blocks::from_fn(n, |number| vec![[number as f64, 1.0, 0.5]; number]);
    let simulation = Simulation { step: 0.5 };
    same! {
        |n| momentum(&vectors(n)), momentum::sequential(&vectors(n));
        |n| (binned(&cells(n), 3), statistics(&cells(n)), checked(&cells(n)), by_iterators(&cells(n))),
            (binned::sequential(&cells(n), 3), statistics::sequential(&cells(n)), checked::sequential(&cells(n)), by_iterators::sequential(&cells(n)));
        |n| { let mut b = cells(n); (simulation.advance(&mut b), found(&b)) }, { let mut b = cells(n); (simulation.advance_sequential(&mut b), found(&b)) };
    }
}
