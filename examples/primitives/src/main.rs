//! Times the primitives on this machine: see `primitives --help`.

mod bench;
mod scaling;

use bench::{Bench, Size, benchmarks};
use clap::Parser;
use forall_examples::program::{Common, Failure, start};
use forall_examples::report::{self, Machine};
use forall_examples::{say, write};
use primitives::measure::{Measured, Way};
use serde::Serialize;
use std::path::PathBuf;
use std::process::ExitCode;

/// Times scans, reductions, maps, pushes, sorts and searches: annotated (`forall`), unannotated (`plain`) and hand-written (`rayon`).
///
/// Every primitive is run the three ways in turn, so that a machine that slows down does so for all of them. Each way's
/// result is compared once with that of the plain loop. On several ranks only `forall` is timed, on shares.
#[derive(Debug, Parser)]
#[command(version)]
struct Options {
    /// Elements of each vector
    #[arg(long, value_name = "N", default_value_t = 1 << 26, value_parser = clap::value_parser!(u64).range(1..1 << 40))]
    n: u64,

    /// How often each is timed
    #[arg(long, value_name = "R", default_value_t = 7, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    reps: u32,

    /// Times only primitives whose names contain this
    #[arg(long, value_name = "TEXT", default_value = "")]
    only: String,

    /// Times the annotated primitives on more and more threads, and ranks of one thread
    #[arg(long)]
    scaling: bool,

    /// Chart to write with --scaling: .svg
    #[arg(long, value_name = "FILE.svg", default_value = "scaling.svg")]
    image: PathBuf,

    #[command(flatten)]
    common: Common,
}

/// The contents of the report.
#[derive(Debug, Serialize)]
struct Report {
    n: usize,
    reps: u32,
    #[serde(flatten)]
    machine: Machine,
    rows: Vec<Measured>,
}

fn main() -> ExitCode {
    start(|options: &Options| &options.common, run)
}

fn run(options: &Options, settings: &forall::Settings) -> Result<(), Failure> {
    let machine = Machine::of(settings);
    let Machine { ranks, threads, backend } = machine;
    let size = Size { n: options.n as usize, reps: options.reps, only: &options.only };
    if options.scaling {
        return scaling::run(size, settings, threads, &options.image, options.common.report.as_deref());
    }
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build_global();
    pool.map_err(|error| format!("the threads for the rayon rows cannot be had: {error}; try fewer --threads"))?;
    if let Some(path) = &options.common.report {
        // A report that cannot be written is better known before the work than after it.
        write::check_place(path)?;
    }
    let mut bench = Bench { size, ways: Way::timed(), rows: Vec::new() };
    say!("# backend {backend} ranks {ranks} threads {threads} reps {}", options.reps);
    benchmarks(&mut bench)?;
    if let Some(path) = &options.common.report {
        report::write(path, &Report { n: size.n, reps: size.reps, machine, rows: bench.rows })?;
    }
    Ok(())
}
