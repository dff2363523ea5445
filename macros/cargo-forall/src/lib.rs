//! `cargo forall explain` prints the report of each annotated function of a package, without compiling or running it.
//! `cargo forall new` makes a program with the features `mpi` and `gpu`, a test and a job script.

pub mod explain;
pub mod new;

use anyhow::{Result, ensure};
use clap::{Parser, Subcommand};
use std::ffi::OsString;
use std::io::Write;
use std::path::PathBuf;

/// Cargo passes the name of the subcommand as the first argument.
#[derive(Debug, Parser)]
#[command(name = "cargo", bin_name = "cargo")]
enum Cargo {
    /// Reports on loops with attributes of `forall`, and new programs
    #[command(version, subcommand)]
    Forall(Task),
}

#[derive(Debug, Subcommand)]
enum Task {
    /// Prints what each annotated function does on each backend, without running it
    #[command(
        after_help = "The report is that of FORALL_EXPLAIN=1, without the lines that only a run can tell. The status is 1 if the compiler \
        rejects a function. Functions that a macro makes are not found."
    )]
    Explain {
        /// A file, or a folder: of a package, the files in its folders `src`, `examples`, `tests` and `benches`
        #[arg(default_value = ".")]
        path: PathBuf,
        /// Only functions whose names contain this text
        #[arg(long, value_name = "TEXT")]
        function: Option<String>,
    },
    /// Makes a program with the features `mpi` and `gpu`, a test and a job script
    New {
        /// The folder, whose name becomes the name of the program
        path: PathBuf,
        /// The folder of a copy of forall, in place of the published version
        #[arg(long, value_name = "FOLDER")]
        forall: Option<PathBuf>,
    },
}

/// Runs the command.
///
/// # Errors
/// If a file cannot be read or written, if there is no annotated function, or if the compiler rejects one.
pub fn run(arguments: impl IntoIterator<Item = OsString>) -> Result<()> {
    let Cargo::Forall(task) = Cargo::parse_from(arguments);
    match task {
        Task::Explain { path, function } => {
            let mut functions = explain::functions(&path)?;
            ensure!(!functions.is_empty(), "{} has no function with an attribute of forall", path.display());
            if let Some(text) = function {
                functions.retain(|found| found.name.contains(&text));
                ensure!(!functions.is_empty(), "{} has no annotated function `{text}`", path.display());
            }
            for found in &functions {
                writeln!(std::io::stdout(), "{found}")?;
            }
            let rejected = functions.iter().filter(|found| found.report.is_err()).count();
            ensure!(rejected == 0, "the compiler rejects {rejected} of {} functions", functions.len());
            Ok(())
        }
        Task::New { path, forall } => {
            let name = new::program(&path, forall.as_deref())?;
            let shown = path.display();
            writeln!(
                std::io::stdout(),
                "made `{name}` in {shown}. Next: cd {shown}, then cargo test, and cargo run --release"
            )?;
            Ok(())
        }
    }
}
