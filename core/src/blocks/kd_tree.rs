//! A space cut into boxes by a k-d tree, and particles that move to the blocks of their boxes.
//!
//! After Morozov and Peterka, "Efficient Delaunay tessellation through k-d tree decomposition", SC 2016. All boxes of one level are cut at the
//! same time. A cut is an exact median of the particles of all ranks, found byte by byte from counts, so the tree depends on no number of ranks.

use super::collection::BlockData;
use super::placement::Assigner;
use super::set::Blocks;
use crate::comm::{Comm, Solo, collective};
use crate::data::together;
use crate::element::{Element, bytes_of, from_bytes};
use crate::runtime::Value;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::ops::Range;

/// A box. The low side belongs to it, and the high side does not.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Bounds<const D: usize> {
    /// The least coordinates.
    #[serde(with = "super::decomposition::axes")]
    pub low: [f64; D],
    /// The greatest coordinates.
    #[serde(with = "super::decomposition::axes")]
    pub high: [f64; D],
}

impl<const D: usize> Bounds<D> {
    /// The same box, wider by this much on each side.
    #[must_use]
    pub fn wider(&self, by: f64) -> Self {
        Bounds { low: self.low.map(|at| at - by), high: self.high.map(|at| at + by) }
    }

    /// Whether a place is in the box or on a side of it.
    pub fn covers(&self, at: [f64; D]) -> bool {
        (0..D).all(|axis| self.low[axis] <= at[axis] && at[axis] <= self.high[axis])
    }

    fn length(&self, axis: usize) -> f64 {
        self.high[axis] - self.low[axis]
    }
}

/// A space of `D` dimensions that is cut into boxes, one for each block: [`Blocks::distribute`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct KdTree<const D: usize> {
    boxes: Vec<Bounds<D>>,
    /// The root first. Empty if there is one box.
    cuts: Vec<Cut>,
}

/// A cut of a box into two.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
struct Cut {
    axis: usize,
    /// Places below are on the first side.
    at: f64,
    /// The cuts of the sides that have several boxes.
    sides: [usize; 2],
    /// The first box of the second side.
    second: usize,
}

/// A particle that is in no box, since it lies outside of the space, or a coordinate is NaN: [`Blocks::distribute`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Misplaced {
    /// The number of its block.
    pub block: usize,
    /// Its index among the particles of the block.
    pub index: usize,
}

impl fmt::Display for Misplaced {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Misplaced { block, index } = self;
        write!(
            formatter,
            "particle {index} of block {block} lies outside of the space; give larger bounds, or remove it"
        )
    }
}

impl std::error::Error for Misplaced {}

impl<const D: usize> KdTree<D> {
    /// The number of boxes.
    pub fn len(&self) -> usize {
        self.boxes.len()
    }

    /// Whether there is no box.
    pub fn is_empty(&self) -> bool {
        self.boxes.is_empty()
    }

    /// The box of a block.
    ///
    /// # Panics
    /// If there is no such box.
    #[track_caller]
    pub fn bounds(&self, number: usize) -> Bounds<D> {
        self.boxes[number]
    }

    /// The number of the box that a place belongs to. Places outside of the space belong to the box at that side.
    pub fn owner(&self, at: [f64; D]) -> usize {
        let (mut boxes, mut number) = (0..self.len(), 0);
        while boxes.len() > 1 {
            let Cut { axis, at: cut, sides, second } = self.cuts[number];
            let is_above = at[axis] >= cut;
            boxes = if is_above { second..boxes.end } else { boxes.start..second };
            number = sides[usize::from(is_above)];
        }
        boxes.start
    }

    /// The numbers of the boxes that share a place with this one, or a side, in order: the blocks with which a block exchanges ghosts if this is its
    /// box, wider by their reach.
    pub fn touching(&self, bounds: &Bounds<D>) -> Vec<usize> {
        let (mut found, mut left) = (Vec::new(), vec![(0..self.len(), 0)]);
        while let Some((boxes, number)) = left.pop() {
            if boxes.len() <= 1 {
                found.extend(boxes.filter(|number| {
                    let own = &self.boxes[*number];
                    (0..D).all(|axis| own.low[axis] <= bounds.high[axis] && bounds.low[axis] <= own.high[axis])
                }));
                continue;
            }
            let Cut { axis, at, sides, second } = self.cuts[number];
            if at <= bounds.high[axis] {
                left.push((second..boxes.end, sides[1]));
            }
            if bounds.low[axis] <= at {
                left.push((boxes.start..second, sides[0]));
            }
        }
        found
    }
}

impl<B: BlockData> Blocks<B> {
    /// Cuts a space into as many boxes as there are blocks, with about as many particles in each, and moves each particle to the block in whose box
    /// it lies. Returns the boxes. Collective.
    ///
    /// `particles` gives the particles of a block, and `place` the coordinates of one. They may lie in any blocks before. Afterwards, the particles
    /// of a block have the order of the blocks in which they were, and of their indices there. The tree and the order depend on no number of
    /// ranks. Boxes are cut across their longest side at an exact median. So the numbers of particles differ by one for each level, unless
    /// several particles have the same coordinate there.
    ///
    /// ```
    /// use forall_core::blocks::{Blocks, Bounds};
    ///
    /// let mut blocks = Blocks::from_fn(4, |number| vec![[number as f64, 0.5]; 3]);
    /// let space = Bounds { low: [0.0, 0.0], high: [4.0, 1.0] };
    /// let tree = blocks.distribute(space, |block| block, |at| *at)?;
    /// assert_eq!(tree.owner([1.0, 0.5]), 1);
    /// assert!(blocks.iter().all(|block| block.len() == 3));
    /// # Ok::<(), forall_core::blocks::Misplaced>(())
    /// ```
    ///
    /// Cost: eight sums over the ranks of 2 KiB a box for each level of the tree, and each particle moves once. A rank needs memory for all
    /// of its particles.
    ///
    /// # Errors
    /// If a particle lies outside of the space, or has a coordinate that is NaN: the first such particle, on all ranks. Then no particle moves.
    ///
    /// # Panics
    /// If a side of the space is negative, infinite or NaN, or if a block cannot be read from the store or written to it.
    #[track_caller]
    pub fn distribute<P: Element, const D: usize>(
        &mut self,
        space: Bounds<D>,
        particles: impl Fn(&mut B) -> &mut Vec<P>,
        place: impl Fn(&P) -> [f64; D],
    ) -> Result<KdTree<D>, Misplaced> {
        let extents = (0..D).map(|axis| space.length(axis));
        assert!(
            extents.into_iter().all(|extent| extent >= 0.0 && extent.is_finite()),
            "the space {space:?} has a side that is negative, infinite or NaN"
        );
        if self.placement().ranks() == 1 {
            return distribute(self, &Solo, space, &particles, &place);
        }
        let values = [Value::same("the number of blocks", self.len() as u64)];
        // The order of particles is that of the blocks, and equal medians go by it.
        let placement = self.placement().clone();
        if placement.owners().is_some() {
            self.assign(&Assigner::Contiguous);
            let found = self.distribute(space, particles, place);
            self.place(placement);
            return found;
        }
        together("Blocks::distribute", &values, |comm, _| distribute(self, comm, space, &particles, &place))
    }
}

/// The function [`Blocks::distribute`] on these ranks.
fn distribute<B: BlockData, P: Element, const D: usize>(
    blocks: &mut Blocks<B>,
    comm: &dyn Comm,
    space: Bounds<D>,
    particles: &impl Fn(&mut B) -> &mut Vec<P>,
    place: &impl Fn(&P) -> [f64; D],
) -> Result<KdTree<D>, Misplaced> {
    const NONE: [u64; 2] = [u64::MAX; 2];
    let mut wrong = NONE;
    let mut own: Vec<Vec<P>> = Vec::with_capacity(blocks.numbers().len());
    for mut block in blocks.iter_mut() {
        let taken = std::mem::take(particles(&mut block));
        if let Some(index) = taken.iter().position(|particle| !space.covers(place(particle))) {
            wrong = wrong.min([block.number() as u64, index as u64]);
        }
        own.push(taken);
    }
    let wrong = collective::allgather(comm, &[wrong]).into_iter().min().unwrap_or(NONE);
    if wrong != NONE {
        give(blocks, own, particles);
        return Err(Misplaced { block: wrong[0] as usize, index: wrong[1] as usize });
    }
    let own = own.concat();
    let places: Vec<[f64; D]> = own.iter().map(place).collect();
    let (tree, owners) = Cutting::new(comm, space, blocks.len(), &places).run();
    give(blocks, moved(comm, blocks, &own, &owners), particles);
    Ok(tree)
}

/// Gives each block of this rank its particles.
fn give<B: BlockData, P>(blocks: &mut Blocks<B>, own: Vec<Vec<P>>, particles: impl Fn(&mut B) -> &mut Vec<P>) {
    for (mut block, own) in blocks.iter_mut().zip(own) {
        *particles(&mut block) = own;
    }
}

/// The particles of each block of this rank, from those of all ranks.
fn moved<B: BlockData, P: Element>(comm: &dyn Comm, blocks: &Blocks<B>, own: &[P], owners: &[u32]) -> Vec<Vec<P>> {
    let mut order: Vec<usize> = (0..own.len()).collect();
    order.sort_by_key(|at| owners[*at]);
    let mut order = &order[..];
    let mut parcels: Vec<Vec<u8>> = vec![Vec::new(); comm.ranks()];
    for (rank, parcel) in parcels.iter_mut().enumerate() {
        for number in blocks.placement().tokens(rank) {
            let (of_block, others) = order.split_at(order.partition_point(|at| owners[*at] as usize <= number));
            parcel.extend_from_slice(&(of_block.len() as u64).to_le_bytes());
            of_block.iter().for_each(|at| parcel.extend_from_slice(bytes_of(&own[*at..=*at])));
            order = others;
        }
    }
    let mut found: Vec<Vec<P>> = blocks.numbers().iter().map(|_| Vec::new()).collect();
    for parcel in collective::all_to_all(comm, &parcels) {
        let mut rest = &parcel[..];
        for found in &mut found {
            let (count, behind) = rest.split_first_chunk().expect("a parcel has a count for each block");
            let (bytes, others) = behind.split_at(u64::from_le_bytes(*count) as usize * size_of::<P>());
            found.extend(from_bytes::<P>(bytes));
            rest = others;
        }
    }
    found
}

/// A tree that is being cut.
struct Cutting<'c, const D: usize> {
    comm: &'c dyn Comm,
    places: &'c [[f64; D]],
    tree: KdTree<D>,
    /// The boxes of this level that are still several, each with the cut whose side it is.
    open: Vec<Open<D>>,
    /// Which of these each particle is in.
    of: Vec<u32>,
    /// The final box of each particle that is in none of them.
    owners: Vec<u32>,
}

/// A box that will be several.
struct Open<const D: usize> {
    boxes: Range<usize>,
    bounds: Bounds<D>,
    /// The cut that made it, and the side.
    parent: Option<(usize, usize)>,
}

impl<const D: usize> Open<D> {
    /// The longest side; of equal ones the last.
    fn axis(&self) -> usize {
        (0..D).max_by(|one, two| self.bounds.length(*one).total_cmp(&self.bounds.length(*two))).unwrap_or(0)
    }

    /// The first box of the second side.
    fn second(&self) -> usize {
        self.boxes.start + self.boxes.len() / 2
    }

    /// The part of the particles that belongs to the first side.
    fn first_part(&self, count: u64) -> u64 {
        (u128::from(count) * (self.second() - self.boxes.start) as u128 / self.boxes.len() as u128) as u64
    }
}

/// Stands for no open box.
const CLOSED: u32 = u32::MAX;

/// A number that rises with the coordinate.
fn key(at: f64) -> u64 {
    // Adding zero makes a negative zero positive.
    let bits = (at + 0.0).to_bits();
    if bits >> 63 == 1 { !bits } else { bits | 1 << 63 }
}

fn coordinate(key: u64) -> f64 {
    f64::from_bits(if key >> 63 == 1 { key & !(1 << 63) } else { !key })
}

impl<'c, const D: usize> Cutting<'c, D> {
    fn new(comm: &'c dyn Comm, space: Bounds<D>, boxes: usize, places: &'c [[f64; D]]) -> Self {
        assert!(u32::try_from(boxes).is_ok_and(|boxes| boxes < CLOSED), "there are too many blocks: {boxes}");
        let tree = KdTree { boxes: vec![space; boxes], cuts: Vec::new() };
        let is_open = boxes > 1;
        let open = is_open.then_some(Open { boxes: 0..boxes, bounds: space, parent: None });
        let of = vec![if is_open { 0 } else { CLOSED }; places.len()];
        Cutting { comm, places, tree, open: open.into_iter().collect(), of, owners: vec![0; places.len()] }
    }

    /// The tree, and the box of each particle.
    fn run(mut self) -> (KdTree<D>, Vec<u32>) {
        while !self.open.is_empty() {
            let cuts = self.medians();
            self.cut(&cuts);
        }
        (self.tree, self.owners)
    }

    /// The sums of numbers over all ranks.
    fn sums(&self, own: Vec<u64>) -> Vec<u64> {
        let add = |mut one: Vec<u64>, two: Vec<u64>| {
            one.iter_mut().zip(two).for_each(|(one, two)| *one += two);
            one
        };
        collective::reduce_all(self.comm, 2, own, |own| bytes_of(own).to_vec(), from_bytes, add)
    }

    /// Where each open box is cut.
    fn medians(&self) -> Vec<f64> {
        const BINS: usize = 256;
        let axes: Vec<usize> = self.open.iter().map(Open::axis).collect();
        let (mut prefixes, mut ranks) = (vec![0_u64; axes.len()], vec![0_u64; axes.len()]);
        let mut counts = vec![0; axes.len()];
        for byte in (0..8).rev() {
            let mut bins = vec![0_u64; axes.len() * BINS];
            for (of, at) in self.of.iter().zip(self.places).filter(|(of, _)| **of != CLOSED) {
                let of = *of as usize;
                let key = key(at[axes[of]]);
                // The bytes before this one are those of the median.
                if byte == 7 || key >> (8 * (byte + 1)) == prefixes[of] {
                    bins[of * BINS + (key >> (8 * byte)) as usize % BINS] += 1;
                }
            }
            for (of, bins) in self.sums(bins).chunks(BINS).enumerate() {
                if byte == 7 {
                    counts[of] = bins.iter().sum();
                    ranks[of] = self.open[of].first_part(counts[of]);
                }
                let mut bin = 0;
                while bin + 1 < BINS && bins[bin] <= ranks[of] {
                    ranks[of] -= bins[bin];
                    bin += 1;
                }
                prefixes[of] = prefixes[of] << 8 | bin as u64;
            }
        }
        let cut = |(of, open): (usize, &Open<D>)| {
            let (low, high) = (open.bounds.low[axes[of]], open.bounds.high[axes[of]]);
            let part = (open.second() - open.boxes.start) as f64 / open.boxes.len() as f64;
            let median = Some(coordinate(prefixes[of])).filter(|at| counts[of] > 0 && low < *at && *at < high);
            median.unwrap_or(low + part * (high - low))
        };
        self.open.iter().enumerate().map(cut).collect()
    }

    /// Cuts the open boxes there.
    fn cut(&mut self, cuts: &[f64]) {
        let mut next = Vec::new();
        // The sides of each box: an open one of the next level, or a final one.
        let mut sides = Vec::with_capacity(cuts.len());
        for (open, &at) in std::mem::take(&mut self.open).into_iter().zip(cuts) {
            let (axis, second, number) = (open.axis(), open.second(), self.tree.cuts.len());
            if let Some((parent, side)) = open.parent {
                self.tree.cuts[parent].sides[side] = number;
            }
            self.tree.cuts.push(Cut { axis, at, sides: [0; 2], second });
            let (mut below, mut above) = (open.bounds, open.bounds);
            (below.high[axis], above.low[axis]) = (at, at);
            let parts = [(open.boxes.start..second, below), (second..open.boxes.end, above)];
            let mut side = 0;
            sides.push((
                axis,
                at,
                parts.map(|(boxes, bounds)| {
                    self.tree.boxes[boxes.clone()].fill(bounds);
                    let place = (next.len() as u32, boxes.start as u32);
                    let is_open = boxes.len() > 1;
                    if is_open {
                        next.push(Open { boxes, bounds, parent: Some((number, side)) });
                    }
                    side += 1;
                    (if is_open { place.0 } else { CLOSED }, place.1)
                }),
            ));
        }
        for ((of, owner), place) in self.of.iter_mut().zip(&mut self.owners).zip(self.places) {
            if *of != CLOSED {
                let (axis, at, sides) = sides[*of as usize];
                (*of, *owner) = sides[usize::from(place[axis] >= at)];
            }
        }
        self.open = next;
    }
}
