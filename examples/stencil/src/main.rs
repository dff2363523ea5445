//! Lets heat spread over a plane: see `stencil --help`.

use clap::Parser;
use forall::objects::Counters;
use forall::{DistVec, Object};
use forall_core::runtime::current;
use forall_examples::chart::{Chart, Line};
use forall_examples::picture::{self, animation, png};
use forall_examples::program::{Common, Failure, start};
use forall_examples::progress::{grouped, steps};
use forall_examples::report::{self, Machine, peak_memory};
use forall_examples::write::check_place;
use forall_examples::{say, write};
use serde::Serialize;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::str::FromStr;
use std::time::Instant;
use stencil::{checksum, step, step_in_place, sum_of_all};

/// Lets heat spread over a square plane, tile by tile.
///
/// Each tile is a task. It runs on the rank that has most of its input, and only the margins of tiles move between ranks.
/// FORALL_PLACEMENT=round-robin places the tasks one after the other instead.
#[derive(Debug, Parser)]
#[command(version)]
struct Options {
    /// Points along each side of the plane
    #[arg(long, value_name = "N", default_value_t = 2048, value_parser = clap::value_parser!(u32).range(1..=65_536))]
    size: u32,

    /// Points along each side of a tile
    #[arg(long, value_name = "G", default_value_t = 512, value_parser = clap::value_parser!(u32).range(1..=65_536))]
    tile: u32,

    /// Steps
    #[arg(long, value_name = "K", default_value_t = 20, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    steps: u32,

    /// Planes: with one, each tile stores its points when all tiles have read theirs
    #[arg(long, value_name = "1|2", default_value_t = 2, value_parser = clap::value_parser!(u8).range(1..=2))]
    buffers: u8,

    /// The heat before the first step: a hot rectangle (peer), or the brightness of a picture (.png)
    #[arg(long, value_name = "peer|FILE", default_value = "peer")]
    start: Start,

    /// Picture of the plane after the last step to write: .png
    #[arg(long, value_name = "FILE")]
    image: Option<PathBuf>,

    /// Frames of the plane to write, 100 at most, as an animated picture: .png
    #[arg(long, value_name = "FILE")]
    frames: Option<PathBuf>,

    /// Runs all sizes of tiles from 32 to the plane's, doubling, and shows the time of each
    #[arg(long, conflicts_with_all = ["tile", "image", "frames"])]
    sweep: bool,

    /// Chart of the sweep to write: .svg
    #[arg(long, value_name = "FILE", requires = "sweep")]
    chart: Option<PathBuf>,

    #[command(flatten)]
    common: Common,
}

/// The heat before the first step.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Start {
    /// A hot rectangle in the middle.
    Peer,
    /// The brightness of a picture, which is scaled to the plane.
    Picture(PathBuf),
}

impl FromStr for Start {
    type Err = String;

    fn from_str(text: &str) -> Result<Start, String> {
        match Path::new(text).extension().is_some_and(|extension| extension.eq_ignore_ascii_case("png")) {
            true => Ok(Start::Picture(text.into())),
            false if text == "peer" => Ok(Start::Peer),
            false => Err("this is neither `peer` nor a file that ends in .png".to_owned()),
        }
    }
}

/// The most frames.
const FRAMES: u32 = 100;

/// The content of the report.
#[derive(Debug, Serialize)]
struct Report {
    size: u32,
    tile: u32,
    steps: u32,
    buffers: u8,
    checksum: f64,
    /// The median, of the slowest rank.
    step_ms: f64,
    /// Bytes of elements that all ranks sent.
    bytes: u64,
    /// Messages with elements.
    data_messages: u64,
    control_messages: u64,
    /// The same, after the first step.
    control_messages_after_first_step: u64,
    seconds: Seconds,
    #[serde(flatten)]
    machine: Machine,
    peak_memory_bytes: Option<u64>,
}

/// The mean over the ranks.
#[derive(Debug, Serialize)]
struct Seconds {
    communication: f64,
    computation: f64,
}

fn main() -> ExitCode {
    start(|options: &Options| &options.common, run)
}

fn run(options: &Options, settings: &forall::Settings) -> Result<(), Failure> {
    options.common.report.iter().try_for_each(|file| write::check_place(file))?;
    options.image.iter().chain(&options.frames).try_for_each(|file| picture::check(file))?;
    options.chart.iter().try_for_each(|file| check_place(file))?;
    let n = options.size as usize;
    let heat: Box<dyn Fn([usize; 2]) -> f32> = match &options.start {
        Start::Peer => Box::new(move |at| stencil::start(n, at)),
        Start::Picture(file) => {
            let ([width, height], pixels) = picture::brightness(file)?;
            Box::new(move |[y, x]| pixels[y * height / n * width + x * width / n])
        }
    };
    if options.sweep {
        return sweep(options, settings, &*heat);
    }
    let (report, plane) = simulated(options, settings, options.tile, &*heat)?;
    let Report { step_ms, checksum, .. } = report;
    say!("{n} x {n} points, tiles of {0} x {0}, {1} steps of {step_ms:.3} ms", options.tile, options.steps);
    say!("  checksum {checksum:.6}");
    say!(
        "  {} bytes in {} messages between ranks, and {} control messages",
        grouped(report.bytes),
        grouped(report.data_messages),
        grouped(report.control_messages)
    );
    if let Some(image) = &options.image {
        let picture = drawn(&plane, n);
        if forall::rank() == 0 {
            png(image, [n, n], &picture)?;
        }
        say!("wrote {}", image.display());
    }
    if let Some(path) = &options.common.report {
        report::write(path, &report)?;
    }
    Ok(())
}

/// Runs all sizes of tiles, as in figures 7 and 8 of the paper.
fn sweep(options: &Options, settings: &forall::Settings, heat: &dyn Fn([usize; 2]) -> f32) -> Result<(), Failure> {
    let sizes = std::iter::successors(Some(32), |tile| (*tile < options.size).then(|| (2 * tile).min(options.size)));
    let (mut reports, mut lines) =
        (Vec::new(), ["step", "computation", "communication"].map(|name| (name, Vec::new())));
    say!("{:>6}  {:>9}  {:>14}  {:>16}  {:>12}", "tile", "step ms", "computation ms", "communication ms", "bytes");
    for tile in sizes {
        let (report, _) = simulated(options, settings, tile, heat)?;
        let per_step = |seconds: f64| 1e3 * seconds / f64::from(options.steps);
        let [computation, communication] = [report.seconds.computation, report.seconds.communication].map(per_step);
        say!(
            "{tile:>6}  {:>9.3}  {computation:>14.3}  {communication:>16.3}  {:>12}",
            report.step_ms,
            grouped(report.bytes)
        );
        for ((_, points), value) in lines.iter_mut().zip([report.step_ms, computation, communication]) {
            points.push([f64::from(tile).log2(), value]);
        }
        reports.push(report);
    }
    if let Some(chart) = &options.chart {
        let title = format!(
            "A step of {0} x {0} points, {1} ranks of {2} threads",
            options.size,
            forall::ranks(),
            reports.first().map_or(1, |report| report.machine.threads)
        );
        let axes = ["tile, as a power of two".to_owned(), "milliseconds".to_owned()];
        let lines = lines.map(|(name, points)| Line { name: name.to_owned(), dashed: false, points }).into();
        Chart { title, axes, lines }.write(chart)?;
        say!("wrote {}", chart.display());
    }
    if let Some(path) = &options.common.report {
        report::write(path, &reports)?;
    }
    Ok(())
}

/// The colours of a plane, on all ranks.
fn drawn(plane: &Object<f32, 2>, n: usize) -> Vec<[u8; 3]> {
    let colours: Vec<[u8; 3]> = plane.to_all().elements().iter().map(|heat| colour(*heat)).collect();
    debug_assert_eq!(colours.len(), n * n);
    colours
}

/// Runs all steps with tiles of this size. Returns the report and the plane.
fn simulated(
    options: &Options,
    settings: &forall::Settings,
    tile: u32,
    heat: &dyn Fn([usize; 2]) -> f32,
) -> Result<(Report, Object<f32, 2>), Failure> {
    let (n, size) = (options.size as usize, [tile as usize; 2]);
    let mut now = Object::from_fn([n, n], heat);
    // The same border, if it is used.
    let second = if options.buffers == 2 { n } else { 0 };
    let mut next = Object::from_fn([second, second], heat);

    let (mut times, mut seconds) = (Vec::new(), Seconds { communication: 0.0, computation: 0.0 });
    let (mut first, mut film) = (Counters::default(), Vec::new());
    let bar = steps(options.steps.into(), "steps");
    for number in 0..options.steps {
        if options.frames.is_some() && number.is_multiple_of(options.steps.div_ceil(FRAMES)) {
            film.push(drawn(&now, n));
        }
        let (begin, before) = (Instant::now(), communication());
        match options.buffers {
            1 => step_in_place(&mut now, size),
            _ => step(&now, &mut next, size),
        }
        let (took, messages) = (begin.elapsed().as_secs_f64(), communication() - before);
        times.push(1e3 * took);
        seconds.communication += messages;
        seconds.computation += took - messages;
        if options.buffers == 2 {
            std::mem::swap(&mut now, &mut next);
        }
        if number == 0 {
            first = both(&now, &next);
        }
        bar.inc(1);
    }
    bar.finish_and_clear();
    if let Some(frames) = options.frames.as_ref().filter(|_| forall::rank() == 0) {
        animation(frames, [n, n], 12, film.into_iter())?;
        say!("wrote {}", frames.display());
    }

    times.sort_by(f64::total_cmp);
    let median = times[times.len() / 2];
    let step_ms = DistVec::from_local(vec![median]).to_all().into_iter().fold(0.0, f64::max);
    let checksum = checksum(&now);
    let all = both(&now, &next);
    let on_all = |own: u64| -> u64 { DistVec::from_local(vec![own]).to_all().into_iter().sum() };
    let ranks = forall::ranks() as f64;
    let seconds = Seconds {
        communication: sum_of_all(seconds.communication) / ranks,
        computation: sum_of_all(seconds.computation) / ranks,
    };
    let report = Report {
        size: options.size,
        tile,
        steps: options.steps,
        buffers: options.buffers,
        checksum,
        step_ms,
        bytes: on_all(all.bytes),
        data_messages: on_all(all.data),
        control_messages: on_all(all.control),
        control_messages_after_first_step: on_all(all.control - first.control),
        seconds,
        machine: Machine::of(settings),
        peak_memory_bytes: peak_memory(),
    };
    Ok((report, now))
}

/// The seconds that this rank has spent with messages so far.
fn communication() -> f64 {
    current().map_or(0.0, |context| context.traffic().time.as_secs_f64())
}

/// The messages for both planes.
fn both(now: &Object<f32, 2>, next: &Object<f32, 2>) -> Counters {
    let mut sum = now.counters();
    sum += next.counters();
    sum
}

/// From black by red and yellow to white.
fn colour(heat: f32) -> [u8; 3] {
    let channel = |from: f32| (255.0 * (3.0 * heat - from).clamp(0.0, 1.0)) as u8;
    [channel(0.0), channel(1.0), channel(2.0)]
}
