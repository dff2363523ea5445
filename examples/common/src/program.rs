//! How an example starts and ends: options, settings, and what went wrong, said by one rank.

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, Parser};
use forall::{Backend, Settings};
use std::error::Error;
use std::fmt;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::process::ExitCode;

/// The options of every example.
#[derive(Debug, Args)]
pub struct Common {
    /// The backend that runs the loops
    #[arg(
        long,
        value_name = "NAME",
        value_parser = PossibleValuesParser::new(Backend::ALL.map(Backend::name)).try_map(|name| name.parse::<Backend>())
    )]
    pub backend: Option<Backend>,

    /// Threads for each rank [default: the cores it was given]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=4096))]
    pub threads: Option<u32>,

    /// Write figures and times as JSON
    #[arg(long, value_name = "FILE.json")]
    pub report: Option<PathBuf>,
}

impl Common {
    /// The settings of the environment, with those of the command line instead where they are given.
    fn settings(&self) -> Result<Settings, forall::Error> {
        let mut settings = Settings::from_env()?;
        settings.backend = self.backend.unwrap_or(settings.backend);
        settings.threads = self.threads.and_then(|threads| NonZeroUsize::new(threads as usize)).or(settings.threads);
        Ok(settings)
    }
}

/// The error, as it is shown.
pub struct Failure(Box<dyn Error>);

/// For the error that a program ends with, Rust prints its `Debug` form.
impl fmt::Debug for Failure {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}", self.0)
    }
}

impl<E: Into<Box<dyn Error>>> From<E> for Failure {
    fn from(error: E) -> Self {
        Failure(error.into())
    }
}

/// Runs `program` on every rank with the options that it was started with: what `main` returns.
///
/// ```no_run
/// use forall_examples::program::{Common, Failure, start};
/// use forall_examples::say;
///
/// /// Does nothing.
/// #[derive(clap::Parser)]
/// struct Options {
///     #[command(flatten)]
///     common: Common,
/// }
///
/// fn main() -> std::process::ExitCode {
///     start(|options: &Options| &options.common, run)
/// }
///
/// fn run(options: &Options, settings: &forall::Settings) -> Result<(), Failure> {
///     say!("{} ranks", forall::ranks());
///     Ok(())
/// }
/// ```
pub fn start<O: Parser>(
    common: impl FnOnce(&O) -> &Common,
    program: impl FnOnce(&O, &Settings) -> Result<(), Failure>,
) -> ExitCode {
    let options = match O::try_parse() {
        Ok(options) => options,
        Err(error) => {
            return refuse(error.exit_code() as u8, || {
                let _ = error.print();
            });
        }
    };
    match common(&options).settings() {
        Ok(settings) => forall::run(settings.clone(), || program(&options, &settings)),
        // The status is that of arguments that cannot be had.
        Err(error) => refuse(2, || eprintln!("Error: {error}")),
    }
}

/// Ends the program with a status: all ranks were given the same arguments, and one says what is wrong with them, or helps.
fn refuse(status: u8, say: impl FnOnce()) -> ExitCode {
    forall::run(Settings::default(), || {
        if forall::rank() == 0 {
            say();
        }
        ExitCode::from(status)
    })
}
