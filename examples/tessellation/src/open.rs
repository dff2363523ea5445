//! Cells that end at the bounds of the space, made beyond these: their corners there are the middles of spheres of the Delaunay mesh too.
//!
//! A corner is right if the ball around it, which goes through the particle of the cell, is empty. If another particle is in the ball, the cell is
//! cut by the one that is deepest there. The balls are large, but little of them is inside of the bounds.

use crate::balls::{Ball, Tree};
use crate::dual::MOST;
use crate::polyhedron::Polyhedron;
use crate::region::Particle;
use crate::space::Space;
use serde::{Deserialize, Serialize};

/// A cell without a bound on some side ends so far away, relative to the space: spheres of the mesh are not larger.
const FAR: f64 = 1e6;

/// A cell that is open beyond the bounds.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Open {
    number: u32,
    /// The particles that cut it or touch a corner, in the order of the cuts.
    cutters: Vec<u32>,
    /// The corners whose balls are empty, or were asked about.
    checked: Vec<[f64; 3]>,
    /// The three particles at each corner of the cell, while other blocks search its balls. Empty if a corner may have more particles.
    pub spheres: Option<Spheres>,
    /// Whether a cutter has been added since.
    is_new: bool,
    /// Whether all of its corners are right.
    pub is_closed: bool,
}

/// The three particles at each corner of a cell, and whether it has no bound on some side.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Spheres {
    /// On each sphere, beside the particle of the cell.
    pub on: Vec<[u32; 3]>,
    /// Whether the particle is on the hull.
    pub is_hull: bool,
}

/// A ball that a block asks another one about, for one of its open cells.
#[derive(Debug, Clone, Copy, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C)]
pub struct Question {
    /// Which of the open cells.
    pub cell: u64,
    /// The ball that must be empty.
    pub ball: Ball,
    /// How many particles on its rim matter.
    pub rim: u64,
}

/// A particle that is in a ball, or on its rim.
#[derive(Debug, Clone, Copy, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C)]
pub struct Found {
    /// Which of the open cells asked.
    pub cell: u64,
    /// The particle.
    pub particle: Particle,
}

/// How many particles on the rim of a ball matter: none, if the corner is only there because the box around the cell is not larger.
fn rim(is_on_box: bool) -> u64 {
    if is_on_box { 0 } else { MOST as u64 + 1 }
}

/// Answers the questions of other blocks.
pub fn find(tree: &Tree<'_>, questions: &[Question]) -> Vec<Found> {
    let (mut all, mut found) = (Vec::new(), Vec::new());
    for Question { cell, ball, rim } in questions {
        tree.inside(ball, *rim as usize, &mut found);
        all.extend(found.iter().map(|number| Found { cell: *cell, particle: tree.particle(*number) }));
    }
    all
}

impl Open {
    /// A cell as it is within the bounds.
    pub fn new(number: u32, polyhedron: &Polyhedron) -> Self {
        Open {
            number,
            cutters: polyhedron.cutters().collect(),
            checked: Vec::new(),
            spheres: None,
            is_new: true,
            is_closed: false,
        }
    }

    /// Which own particle it is around.
    pub fn number(&self) -> usize {
        self.number as usize
    }

    /// Adds a particle that may cut it.
    pub fn add(&mut self, cutter: u32) {
        if !self.cutters.contains(&cutter) {
            self.cutters.push(cutter);
            self.is_new = true;
        }
    }

    /// Whether nothing was found that cuts it since it was made, so that nobody has to make it again.
    pub fn is_right(&self) -> bool {
        !self.is_new && self.spheres.is_some()
    }

    /// Makes the cell of all particles that are known to cut it, and of those in a tree. Returns the questions that other blocks must answer.
    pub fn go_on(
        &mut self,
        cell: u64,
        polyhedron: &mut Polyhedron,
        all: &[Particle],
        tree: &Tree<'_>,
        space: &Space,
    ) -> Vec<Question> {
        let at = all[self.number()].at;
        let to = |other: u32| [0, 1, 2].map(|axis| all[other as usize].at[axis] - at[axis]);
        polyhedron.set_box([-FAR * space.longest(); 3], [FAR * space.longest(); 3]);
        self.cutters.iter().for_each(|cutter| polyhedron.cut(to(*cutter), *cutter));
        self.is_new = false;
        let (mut right, mut found): (Vec<[f64; 3]>, Vec<u32>) = (Vec::new(), Vec::new());
        'again: loop {
            for (corner, is_on_box) in polyhedron.corners() {
                // Within the bounds, nothing cut the cell any more.
                let is_within = (0..3).all(|axis| {
                    let (low, high) = (space.whole.low[axis], space.whole.high[axis]);
                    let (place, near) = (at[axis] + corner[axis], 1e-9 * (high - low));
                    low + near < place && place < high - near
                });
                if is_within || right.contains(&corner) {
                    continue;
                }
                right.push(corner);
                let mut is_new = false;
                tree.inside(&Ball { at, centre: corner }, rim(is_on_box) as usize, &mut found);
                for other in found.drain(..) {
                    if !self.cutters.contains(&other) {
                        self.cutters.push(other);
                        polyhedron.cut(to(other), other);
                        is_new = true;
                    }
                }
                if is_new {
                    continue 'again;
                }
            }
            break;
        }
        let mut questions = Vec::new();
        for (centre, is_on_box) in polyhedron.corners() {
            if right.contains(&centre) && !self.checked.contains(&centre) {
                self.checked.push(centre);
                questions.push(Question { cell, ball: Ball { at, centre }, rim: rim(is_on_box) });
            }
        }
        questions
    }
}
