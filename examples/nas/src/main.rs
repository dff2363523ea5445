//! Runs a NAS benchmark: see `nas --help`.

use clap::{Parser, ValueEnum};
use forall_examples::program::{Common, Failure, start};
use forall_examples::report::{self, Machine};
use forall_examples::{say, write};
use nas::{Class, Outcome, cg, ep, ft, is, mg};
use serde::Serialize;
use std::process::ExitCode;

/// Runs a NAS parallel benchmark, and compares its results with the published ones.
#[derive(Debug, Parser)]
#[command(version)]
struct Options {
    /// Which of them
    #[arg(long, value_name = "NAME", value_enum)]
    benchmark: Benchmark,

    /// The size of the problem
    #[arg(long, value_name = "CLASS", value_enum, ignore_case = true, default_value = "S")]
    class: Class,

    #[command(flatten)]
    common: Common,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Benchmark {
    /// Conjugate gradients
    Cg,
    /// Multigrid
    Mg,
    /// Integer sort
    Is,
    /// Embarrassingly parallel
    Ep,
    /// Fourier transforms
    Ft,
}

impl Benchmark {
    fn run(self, class: Class) -> Outcome {
        match self {
            Benchmark::Cg => cg::run(class),
            Benchmark::Mg => mg::run(class),
            Benchmark::Is => is::run(class),
            Benchmark::Ep => ep::run(class),
            Benchmark::Ft => ft::run(class),
        }
    }
}

/// The results are not the published ones.
#[derive(Debug, thiserror::Error)]
#[error("{name}.{class}: the results are {error:.1e} off the published ones, and may be {allowed:.0e}")]
struct Wrong {
    name: String,
    class: String,
    error: f64,
    allowed: f64,
}

/// The contents of the report.
#[derive(Debug, Serialize)]
struct Report {
    benchmark: String,
    class: String,
    #[serde(flatten)]
    machine: Machine,
    seconds: f64,
    mega_operations_per_second: f64,
    error: f64,
    verified: bool,
}

fn main() -> ExitCode {
    start(|options: &Options| &options.common, run)
}

fn run(options: &Options, settings: &forall::Settings) -> Result<(), Failure> {
    if let Some(path) = &options.common.report {
        // A report that cannot be written is better known before the work than after it.
        write::check_place(path)?;
    }
    let machine = Machine::of(settings);
    let outcome = options.benchmark.run(options.class);
    let Outcome { seconds, operations, error, allowed } = outcome;
    let (name, class) = (format!("{:?}", options.benchmark).to_uppercase(), format!("{:?}", options.class));
    let verified = outcome.is_verified();
    let Machine { ranks, threads, backend } = machine;
    let speed = operations / seconds;
    say!(
        "{name}.{class}: {seconds:.3} s, {speed:.1} Mop/s, {error:.1e} off, on {backend}, ranks {ranks}, threads {threads}"
    );
    if let Some(path) = &options.common.report {
        let (benchmark, class) = (name.clone(), class.clone());
        let report = Report { benchmark, class, machine, seconds, mega_operations_per_second: speed, error, verified };
        report::write(path, &report)?;
    }
    if !verified {
        return Err(Wrong { name, class, error, allowed }.into());
    }
    Ok(())
}
