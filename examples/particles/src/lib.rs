//! Streamlines and pathlines: the ways of particles in a vector field.
//!
//! The field is sampled on a grid, which is divided into blocks. Each block has the samples in its cells and in two layers of cells around it. A
//! particle moves through a block for as long as the block has the samples that the steps need, and then changes to the next one, also in the
//! middle of a step. So no step is too long. Where a velocity is looked up, the arithmetic depends on the grid and not on the block: the lines have
//! the same bits on any number of blocks, ranks and threads.
//!
//! | module | is |
//! |---|---|
//! | [`axis`], [`flow`] | the grid, its blocks, and the cell of a place |
//! | [`brick`] | a block: samples, and the steps of particles through them |
//! | [`scheme`], [`stepping`] | Runge-Kutta schemes: the classical one, and the pair of Dormand and Prince |
//! | [`particle`], [`visit`] | particles on their way, and what becomes of them |
//! | [`field`] | fields to choose from: a formula, and files |
//! | [`lines`], [`drawing`] | the lines as a mesh, and as a picture |
//!
//! Blocks that particles leave and enter follow Peterka et al., "A study of parallel particle tracing for steady-state and time-varying flow
//! fields", IPDPS 2011, and Morozov and Peterka, "Block-parallel data analysis with DIY2", LDAV 2016.

pub mod axis;
pub mod brick;
pub mod drawing;
pub mod field;
pub mod flow;
pub mod lines;
pub mod particle;
pub mod scheme;
pub mod stepping;
pub mod visit;

use brick::Brick;
use flow::Flow;
use forall::{Blocks, DistVec, foreach_tls};
use particle::{Particle, Point};
use scheme::Vector;
use std::ops::Range;
use visit::{Limit, Totals, Visit};

/// Moves the particles that wait in all blocks, until they have ended or wait again. The points of their lines are appended to `points`.
///
/// The loop runs in waves, so a visit gathers the particles of all its messages that leave for the same block into one message. Without waves
/// (`brick` not `mut`, each message by itself), the blocks would send as many bytes in smaller messages, which takes longer: see `benches/RESULTS.md`.
#[foreach_tls]
fn moved(
    bricks: &mut Blocks<Brick>,
    flow: &Flow,
    limit: Limit,
    points: &mut Vec<Point>,
) -> ([u64; 4], [u64; 3], u64, u64, u64) {
    let (mut finished, mut left, mut stopped, mut waiting) = (0, 0, 0, 0);
    let (mut all_points, mut steps, mut rejected) = (0, 0, 0);
    let (mut rounds, mut bytes, mut checksum) = (0, 0, 0);
    for mut brick in bricks.iter_mut() {
        let mut visit = Visit::default();
        if brick.is_first_visit() {
            let particles = brick.take_waiting();
            brick.advance(&particles, flow, limit, &mut visit);
        }
        while let Some(message) = brick.receive() {
            brick.advance(&message.elements::<Particle>(), flow, limit, &mut visit);
        }
        for (to, particles) in &visit.leaving {
            brick.send_elements(*to, particles);
        }
        if !visit.waiting.is_empty() {
            brick.wait(visit.waiting);
        }
        points.extend_from_slice(&visit.points);
        let totals = visit.totals;
        finished += totals.finished;
        left += totals.left_the_domain;
        stopped += totals.stopped;
        waiting += totals.waiting;
        all_points += totals.points;
        steps += totals.steps;
        rejected += totals.rejected_steps;
        rounds = rounds.max(totals.rounds);
        bytes += totals.bytes;
        checksum ^= totals.checksum;
    }
    ([finished, left, stopped, waiting], [all_points, steps, rejected], rounds, bytes, checksum)
}

/// Moves the particles that wait in all blocks, until they have ended or wait again. The points of their lines that the limit keeps are
/// appended to `points` on the ranks where they are found, in any order: [`lines::sort`] brings them into that of the lines. Collective.
pub fn trace(bricks: &mut Blocks<Brick>, flow: &Flow, limit: Limit, points: &mut Vec<Point>) -> Totals {
    totals(moved(bricks, flow, limit, points))
}

/// The same without the attribute: on one rank and one thread.
pub fn trace_sequentially(bricks: &mut Blocks<Brick>, flow: &Flow, limit: Limit, points: &mut Vec<Point>) -> Totals {
    totals(moved::sequential(bricks, flow, limit, points))
}

fn totals(
    ([finished, left_the_domain, stopped, waiting], [points, steps, rejected_steps], rounds, bytes, checksum): (
        [u64; 4],
        [u64; 3],
        u64,
        u64,
        u64,
    ),
) -> Totals {
    Totals { finished, left_the_domain, stopped, waiting, points, steps, rejected_steps, rounds, bytes, checksum }
}

/// The blocks of a field: each rank reads its own. `read` gives the velocities in a part of the grid's points, at a time by its number.
///
/// # Errors
/// As `read`, on the rank where it fails.
pub fn bricks<E>(
    flow: &Flow,
    mut read: impl FnMut(usize, [Range<usize>; 3]) -> Result<Vec<[f32; 3]>, E>,
) -> Result<Blocks<Brick>, E> {
    let mut failed = None;
    let bricks = Blocks::from_fn(flow.blocks(), |number| {
        if failed.is_some() {
            return Brick::default();
        }
        Brick::read(flow, number, &mut read).unwrap_or_else(|error| {
            failed = Some(error);
            Brick::default()
        })
    });
    failed.map_or(Ok(bricks), Err)
}

/// Gives particles to the blocks, as equally many to each as possible. They find their own blocks in the first round. `particle` gives each of
/// `count` particles by its number.
pub fn seed(bricks: &mut Blocks<Brick>, count: usize, mut particle: impl FnMut(usize) -> Particle) {
    let blocks = bricks.len();
    let first = |block: usize| (count as u128 * block as u128 / blocks as u128) as usize;
    for mut brick in bricks.iter_mut() {
        let number = brick.number();
        brick.wait((first(number)..first(number + 1)).map(&mut particle));
    }
}

/// Particles at these places, numbered from 0, which have not begun. In a periodic domain, they begin inside of it.
pub fn seeds(flow: &Flow, place: impl Fn(usize) -> Vector) -> impl Fn(usize) -> Particle {
    let (begin, step) = (flow.begin(), flow.stepping.first());
    move |id| Particle::new(id as u32, flow.wrapped(place(id)), begin, step)
}

/// Appends the particles that wait.
#[foreach_tls]
fn all_waiting(bricks: &Blocks<Brick>, particles: &mut Vec<Particle>) {
    for brick in bricks.iter() {
        particles.extend_from_slice(brick.waiting());
    }
}

/// The particles that wait in all blocks: the state of the program between two calls. Collective.
pub fn waiting(bricks: &Blocks<Brick>) -> DistVec<Particle> {
    let mut particles = DistVec::default();
    all_waiting(bricks, &mut particles);
    particles
}
