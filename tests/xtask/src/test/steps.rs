//! The steps. Those with commands of their own are modules.

use super::elsewhere::{CORPUS, ON_GPU, WRONG};
use super::{Job, examples, install, miri, mpich, ranks};
use anyhow::{Result, ensure};
use std::fs;

/// A step.
pub struct Step {
    /// Its name on the command line.
    pub name: &'static str,
    /// Runs it.
    pub run: fn(&Job) -> Result<()>,
}

/// The steps that run by default, in their order.
pub const STEPS: [Step; 11] = [
    Step { name: "install", run: install::run },
    Step { name: "format", run: format },
    Step { name: "package", run: package },
    Step { name: "build", run: build },
    Step { name: "refusals", run: refusals },
    Step { name: "docs", run: docs },
    Step { name: "unit", run: unit },
    Step { name: "gpu", run: gpu },
    Step { name: "corpus", run: corpus },
    Step { name: "ranks", run: ranks::run },
    Step { name: "examples", run: examples::run },
];

/// The steps that run only on request: each compiles the project once more. CI has a job for each of them.
pub const ON_REQUEST: [Step; 2] = [Step { name: "mpich", run: mpich::run }, Step { name: "miri", run: miri::run }];

/// All steps.
pub fn all() -> impl Iterator<Item = &'static Step> {
    STEPS.iter().chain(&ON_REQUEST)
}

fn format(job: &Job) -> Result<()> {
    let mut command = job.shell.cargo();
    command.args(["fmt", "--all", "--check"]);
    job.shell.run(command)
}

/// The published packages have all versions, files and metadata that a registry needs.
fn package(job: &Job) -> Result<()> {
    let mut command = job.shell.cargo();
    command.args(["package", "--no-verify", "--allow-dirty", "--quiet"]);
    for name in job.tests.project.published() {
        command.args(["--package", name]);
    }
    job.shell.run(command)
}

/// Compiles all tests for the next steps. Also the facade with few features, as most users have it: it must not need anything that the others
/// bring. `--all-targets` would compile programs without tests as tests.
fn build(job: &Job) -> Result<()> {
    let mut tests = job.cargo_test();
    tests.arg("--tests").args(job.packages.targets("bench", &["loops"]));
    tests.args(job.packages.targets("bin", &["minimal_backend"])).arg("--no-run");
    job.shell.run(tests)?;
    for features in [&["--no-default-features"][..], &[]] {
        let mut facade = job.shell.cargo();
        facade.args(["check", "--package", "forall"]).args(features);
        job.shell.run(facade)?;
    }
    let mut bootstrap = job.shell.command("bash");
    bootstrap.args(["-n", "tests/run"]);
    job.shell.run(bootstrap)
}

/// All tests but those of the steps `refusals`, `gpu` and `corpus`. A machine without any GPU, also in software, fails.
fn unit(job: &Job) -> Result<()> {
    let mut command = job.cargo_test();
    command.arg("--tests").env("FORALL_REQUIRE_GPU", "1");
    job.start_by(&mut command, &format!("{} unless-elsewhere", job.tests.program.display()));
    job.shell.run(command)
}

/// The loops that must not compile, damaged functions, and random programs that are easily misunderstood.
fn refusals(job: &Job) -> Result<()> {
    let Some(mut command) = job.cargo_test_of(&WRONG) else { return Ok(()) };
    // A test that links programs with the compiled libraries must find them.
    let libraries = job.packages.arguments().join(" ");
    let wrapper = "--config build.rustc-workspace-wrapper='clippy-driver'";
    command.arg("--no-fail-fast").env("COMPILED_BY", format!("test --no-run --tests {libraries} {wrapper}"));
    // A test that reads the messages of rustc must not get those of clippy.
    job.start_by(&mut command, "env -u RUSTC_WORKSPACE_WRAPPER");
    job.shell.run(command)
}

/// A GPU in software compiles shaders on one core, and leaves the others to other steps.
fn gpu(job: &Job) -> Result<()> {
    let Some(mut command) = job.cargo_test_of(&ON_GPU) else { return Ok(()) };
    command.env("FORALL_REQUIRE_GPU", "1");
    job.shell.run(command)
}

/// The documentation and its examples, of the crates for users.
fn docs(job: &Job) -> Result<()> {
    let folder = job.tests.scratch.join("doc");
    let mut command = job.cargo_test();
    command.args(["--doc", "--no-fail-fast"]);
    command.env("RUSTDOC", &job.tests.program).env(crate::doc_tester::FOLDER, &folder);
    job.shell.run(command)?;
    let written = || fs::metadata(folder.join("forall/index.html")).is_ok_and(|page| page.len() > 0);
    ensure!(job.shell.dry_run || !job.is_whole() || written(), "the documentation was not written");
    Ok(())
}

/// All loops of the corpus on threads, on ranks in one process, and on a GPU.
fn corpus(job: &Job) -> Result<()> {
    let Some(mut command) = job.cargo_test_of(&CORPUS) else { return Ok(()) };
    command.env("FORALL_REQUIRE_GPU", "1");
    job.shell.run(command)
}
