//! The step `miri`: the unsafe modules of `core` on an interpreter that finds undefined behaviour. It is a thousand times slower than the
//! processor, so it runs tests of these modules with small sizes.

use super::Job;
use anyhow::Result;
use std::process::Stdio;

/// The beginnings of the names of tests in `forall-core`.
const TESTS: [&str; 11] = [
    "accumulate::",
    "computed::",
    "data::buffer",
    "data::elements",
    "gather::",
    "grid::",
    "objects::copies",
    "objects::memory",
    "partners::message",
    "sort::number",
    "sort::tests",
];

/// Runs the step, if the interpreter is installed.
pub fn run(job: &Job) -> Result<()> {
    let mut version = job.shell.command("cargo");
    version.args(["+nightly", "miri", "--version"]).stderr(Stdio::null());
    if job.shell.read(version).is_err() {
        job.shell.print("skipped: Miri is not installed: rustup toolchain install nightly --component miri,rust-src\n");
        return Ok(());
    }
    let mut command = job.shell.command("cargo");
    command.env_remove("RUSTC_WORKSPACE_WRAPPER");
    command.args(["+nightly", "miri", "test", "--package", "forall-core", "--lib", "--"]).args(TESTS);
    job.shell.run(command)
}
