//! A cloud that a vortex carries and diffusion spreads, on a mesh with several levels of refinement (AMR).
//!
//! Each box of the [`AdaptiveMesh`] is a block. In a step, blocks fill the ghost cells of their neighbours on the same and on finer levels, and compute
//! fluxes. Fine blocks send the fluxes at their borders to coarser blocks, which use them in place of their own. So no mass is lost where the mesh
//! becomes coarser (refluxing; Berger and Colella, "Local adaptive mesh refinement for shock hydrodynamics", 1989). At the end of a step, fine cells set
//! the coarse cells that they cover. All levels take the same step in time.

pub mod flow;
pub mod region;

use forall::blocks::{AdaptiveMesh, Blocks, Decomposition, MeshError};
use forall::{foreach, kary_reduce};
use region::{Fluxes, Region};

/// A mesh over a periodic square of `n` x `n` cells in this number of blocks. It is finer where the cloud is before the first step.
///
/// # Errors
/// If the finest level has too many cells.
///
/// # Panics
/// If there is no block.
pub fn mesh(n: usize, blocks: usize, levels: usize) -> Result<AdaptiveMesh<2>, MeshError> {
    let parts = Decomposition::new([n, n], blocks).ghost(1).periodic([true; 2]);
    let ratios = vec![[2, 2]; levels.saturating_sub(1)];
    AdaptiveMesh::refined(&parts, &ratios, |bounds, level| {
        // The middle of the cloud is at 0.5 and 0.75, and the finer levels are nearer to it.
        let reach = 0.3 / (1 << level) as f64;
        let is_near = |axis: usize, middle: f64| {
            bounds.low[axis] < (middle + reach) * n as f64 && bounds.high[axis] > (middle - reach) * n as f64
        };
        is_near(0, 0.75) && is_near(1, 0.5)
    })
}

/// The cloud before the first step.
pub fn begin(mesh: &AdaptiveMesh<2>, n: usize) -> Blocks<Region> {
    Blocks::over(mesh, |patch| Region::new(mesh, [n, n], patch))
}

/// The longest stable step in time, for `n` x `n` cells of level 0.
pub fn longest_step(n: usize, levels: usize) -> f64 {
    let side = 1.0 / (n << levels.saturating_sub(1)) as f64;
    // Velocities are at most 1.
    0.25 * side.min(side * side / (4.0 * flow::DIFFUSION))
}

/// A step in time.
pub fn step(blocks: &mut Blocks<Region>, levels: usize, time: f64) {
    fill_ghosts(blocks);
    fluxes(blocks);
    advance(blocks, time, levels);
    for level in (1..levels.saturating_sub(1)).rev() {
        cover(blocks, level);
    }
    absorb(blocks);
}

/// Sends the values of ghost cells to neighbours on the same and on finer levels.
#[foreach]
pub fn fill_ghosts(blocks: &mut Blocks<Region>) {
    for block in blocks.iter_mut() {
        for part in &block.ghosts {
            block.send(part, &block.values(part));
        }
    }
}

/// Computes the fluxes, and sends those at borders to coarser blocks.
#[foreach]
pub fn fluxes(blocks: &mut Blocks<Region>) {
    for mut block in blocks.iter_mut() {
        for message in block.inbox() {
            block.set(&message);
        }
        block.compute_fluxes();
        for border in &block.borders {
            block.send(border, &block.border_fluxes(border));
        }
    }
}

/// Moves the cloud. Blocks of the finest level send the coarse cells that they cover.
#[foreach]
pub fn advance(blocks: &mut Blocks<Region>, time: f64, levels: usize) {
    for mut block in blocks.iter_mut() {
        let finer: Vec<Fluxes> = block.inbox().map(|message| message.read()).collect();
        block.replace_fluxes(&finer);
        block.advance(time);
        if block.patch.level + 1 == levels {
            for part in &block.covers {
                block.send(part, &block.values(part));
            }
        }
    }
}

/// Sets covered cells. Then blocks of a level send the coarse cells that they cover.
#[foreach]
pub fn cover(blocks: &mut Blocks<Region>, level: usize) {
    for mut block in blocks.iter_mut() {
        for message in block.inbox() {
            block.set(&message);
        }
        if block.patch.level == level {
            for part in &block.covers {
                block.send(part, &block.values(part));
            }
        }
    }
}

/// Sets covered cells.
#[foreach]
pub fn absorb(blocks: &mut Blocks<Region>) {
    for mut block in blocks.iter_mut() {
        for message in block.inbox() {
            block.set(&message);
        }
    }
}

/// The mass of the cloud.
#[kary_reduce]
pub fn mass(blocks: &Blocks<Region>) -> f64 {
    let mut mass = 0.0;
    for block in blocks.iter() {
        mass += block.mass();
    }
    mass
}

/// The number of cells that no finer ones cover.
#[kary_reduce]
pub fn cells(blocks: &Blocks<Region>) -> usize {
    let mut cells = 0;
    for block in blocks.iter() {
        cells += block.is_covered.iter().filter(|is_covered| !**is_covered).count();
    }
    cells
}
