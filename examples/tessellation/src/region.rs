//! A box of particles, which is a block.

use crate::nearest::Bins;
use crate::polyhedron::Polyhedron;
use crate::space::{Bounds, Space};
use forall_examples::grid::Grid;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A particle, or its image beside a periodic space.
#[derive(Debug, Clone, Copy, PartialEq, bytemuck::Pod, bytemuck::Zeroable, Serialize, Deserialize)]
#[repr(C)]
pub struct Particle {
    /// Where it is.
    pub at: [f64; 3],
    /// Its number among all particles.
    pub id: u64,
    /// Which image it is; 0 is the particle itself.
    pub image: u64,
}

/// A Voronoi cell: what is nearer to its particle than to all others.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Cell {
    /// Its volume.
    pub volume: f64,
    /// Between which places it lies.
    extent: [[f64; 3]; 2],
    /// The particles on the other side of its faces: own ones, and then those of others.
    neighbours: Vec<u32>,
}

/// What a region asks another one for: its particles, as this image has them, that are in one box and not in the other.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Request {
    image: [i32; 3],
    inside: Bounds,
    outside: Bounds,
}

/// The particles in a box, and those around it that are needed for their cells.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Region {
    bounds: Bounds,
    own: Vec<Particle>,
    others: Vec<Particle>,
    /// All particles are known up to this distance from the box.
    reach: f64,
    /// Those of the own particles, once they are certain.
    cells: Vec<Option<Cell>>,
    /// Two particles that are at the same place.
    twins: Option<[u64; 2]>,
}

/// What is known of the cells of a region, or of all.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Sums {
    /// How many there are.
    pub cells: u64,
    /// Their faces with a particle on the other side.
    pub faces: u64,
    /// The sum of their volumes.
    pub volume: f64,
    /// The least volume.
    pub least: f64,
    /// The greatest.
    pub most: f64,
    /// Particles of others that were looked at.
    pub others: u64,
}

impl Region {
    /// A box of a space. Its particles may lie anywhere at first.
    pub fn new(space: &Space, number: usize, own: Vec<Particle>) -> Self {
        let bounds = space.bounds(number);
        Region { bounds, own, others: Vec::new(), reach: 0.0, cells: Vec::new(), twins: None }
    }

    /// Takes out all particles, in a list for each box that they lie in.
    pub fn take_by_owner(&mut self, space: &Space) -> BTreeMap<usize, Vec<Particle>> {
        let mut of_boxes = BTreeMap::<usize, Vec<Particle>>::new();
        for particle in std::mem::take(&mut self.own) {
            of_boxes.entry(space.owner(particle.at)).or_default().push(particle);
        }
        of_boxes
    }

    /// Adds particles that lie in its box.
    pub fn add_own(&mut self, particles: &[Particle]) {
        self.own.extend_from_slice(particles);
        // Who sent them first makes no difference.
        self.own.sort_unstable_by_key(|particle| particle.id);
        self.cells = vec![None; self.own.len()];
    }

    /// Adds particles of others.
    pub fn add_others(&mut self, particles: &[Particle]) {
        self.others.extend_from_slice(particles);
    }

    /// How many particles lie in its box.
    pub fn len(&self) -> usize {
        self.own.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.own.is_empty()
    }

    /// Makes the cells that are certain now. How far from the box all particles must be known for the others: none where there are none.
    pub fn make_cells(&mut self, space: &Space) -> Option<f64> {
        if self.cells.iter().all(Option::is_some) {
            return None;
        }
        if self.reach == 0.0 && (space.len() > 1 || space.periodic) {
            // Nothing is known of what is around. Most cells need no particle farther away than this.
            return Some(2.0 * (self.bounds.volume() / self.own.len() as f64).cbrt());
        }
        let all = [&self.own[..], &self.others[..]].concat();
        let bins = Bins::new(&all);
        let known = self.bounds.wider(self.reach);
        let mut polyhedron = Polyhedron::default();
        let mut missing: Option<f64> = None;
        for number in 0..self.own.len() {
            if self.cells[number].is_some() {
                continue;
            }
            let at = all[number].at;
            let (low, high) = match space.periodic {
                // The images of the particle itself are that far away.
                true => (space.whole.extent().map(|extent| -extent), space.whole.extent()),
                false => {
                    ([0, 1, 2].map(|k| space.whole.low[k] - at[k]), [0, 1, 2].map(|k| space.whole.high[k] - at[k]))
                }
            };
            polyhedron.set_box(low, high);
            let mut twin = None;
            bins.by_distance(number, 4.0 * polyhedron.farthest(), |other| {
                let to = [0, 1, 2].map(|axis| all[other].at[axis] - at[axis]);
                match to == [0.0; 3] {
                    true => twin = Some(all[other].id),
                    false => polyhedron.cut(to, other as u32),
                }
                4.0 * polyhedron.farthest()
            });
            if let Some(twin) = twin {
                let id = all[number].id;
                let pair = [id.min(twin), id.max(twin)];
                self.twins = Some(self.twins.map_or(pair, |least| least.min(pair)));
            }
            // Only what is nearer than twice the farthest corner can cut it.
            let distance = 2.0 * polyhedron.farthest().sqrt();
            let certain = (0..3).all(|axis| {
                let below = !space.periodic && known.low[axis] <= space.whole.low[axis];
                let above = !space.periodic && known.high[axis] >= space.whole.high[axis];
                (below || known.low[axis] < at[axis] - distance) && (above || at[axis] + distance < known.high[axis])
            });
            if certain {
                let [low, high] = polyhedron.extent();
                let place = |from: [f64; 3]| [0, 1, 2].map(|axis| at[axis] + from[axis]);
                let neighbours = polyhedron.neighbours().collect();
                let extent = [place(low), place(high)];
                self.cells[number] = Some(Cell { volume: polyhedron.volume(), extent, neighbours });
            } else {
                missing = Some(missing.unwrap_or(0.0).max(distance));
            }
        }
        missing
    }

    /// Whom to ask for the particles that are missing, where they are needed up to a distance.
    pub fn requests(&mut self, space: &Space, distance: f64) -> Vec<(usize, Request)> {
        let outside = self.bounds.wider(self.reach);
        // A cell becomes smaller by what is found: it seldom needs all of the distance. A little more than that is never too little.
        let distance = distance * (1.0 + 1e-9);
        self.reach = if self.reach > 0.0 { distance.min(2.0 * self.reach) } else { distance };
        let inside = self.bounds.wider(self.reach);
        let mut asked = space.touching(&inside);
        // Whose box was known before has nothing more.
        asked.retain(|(number, image)| {
            let bounds = space.bounds(*number).moved(space.shift(*image));
            !(0..3).all(|axis| outside.low[axis] <= bounds.low[axis] && bounds.high[axis] <= outside.high[axis])
        });
        asked.into_iter().map(|(number, image)| (number, Request { image, inside, outside })).collect()
    }

    /// Its particles that were asked for.
    pub fn answer(&self, request: &Request, space: &Space) -> Vec<Particle> {
        let shift = space.shift(request.image);
        let image = request.image.iter().fold(0, |all, turns| all << 16 | u64::from(*turns as u16));
        let moved = self.own.iter().map(|particle| Particle {
            at: [0, 1, 2].map(|axis| particle.at[axis] + shift[axis]),
            id: particle.id,
            image,
        });
        moved
            .filter(|particle| request.inside.contains(particle.at) && !request.outside.contains(particle.at))
            .collect()
    }

    /// Two of all particles that are at the same place.
    pub fn twins(&self) -> Option<[u64; 2]> {
        self.twins
    }

    /// What is known of its cells.
    pub fn sums(&self) -> Sums {
        let mut sums = Sums { least: f64::INFINITY, others: self.others.len() as u64, ..Sums::default() };
        for cell in self.cells.iter().flatten() {
            sums.cells += 1;
            sums.faces += cell.neighbours.len() as u64;
            sums.volume += cell.volume;
            sums.least = sums.least.min(cell.volume);
            sums.most = sums.most.max(cell.volume);
        }
        sums
    }

    /// Its particles with their cells.
    pub fn cells(&self) -> impl Iterator<Item = (&Particle, &Cell)> {
        self.own.iter().zip(&self.cells).filter_map(|(particle, cell)| Some((particle, cell.as_ref()?)))
    }

    /// The particles on the other side of the faces of a cell.
    pub fn neighbours(&self, cell: &Cell) -> impl Iterator<Item = &Particle> {
        let of = |number: &u32| {
            let number = *number as usize;
            self.own.get(number).unwrap_or_else(|| &self.others[number - self.own.len()])
        };
        cell.neighbours.iter().map(of)
    }

    /// The points of a grid that lie in its cells, as their numbers, with the density there: one particle in the volume of the cell. A point
    /// on the border of two cells is in both.
    pub fn densities(&self, grid: &Grid, space: &Space) -> Vec<(usize, f32)> {
        let shape = grid.shape();
        let spacing = [0, 1, 2].map(|axis| space.whole.extent()[axis] / shape[axis] as f64);
        let place =
            |at: [i64; 3]| [0, 1, 2].map(|axis| space.whole.low[axis] + (at[axis] as f64 + 0.5) * spacing[axis]);
        let mut found = Vec::new();
        for (particle, cell) in self.cells() {
            let density = (1.0 / cell.volume) as f32;
            let square = |from: [f64; 3], to: [f64; 3]| (0..3).map(|axis| (from[axis] - to[axis]).powi(2)).sum::<f64>();
            // One point more on each side, for what rounding may have taken from the cell.
            let axes = [0, 1, 2].map(|axis| {
                let point = |at: f64| ((at - space.whole.low[axis]) / spacing[axis] - 0.5).floor() as i64;
                let (first, last) = (point(cell.extent[0][axis]), point(cell.extent[1][axis]) + 1);
                match space.periodic {
                    true => first..last + 1,
                    false => first.max(0)..(last + 1).min(shape[axis] as i64),
                }
            });
            let [along, rows, planes] = axes;
            for z in planes {
                for y in rows.clone() {
                    for x in along.clone() {
                        let at = place([x, y, z]);
                        let own = square(particle.at, at);
                        if self.neighbours(cell).all(|other| own <= square(other.at, at)) {
                            let wrapped =
                                [(x, 0), (y, 1), (z, 2)].map(|(at, axis)| at.rem_euclid(shape[axis] as i64) as usize);
                            found.push(((wrapped[2] * shape[1] + wrapped[1]) * shape[0] + wrapped[0], density));
                        }
                    }
                }
            }
        }
        found
    }
}
