//! Step 2: documents flock (Cui, Gao and Potok, 2006).
//!
//! Each document is a boid in a bounded plane. It flies in the direction of similar boids that it sees, toward them, and at some distance
//! from each of them. It keeps away from dissimilar ones. So documents with common terms find each other.
//!
//! All ranks know where the boids are. The term vectors are elements of an object, which have no fixed owner: a rank fetches those of
//! documents that its boids may meet. They never change, so each is sent to a rank once at most.

use crate::rows::{Row, Rows, arrange};
use bytemuck::{Pod, Zeroable};
use forall::{DistVec, Object, foreach, foreach_tls, on_this_rank, share};
use std::ops::Range;

/// A document in the plane. The unit of length is the distance within which boids see each other.
#[derive(Debug, Clone, Copy, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct Boid {
    /// Where it is.
    pub position: [f32; 2],
    /// The distance that it covers in a step.
    pub velocity: [f32; 2],
}

/// The number of boids in a square of side one at the start.
const DENSITY: f32 = 3.0;
/// The speed at which boids start. They slow down to half of it, and fly up to a third faster.
const SPEED: f32 = 0.225;
/// Documents are similar if they are that many times as similar as expected.
const LEVEL: f32 = 1.5;
/// Documents with this cosine are always similar.
const ALIKE: f32 = 0.5;
/// The part of the difference to the direction of similar boids that a boid makes up for in a step.
const ALIGNMENT: f32 = 0.3;
/// The part of the way to similar boids that a boid covers in a step.
const COHESION: f32 = 0.3;
/// The strength with which boids avoid dissimilar ones.
const AVOIDANCE: f32 = 2.0;
/// The strength with which boids keep at some distance, and the distance.
const SEPARATION: f32 = 0.1;
const SPACE: f32 = 0.4;
/// A random change of the velocity.
const NOISE: f32 = 0.02;
/// The steps from one look around to the next. Boids fly with those that they have met at the last one.
const LOOK: u64 = 4;
/// The number of rows that are fetched together.
const SHELF: usize = 16;

/// A boid that another one has met.
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
#[repr(C)]
struct Met {
    other: u32,
    /// From -1, dissimilar, over 0 to 3, very similar.
    affinity: f32,
}

/// The similarity that two documents are expected to have: the mean similarity of each to all others, and the mean of all.
#[derive(Debug, Clone, Copy)]
pub struct Expected {
    /// The mean similarity of two documents.
    pub mean: f32,
}

impl Expected {
    /// The similarity above which documents are similar, from their mean similarities to all others.
    pub fn level(self, means: [f32; 2], times: f32) -> f32 {
        let expected = if self.mean > 0.0 { means[0] * means[1] / self.mean } else { 0.0 };
        (times * expected).min(ALIKE)
    }
}

/// The plane at one time, as far as a rank knows it.
#[derive(Debug)]
pub struct Sky {
    seed: u64,
    step: u64,
    side: f32,
    /// The cells along each side. A boid sees only boids in its cell and the cells around it.
    cells: usize,
    boids: Vec<Boid>,
    /// The boids in the order of their cells at the last look around.
    order: Vec<u32>,
    /// The first position of each cell in the order.
    starts: Vec<u32>,
    /// The mean similarity of each boid's document to all others.
    means: Vec<f32>,
    expected: Expected,
    fetched: Fetched,
    company: Company,
}

/// The rows that a rank has fetched.
#[derive(Debug, Default)]
struct Fetched {
    /// The position of each boid's row; `u32::MAX` if the rank does not have it.
    places: Vec<u32>,
    rows: Vec<Row>,
}

/// The boids that those of this rank have met.
#[derive(Debug, Default)]
struct Company {
    /// The first of the boids that each boid has met.
    starts: Vec<usize>,
    met: Vec<Met>,
}

/// Documents as boids.
#[derive(Debug)]
pub struct Flock {
    documents: Vec<u32>,
    rows: Object<Row, 1>,
    sky: Sky,
}

impl Flock {
    /// The flock of the documents that have rows, at random places. Collective.
    pub fn new(rows: &Rows, seed: u64) -> Flock {
        let documents = rows.documents.to_all();
        let count = documents.len();
        let side = (count as f32 / DENSITY).sqrt().max(1.0);
        let mut sky = Sky {
            seed,
            step: 0,
            side,
            cells: side as usize,
            boids: documents.iter().map(|document| start(seed, *document, side)).collect(),
            order: Vec::new(),
            starts: Vec::new(),
            means: Vec::new(),
            expected: Expected { mean: rows.mean },
            fetched: Fetched { places: vec![u32::MAX; count], rows: Vec::new() },
            company: Company::default(),
        };
        // Boids are numbered by the cells in which they start, so that a rank owns the rows of its first boids.
        sky.sort();
        let order = std::mem::take(&mut sky.order);
        sky.boids = order.iter().map(|at| sky.boids[*at as usize]).collect();
        let documents = order.iter().map(|at| documents[*at as usize]).collect();
        let order = DistVec::from_global(&order).in_planes(1);
        let mut in_order = DistVec::filled(count, Row::zeroed()).in_planes(1);
        let mut means = DistVec::filled(count, 0.0).in_planes(1);
        arrange(&rows.rows, &rows.means, &order, &mut in_order, &mut means);
        sky.means = means.to_all();
        let rows = Object::from_fn([count], |[at]| in_order.local()[at - in_order.offset()]);
        Flock { documents, rows, sky }
    }

    /// The documents of the boids.
    pub fn documents(&self) -> &[u32] {
        &self.documents
    }

    /// The rows of the boids. Collective.
    pub fn rows(&self) -> DistVec<Row> {
        // No rank has declared a row as modified, so each has those with which it began.
        DistVec::from_local(self.rows.own_boxes().iter().flat_map(|view| view.elements().iter().copied()).collect())
    }

    /// The plane.
    pub fn sky(&self) -> &Sky {
        &self.sky
    }

    /// All boids fly a step. Collective.
    pub fn step(&mut self) {
        if self.sky.step.is_multiple_of(LOOK) {
            self.look_around();
        }
        let own = &self.sky.order[self.sky.own()];
        let mut next = vec![Boid::zeroed(); own.len()];
        // Ranks have fetched different rows, so each moves its own boids alone.
        on_this_rank(|| fly(own, &self.sky, &mut next));
        let next = DistVec::from_local(next).to_all();
        for (at, boid) in self.sky.order.iter().zip(next) {
            self.sky.boids[*at as usize] = boid;
        }
        self.sky.step += 1;
    }

    /// Boids meet the boids that they see. Each rank does this for some neighbouring cells.
    fn look_around(&mut self) {
        self.sky.sort();
        let own = self.sky.own();
        self.fetch(own.clone());
        let (mut counts, mut met) = (Vec::new(), Vec::new());
        on_this_rank(|| meet(&self.sky.order[own], &self.sky, &mut counts, &mut met));
        let mut starts = vec![0];
        starts.extend(counts.iter().scan(0, |sum, count| {
            *sum += *count as usize;
            Some(*sum)
        }));
        self.sky.company = Company { starts, met };
    }

    /// Fetches the rows of boids that those at these positions in the order may meet.
    fn fetch(&mut self, own: Range<usize>) {
        let (count, needed) = (self.sky.boids.len(), self.sky.seen_from(own));
        let fetched = &mut self.sky.fetched;
        let lacks = |at: &&u32| fetched.places[**at as usize] == u32::MAX;
        let lacking = self.sky.order[needed].iter().filter(lacks);
        let mut shelves: Vec<usize> = lacking.map(|at| *at as usize / SHELF).collect();
        shelves.sort_unstable();
        shelves.dedup();
        let runs = shelves.chunk_by(|a, b| a + 1 == *b);
        let mut runs: Vec<Range<usize>> =
            runs.map(|run| run[0] * SHELF..((run[run.len() - 1] + 1) * SHELF).min(count)).collect();
        // All ranks start as many fetches as the one that needs most.
        let most = DistVec::from_local(vec![runs.len()]).to_all().into_iter().max().unwrap_or(0);
        runs.resize(most, 0..0);
        let fetches: Vec<_> = runs.iter().map(|run| self.rows.fetch(run.clone())).collect();
        for (run, fetch) in runs.into_iter().zip(fetches) {
            for (at, row) in run.zip(fetch.wait().elements()) {
                if fetched.places[at] == u32::MAX {
                    fetched.places[at] = fetched.rows.len() as u32;
                    fetched.rows.push(*row);
                }
            }
        }
    }
}

/// A document before the first step.
fn start(seed: u64, document: u32, side: f32) -> Boid {
    let random = Random::new(seed, document, 0);
    let angle = random.number(2) * std::f32::consts::TAU;
    Boid {
        position: [random.number(0) * side, random.number(1) * side],
        velocity: [SPEED * angle.cos(), SPEED * angle.sin()],
    }
}

/// The boids of a rank, in the order of their cells, meet others.
#[foreach_tls]
fn meet(order: &[u32], sky: &Sky, counts: &mut Vec<u32>, met: &mut Vec<Met>) {
    for own in order {
        let mut count = 0;
        for other in sky.seen_by(*own) {
            met.push(Met { other, affinity: sky.affinity(*own, other) });
            count += 1;
        }
        counts.push(count);
    }
}

/// The boids of a rank, in the order of their cells, fly a step.
#[foreach]
fn fly(order: &[u32], sky: &Sky, next: &mut [Boid]) {
    for i in 0..order.len() {
        next[i] = sky.moved(i, order[i]);
    }
}

impl Sky {
    /// The length of the sides of the plane.
    pub fn side(&self) -> f32 {
        self.side
    }

    /// The boids.
    pub fn boids(&self) -> &[Boid] {
        &self.boids
    }

    /// The mean similarity of each boid's document to all others.
    pub fn means(&self) -> &[f32] {
        &self.means
    }

    /// The similarity that documents are expected to have.
    pub fn expected(&self) -> Expected {
        self.expected
    }

    fn cell(&self, position: [f32; 2]) -> [usize; 2] {
        position.map(|along| ((along / self.side * self.cells as f32) as usize).min(self.cells - 1))
    }

    /// Sorts the boids by their cells, row by row.
    pub(crate) fn sort(&mut self) {
        let cell = |boid: &Boid| {
            let [x, y] = self.cell(boid.position);
            y * self.cells + x
        };
        let cells: Vec<usize> = self.boids.iter().map(cell).collect();
        let mut starts = vec![0; self.cells * self.cells + 1];
        cells.iter().for_each(|cell| starts[cell + 1] += 1);
        (1..starts.len()).for_each(|cell| starts[cell] += starts[cell - 1]);
        let mut next = starts.clone();
        self.order = vec![0; cells.len()];
        for (boid, cell) in (0..).zip(cells) {
            self.order[next[cell] as usize] = boid;
            next[cell] += 1;
        }
        self.starts = starts;
    }

    /// The positions of this rank's boids in the order.
    fn own(&self) -> Range<usize> {
        share(self.order.len())
    }

    /// The positions of all boids in rows of cells that the boids at some positions see.
    fn seen_from(&self, own: Range<usize>) -> Range<usize> {
        if own.is_empty() {
            return own;
        }
        let row = |at: usize| self.cell(self.boids[self.order[at] as usize].position)[1];
        let first = row(own.start).saturating_sub(1) * self.cells;
        let last = (row(own.end - 1) + 2).min(self.cells) * self.cells;
        self.starts[first] as usize..self.starts[last] as usize
    }

    /// The other boids that a boid sees, at the last look around.
    pub(crate) fn seen_by(&self, own: u32) -> impl Iterator<Item = u32> + '_ {
        let position = self.boids[own as usize].position;
        let [x, y] = self.cell(position);
        let (first, last) = (x.saturating_sub(1), (x + 1).min(self.cells - 1));
        let rows = y.saturating_sub(1)..=(y + 1).min(self.cells - 1);
        let around = rows.flat_map(move |y| {
            let cells = self.starts[y * self.cells + first]..self.starts[y * self.cells + last + 1];
            self.order[cells.start as usize..cells.end as usize].iter().copied()
        });
        around
            .filter(move |other| *other != own && length(between(position, self.boids[*other as usize].position)) < 1.0)
    }

    /// How much more similar two documents are than expected.
    fn affinity(&self, own: u32, other: u32) -> f32 {
        let row = |boid: u32| &self.fetched.rows[self.fetched.places[boid as usize] as usize];
        let similarity = row(own).similarity(row(other));
        let level = self.expected.level([own, other].map(|boid| self.means[boid as usize]), LEVEL);
        ((similarity - level) / (LEVEL * self.expected.mean).max(1e-6)).clamp(-1.0, 3.0)
    }

    /// A boid after a step.
    fn moved(&self, at: usize, own: u32) -> Boid {
        let Boid { mut position, mut velocity } = self.boids[own as usize];
        let (mut direction, mut steer, mut apart) = ([0.0; 2], [0.0; 2], [0.0; 2]);
        let (mut similar, mut all) = (0.0, 0.0);
        for Met { other, affinity } in self.company.of(at) {
            let there = &self.boids[*other as usize];
            let way = between(position, there.position);
            let distance = length(way).clamp(1e-3, 1.0);
            let near = (1.0 - distance / SPACE).max(0.0);
            all += affinity.abs();
            similar += affinity.max(0.0);
            for k in 0..2 {
                direction[k] += affinity.max(0.0) * there.velocity[k];
                steer[k] += affinity.max(0.0) * COHESION * way[k];
                steer[k] += affinity.min(0.0) * AVOIDANCE * (1.0 - distance) * way[k] / distance;
                apart[k] -= near * way[k] / distance;
            }
        }
        let random = Random::new(self.seed, own, self.step + 1);
        for k in 0..2 {
            if similar > 0.0 {
                velocity[k] += ALIGNMENT * (direction[k] / similar - velocity[k]);
            }
            if all > 0.0 {
                velocity[k] += steer[k] / all;
            }
            velocity[k] += SEPARATION * apart[k] + NOISE * (random.number(k as u64) - 0.5);
        }
        let speed = length(velocity).max(1e-9);
        let factor = speed.clamp(0.5 * SPEED, 4.0 / 3.0 * SPEED) / speed;
        for k in 0..2 {
            velocity[k] *= factor;
            position[k] += velocity[k];
            // The plane has walls.
            if position[k] < 0.0 {
                (position[k], velocity[k]) = (-position[k], velocity[k].abs());
            } else if position[k] > self.side {
                (position[k], velocity[k]) = (2.0 * self.side - position[k], -velocity[k].abs());
            }
        }
        Boid { position, velocity }
    }
}

impl Company {
    /// The boids that this boid of the rank has met.
    fn of(&self, at: usize) -> &[Met] {
        &self.met[self.starts[at]..self.starts[at + 1]]
    }
}

/// The way from a place to another.
fn between(from: [f32; 2], to: [f32; 2]) -> [f32; 2] {
    [to[0] - from[0], to[1] - from[1]]
}

fn length(way: [f32; 2]) -> f32 {
    (way[0] * way[0] + way[1] * way[1]).sqrt()
}

/// The random numbers of a boid in a step, the same on any rank and thread.
struct Random(u64);

impl Random {
    fn new(seed: u64, boid: u32, step: u64) -> Random {
        Random(mixed(mixed(seed ^ GOLDEN) ^ mixed(u64::from(boid) << 32 ^ step)))
    }

    /// A number from 0 to 1.
    fn number(&self, which: u64) -> f32 {
        let bits = mixed(self.0.wrapping_add(which.wrapping_mul(GOLDEN)));
        (bits >> 40) as f32 / (1_u64 << 24) as f32
    }
}

const GOLDEN: u64 = 0x9e37_79b9_7f4a_7c15;

/// The finalizer of SplitMix64 (Steele, Lea and Flood, 2014).
fn mixed(mut bits: u64) -> u64 {
    bits = (bits ^ bits >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    bits = (bits ^ bits >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    bits ^ bits >> 31
}
