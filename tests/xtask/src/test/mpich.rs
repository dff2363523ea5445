//! The step `mpich`: the loops of the corpus, and the ends of programs, with MPICH in place of the default library. Debian and Ubuntu can have
//! both libraries at once. A program belongs to one of them, so its folder of compiled code is separate.

use super::Job;
use super::elsewhere::CORPUS;
use crate::shell::is_installed;
use anyhow::Result;
use std::fs;
use std::path::Path;
use std::process::Command;

/// The packages with tests of MPI. One set for all commands, so that nothing is compiled twice.
const PACKAGES: [&str; 6] =
    ["--package", "forall-corpus", "--package", "forall-mpi", "--features", "forall-corpus/mpi,forall/mpi"];
/// Tests that start ranks themselves.
const STARTERS: [&str; 2] = ["program", "ranks"];
/// All lists of tests in this file.
#[cfg(test)]
pub const NAMED: [&[&str]; 1] = [&STARTERS];
/// Numbers of ranks. The step `ranks` has more.
const RANKS: [usize; 3] = [1, 2, 3];
/// The compiler and the launcher of MPICH, beside those of another library.
const COMPILER: &str = "mpicc.mpich";
const LAUNCHER: &str = "mpirun.mpich";

/// Runs the step, if MPICH is installed.
pub fn run(job: &Job) -> Result<()> {
    if !is_installed(COMPILER) || !is_installed(LAUNCHER) {
        let missing = format!("skipped: {COMPILER} and {LAUNCHER} are not installed. ");
        job.shell.print(&(missing + "On Debian and Ubuntu, the packages `mpich` and `libmpich-dev` have them.\n"));
        return Ok(());
    }
    // Tests that start ranks call `mpirun`.
    let folder = job.tests.scratch.join("mpich");
    fs::create_dir_all(&folder)?;
    // A link would not do: the launcher looks for its helpers in the folder in which it is called.
    fs::write(folder.join("mpirun"), format!("#!/bin/sh\nexec {LAUNCHER} \"$@\"\n"))?;
    let mut executable = job.shell.command("chmod");
    executable.arg("+x").arg(folder.join("mpirun"));
    job.shell.run(executable)?;

    job.shell.run(test(job, &folder, &STARTERS))?;
    for ranks in RANKS {
        job.shell.say(&format!("corpus on {ranks} ranks of MPICH"));
        let mut corpus = test(job, &folder, &CORPUS);
        corpus.args(["--", "on_this_launch"]);
        job.start_by(&mut corpus, &format!("{LAUNCHER} -n {ranks}"));
        job.shell.run(corpus)?;
    }
    Ok(())
}

/// `cargo test` for these tests, with MPICH first in the path.
fn test(job: &Job, folder: &Path, names: &[&str]) -> Command {
    let mut command = job.shell.cargo();
    command.arg("test").args(PACKAGES).args(names.iter().flat_map(|name| ["--test", name]));
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders = std::iter::once(folder.to_owned()).chain(std::env::split_paths(&path));
    command.env("PATH", std::env::join_paths(folders).unwrap_or(path)).env("MPICC", COMPILER);
    command.env("CARGO_TARGET_DIR", job.tests.project.compiled("mpich"));
    command
}
