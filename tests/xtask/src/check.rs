//! `cargo xtask check`: the checks before each commit, in two minutes if most of the code is compiled already.

use crate::project::Project;
use crate::shell::{Shell, is_installed};
use anyhow::Result;
use std::time::Instant;

/// The packages whose tests are fast and fail often.
const TESTED: [&str; 3] = ["forall-compiler", "forall-architecture", "forall-xtask"];

/// Options of the task.
#[derive(Debug, clap::Args)]
pub struct Options {
    /// Checks only this package with clippy
    #[arg(long = "package", short, value_name = "NAME")]
    packages: Vec<String>,
    /// Prints the commands, and runs none
    #[arg(long)]
    dry_run: bool,
}

/// Runs the checks, one after the other, until one fails.
pub fn run(options: &Options) -> Result<()> {
    let start = Instant::now();
    let shell = Shell::new(options.dry_run);
    let project = Project::read(&shell)?;

    shell.say("format");
    let mut format = shell.cargo();
    format.args(["fmt", "--all", "--check"]);
    shell.run(format)?;

    // Checked code needs no machine code: other tests, benchmarks and examples are not compiled further.
    shell.say("clippy");
    let mut clippy = shell.cargo();
    clippy.arg("check").args(project.select(&options.packages, is_installed("mpicc"))?.arguments());
    clippy.arg("--all-targets");
    shell.run(clippy)?;

    shell.say("tests of the compiler, architecture and wording");
    let mut tests = shell.cargo();
    tests.args([
        "test",
        "--quiet",
        "--lib",
        "--bins",
        "--test",
        "architecture",
        "--test",
        "lists",
        "--test",
        "wording",
    ]);
    for name in TESTED {
        tests.args(["--package", name]);
    }
    shell.run(tests)?;

    shell.say(&format!("all passed after {} s", start.elapsed().as_secs()));
    Ok(())
}
