//! Which of many boxes may hold a point.

use crate::grid::Grid;
use forall::{DistVec, distributed_sort, foreach_tls, kary_reduce};
use std::iter::Peekable;

/// A box along the axes: its lowest and its highest corner. One whose lowest corner is not the lowest holds nothing.
pub type Extent = [[f32; 3]; 2];

/// A locator of boxes, such as those around the cells of a mesh. Every rank has it as a whole.
#[derive(Debug, Clone, PartialEq)]
pub struct Boxes {
    grid: Grid,
    /// Where the boxes that reach into each bucket begin, and where those of the last one end.
    starts: Vec<u32>,
    numbers: Vec<u32>,
    /// Boxes that reach into too many buckets.
    large: Vec<u32>,
}

/// A box that reaches into more buckets is looked at for each point.
const MOST_BUCKETS: usize = 512;

/// The lowest and the highest corner of all boxes.
#[kary_reduce]
fn bounds(boxes: &[Extent]) -> ([f32; 3], [f32; 3]) {
    let (mut a, mut b, mut c) = (f32::INFINITY, f32::INFINITY, f32::INFINITY);
    let (mut d, mut e, mut f) = (f32::NEG_INFINITY, f32::NEG_INFINITY, f32::NEG_INFINITY);
    for i in 0..boxes.len() {
        let [low, high] = boxes[i];
        a = a.min(low[0]);
        b = b.min(low[1]);
        c = c.min(low[2]);
        d = d.max(high[0]);
        e = e.max(high[1]);
        f = f.max(high[2]);
    }
    ([a, b, c], [d, e, f])
}

/// The places in the grid that a box reaches into, along each axis.
fn reach(extent: Extent, grid: &Grid) -> Option<[[usize; 3]; 2]> {
    let [low, high] = extent;
    (0..3).all(|axis| low[axis] <= high[axis]).then(|| [grid.place(low), grid.place(high)])
}

fn count([low, high]: [[usize; 3]; 2]) -> usize {
    (0..3).map(|axis| high[axis] - low[axis] + 1).product()
}

/// Buckets, and the boxes that reach into them.
#[foreach_tls]
fn reaches(boxes: &[Extent], grid: &Grid, out: &mut Vec<[u32; 2]>) {
    for i in 0..boxes.len() {
        if let Some([low, high]) = reach(boxes[i], grid).filter(|ends| count(*ends) <= MOST_BUCKETS) {
            for z in low[2]..high[2] + 1 {
                for y in low[1]..high[1] + 1 {
                    for x in low[0]..high[0] + 1 {
                        out.push([grid.number([x, y, z]) as u32, i as u32]);
                    }
                }
            }
        }
    }
}

#[foreach_tls]
fn large_ones(boxes: &[Extent], grid: &Grid, out: &mut Vec<u32>) {
    for i in 0..boxes.len() {
        if reach(boxes[i], grid).is_some_and(|ends| count(ends) > MOST_BUCKETS) {
            out.push(i as u32);
        }
    }
}

#[distributed_sort]
fn sort(pairs: &mut [[u32; 2]]) {
    pairs.sort_unstable();
}

impl Boxes {
    /// About as many buckets as there are boxes. All ranks call it together.
    pub fn new(boxes: &DistVec<Extent>) -> Boxes {
        let (low, high) = bounds(boxes);
        let grid = Grid::of_density(low, high, boxes.len(), 1.0);
        let (mut pairs, mut large) = (DistVec::from_local(Vec::new()), DistVec::from_local(Vec::new()));
        reaches(boxes, &grid, &mut pairs);
        large_ones(boxes, &grid, &mut large);
        sort(&mut pairs);
        let pairs = pairs.to_all();
        let mut starts = vec![0; grid.len() + 1];
        pairs.iter().for_each(|[bucket, _]| starts[*bucket as usize + 1] += 1);
        (1..starts.len()).for_each(|bucket| starts[bucket] += starts[bucket - 1]);
        let numbers = pairs.into_iter().map(|[_, number]| number).collect();
        Boxes { grid, starts, numbers, large: large.to_all() }
    }

    /// The boxes that may hold a point, in rising order; all that hold it are among them.
    pub fn near(&self, point: [f32; 3]) -> impl Iterator<Item = usize> {
        let bucket = self.grid.bucket(point);
        let own = &self.numbers[self.starts[bucket] as usize..self.starts[bucket + 1] as usize];
        InOrder { one: own.iter().peekable(), two: self.large.iter().peekable() }.map(|number| *number as usize)
    }
}

/// Two rising sequences as one.
struct InOrder<I: Iterator> {
    one: Peekable<I>,
    two: Peekable<I>,
}

impl<I: Iterator<Item: Ord>> Iterator for InOrder<I> {
    type Item = I::Item;

    fn next(&mut self) -> Option<I::Item> {
        match (self.one.peek(), self.two.peek()) {
            (Some(one), Some(two)) if two < one => self.two.next(),
            (None, _) => self.two.next(),
            _ => self.one.next(),
        }
    }
}
