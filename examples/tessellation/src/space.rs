//! Where particles may be, cut into boxes, one for each block.

use crate::balls::Ball;
use std::ops::Range;

/// A box: the low side belongs to it, the high side does not.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Bounds {
    /// The least coordinates.
    pub low: [f64; 3],
    /// The greatest.
    pub high: [f64; 3],
}

impl Bounds {
    /// Its length along each axis.
    pub fn extent(&self) -> [f64; 3] {
        [0, 1, 2].map(|axis| self.high[axis] - self.low[axis])
    }

    /// Its volume.
    pub fn volume(&self) -> f64 {
        self.extent().into_iter().product()
    }

    /// The same, wider by so much on each side.
    #[must_use]
    pub fn wider(&self, by: f64) -> Bounds {
        Bounds { low: self.low.map(|at| at - by), high: self.high.map(|at| at + by) }
    }

    /// The same, elsewhere.
    #[must_use]
    pub fn moved(&self, by: [f64; 3]) -> Bounds {
        let moved = |at: [f64; 3]| [0, 1, 2].map(|axis| at[axis] + by[axis]);
        Bounds { low: moved(self.low), high: moved(self.high) }
    }

    /// Whether a place is in it.
    pub fn contains(&self, at: [f64; 3]) -> bool {
        (0..3).all(|axis| self.low[axis] <= at[axis] && at[axis] < self.high[axis])
    }

    /// Whether another one is in it.
    pub fn encloses(&self, other: &Bounds) -> bool {
        (0..3).all(|axis| self.low[axis] <= other.low[axis] && other.high[axis] <= self.high[axis])
    }

    /// Whether it has a side in common with another one, or more.
    fn touches(&self, other: &Bounds) -> bool {
        (0..3).all(|axis| self.low[axis] <= other.high[axis] && other.low[axis] <= self.high[axis])
    }
}

/// Where particles may be, and how that is cut into boxes that hold about as many each: a k-d tree.
#[derive(Debug, Clone, PartialEq)]
pub struct Space {
    /// All of it.
    pub whole: Bounds,
    /// Whether what leaves on one side comes back on the other one.
    pub periodic: bool,
    /// Whether the blocks also make the Delaunay mesh.
    pub meshed: bool,
    boxes: Vec<Bounds>,
    /// The root first; none where there is one box.
    cuts: Vec<Cut>,
}

/// A cut of a box into two.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Cut {
    axis: usize,
    /// Places below go to the first side.
    at: f64,
    /// Where the cuts of both sides are, where a side has several boxes.
    sides: [usize; 2],
    /// The first box of the second side.
    second: usize,
}

impl Space {
    /// Cuts a space into boxes. `sample` are places that are distributed as the particles are.
    ///
    /// # Panics
    /// When there is no box.
    pub fn new(whole: Bounds, periodic: bool, boxes: usize, mut sample: Vec<[f64; 3]>) -> Self {
        assert!(boxes > 0, "there is at least one box");
        let mut space = Space { whole, periodic, meshed: false, boxes: vec![whole; boxes], cuts: Vec::new() };
        space.cut(0..boxes, &mut sample);
        space
    }

    /// How far an image of a particle is from it. See [`Particle::image`](crate::region::Particle::image).
    pub fn shift_of(&self, image: u64) -> [f64; 3] {
        self.shift([32, 16, 0].map(|bits| i32::from((image >> bits) as u16 as i16)))
    }

    /// The box around a place in which its cell is: from where to where, relative to the place.
    pub fn around(&self, at: [f64; 3]) -> ([f64; 3], [f64; 3]) {
        match self.periodic {
            // The images of the particle itself are that far away.
            true => (self.whole.extent().map(|extent| -extent), self.whole.extent()),
            false => ([0, 1, 2].map(|k| self.whole.low[k] - at[k]), [0, 1, 2].map(|k| self.whole.high[k] - at[k])),
        }
    }

    /// The length of its sides together: no two places are farther from each other.
    pub fn longest(&self) -> f64 {
        self.whole.extent().into_iter().sum()
    }

    /// The same, where the blocks also make the Delaunay mesh.
    #[must_use]
    pub fn meshed(self) -> Self {
        Space { meshed: true, ..self }
    }

    /// Cuts the box that all of these have so far.
    fn cut(&mut self, boxes: Range<usize>, sample: &mut [[f64; 3]]) -> usize {
        if boxes.len() == 1 {
            return 0;
        }
        let bounds = self.boxes[boxes.start];
        let (extent, second) = (bounds.extent(), boxes.start + boxes.len() / 2);
        let axis = (0..3).rev().max_by(|a, b| extent[*a].total_cmp(&extent[*b])).unwrap_or(0);
        let part = (second - boxes.start) as f64 / boxes.len() as f64;
        let middle = (part * sample.len() as f64) as usize;
        let inside = |at: &f64| bounds.low[axis] < *at && *at < bounds.high[axis];
        let halved = (middle < sample.len())
            .then(|| sample.select_nth_unstable_by(middle, |a, b| a[axis].total_cmp(&b[axis])).1[axis])
            .filter(inside);
        let at = halved.unwrap_or(bounds.low[axis] + part * extent[axis]);
        let mut sides = [bounds; 2];
        (sides[0].high[axis], sides[1].low[axis]) = (at, at);
        self.boxes[boxes.start..second].fill(sides[0]);
        self.boxes[second..boxes.end].fill(sides[1]);
        let number = self.cuts.len();
        self.cuts.push(Cut { axis, at, sides: [0; 2], second });
        sample.sort_unstable_by(|a, b| a[axis].total_cmp(&b[axis]));
        let (below, above) = sample.split_at_mut(sample.partition_point(|place| place[axis] < at));
        let sides = [self.cut(boxes.start..second, below), self.cut(second..boxes.end, above)];
        self.cuts[number].sides = sides;
        number
    }

    /// The box with this number.
    pub fn bounds(&self, number: usize) -> Bounds {
        self.boxes[number]
    }

    /// How many boxes there are.
    pub fn len(&self) -> usize {
        self.boxes.len()
    }

    /// There is always a box.
    pub fn is_empty(&self) -> bool {
        false
    }

    /// The box that a place is in. Points on the high sides of a space that is not periodic are in the boxes there.
    pub fn owner(&self, at: [f64; 3]) -> usize {
        let (mut boxes, mut number) = (0..self.len(), 0);
        while boxes.len() > 1 {
            let Cut { axis, at: cut, sides, second } = self.cuts[number];
            let above = at[axis] >= cut;
            boxes = if above { second..boxes.end } else { boxes.start..second };
            number = sides[usize::from(above)];
        }
        boxes.start
    }

    /// A place in the space, for one that may have left a periodic one.
    pub fn inside(&self, at: [f64; 3]) -> [f64; 3] {
        if !self.periodic {
            return at;
        }
        let Bounds { low, .. } = self.whole;
        let extent = self.whole.extent();
        [0, 1, 2].map(|axis| {
            let from_low = (at[axis] - low[axis]).rem_euclid(extent[axis]);
            // A remainder that rounds up to the whole is none.
            let place = low[axis] + if from_low < extent[axis] { from_low } else { 0.0 };
            if place < self.whole.high[axis] { place } else { low[axis] }
        })
    }

    /// By how much an image lies beside the original.
    pub fn shift(&self, image: [i32; 3]) -> [f64; 3] {
        let extent = self.whole.extent();
        [0, 1, 2].map(|axis| f64::from(image[axis]) * extent[axis])
    }

    /// Which boxes, and which of their images, have something in common with a place: whoever wants to know all that is there asks them.
    pub fn touching(&self, wanted: &Bounds) -> Vec<(usize, [i32; 3])> {
        let extent = self.whole.extent();
        let images = |axis: usize| {
            if !self.periodic {
                return 0..=0;
            }
            let turns = |distance: f64| (distance / extent[axis]).ceil().max(0.0) as i32;
            let below = turns(self.whole.low[axis] - wanted.low[axis]);
            -below..=turns(wanted.high[axis] - self.whole.high[axis])
        };
        let mut found = Vec::new();
        for z in images(2) {
            for y in images(1) {
                for x in images(0) {
                    let image = [x, y, z];
                    if self.whole.moved(self.shift(image)).touches(wanted) {
                        self.touching_image(wanted, image, &mut found);
                    }
                }
            }
        }
        found
    }

    /// The boxes that have something in common with a ball, in a space that is not periodic.
    pub fn touching_ball(&self, ball: &Ball) -> Vec<usize> {
        let (mut found, mut left) = (Vec::new(), vec![(0..self.len(), 0, self.whole)]);
        while let Some((boxes, number, bounds)) = left.pop() {
            if !ball.touches(&bounds) {
                continue;
            }
            if boxes.len() == 1 {
                found.push(boxes.start);
                continue;
            }
            let Cut { axis, at, sides, second } = self.cuts[number];
            let (mut below, mut above) = (bounds, bounds);
            (below.high[axis], above.low[axis]) = (at, at);
            left.push((second..boxes.end, sides[1], above));
            left.push((boxes.start..second, sides[0], below));
        }
        found
    }

    /// Adds the boxes of an image that touch what is wanted.
    fn touching_image(&self, wanted: &Bounds, image: [i32; 3], found: &mut Vec<(usize, [i32; 3])>) {
        let shift = self.shift(image);
        let mut left = vec![(0..self.len(), 0)];
        while let Some((boxes, number)) = left.pop() {
            if boxes.len() == 1 {
                found.push((boxes.start, image));
                continue;
            }
            let Cut { axis, at, sides, second } = self.cuts[number];
            let at = at + shift[axis];
            if at <= wanted.high[axis] {
                left.push((second..boxes.end, sides[1]));
            }
            if wanted.low[axis] <= at {
                left.push((boxes.start..second, sides[0]));
            }
        }
    }
}
