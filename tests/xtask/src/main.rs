//! The project's tasks: `cargo xtask check` before each commit, `cargo xtask test` for all checks, and `cargo xtask bench`.
//!
//! Each task is a module. `--dry-run` prints the commands that a task would run.

mod bench;
mod check;
mod doc_tester;
mod project;
mod shell;
mod test;

use clap::{Parser, Subcommand};
use std::ffi::OsString;
use std::process::ExitCode;

/// The tasks of the project.
#[derive(Debug, Parser)]
#[command(bin_name = "cargo xtask")]
struct Arguments {
    #[command(subcommand)]
    task: Task,
}

#[derive(Debug, Subcommand)]
enum Task {
    /// The checks before each commit: format, clippy, tests of the compiler, architecture and wording
    Check(check::Options),
    /// All checks, or some of the steps
    Test(test::Options),
    /// Annotated loops beside plain ones and hand-written rayon
    Bench(bench::Options),
    /// Runs a test binary, unless another step runs it
    #[command(hide = true)]
    UnlessElsewhere {
        #[arg(trailing_var_arg = true, allow_hyphen_values = true, required = true)]
        command: Vec<OsString>,
    },
}

fn main() -> ExitCode {
    if let Some(folder) = std::env::var_os(doc_tester::FOLDER) {
        return doc_tester::run(&folder);
    }
    let result = match Arguments::parse().task {
        Task::Check(options) => check::run(&options),
        Task::Test(options) => test::run(&options),
        Task::Bench(options) => bench::run(&options),
        Task::UnlessElsewhere { command } => return test::elsewhere::run(&command),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("\ncargo xtask: {error:#}");
            ExitCode::FAILURE
        }
    }
}
