//! Particles in a tree of boxes, to find those in a ball: also in one that is so large that its rim is nearly flat.

use crate::polyhedron::{Halfway, NEAR, ROUNDING};
use crate::region::Particle;
use crate::space::Bounds;
use std::ops::Range;

/// As many particles in a box are not cut into two.
const FEW: usize = 8;

/// A ball through a particle.
#[derive(Debug, Clone, Copy, PartialEq, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C)]
pub struct Ball {
    /// Where the particle is.
    pub at: [f64; 3],
    /// Where the centre is, seen from there.
    pub centre: [f64; 3],
}

impl Ball {
    /// The most that a place in a box can be inside: as [`Halfway::beyond`] measures it, and how large rounding is there.
    fn most(&self, bounds: &Bounds) -> (f64, f64) {
        let (mut most, mut length) = (0.0, 0.0);
        for axis in 0..3 {
            let (low, high) = (bounds.low[axis] - self.at[axis], bounds.high[axis] - self.at[axis]);
            let centre = self.centre[axis];
            // By comparisons, since most of the time of a search goes here, and `clamp` looks for numbers that are none.
            let nearest = if centre < low {
                low
            } else if centre > high {
                high
            } else {
                centre
            };
            most += nearest * (centre - 0.5 * nearest);
            length += if high > -low { high } else { -low };
        }
        let [x, y, z] = self.centre.map(f64::abs);
        (most, length * (length + x + y + z))
    }

    /// Whether it has something in common with a box, or may have.
    pub fn touches(&self, bounds: &Bounds) -> bool {
        let (most, scale) = self.most(bounds);
        most >= -NEAR * scale
    }
}

/// Particles in a tree of boxes.
pub struct Tree<'p> {
    particles: &'p [Particle],
    order: Vec<u32>,
    boxes: Vec<Node>,
}

/// A box around some particles, and which of the order they are. The first part of those of a cut box follows it at once.
struct Node {
    bounds: Bounds,
    of: Range<usize>,
    /// Where the second part is; none where the box is not cut.
    second: Option<usize>,
}

impl<'p> Tree<'p> {
    /// Makes a tree of these particles.
    pub fn new(particles: &'p [Particle]) -> Self {
        let mut tree = Tree { particles, order: (0..particles.len() as u32).collect(), boxes: Vec::new() };
        if !particles.is_empty() {
            tree.cut(0..particles.len());
        }
        tree
    }

    fn cut(&mut self, of: Range<usize>) {
        let mut bounds = Bounds { low: [f64::INFINITY; 3], high: [f64::NEG_INFINITY; 3] };
        for number in &self.order[of.clone()] {
            for (axis, at) in self.particles[*number as usize].at.into_iter().enumerate() {
                bounds.low[axis] = bounds.low[axis].min(at);
                bounds.high[axis] = bounds.high[axis].max(at);
            }
        }
        let node = self.boxes.len();
        self.boxes.push(Node { bounds, of: of.clone(), second: None });
        if of.len() <= FEW {
            return;
        }
        let extent = bounds.extent();
        let axis = (0..3).max_by(|a, b| extent[*a].total_cmp(&extent[*b])).unwrap_or(0);
        let (half, particles) = (of.len() / 2, self.particles);
        let along = |number: &u32| particles[*number as usize].at[axis];
        self.order[of.clone()].select_nth_unstable_by(half, |a, b| along(a).total_cmp(&along(b)));
        self.cut(of.start..of.start + half);
        self.boxes[node].second = Some(self.boxes.len());
        self.cut(of.start + half..of.end);
    }

    /// A particle.
    pub fn particle(&self, number: u32) -> Particle {
        self.particles[number as usize]
    }

    /// The particle that is deepest in a ball, by more than rounding; if there is none, those on the rim as far as that can be told, so many at most.
    pub fn inside(&self, ball: &Ball, rim: usize, found: &mut Vec<u32>) {
        found.clear();
        let mut best: Option<(f64, u32)> = None;
        let near = if rim > 0 { NEAR } else { ROUNDING };
        let mut left: Vec<(usize, (f64, f64))> = Vec::with_capacity(64);
        left.extend(self.boxes.first().map(|first| (0, ball.most(&first.bounds))));
        while let Some((number, (most, scale))) = left.pop() {
            if best.map_or(-near * scale, |(best, _)| best - ROUNDING * scale) > most {
                continue;
            }
            let node = &self.boxes[number];
            if let Some(second) = node.second {
                // The one that is likely to have the deepest comes first.
                let [one, other] = [number + 1, second].map(|number| (number, ball.most(&self.boxes[number].bounds)));
                let (first, second) = if one.1.0 > other.1.0 { (one, other) } else { (other, one) };
                left.extend([second, first]);
                continue;
            }
            for &number in &self.order[node.of.clone()] {
                let at = self.particles[number as usize].at;
                let to = [0, 1, 2].map(|axis| at[axis] - ball.at[axis]);
                if to == [0.0; 3] {
                    continue;
                }
                let plane = Halfway::to(to);
                let beyond = plane.beyond(ball.centre);
                let id = |number: u32| self.particles[number as usize].id;
                if beyond > plane.rounding(ball.centre) {
                    if best.is_none_or(|(most, of)| beyond > most || beyond == most && id(number) < id(of)) {
                        best = Some((beyond, number));
                    }
                } else if best.is_none() && found.len() < rim && plane.touches(ball.centre) {
                    found.push(number);
                }
            }
        }
        if let Some((_, number)) = best {
            found.clear();
            found.push(number);
        }
    }
}
