//! Voronoi cells: each particle gets what is nearer to it than to any other one. The inverse of a cell's volume is the density there.
//!
//! Space is cut into boxes, which are blocks, with about as many particles in each. A block makes the cells of its own particles: it goes
//! through the others from the nearest to the farthest, and each cuts away what is nearer to itself. A cell is certain when all particles are
//! known that are nearer than twice its farthest corner. For the cells that are not, the block asks its neighbours for more, as far as is
//! needed there and no farther, until all are certain. Cells come out with the same bits on any number of blocks and ranks.
//!
//! | loop | does | sends |
//! |---|---|---|
//! | [`leave`] | finds out in which boxes particles lie | the particles |
//! | [`arrive`] | takes its own | nothing |
//! | [`make_cells`] | takes what others have answered, and makes the cells that are certain | requests for particles farther out |
//! | [`answer`] | looks for what it was asked for | particles |
//! | [`close_cells`] | makes the cells beyond the bounds, where the mesh needs it | balls that must be empty |
//! | [`look`] | searches the balls of other blocks | the deepest particle in each ball |
//!
//! If the space asks for it ([`Space::meshed`]), blocks also make the Delaunay mesh: the corners of cells are the middles of empty spheres, and the
//! particles on a sphere make tetrahedra ([`dual`]). Spheres may lie outside of the bounds. A cell that ends at the bounds is cut further until the
//! balls around all of its corners are empty. A tree of boxes finds the particle that is deepest in a ball, and other blocks answer for
//! their particles. No sphere is larger than a million times the space. Particles whose distances differ from those of a lattice by less than a
//! billionth are on common spheres.
//!
//! After Peterka, Morozov and Phillips, "High-performance computation of distributed-memory parallel 3D Voronoi and Delaunay tessellation",
//! SC 2014. Morozov and Peterka, "Efficient Delaunay tessellation through k-d tree decomposition", SC 2016, balance blocks by a k-d tree as here.
//! Cells are made by cutting, as Rycroft's Voro++ does (Chaos 19, 2009).

mod balls;
pub mod drawing;
pub mod dual;
pub mod files;
mod nearest;
mod open;
pub mod particles;
pub mod polyhedron;
pub mod region;
pub mod space;

use forall::{Blocks, DistVec, foreach, foreach_tls, kary_reduce};
use forall_examples::grid::Grid;
use open::{Found, Question, find};
use region::{MeshSums, Particle, Region, Request, Sums};
use space::Space;

/// Each block sends its particles to the blocks in whose boxes they lie.
#[foreach]
pub fn leave(regions: &mut Blocks<Region>, space: &Space) {
    for mut region in regions.iter_mut() {
        for (to, particles) in region.take_by_owner(space) {
            region.send_elements(to, &particles);
        }
    }
}

/// Each block takes the particles in its box.
#[foreach]
pub fn arrive(regions: &mut Blocks<Region>) {
    for mut region in regions.iter_mut() {
        for message in region.inbox() {
            region.add_own(&message.elements::<Particle>());
        }
    }
}

/// Each block makes the cells that are certain, and asks for the particles that the others wait for. Whether any block has asked.
#[foreach]
pub fn make_cells(regions: &mut Blocks<Region>, space: &Space) -> bool {
    let mut asked = false;
    for mut region in regions.iter_mut() {
        for message in region.inbox() {
            region.add_others(&message.elements::<Particle>());
        }
        if let Some(distance) = region.make_cells(space) {
            asked = true;
            for (to, request) in region.requests(space, distance) {
                region.send(to, &request);
            }
        }
    }
    asked
}

/// Each block sends the particles that it was asked for. Blocks that nobody asks stay on the disk.
#[foreach]
pub fn answer(regions: &mut Blocks<Region>, space: &Space) {
    for region in regions.iter_mut() {
        for message in region.inbox() {
            let request: Request = message.read();
            let particles = region.answer(&request, space);
            if !particles.is_empty() {
                region.send_elements(message.from(), &particles);
            }
        }
    }
}

/// Each block takes what was found in the balls around the corners of its outer cells, and goes on with these. Whether any block has asked about
/// others.
#[foreach]
pub fn close_cells(regions: &mut Blocks<Region>, space: &Space) -> bool {
    let mut asked = false;
    for mut region in regions.iter_mut() {
        let mut found: Vec<Found> = Vec::new();
        for message in region.inbox() {
            found.extend_from_slice(&message.elements::<Found>());
        }
        region.add_found(&found);
        for (to, questions) in region.close_cells(space) {
            asked = true;
            region.send_elements(to, &questions);
        }
    }
    asked
}

/// Each block looks for its particles in the balls that it was asked about.
#[foreach]
pub fn look(regions: &mut Blocks<Region>) {
    for region in regions.iter_mut() {
        if region.inbox().is_empty() {
            continue;
        }
        let tree = region.tree();
        for message in region.inbox() {
            let found = find(&tree, &message.elements::<Question>());
            if !found.is_empty() {
                region.send_elements(message.from(), &found);
            }
        }
    }
}

/// Two particles that are at the same place, and have no cells: those with the least numbers.
#[kary_reduce]
pub fn twins(regions: &Blocks<Region>) -> Option<[u64; 2]> {
    let mut least = None;
    for region in regions.iter() {
        if let Some(pair) = region.twins()
            && least.is_none_or(|least| pair < least)
        {
            least = Some(pair);
        }
    }
    least
}

/// Blocks of particles, and their cells. `particle` says where each of `count` particles is. How many rounds of requests it took.
///
/// # Errors
/// Where two particles are at the same place: their numbers.
pub fn tessellate(
    space: &Space,
    count: usize,
    mut particle: impl FnMut(usize) -> [f64; 3],
) -> Result<(Blocks<Region>, usize), [u64; 2]> {
    let blocks = space.len();
    let part = |number: usize| (count as u128 * number as u128 / blocks as u128) as usize;
    let mut regions = Blocks::from_fn(blocks, |number| {
        let ids = part(number)..part(number + 1);
        let place = |id: usize| Particle { at: space.inside(particle(id)), id: id as u64, image: 0 };
        Region::new(space, number, ids.map(place).collect())
    });
    leave(&mut regions, space);
    arrive(&mut regions);
    let mut rounds = 0;
    while make_cells(&mut regions, space) {
        rounds += 1;
        answer(&mut regions, space);
    }
    if let Some(pair) = twins(&regions) {
        return Err(pair);
    }
    while space.meshed && close_cells(&mut regions, space) {
        rounds += 1;
        look(&mut regions);
    }
    Ok((regions, rounds))
}

/// Counts, sums and extremes of all cells.
pub fn sums(regions: &Blocks<Region>) -> Sums {
    let (cells, faces, volume, least, most, others) = summed(regions);
    Sums { cells, faces, volume, least, most, others }
}

#[kary_reduce]
fn summed(regions: &Blocks<Region>) -> (u64, u64, f64, f64, f64, u64) {
    let (mut cells, mut faces, mut others) = (0, 0, 0);
    let (mut volume, mut least, mut most) = (0.0, f64::INFINITY, 0.0_f64);
    for region in regions.iter() {
        let sums = region.sums();
        cells += sums.cells;
        faces += sums.faces;
        volume += sums.volume;
        least = least.min(sums.least);
        most = most.max(sums.most);
        others += sums.others;
    }
    (cells, faces, volume, least, most, others)
}

/// Counts and sums of the Delaunay mesh: nothing, if the [space](Space::meshed) asks for none.
pub fn mesh_sums(regions: &Blocks<Region>) -> MeshSums {
    let (tetrahedra, hull, volume, crowded) = mesh_summed(regions);
    MeshSums { tetrahedra, hull, volume, crowded: (crowded > 0).then(|| crowded - 1) }
}

#[kary_reduce]
fn mesh_summed(regions: &Blocks<Region>) -> (u64, u64, f64, u64) {
    let (mut tetrahedra, mut hull, mut volume, mut crowded) = (0, 0, 0.0, 0);
    for region in regions.iter() {
        let sums = region.mesh_sums();
        tetrahedra += sums.tetrahedra;
        hull += sums.hull;
        volume += sums.volume;
        crowded = crowded.max(sums.crowded.map_or(0, |id| id + 1));
    }
    (tetrahedra, hull, volume, crowded)
}

/// A tetrahedron of the Delaunay mesh: the numbers of its particles, and which image of each it has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C)]
pub struct Tetrahedron {
    /// The numbers of the particles, rising.
    pub particles: [u64; 4],
    /// The images; 0 is the particle itself.
    pub images: [u64; 4],
}

/// Appends the tetrahedra of all blocks.
#[foreach_tls]
pub fn tetrahedra(regions: &Blocks<Region>, out: &mut Vec<Tetrahedron>) {
    for region in regions.iter() {
        for corners in region.tetrahedra() {
            let (particles, images) = (corners.map(|particle| particle.id), corners.map(|particle| particle.image));
            out.push(Tetrahedron { particles, images });
        }
    }
}

/// Appends the cells as polyhedra: for each, the numbers of its particle, of its corners and of its faces, and for each face the number of its
/// corners and these; and the corners.
#[foreach_tls]
pub fn polyhedra(regions: &Blocks<Region>, space: &Space, numbers: &mut Vec<u64>, corners: &mut Vec<[f64; 3]>) {
    for region in regions.iter() {
        for (particle, _, polyhedron) in region.polyhedra(space) {
            let (places, faces) = polyhedron.surface();
            let faces: Vec<&[u32]> = faces.collect();
            numbers.extend_from_slice(&[particle.id, places.len() as u64, faces.len() as u64]);
            for face in faces {
                numbers.push(face.len() as u64);
                for &corner in face {
                    numbers.push(u64::from(corner));
                }
            }
            for place in places {
                corners.push([0, 1, 2].map(|axis| particle.at[axis] + place[axis]));
            }
        }
    }
}

/// The data of a particle at the end.
#[derive(Debug, Clone, Copy, PartialEq, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C)]
pub struct Measured {
    /// Its number.
    pub id: u64,
    /// Where it is.
    pub at: [f64; 3],
    /// The volume of its cell.
    pub volume: f64,
    /// How many particles have cells beside its own.
    pub neighbours: u64,
}

/// Appends all particles of the blocks, with what is known of their cells.
#[foreach_tls]
pub fn measured(regions: &Blocks<Region>, out: &mut Vec<Measured>) {
    for region in regions.iter() {
        for (particle, cell) in region.cells() {
            let neighbours = region.neighbours(cell).count() as u64;
            out.push(Measured { id: particle.id, at: particle.at, volume: cell.volume, neighbours });
        }
    }
}

/// Appends the points of a grid that lie in the blocks' cells, and the densities there.
#[foreach_tls]
fn points(regions: &Blocks<Region>, grid: &Grid, space: &Space, places: &mut Vec<usize>, densities: &mut Vec<f32>) {
    for region in regions.iter() {
        for (place, density) in region.densities(grid, space) {
            places.push(place);
            densities.push(density);
        }
    }
}

/// Puts densities where they belong.
#[foreach]
fn put(places: &[usize], densities: &[f32], #[scatter] field: &mut [f32]) {
    for (place, density) in places.iter().zip(densities) {
        field[*place] = *density;
    }
}

/// Appends the density at each particle.
#[foreach_tls]
fn stars(regions: &Blocks<Region>, ids: &mut Vec<usize>, densities: &mut Vec<f64>) {
    for region in regions.iter() {
        for (id, density) in region.star_densities() {
            ids.push(id as usize);
            densities.push(density);
        }
    }
}

/// Puts the densities of particles where they belong.
#[foreach]
fn put_of_particles(ids: &[usize], densities: &[f64], #[scatter] all: &mut [f64]) {
    for (id, density) in ids.iter().zip(densities) {
        all[*id] = *density;
    }
}

/// Appends the points of a grid that lie in the blocks' tetrahedra, and the densities there.
#[foreach_tls]
fn points_between(
    regions: &Blocks<Region>,
    (grid, space): (&Grid, &Space),
    #[replicated] of_particles: &[f64],
    places: &mut Vec<usize>,
    densities: &mut Vec<f32>,
) {
    for region in regions.iter() {
        for (place, density) in region.interpolated(grid, space, of_particles) {
            places.push(place);
            densities.push(density);
        }
    }
}

/// The densities at so many particles by the tetrahedra of the Delaunay mesh around them: four particles in their volume. On all ranks.
pub fn densities_of_mesh(regions: &Blocks<Region>, particles: usize) -> Vec<f64> {
    let (mut ids, mut densities) = (DistVec::default(), DistVec::default());
    stars(regions, &mut ids, &mut densities);
    let mut all = DistVec::from_fn(particles, |_| 0.0);
    put_of_particles(&ids, &densities, &mut all);
    all.to_all()
}

/// The same as [`density`] by the tetrahedra of the Delaunay mesh: linear between the [densities at particles](densities_of_mesh), and 0 outside of
/// the mesh.
///
/// After Schaap and van de Weygaert, "Continuous fields and discrete samples: reconstruction through Delaunay tessellations", Astron. Astrophys.
/// 363, 2000 (DTFE). Points that lie in no more than one of the tetrahedra have the same bits on any number of blocks and ranks, and others up to
/// rounding.
pub fn density_of_mesh(
    regions: &Blocks<Region>,
    space: &Space,
    at_particles: &[f64],
    shape: [usize; 3],
) -> DistVec<f32> {
    let grid = voxels(space, shape);
    let plane = shape[0] * shape[1];
    let mut field = DistVec::from_local(vec![0.0; plane * forall::share(shape[2]).len()]).in_planes(plane);
    let (mut places, mut densities) = (DistVec::default(), DistVec::default());
    points_between(regions, (&grid, space), at_particles, &mut places, &mut densities);
    put(&places, &densities, &mut field);
    field
}

/// The middles of so many voxels.
fn voxels(space: &Space, shape: [usize; 3]) -> Grid {
    let spacing = [0, 1, 2].map(|axis| space.whole.extent()[axis] / shape[axis] as f64);
    Grid::even(shape, [0, 1, 2].map(|axis| space.whole.low[axis] + 0.5 * spacing[axis]), spacing)
}

/// The density in the middle of each of so many voxels, in particles per volume, x fastest; each rank has some planes.
pub fn density(regions: &Blocks<Region>, space: &Space, shape: [usize; 3]) -> DistVec<f32> {
    let grid = voxels(space, shape);
    let plane = shape[0] * shape[1];
    let mut field = DistVec::from_local(vec![0.0; plane * forall::share(shape[2]).len()]).in_planes(plane);
    let (mut places, mut densities) = (DistVec::default(), DistVec::default());
    points(regions, &grid, space, &mut places, &mut densities);
    put(&places, &densities, &mut field);
    field
}
