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
//!
//! After Peterka, Morozov and Phillips, "High-performance computation of distributed-memory parallel 3D Voronoi and Delaunay tessellation",
//! SC 2014, and Morozov and Peterka, "Efficient Delaunay tessellation through k-d tree decomposition", SC 2016, where blocks are balanced by a
//! k-d tree as here. Cells are made by cutting, as Rycroft's Voro++ does (Chaos 19, 2009).

pub mod drawing;
mod nearest;
pub mod particles;
pub mod polyhedron;
pub mod region;
pub mod space;

use forall::{Blocks, DistVec, foreach, foreach_tls, kary_reduce};
use forall_examples::grid::Grid;
use region::{Particle, Region, Request, Sums};
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
    twins(&regions).map_or(Ok((regions, rounds)), Err)
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

/// What is known of a particle when all is done.
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

/// The density in the middle of each of so many voxels, in particles per volume, x fastest; each rank has some planes.
pub fn density(regions: &Blocks<Region>, space: &Space, shape: [usize; 3]) -> DistVec<f32> {
    let spacing = [0, 1, 2].map(|axis| space.whole.extent()[axis] / shape[axis] as f64);
    let grid = Grid::even(shape, [0, 1, 2].map(|axis| space.whole.low[axis] + 0.5 * spacing[axis]), spacing);
    let plane = shape[0] * shape[1];
    let mut field = DistVec::from_local(vec![0.0; plane * forall::share(shape[2]).len()]).in_planes(plane);
    let (mut places, mut densities) = (DistVec::default(), DistVec::default());
    points(regions, &grid, space, &mut places, &mut densities);
    put(&places, &densities, &mut field);
    field
}
