//! Lets heat spread over a plane: see `stencil --help`.

use clap::{Parser, ValueEnum};
use forall::objects::Counters;
use forall::{DistVec, Object};
use forall_core::runtime::current;
use forall_examples::picture::{self, png};
use forall_examples::program::{Common, Failure, start};
use forall_examples::progress::{grouped, steps};
use forall_examples::report::{self, Machine, peak_memory};
use forall_examples::{say, write};
use serde::Serialize;
use std::path::PathBuf;
use std::process::ExitCode;
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

    /// The heat before the first step
    #[arg(long, value_name = "NAME", value_enum, default_value_t = Start::Peer)]
    start: Start,

    /// Picture of the plane after the last step to write: .png
    #[arg(long, value_name = "FILE")]
    image: Option<PathBuf>,

    #[command(flatten)]
    common: Common,
}

/// The heat before the first step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Start {
    /// A hot rectangle in the middle
    Peer,
}

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
    options.image.iter().try_for_each(|file| picture::check(file))?;
    let (n, tile) = (options.size as usize, options.tile as usize);
    let Start::Peer = options.start;
    let mut now = Object::from_fn([n, n], |at| stencil::start(n, at));
    // The same border, if it is used.
    let size = if options.buffers == 2 { n } else { 0 };
    let mut next = Object::from_fn([size, size], |at| stencil::start(n, at));

    let (mut times, mut seconds) = (Vec::new(), Seconds { communication: 0.0, computation: 0.0 });
    let mut first = Counters::default();
    let bar = steps(options.steps.into(), "steps");
    for number in 0..options.steps {
        let (begin, before) = (Instant::now(), communication());
        match options.buffers {
            1 => step_in_place(&mut now, [tile, tile]),
            _ => step(&now, &mut next, [tile, tile]),
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
        tile: options.tile,
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
    say!("{n} x {n} points, tiles of {tile} x {tile}, {} steps of {step_ms:.3} ms", options.steps);
    say!("  checksum {checksum:.6}");
    say!(
        "  {} bytes in {} messages between ranks, and {} control messages",
        grouped(report.bytes),
        grouped(report.data_messages),
        grouped(report.control_messages)
    );
    if let Some(image) = &options.image {
        let plane = now.to_all();
        let picture: Vec<[u8; 3]> = plane.elements().iter().map(|heat| colour(*heat)).collect();
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
