//! Measures distances to a surface in a volume: see `distance --help`.

use clap::Parser;
use distance::drawing::{Look, draw};
use distance::slab::Slab;
use distance::{Figures, distance, distances, figures, plane_to_all, range, slabs};
use forall::{Blocks, DistVec};
use forall_examples::field::Field;
use forall_examples::grid::Grid;
use forall_examples::picture::{self, png};
use forall_examples::program::{Common, Failure, start};
use forall_examples::progress::{grouped, part};
use forall_examples::read::Source;
use forall_examples::report::{self, Machine, peak_memory, timed};
use forall_examples::say;
use forall_examples::volume::VolumeOptions;
use forall_examples::write;
use serde::Serialize;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Instant;

/// Measures how far each point of a volume is from the nearest one on the other side of a surface.
///
/// Points with a value above --iso are inside and have negative distances. The volume is cut into blocks, which are on all ranks and
/// threads. With FORALL_BLOCKS=4, each rank has four of its blocks in memory, and the others on the disk.
#[derive(Debug, Parser)]
#[command(version)]
struct Options {
    #[command(flatten)]
    volume: VolumeOptions,

    /// Use a formula instead of a file
    #[arg(long, value_name = "NAME", conflicts_with_all = ["input", "variable"])]
    field: Option<Field>,

    /// Points along each side of the formula's grid
    #[arg(long, value_name = "N", requires = "field", default_value_t = 97, value_parser = clap::value_parser!(u32).range(2..=4096))]
    size: u32,

    /// Value on the surface [default: halfway between the least value and the greatest]
    #[arg(long, value_name = "VALUE", allow_negative_numbers = true, value_parser = finite)]
    iso: Option<f32>,

    /// Measure in points: neighbours are at a distance of one, whatever the file says
    #[arg(long)]
    unit: bool,

    /// Blocks to cut the volume into
    #[arg(long, value_name = "N", default_value_t = 16, value_parser = clap::value_parser!(u32).range(1..=65_536))]
    blocks: u32,

    /// Distances to write: .vti or .npy
    #[arg(long, value_name = "FILE")]
    output: Option<PathBuf>,

    /// Picture of a plane to write: .png
    #[arg(long, value_name = "FILE", default_value = "distance.png")]
    image: PathBuf,

    /// Plane of the picture, from 0 on [default: the middle one]
    #[arg(long, value_name = "Z")]
    plane: Option<usize>,

    #[command(flatten)]
    common: Common,
}

fn finite(text: &str) -> Result<f32, String> {
    text.parse().ok().filter(|value: &f32| value.is_finite()).ok_or_else(|| "give a number".into())
}

/// The contents of the report.
#[derive(Debug, Serialize)]
struct Report {
    input: String,
    variable: String,
    size: [usize; 3],
    iso: f32,
    blocks: u32,
    #[serde(flatten)]
    figures: Figures,
    written_to_disk_bytes: u64,
    read_from_disk_bytes: u64,
    seconds: Seconds,
    #[serde(flatten)]
    machine: Machine,
    peak_memory_bytes: Option<u64>,
}

/// Wall-clock time by phase.
#[derive(Debug, Serialize)]
struct Seconds {
    read: f64,
    distances: f64,
    figures: f64,
    write: f64,
}

fn main() -> ExitCode {
    start(|options: &Options| &options.common, run)
}

fn run(options: &Options, settings: &forall::Settings) -> Result<(), Failure> {
    // An output that cannot be written is better known before the work than after it.
    options.common.report.iter().try_for_each(|file| write::check_place(file))?;
    picture::check(&options.image)?;
    let (source, origin) = open(options)?;
    let grid = if options.unit { Grid::even(source.grid.shape(), [0.0; 3], [1.0; 3]) } else { source.grid.clone() };
    options.output.iter().try_for_each(|file| write::check_image(file, &grid))?;
    let [nx, ny, nz] = grid.shape();
    let shown = options.plane.unwrap_or(nz / 2);
    if shown >= nz {
        return Err(format!("--plane {shown}: the volume has {nz} planes, from 0 to {}", nz - 1).into());
    }

    let mut seconds = Seconds { read: 0.0, distances: 0.0, figures: 0.0, write: 0.0 };
    let read =
        || slabs(&grid, options.blocks as usize, |planes| part("reading", |progress| source.planes(planes, progress)));
    let mut slabs = timed(&mut seconds.read, read)?;
    let iso = match options.iso {
        Some(iso) => iso,
        None => match timed(&mut seconds.read, || range(&slabs)) {
            [least, most] if least <= most => 0.5 * least + 0.5 * most,
            _ => {
                return Err(format!(
                    "{origin}: all values of {} are missing; --variable chooses another one",
                    source.name
                )
                .into());
            }
        },
    };
    timed(&mut seconds.distances, || distances(&mut slabs, iso));
    let found = timed(&mut seconds.figures, || figures(&slabs));
    tell(&found, iso, source.units.as_deref());

    let start = Instant::now();
    let squared = plane_to_all(&slabs, nz, shown);
    let look = Look::of(&squared, [nx, ny]);
    let mut image = DistVec::from_local(vec![[0; 3]; forall::share(look.size().iter().product()).len()]);
    draw(&squared, &look, &mut image);
    if let Some(image) = image.to_root() {
        png(&options.image, look.size(), &image)?;
    }
    say!("wrote {}, of the plane {shown}", options.image.display());
    if let Some(path) = &options.output {
        write::image(path, "distance", &grid, own_planes(&slabs))?;
        say!("wrote {}", path.display());
    }
    seconds.write = start.elapsed().as_secs_f64();
    let Seconds { read, distances, figures, write } = seconds;
    say!("read {read:.3} s, distances {distances:.3} s, figures {figures:.3} s, write {write:.3} s");

    let moved = slabs.moved();
    let on_all = |bytes: u64| DistVec::from_local(vec![bytes]).to_all().into_iter().sum();
    let (written, read) = (on_all(moved.bytes_written), on_all(moved.bytes_read));
    if written > 0 {
        say!("to the disk {} bytes, and from it {}", grouped(written), grouped(read));
    }
    let peak_memory_bytes = peak_memory();
    let Some(path) = &options.common.report else { return Ok(()) };
    let report = Report {
        input: origin,
        variable: source.name.clone(),
        size: grid.shape(),
        iso,
        blocks: options.blocks,
        figures: found,
        written_to_disk_bytes: written,
        read_from_disk_bytes: read,
        seconds,
        machine: Machine::of(settings),
        peak_memory_bytes,
    };
    report::write(path, &report)?;
    Ok(())
}

fn open(options: &Options) -> Result<(Source, String), Failure> {
    let (source, origin) = match options.field {
        Some(field) => (field.on(options.size as usize), "formula".into()),
        None => (options.volume.open()?, options.volume.origin()),
    };
    let [nx, ny, nz] = source.grid.shape();
    say!("{origin}: {}, {nx} x {ny} x {nz}", source.name);
    Ok((source, origin))
}

fn tell(found: &Figures, iso: f32, units: Option<&str>) {
    let units = units.map_or(String::new(), |units| format!(" {units}"));
    say!("  {} points inside, above {iso}{units}, and {} outside", grouped(found.inside), grouped(found.outside));
    match (found.inside, found.outside) {
        (0, _) | (_, 0) => say!("  no point has one on the other side: --iso says where the surface is"),
        _ => say!(
            "  the farthest from the other side are {} inside and {} outside; sums of squares {} and {}",
            found.most_inside.sqrt(),
            found.most_outside.sqrt(),
            found.sum_inside,
            found.sum_outside
        ),
    }
}

/// The distances in the planes of this rank, slab by slab.
fn own_planes(slabs: &Blocks<Slab>) -> impl Iterator<Item = (usize, Vec<f32>)> {
    slabs.iter().map(|slab| (slab.planes().start, slab.values().iter().map(|squared| distance(*squared)).collect()))
}
