//! Makes Voronoi cells of particles: see `tessellation --help`.

use clap::{Parser, ValueEnum};
use forall::DistVec;
use forall_examples::grid::Grid;
use forall_examples::picture::{self, png};
use forall_examples::points::points;
use forall_examples::program::{Common, Failure, start};
use forall_examples::progress::grouped;
use forall_examples::report::{self, Machine, peak_memory, timed};
use forall_examples::{say, write};
use serde::Serialize;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Instant;
use tessellation::drawing::{Look, along_z, draw};
use tessellation::dual::MOST;
use tessellation::particles::random_place;
use tessellation::space::{Bounds, Space};
use tessellation::{
    Measured, densities_of_mesh, density, density_of_mesh, files, measured, mesh_sums, polyhedra, sums, tessellate,
    tetrahedra,
};

/// Makes the Voronoi cells of particles, and the density that they give.
///
/// A cell is what is nearer to its particle than to any other one. Space is cut into blocks, which are on all ranks and threads. With
/// FORALL_BLOCKS=4, each rank has four of its blocks in memory, and the others on the disk.
#[derive(Debug, Parser)]
#[command(version)]
struct Options {
    /// Particles to read: columns of text, .ply, hip2.dat (the Hipparcos catalogue), or the corners of a mesh
    #[arg(long, value_name = "FILE", conflicts_with = "random")]
    input: Option<PathBuf>,

    /// Random particles in a unit cube, in place of a file
    #[arg(long, value_name = "N", default_value_t = 20_000, value_parser = clap::value_parser!(u32).range(0..1 << 31))]
    random: u32,

    /// Of the random particles, two of three are in this many clusters
    #[arg(long, value_name = "N", conflicts_with = "input", default_value_t = 12, value_parser = clap::value_parser!(u32).range(0..=1000))]
    clusters: u32,

    /// Which columns of text hold the coordinates, from 1
    #[arg(long, value_name = "X,Y,Z", value_delimiter = ',', default_value = "1,2,3", value_parser = clap::value_parser!(u16).range(1..))]
    columns: Vec<u16>,

    /// Where particles may be: cells end there [default: the unit cube for random particles, else a little more than where there are any]
    #[arg(long, value_name = "X,X,Y,Y,Z,Z", value_delimiter = ',', allow_negative_numbers = true)]
    bounds: Option<Vec<f64>>,

    /// The boundaries: particles that leave on one side come back on the other one
    #[arg(long)]
    periodic: bool,

    /// Blocks to cut the space into
    #[arg(long, value_name = "N", default_value_t = 16, value_parser = clap::value_parser!(u32).range(1..=65_536))]
    blocks: u32,

    /// Points at which the density is taken, along the longest side
    #[arg(long, value_name = "N", default_value_t = 128, value_parser = clap::value_parser!(u32).range(1..=4096))]
    points: u32,

    /// Densities to write, in particles per volume: .vti or .npy
    #[arg(long, value_name = "FILE")]
    output: Option<PathBuf>,

    /// Cells to write: the number of each particle, its place, the volume of its cell, and how many neighbours it has
    #[arg(long, value_name = "FILE.csv")]
    cells: Option<PathBuf>,

    /// Delaunay mesh to write: tetrahedra between particles, and the density at each particle: .vtu
    #[arg(long, value_name = "FILE.vtu")]
    delaunay: Option<PathBuf>,

    /// Cells to write as polyhedra, each with the number of its particle, its volume and its density: .vtu
    #[arg(long, value_name = "FILE.vtu")]
    polyhedra: Option<PathBuf>,

    /// The estimator of the density: constant in each cell, or linear in each tetrahedron (DTFE)
    #[arg(long, value_enum, value_name = "WHICH", default_value = "cells")]
    estimator: Estimator,

    /// Picture of the density, added up along z, to write: .png
    #[arg(long, value_name = "FILE", default_value = "tessellation.png")]
    image: PathBuf,

    #[command(flatten)]
    common: Common,
}

/// Estimators of the density.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Estimator {
    /// One particle in the volume of its cell.
    Cells,
    /// Four particles in the volume of the tetrahedra around a particle, and linear between particles.
    Tetrahedra,
}

/// The contents of the report.
#[derive(Debug, Serialize)]
struct Report {
    input: String,
    particles: usize,
    bounds: Bounds,
    periodic: bool,
    blocks: u32,
    /// How often blocks asked each other for particles.
    rounds: usize,
    /// Particles of other blocks that blocks looked at.
    others: u64,
    cells: u64,
    /// Faces between two cells, each counted for both.
    faces: u64,
    volume: f64,
    /// Of the Delaunay mesh: its tetrahedra, their volume, and the particles on its hull.
    tetrahedra: Option<u64>,
    mesh_volume: Option<f64>,
    hull: Option<u64>,
    least_volume: Option<f64>,
    greatest_volume: f64,
    /// The size of the grid of densities.
    size: [usize; 3],
    /// The sum of the densities, times the volume of a voxel.
    mass: f64,
    seconds: Seconds,
    #[serde(flatten)]
    machine: Machine,
    peak_memory_bytes: Option<u64>,
}

/// Wall-clock time by phase.
#[derive(Debug, Default, Serialize)]
struct Seconds {
    read: f64,
    cells: f64,
    density: f64,
    write: f64,
}

fn main() -> ExitCode {
    start(|options: &Options| &options.common, run)
}

/// Where each particle is, how many there are, and what they are.
struct Input {
    origin: String,
    count: usize,
    place: Box<dyn Fn(usize) -> [f64; 3]>,
    /// Where they may be if nobody says it.
    bounds: Bounds,
}

fn run(options: &Options, settings: &forall::Settings) -> Result<(), Failure> {
    // An output that cannot be written is better known before the work than after it.
    options.common.report.iter().chain(&options.cells).try_for_each(|file| write::check_place(file))?;
    options.delaunay.iter().chain(&options.polyhedra).try_for_each(|file| write::check_volumes(file))?;
    picture::check(&options.image)?;
    let mut seconds = Seconds::default();
    let input = timed(&mut seconds.read, || open(options))?;
    let whole = match &options.bounds {
        Some(given) => bounds(given)?,
        None => input.bounds,
    };
    let Input { origin, count, place, .. } = input;
    if whole.extent().into_iter().any(|side| side <= 0.0 || !side.is_finite()) {
        return Err(format!("{origin}: the particles are too far away from 0 for the distances between them").into());
    }
    let inside = |at: [f64; 3]| (0..3).all(|axis| whole.low[axis] <= at[axis] && at[axis] <= whole.high[axis]);
    let is_good = |at: [f64; 3]| at.into_iter().all(f64::is_finite) && (options.periodic || inside(at));
    if let Some(number) = (0..count).find(|number| !is_good(place(*number))) {
        let at = place(number);
        return Err(format!(
            "{origin}: particle {number} is at {at:?}, outside of the bounds; --bounds says where particles may be"
        )
        .into());
    }
    // Some thousand particles say well enough where the blocks are to be.
    let sample = (0..count).step_by((count / 8192).max(1)).map(&place).collect();
    let space = Space::new(whole, options.periodic, options.blocks as usize, sample);
    let is_meshed = options.delaunay.is_some() || options.estimator == Estimator::Tetrahedra;
    let space = if is_meshed { space.meshed() } else { space };
    let extent = whole.extent();
    let longest = extent.into_iter().fold(0.0, f64::max);
    let size = extent.map(|side| ((side / longest * f64::from(options.points)).round() as usize).max(1));
    let spacing = [0, 1, 2].map(|axis| extent[axis] / size[axis] as f64);
    let grid = Grid::even(size, [0, 1, 2].map(|axis| whole.low[axis] + 0.5 * spacing[axis]), spacing);
    options.output.iter().try_for_each(|file| write::check_image(file, &grid))?;

    let made = timed(&mut seconds.cells, || tessellate(&space, count, &place));
    let (regions, rounds) = made.map_err(|[one, two]| {
        let at = place(one as usize);
        format!("{origin}: particles {one} and {two} are both at {at:?}, where neither is nearer to anything; remove one of them")
    })?;
    let found = sums(&regions);
    say!("{origin}: {} particles, {} blocks, {rounds} rounds", grouped(count as u64), options.blocks);
    say!(
        "  {} cells with {} faces, a volume of {} in all, from {} to {}",
        grouped(found.cells),
        grouped(found.faces),
        found.volume,
        if found.cells > 0 { found.least } else { 0.0 },
        found.most
    );
    let mesh = is_meshed.then(|| mesh_sums(&regions));
    if let Some(id) = mesh.and_then(|mesh| mesh.crowded) {
        return Err(format!("{origin}: particle {id} is on a sphere with more than {MOST} others and none inside, so the mesh is not known there; leave out --delaunay and --estimator").into());
    }
    if let Some(mesh) = mesh {
        let (tetrahedra, hull) = (grouped(mesh.tetrahedra), grouped(mesh.hull));
        say!("  {tetrahedra} tetrahedra with a volume of {} in all, {hull} particles on the hull", mesh.volume);
    }
    let at_particles = if is_meshed { densities_of_mesh(&regions, count) } else { Vec::new() };
    let field = timed(&mut seconds.density, || match options.estimator {
        Estimator::Cells => density(&regions, &space, size),
        Estimator::Tetrahedra => density_of_mesh(&regions, &space, &at_particles, size),
    });
    let mut along = vec![0.0; size[0] * size[1]];
    along_z(&field, &mut along);
    let mass = along.iter().sum::<f64>() * spacing.into_iter().product::<f64>();

    let begin = Instant::now();
    let look = Look::of(&along, [size[0], size[1]]);
    let mut image = DistVec::from_local(vec![[0; 3]; forall::share(look.size().iter().product()).len()]);
    draw(&along, &look, &mut image);
    if let Some(image) = image.to_root() {
        png(&options.image, look.size(), &image)?;
    }
    say!("wrote {}", options.image.display());
    if let Some(path) = &options.output {
        let first = forall::share(size[2]).start;
        write::image(path, "density", &grid, std::iter::once((first, field.local().to_vec())))?;
        say!("wrote {}", path.display());
    }
    if let Some(path) = &options.cells {
        let mut all = DistVec::default();
        measured(&regions, &mut all);
        if let Some(all) = all.to_root() {
            write_cells(path, all)?;
        }
        say!("wrote {}", path.display());
    }
    if let Some(path) = &options.delaunay {
        let mut all = DistVec::default();
        tetrahedra(&regions, &mut all);
        if let Some(all) = all.to_root() {
            let place = |id: u64, image: u64| {
                let (at, shift) = (space.inside(place(id as usize)), space.shift_of(image));
                [0, 1, 2].map(|axis| at[axis] + shift[axis])
            };
            write::cells(path, &files::mesh(all, &at_particles, place))?;
        }
        say!("wrote {}", path.display());
    }
    if let Some(path) = &options.polyhedra {
        let (mut numbers, mut corners) = (DistVec::default(), DistVec::default());
        polyhedra(&regions, &space, &mut numbers, &mut corners);
        let (mut all, numbers, corners) = (DistVec::default(), numbers.to_root(), corners.to_root());
        measured(&regions, &mut all);
        if let (Some(all), Some(numbers), Some(corners)) = (all.to_root(), numbers, corners) {
            write::polyhedra(path, &files::cells(&all, &numbers, &corners))?;
        }
        say!("wrote {}", path.display());
    }
    seconds.write = begin.elapsed().as_secs_f64();
    let Seconds { read, cells, density, write } = seconds;
    say!("read {read:.3} s, cells {cells:.3} s, density {density:.3} s, write {write:.3} s");

    let peak_memory_bytes = peak_memory();
    let Some(path) = &options.common.report else { return Ok(()) };
    let report = Report {
        input: origin,
        particles: count,
        bounds: whole,
        periodic: options.periodic,
        blocks: options.blocks,
        rounds,
        others: found.others,
        cells: found.cells,
        faces: found.faces,
        volume: found.volume,
        tetrahedra: mesh.map(|mesh| mesh.tetrahedra),
        mesh_volume: mesh.map(|mesh| mesh.volume),
        hull: mesh.map(|mesh| mesh.hull),
        least_volume: (found.cells > 0).then_some(found.least),
        greatest_volume: found.most,
        size,
        mass,
        seconds,
        machine: Machine::of(settings),
        peak_memory_bytes,
    };
    report::write(path, &report)?;
    Ok(())
}

fn open(options: &Options) -> Result<Input, Failure> {
    let Some(path) = &options.input else {
        let clusters = u64::from(options.clusters);
        return Ok(Input {
            origin: "random".into(),
            count: options.random as usize,
            place: Box::new(move |id| random_place(id as u64, clusters)),
            bounds: Bounds { low: [0.0; 3], high: [1.0; 3] },
        });
    };
    let &[x, y, z] = &options.columns[..] else { return Err("--columns: give three columns, such as 1,2,3".into()) };
    let at = points(path, &[x, y, z].map(usize::from), f64::INFINITY)?.at;
    let bounds = around(&at);
    Ok(Input { origin: path.display().to_string(), count: at.len(), place: Box::new(move |id| at[id]), bounds })
}

/// A box around places, wider by half of their mean distance on each side.
fn around(places: &[[f64; 3]]) -> Bounds {
    let extreme = |f: fn(f64, f64) -> f64| {
        let all = |axis: usize| places.iter().map(|at| at[axis]).reduce(f);
        [0, 1, 2].map(|axis| all(axis).unwrap_or(0.0))
    };
    let tight = Bounds { low: extreme(f64::min), high: extreme(f64::max) };
    let sides = tight.extent().into_iter().filter(|side| *side > 0.0);
    let (dimensions, content) = sides.fold((0, 1.0), |(count, product), side| (count + 1, product * side));
    let apart = if dimensions == 0 { 1.0 } else { (content / places.len() as f64).powf(1.0 / f64::from(dimensions)) };
    tight.wider(0.5 * apart)
}

fn bounds(given: &[f64]) -> Result<Bounds, Failure> {
    let wrong = "--bounds: give the least and the greatest x, y and z, as in 0,1,0,1,0,1";
    let &[x, to_x, y, to_y, z, to_z] = given else { return Err(wrong.into()) };
    let bounds = Bounds { low: [x, y, z], high: [to_x, to_y, to_z] };
    let rises = bounds.extent().into_iter().all(|side| side > 0.0 && side.is_finite());
    if rises { Ok(bounds) } else { Err(wrong.into()) }
}

/// Writes particles in the order of their numbers.
fn write_cells(path: &std::path::Path, mut all: Vec<Measured>) -> Result<(), Failure> {
    all.sort_unstable_by_key(|measured| measured.id);
    write::atomically(path, |file| {
        writeln!(file, "particle,x,y,z,volume,neighbours")?;
        all.iter().try_for_each(|Measured { id, at: [x, y, z], volume, neighbours }| {
            writeln!(file, "{id},{x},{y},{z},{volume},{neighbours}")
        })
    })?;
    Ok(())
}
