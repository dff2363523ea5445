//! A box of particles, which is a block.

use crate::balls::Tree;
use crate::dual::{self, MOST, Site};
use crate::nearest::{Bins, Waiting};
use crate::open::{Found, Open, Question, Spheres};
use crate::polyhedron::{NEAR, Polyhedron};
use crate::space::{Bounds, Space};
use forall_examples::grid::Grid;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, HashMap};

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

/// The request of a region to another one: its particles, as this image has them, that are in one box and not in the other.
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
    mesh: Part,
    /// Of the mesh: cells that end at the bounds of the space, and that are not known beyond these.
    open: Vec<Open>,
}

/// A part of the Delaunay mesh. Empty if nobody wants one.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
struct Part {
    /// The tetrahedra whose first particle is an own one, as numbers of particles like those of neighbours.
    tetrahedra: Vec<[u32; 4]>,
    /// For each own particle, the volume of the tetrahedra around it.
    stars: Vec<f64>,
    /// The number of own particles on the hull.
    hull: u64,
    /// A particle on a sphere with too many others.
    crowded: Option<u64>,
}

/// The data of the cells of a region, or of all.
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

/// Sums over the Delaunay mesh in a region, or over all of it.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct MeshSums {
    /// The number of tetrahedra.
    pub tetrahedra: u64,
    /// The number of particles on the hull.
    pub hull: u64,
    /// The sum of the volumes.
    pub volume: f64,
    /// A particle on a sphere with more than [`MOST`] others, whose tetrahedra are unknown.
    pub crowded: Option<u64>,
}

/// Cuts away all that is nearer to other particles. Returns one that is at the same place.
fn cut_by_all(
    polyhedron: &mut Polyhedron,
    bins: &Bins<'_>,
    all: &[Particle],
    number: usize,
    waiting: &mut Waiting,
) -> Option<u64> {
    let (at, mut twin) = (all[number].at, None);
    let wanted = |polyhedron: &Polyhedron| 4.0 * polyhedron.farthest() * (1.0 + 10.0 * NEAR);
    bins.by_distance(number, wanted(polyhedron), waiting, |other| {
        let to = [0, 1, 2].map(|axis| all[other].at[axis] - at[axis]);
        match to == [0.0; 3] {
            true => twin = Some(all[other].id),
            false => polyhedron.cut(to, other as u32),
        }
        wanted(polyhedron)
    });
    twin
}

impl Part {
    /// Adds the tetrahedra around the particle of this cell.
    fn add(&mut self, all: &[Particle], number: usize, cell: &Polyhedron) {
        match cell.simple_spheres() {
            Some(on) => self.add_spheres(all, number, &Spheres { on, is_hull: cell.has_box() }),
            None => {
                self.hull += u64::from(cell.has_box());
                self.add_crowded(all, number, cell);
            }
        }
    }

    /// The same where each sphere has four particles.
    fn add_spheres(&mut self, all: &[Particle], number: usize, spheres: &Spheres) {
        self.hull += u64::from(spheres.is_hull);
        let key = |other: u32| (all[other as usize].id, all[other as usize].image);
        for &[a, b, c] in &spheres.on {
            let mut corners = [a, b, c, number as u32];
            corners.sort_unstable_by_key(|corner| key(*corner));
            self.stars[number] += dual::volume(corners.map(|corner| all[corner as usize].at));
            if corners[0] == number as u32 {
                self.tetrahedra.push(corners);
            }
        }
    }

    /// The same where more than four particles may be on a sphere.
    fn add_crowded(&mut self, all: &[Particle], number: usize, cell: &Polyhedron) {
        let at = all[number].at;
        let to = |other: u32| [0, 1, 2].map(|axis| all[other as usize].at[axis] - at[axis]);
        let site = |other: u32| {
            let Particle { at, id, image } = all[other as usize];
            Site { at, key: (id, image) }
        };
        for mut sphere in cell.spheres(to) {
            if sphere.len() >= MOST {
                self.crowded = self.crowded.max(Some(all[number].id));
                continue;
            }
            sphere.push(number as u32);
            let sites: Vec<Site> = sphere.iter().map(|other| site(*other)).collect();
            let own = sites.len() - 1;
            let first = sites.iter().map(|site| site.key).min();
            for corners in dual::tetrahedra(&sites) {
                if corners.contains(&own) {
                    self.stars[number] += dual::volume(corners.map(|corner| sites[corner].at));
                }
                if first == Some(sites[own].key) {
                    self.tetrahedra.push(corners.map(|corner| sphere[corner]));
                }
            }
        }
    }
}

impl Region {
    /// A box of a space. Its particles may lie anywhere at first.
    pub fn new(space: &Space, number: usize, own: Vec<Particle>) -> Self {
        let bounds = space.bounds(number);
        Region {
            bounds,
            own,
            others: Vec::new(),
            reach: 0.0,
            cells: Vec::new(),
            twins: None,
            mesh: Part::default(),
            open: Vec::new(),
        }
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
        self.mesh.stars = Vec::new();
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
        let (mut polyhedron, mut waiting) = (Polyhedron::default(), Waiting::new());
        if space.meshed {
            polyhedron.watch();
            self.mesh.stars.resize(self.own.len(), 0.0);
        }
        let mut missing: Option<f64> = None;
        for number in 0..self.own.len() {
            if self.cells[number].is_some() {
                continue;
            }
            let at = all[number].at;
            let (low, high) = space.around(at);
            polyhedron.set_box(low, high);
            if let Some(twin) = cut_by_all(&mut polyhedron, &bins, &all, number, &mut waiting) {
                let id = all[number].id;
                let pair = [id.min(twin), id.max(twin)];
                self.twins = Some(self.twins.map_or(pair, |least| least.min(pair)));
            }
            // Only what is nearer than twice the farthest corner can cut it. Tetrahedra have particles exactly as far away as that.
            let distance = 2.0 * polyhedron.farthest().sqrt() * if space.meshed { 1.0 + 10.0 * NEAR } else { 1.0 };
            let certain = (0..3).all(|axis| {
                let below = !space.periodic && known.low[axis] <= space.whole.low[axis];
                let above = !space.periodic && known.high[axis] >= space.whole.high[axis];
                (below || known.low[axis] < at[axis] - distance) && (above || at[axis] + distance < known.high[axis])
            });
            if !certain {
                missing = Some(missing.unwrap_or(0.0).max(distance));
                continue;
            }
            let [low, high] = polyhedron.extent();
            let place = |from: [f64; 3]| [0, 1, 2].map(|axis| at[axis] + from[axis]);
            let neighbours = polyhedron.neighbours().collect();
            let extent = [place(low), place(high)];
            self.cells[number] = Some(Cell { volume: polyhedron.volume(), extent, neighbours });
            if space.meshed && !space.periodic && polyhedron.has_box() {
                self.open.push(Open::new(number as u32, &polyhedron));
            } else if space.meshed {
                self.mesh.add(&all, number, &polyhedron);
            }
        }
        missing
    }

    /// Adds particles of others that are in the balls that it asked about.
    pub fn add_found(&mut self, found: &[Found]) {
        if found.is_empty() {
            return;
        }
        let first = self.own.len();
        let mut numbers: HashMap<u64, u32> =
            self.others.iter().enumerate().map(|(at, other)| (other.id, (first + at) as u32)).collect();
        for Found { cell, particle } in found {
            let number = *numbers.entry(particle.id).or_insert_with(|| {
                self.others.push(*particle);
                (first + self.others.len() - 1) as u32
            });
            self.open[*cell as usize].add(number);
        }
    }

    /// Goes on with the cells that end at the bounds, beyond these. Which blocks it must ask about which balls.
    pub fn close_cells(&mut self, space: &Space) -> BTreeMap<usize, Vec<Question>> {
        let mut asked = BTreeMap::<usize, Vec<Question>>::new();
        if self.open.iter().all(|cell| cell.is_closed) {
            return asked;
        }
        let all = [&self.own[..], &self.others[..]].concat();
        let is_left = self.open.iter().any(|open| !open.is_closed && !open.is_right());
        let tree = Tree::new(if is_left { &all } else { &[] });
        let known = self.bounds.wider(self.reach);
        let mut polyhedron = Polyhedron::default();
        polyhedron.watch();
        for (cell, open) in self.open.iter_mut().enumerate().filter(|(_, open)| !open.is_closed) {
            if open.is_right() {
                open.is_closed = true;
                self.mesh.add_spheres(&all, open.number(), &open.spheres.take().expect("it is right"));
                continue;
            }
            open.is_closed = true;
            for question in open.go_on(cell as u64, &mut polyhedron, &all, &tree, space) {
                for block in space.touching_ball(&question.ball) {
                    if !known.encloses(&space.bounds(block)) {
                        asked.entry(block).or_default().push(question);
                        open.is_closed = false;
                    }
                }
            }
            if open.is_closed {
                self.mesh.add(&all, open.number(), &polyhedron);
            } else {
                let is_hull = polyhedron.has_box();
                open.spheres = polyhedron.simple_spheres().map(|on| Spheres { on, is_hull });
            }
        }
        asked
    }

    /// Its particles, to look for those in balls.
    pub fn tree(&self) -> Tree<'_> {
        Tree::new(&self.own)
    }

    /// Sums over its part of the Delaunay mesh.
    pub fn mesh_sums(&self) -> MeshSums {
        let volume = self.tetrahedra().map(|corners| dual::volume(corners.map(|particle| particle.at))).sum();
        let tetrahedra = self.mesh.tetrahedra.len() as u64;
        MeshSums { tetrahedra, hull: self.mesh.hull, volume, crowded: self.mesh.crowded }
    }

    /// The tetrahedra of its part of the Delaunay mesh, each with its particles in their order.
    pub fn tetrahedra(&self) -> impl Iterator<Item = [&Particle; 4]> {
        self.mesh.tetrahedra.iter().map(|corners| corners.map(|corner| self.particle(corner)))
    }

    /// The density at each of its particles: four, divided by the volume of the tetrahedra around it, since each tetrahedron has four
    /// particles. 0 at particles without tetrahedra.
    pub fn star_densities(&self) -> impl Iterator<Item = (u64, f64)> {
        let density = |volume: f64| if volume > 0.0 { 4.0 / volume } else { 0.0 };
        self.own.iter().zip(&self.mesh.stars).map(move |(particle, volume)| (particle.id, density(*volume)))
    }

    /// Its cells as polyhedra around their particles.
    pub fn polyhedra(&self, space: &Space) -> impl Iterator<Item = (&Particle, &Cell, Polyhedron)> {
        self.cells().map(|(particle, cell)| {
            let mut polyhedron = Polyhedron::default();
            let (low, high) = space.around(particle.at);
            polyhedron.set_box(low, high);
            for &number in &cell.neighbours {
                let to = self.particle(number).at;
                polyhedron.cut([0, 1, 2].map(|axis| to[axis] - particle.at[axis]), number);
            }
            (particle, cell, polyhedron)
        })
    }

    /// The particle with this number: an own one, or one of others.
    fn particle(&self, number: u32) -> &Particle {
        let number = number as usize;
        self.own.get(number).unwrap_or_else(|| &self.others[number - self.own.len()])
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

    /// The data of its cells.
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
        cell.neighbours.iter().map(|number| self.particle(*number))
    }

    /// The points of a grid in its tetrahedra, as their numbers, with the density there: linear between `densities`, those at all particles.
    pub fn interpolated(&self, grid: &Grid, space: &Space, densities: &[f64]) -> Vec<(usize, f32)> {
        let shape = grid.shape();
        let spacing = [0, 1, 2].map(|axis| space.whole.extent()[axis] / shape[axis] as f64);
        let mut found = Vec::new();
        for corners in self.tetrahedra() {
            let at = corners.map(|particle| particle.at);
            let values = corners.map(|particle| densities[particle.id as usize]);
            let axes = [0, 1, 2].map(|axis| {
                let point = |at: f64| ((at - space.whole.low[axis]) / spacing[axis] - 0.5).floor() as i64;
                let extreme = |f: fn(f64, f64) -> f64| at.map(|at| at[axis]).into_iter().reduce(f).unwrap_or(0.0);
                let (first, last) = (point(extreme(f64::min)), point(extreme(f64::max)) + 1);
                match space.periodic {
                    true => first..last + 1,
                    false => first.max(0)..(last + 1).min(shape[axis] as i64),
                }
            });
            let [along, rows, planes] = axes;
            for z in planes {
                for y in rows.clone() {
                    for x in along.clone() {
                        let point = [(x, 0), (y, 1), (z, 2)]
                            .map(|(at, axis)| space.whole.low[axis] + (at as f64 + 0.5) * spacing[axis]);
                        if let Some(value) = dual::interpolated(at, values, point) {
                            let wrapped =
                                [(x, 0), (y, 1), (z, 2)].map(|(at, axis)| at.rem_euclid(shape[axis] as i64) as usize);
                            found.push(((wrapped[2] * shape[1] + wrapped[1]) * shape[0] + wrapped[0], value as f32));
                        }
                    }
                }
            }
        }
        found
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
