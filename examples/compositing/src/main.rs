//! Composites the pictures of all ranks by every algorithm: see `compositing --help`.

use clap::{Parser, ValueEnum};
use compositing::pixel::{CLEAR, FAR};
use compositing::simulate::{Pictures, simulate};
use compositing::workload::Workload;
use compositing::{blend, depth};
use forall::{DistVec, Element};
use forall_core::comm::Traffic;
use forall_core::runtime::current;
use forall_examples::program::{Common, Failure, start};
use forall_examples::report::{self, Machine};
use forall_examples::{say, write};
use serde::Serialize;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Instant;

/// Composites one picture of each rank into one on rank 0, by every algorithm, and takes the time.
#[derive(Debug, Parser)]
#[command(version)]
struct Options {
    /// Pixels in a row
    #[arg(default_value_t = 1024, value_parser = clap::value_parser!(u32).range(1..=1 << 15))]
    width: u32,

    /// Rows
    #[arg(default_value_t = 1024, value_parser = clap::value_parser!(u32).range(1..=1 << 15))]
    height: u32,

    /// How much of each picture is not empty, from 0 to 1
    #[arg(default_value_t = 1.0, value_parser = fraction)]
    fraction: f64,

    /// How often
    #[arg(default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    repetitions: u32,

    /// The merge of two pixels
    #[arg(value_enum, default_value_t = Mode::Blend)]
    mode: Mode,

    /// 1 to compare the result with what one processor gets
    #[arg(default_value_t = 0, value_parser = clap::value_parser!(u8).range(0..=1))]
    check: u8,

    /// Draw how long the algorithms take on the machine of TOD-Tree's paper, and what its ranks do, into this folder, instead
    #[arg(long, value_name = "FOLDER")]
    simulate: Option<PathBuf>,

    /// On at most so many ranks
    #[arg(long, value_name = "N", default_value_t = 4096, requires = "simulate", value_parser = clap::value_parser!(u32).range(2..=4096))]
    ranks: u32,

    #[command(flatten)]
    common: Common,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum, Serialize)]
#[serde(rename_all = "lowercase")]
enum Mode {
    /// They shine through, in the order of the ranks
    Blend,
    /// The nearer one counts
    Depth,
}

fn fraction(text: &str) -> Result<f64, String> {
    let fraction: f64 = text.parse().map_err(|_| format!("`{text}` is no number"))?;
    if (0.0..=1.0).contains(&fraction) { Ok(fraction) } else { Err(format!("{fraction} is not from 0 to 1")) }
}

/// The contents of the report.
#[derive(Debug, Serialize)]
struct Report {
    width: usize,
    height: usize,
    fraction: f64,
    mode: Mode,
    algorithms: Vec<Measured>,
    #[serde(flatten)]
    machine: Machine,
}

/// One algorithm, in milliseconds of the slowest rank.
#[derive(Debug, Serialize)]
struct Measured {
    algorithm: &'static str,
    median_ms: f64,
    least_ms: f64,
    most_ms: f64,
    /// The traffic of all ranks in the last repetition.
    bytes_sent: u64,
    /// How far the result is off, or how many pixels are.
    error: Option<f64>,
}

fn main() -> ExitCode {
    start(|options: &Options| &options.common, run)
}

fn run(options: &Options, settings: &forall::Settings) -> Result<(), Failure> {
    options.common.report.iter().try_for_each(|file| write::check_place(file))?;
    let (width, height) = (options.width as usize, options.height as usize);
    if let Some(folder) = &options.simulate {
        let pictures = Pictures { width, height, fraction: options.fraction };
        return Ok(simulate(&pictures, options.ranks as usize, folder)?);
    }
    let work = Workload { width, height, fraction: options.fraction, layers: forall::ranks() };
    let algorithms = match options.mode {
        Mode::Blend => {
            let error = |frame: &[_]| work.error_of_blend(frame);
            measured(options, blend::ALL, &work, CLEAR, |layer, pixel| work.rgba(layer, pixel), error)
        }
        Mode::Depth => {
            let error = |frame: &[_]| work.wrong_fragments(frame) as f64;
            measured(options, depth::ALL, &work, FAR, |layer, pixel| work.fragment(layer, pixel), error)
        }
    };
    if let Some(path) = &options.common.report {
        let (fraction, mode, machine) = (options.fraction, options.mode, Machine::of(settings));
        report::write(path, &Report { width, height, fraction, mode, algorithms, machine })?;
    }
    Ok(())
}

/// One of the functions that are compared.
type Composite<P> = (&'static str, fn(&DistVec<P>, &mut [P]));

fn measured<P: Element>(
    options: &Options,
    all: &[Composite<P>],
    work: &Workload,
    clear: P,
    pixel: impl Fn(usize, usize) -> P,
    error: impl Fn(&[P]) -> f64,
) -> Vec<Measured> {
    let Workload { width, height, fraction, .. } = work;
    let (rank, ranks) = (forall::rank(), forall::ranks());
    let layers = DistVec::from_local((0..work.pixels()).map(|place| pixel(rank, place)).collect());
    let mut frame = vec![clear; work.pixels()];
    let traffic = || current().map(|context| context.traffic()).unwrap_or_default();
    let measure = |(algorithm, composite): &Composite<P>| {
        let mut last = Traffic::default();
        let mut times: Vec<f64> = (0..=options.repetitions)
            .map(|_| {
                // What the frames of the other ranks hold does not count.
                let begin = Instant::now();
                if rank == 0 {
                    frame.fill(clear);
                }
                let before = traffic();
                composite(&layers, &mut frame);
                let own = begin.elapsed().as_secs_f64() * 1e3;
                last = traffic() - before;
                // No rank begins the next one before all are done with this.
                DistVec::from_local(vec![own]).to_all().into_iter().fold(0.0, f64::max)
            })
            .collect();
        let bytes_sent = DistVec::from_local(vec![last.bytes_sent]).to_all().into_iter().sum::<u64>();
        // The first one warms up.
        times.remove(0);
        times.sort_unstable_by(f64::total_cmp);
        let [median_ms, least_ms, most_ms] = [times.len() / 2, 0, times.len() - 1].map(|place| times[place]);
        let error = (options.check == 1 && rank == 0).then(|| error(&frame));
        let shown = error.map_or_else(|| "-1".to_owned(), |error| format!("{error:.5e}"));
        let communicate = last.time.as_secs_f64() * 1e3;
        let mode = if options.mode == Mode::Blend { "blend" } else { "depth" };
        say!(
            "forall,{algorithm},np={ranks},{width}x{height},frac={fraction},{mode},interlace=0,med_ms={median_ms:.1},\
             min={least_ms:.1},max={most_ms:.1},rank0 communicate={communicate:.1}ms,MBsent_total={:.1},err={shown}",
            bytes_sent as f64 / 1e6
        );
        Measured { algorithm, median_ms, least_ms, most_ms, bytes_sent, error }
    };
    all.iter().map(measure).collect()
}
