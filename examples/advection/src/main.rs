//! Carries a cloud over a mesh with several levels: see `advection --help`.

use advection::{begin, cells, longest_step, mass, mesh, step};
use clap::Parser;
use forall::blocks::{AdaptiveMesh, LevelBox};
use forall_examples::picture::{self, png};
use forall_examples::program::{Common, Failure, start};
use forall_examples::progress::{counted, steps};
use forall_examples::report::{self, Machine, peak_memory, timed};
use forall_examples::{say, write};
use serde::Serialize;
use std::path::PathBuf;
use std::process::ExitCode;

/// Carries a cloud through a vortex, on a mesh that is finer where the cloud is.
///
/// Each box of the mesh is a block. FORALL_BLOCKS limits the blocks in memory.
#[derive(Debug, Parser)]
#[command(version)]
struct Options {
    /// Cells along each side of the coarsest level
    #[arg(long, value_name = "N", default_value_t = 64, value_parser = clap::value_parser!(u32).range(1..=16_384))]
    size: u32,

    /// Blocks of the coarsest level
    #[arg(long, value_name = "B", default_value_t = 16, value_parser = clap::value_parser!(u32).range(1..=65_536))]
    blocks: u32,

    /// Levels, each twice as fine as the one before
    #[arg(long, value_name = "L", default_value_t = 3, value_parser = clap::value_parser!(u8).range(1..=8))]
    levels: u8,

    /// Steps
    #[arg(long, value_name = "K", default_value_t = 200, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    steps: u32,

    /// Picture of the cloud and the boxes after the last step to write: .png
    #[arg(long, value_name = "FILE")]
    image: Option<PathBuf>,

    #[command(flatten)]
    common: Common,
}

/// The content of the report.
#[derive(Debug, Serialize)]
struct Report {
    size: u32,
    steps: u32,
    /// The boxes of each level.
    boxes: Vec<usize>,
    /// Cells that no finer ones cover.
    cells: usize,
    /// The mass before the first step and after the last one.
    mass: [f64; 2],
    seconds: f64,
    #[serde(flatten)]
    machine: Machine,
    peak_memory_bytes: Option<u64>,
}

/// The largest picture, in pixels along each side.
const PIXELS: usize = 4096;

fn main() -> ExitCode {
    start(|options: &Options| &options.common, run)
}

fn run(options: &Options, settings: &forall::Settings) -> Result<(), Failure> {
    options.common.report.iter().try_for_each(|file| write::check_place(file))?;
    options.image.iter().try_for_each(|file| picture::check(file))?;
    let (n, levels) = (options.size as usize, usize::from(options.levels));
    let mesh = mesh(n, options.blocks as usize, levels)?;
    let mut blocks = begin(&mesh, n);
    let (time, mut seconds) = (longest_step(n, levels), 0.0);
    let before = mass(&blocks);
    let bar = steps(options.steps.into(), "steps");
    for _ in 0..options.steps {
        timed(&mut seconds, || step(&mut blocks, levels, time));
        bar.inc(1);
    }
    bar.finish_and_clear();
    let boxes = (0..levels).map(|level| mesh.boxes().iter().filter(|cells| cells.level == level).count());
    let report = Report {
        size: options.size,
        steps: options.steps,
        boxes: boxes.collect(),
        cells: cells(&blocks),
        mass: [before, mass(&blocks)],
        seconds,
        machine: Machine::of(settings),
        peak_memory_bytes: peak_memory(),
    };
    say!("{} in {} on {}", counted(report.cells, "cell"), counted(mesh.len(), "block"), counted(levels, "level"));
    say!("  {} of {:.3} ms", counted(options.steps as usize, "step"), 1e3 * seconds / f64::from(options.steps));
    say!("  mass {:.15} before, and {:.15} after", report.mass[0], report.mass[1]);
    if let Some(image) = &options.image {
        let all = blocks.to_all();
        if forall::rank() == 0 {
            let side = PIXELS.min(n << (levels - 1));
            let density = |level: usize, cell: [i64; 2]| {
                let number = mesh.boxes().iter().position(|cells| cells.level == level && cells.contains(cell));
                number.map(|number| (all[number].at(cell), is_edge(&mesh.boxes()[number], cell)))
            };
            png(image, [side; 2], &drawn(&mesh, side, density))?;
        }
        say!("wrote {}", image.display());
    }
    if let Some(path) = &options.common.report {
        report::write(path, &report)?;
    }
    Ok(())
}

/// Whether a cell is the first of its box along an axis.
fn is_edge(cells: &LevelBox<2>, cell: [i64; 2]) -> bool {
    cells.low[0] == cell[0] || cells.low[1] == cell[1]
}

/// The colours of a picture, row by row from the top. Each pixel shows the finest cell at its place. The first cells of a box are darker.
fn drawn(
    mesh: &AdaptiveMesh<2>,
    side: usize,
    density: impl Fn(usize, [i64; 2]) -> Option<(f64, bool)>,
) -> Vec<[u8; 3]> {
    let pixels = LevelBox::new(0, [0..side as i64, 0..side as i64]);
    let colour = |[row, column]: [i64; 2]| {
        let cell = |level: usize| {
            let domain = mesh.domain(level).high;
            let at = [side as i64 - 1 - row, column];
            [0, 1].map(|axis| at[axis] * domain[axis] / side as i64)
        };
        let finest = (0..mesh.levels()).rev().find_map(|level| density(level, cell(level)));
        let (value, is_edge) = finest.unwrap_or((0.0, false));
        let shade =
            |from: f64| (255.0 * (1.0 - (from * value).clamp(0.0, 1.0)) * if is_edge { 0.8 } else { 1.0 }) as u8;
        [shade(2.0), shade(1.2), shade(0.6)]
    };
    pixels.iter().map(colour).collect()
}
