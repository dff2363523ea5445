//! How a volume is cut into bricks: by planes, again and again, each time across the longest side.
//!
//! A plane has the eye on one side of it. Points on that side hide points on the other side, and never the other way round. So the
//! bricks can be put in an order, front to back, and a picture of all of them is the pictures of each, one over the other.

use bytemuck::{Pod, Zeroable};
use std::ops::Range;

/// Cells along each side of a block of a brick.
pub const BLOCK: usize = 4;

/// Points are stored in runs of this length.
pub const RUN: usize = 64;

/// A part of a volume that one rank draws. A cell lies between eight points, and belongs to the lowest of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Pod, Zeroable, forall::DeviceData)]
#[repr(C)]
pub struct Brick {
    /// The first cell along x, y and z of the first block.
    pub start: [i32; 3],
    /// The first cell along x, y and z that may be visible.
    pub low: [i32; 3],
    /// The cells after the last ones.
    pub high: [i32; 3],
    /// The first point that is stored: one before those of the cells, for the gradient, unless there is none.
    pub first: [i32; 3],
    /// How many points are stored along x, y and z: up to one after those of the cells.
    pub points: [i32; 3],
    /// How many blocks of cells there are along x, y and z.
    pub blocks: [i32; 3],
}

impl Brick {
    /// The brick of these cells, in a volume of so many points.
    fn new(shape: [usize; 3], low: [usize; 3], high: [usize; 3]) -> Self {
        let is_empty = (0..3).any(|axis| low[axis] == high[axis]);
        let first = low.map(|low| low.saturating_sub(1));
        let points = [0, 1, 2].map(|axis| (high[axis] + 2).min(shape[axis]) - first[axis]);
        let blocks = [0, 1, 2].map(|axis| (high[axis] - low[axis]).div_ceil(BLOCK));
        let narrow = |sizes: [usize; 3]| sizes.map(|size| size as i32);
        let stored = |sizes: [usize; 3]| if is_empty { [0; 3] } else { narrow(sizes) };
        Brick {
            start: narrow(low),
            low: narrow(low),
            high: narrow(high),
            first: narrow(first),
            points: stored(points),
            blocks: stored(blocks),
        }
    }

    /// The same brick, in which the rays only sample the blocks that are visible or between such: those where `leaps` says 0.
    #[must_use]
    pub fn trimmed(self, leaps: &[u8]) -> Self {
        let [nx, ny, nz] = self.blocks.map(|blocks| blocks as usize);
        let (mut least, mut most) = ([i32::MAX; 3], [0; 3]);
        for number in (0..nx * ny * nz).filter(|&number| leaps[number] == 0) {
            let block = [number % nx, number / nx % ny, number / nx / ny].map(|block| block as i32);
            least = [0, 1, 2].map(|axis| block[axis].min(least[axis]));
            most = [0, 1, 2].map(|axis| most[axis].max(block[axis] + 1));
        }
        if least[0] >= most[0] {
            return Brick { high: self.low, ..self };
        }
        let cell = |axis: usize, block: i32| self.start[axis] + block * BLOCK as i32;
        Brick {
            low: [0, 1, 2].map(|axis| cell(axis, least[axis])),
            high: [0, 1, 2].map(|axis| cell(axis, most[axis]).min(self.high[axis])),
            ..self
        }
    }

    /// The points that are stored, along x, y and z.
    pub fn stored(&self) -> [Range<usize>; 3] {
        [0, 1, 2].map(|axis| self.first[axis] as usize..(self.first[axis] + self.points[axis]) as usize)
    }
}

/// Cuts a volume of so many points into bricks, in the order in which they are seen from a place that is given in cells.
///
/// There are `count` of them, as equal as can be; where there are fewer cells than that, some are empty.
pub fn front_to_back(shape: [usize; 3], count: usize, eye: [f32; 3]) -> Vec<Brick> {
    let mut bricks = Vec::with_capacity(count);
    cut(shape, [0; 3], shape.map(|points| points.saturating_sub(1)), count, eye, &mut bricks);
    bricks
}

fn cut(shape: [usize; 3], low: [usize; 3], high: [usize; 3], count: usize, eye: [f32; 3], bricks: &mut Vec<Brick>) {
    if count == 1 {
        bricks.push(Brick::new(shape, low, high));
        return;
    }
    // The last of the longest sides: planes of a file stay whole for as long as may be.
    let axis = (0..3).max_by_key(|&axis| high[axis] - low[axis]).unwrap_or(2);
    let below = count / 2;
    let (mut end, mut start) = (high, low);
    let plane = low[axis] + (high[axis] - low[axis]) * below / count;
    (end[axis], start[axis]) = (plane, plane);
    if eye[axis] < plane as f32 {
        cut(shape, low, end, below, eye, bricks);
        cut(shape, start, high, count - below, eye, bricks);
    } else {
        cut(shape, start, high, count - below, eye, bricks);
        cut(shape, low, end, below, eye, bricks);
    }
}

/// How much room each of these bricks has in one long vector: for its points, and for its blocks.
pub fn rooms(bricks: &[Brick]) -> (usize, usize) {
    let most = |sizes: fn(&Brick) -> [i32; 3]| {
        bricks.iter().map(|brick| sizes(brick).iter().map(|&size| size as usize).product()).max().unwrap_or(0).max(1)
    };
    (most(|brick| brick.points).next_multiple_of(RUN), most(|brick| brick.blocks))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_cell_is_in_one_brick_and_nothing_stands_before_what_hides_it() {
        for (shape, eye) in
            [([9, 7, 5], [-30.0, 3.0, 40.0]), ([3, 2, 2], [0.5, 9.0, 0.5]), ([6, 6, 6], [2.2, 3.1, 2.9])]
        {
            for count in 1..20 {
                let bricks = front_to_back(shape, count, eye);
                assert_eq!(bricks.len(), count);
                let mut owners = vec![0; shape.iter().map(|n| n - 1).product()];
                for brick in &bricks {
                    for z in brick.low[2]..brick.high[2] {
                        for y in brick.low[1]..brick.high[1] {
                            for x in brick.low[0]..brick.high[0] {
                                owners[(z as usize * (shape[1] - 1) + y as usize) * (shape[0] - 1) + x as usize] += 1;
                            }
                        }
                    }
                }
                assert!(owners.iter().all(|&owners| owners == 1), "{count} bricks of {shape:?}");
                // From the eye to any cell, the numbers of the bricks on the way only rise.
                let number = |p: [f32; 3]| {
                    bricks.iter().position(|b| (0..3).all(|k| b.low[k] as f32 <= p[k] && p[k] < b.high[k] as f32))
                };
                for (last, brick) in bricks.iter().enumerate().filter(|(_, brick)| brick.points[0] > 0) {
                    let to = [0, 1, 2].map(|k| brick.low[k] as f32 + 0.37);
                    let way = (0..=200).map(|k| k as f32 / 200.0);
                    let seen = way.filter_map(|t| number([0, 1, 2].map(|k| eye[k] + t * (to[k] - eye[k]))));
                    let seen: Vec<usize> = seen.collect();
                    assert!(seen.is_sorted() && seen.last() == Some(&last), "{seen:?} of {count} in {shape:?}");
                }
            }
        }
    }

    #[test]
    fn a_brick_is_trimmed_to_what_is_seen() {
        let brick = front_to_back([12, 10, 3], 1, [0.0; 3])[0];
        let blocks: usize = brick.blocks.iter().map(|&blocks| blocks as usize).product();
        let mut leaps = vec![1; blocks];
        assert_eq!(brick.trimmed(&leaps).high, [0; 3]);
        leaps[brick.blocks[0] as usize + 1] = 0;
        let (from, to) = (BLOCK as i32, 2 * BLOCK as i32);
        let trimmed = brick.trimmed(&leaps);
        assert_eq!((trimmed.low, trimmed.high), ([from, from, 0], [to, to.min(9), 2]));
        assert_eq!(trimmed.stored(), brick.stored());
    }

    #[test]
    fn bricks_of_few_cells_may_be_empty() {
        let bricks = front_to_back([2, 2, 2], 7, [9.0; 3]);
        assert_eq!(bricks.iter().filter(|brick| brick.points == [2; 3]).count(), 1);
        assert_eq!(bricks.iter().filter(|brick| brick.points == [0; 3]).count(), 6);
        assert_eq!(rooms(&bricks), (RUN, 1));
    }
}
