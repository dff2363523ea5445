//! The step `ranks`: tests on ranks that are processes. In the other steps, ranks are threads of one process.

use super::Job;
use crate::shell::is_installed;
use anyhow::{Context, Result, ensure};
use std::process::Command;

/// The tests with parts that run on the ranks of a launcher.
const TESTS: [&str; 6] =
    ["corpus", "message_arrivals", "redistributed_particles", "objects", "declared_access", "object_programs"];
/// All lists of tests in this file.
#[cfg(test)]
pub const NAMED: [&[&str]; 1] = [&TESTS];

/// Numbers of ranks, separated by spaces or commas.
pub fn parsed(text: &str) -> Result<Vec<usize>> {
    let words = text.split([' ', ',']).filter(|word| !word.is_empty());
    let number = |word: &str| {
        let number = word.parse().ok().filter(|&ranks: &usize| ranks > 0);
        number.with_context(|| format!("`{word}` is no number of ranks: give numbers above 0, as in `--ranks 1,2,3`"))
    };
    words.map(number).collect()
}

/// The start of a command that runs a program on ranks: also on more than there are cores, and as root, as CI does. Open MPI does both only on
/// request.
pub fn launcher(ranks: usize) -> String {
    format!("mpirun --allow-run-as-root --oversubscribe --bind-to none -n {ranks}")
}

/// Fails if there is no MPI.
pub fn need_mpi() -> Result<()> {
    let found = is_installed("mpicc") && is_installed("mpirun");
    ensure!(found, "this machine has no MPI. `cargo xtask test install` installs it on Debian and Ubuntu");
    Ok(())
}

/// Runs tests on ranks.
pub fn test_on(job: &Job, ranks: usize, names: &[&str], arguments: &[&str]) -> Result<()> {
    let Some(mut command) = job.cargo_test_of(names) else { return Ok(()) };
    command.arg("--").args(arguments);
    job.start_by(&mut command, &launcher(ranks));
    job.shell.run(command)
}

/// Runs a program on ranks.
pub fn program_on(job: &Job, ranks: usize, name: &str) -> Command {
    let launcher = launcher(ranks);
    let mut words = launcher.split(' ');
    let mut command = job.shell.command(words.next().unwrap_or_default());
    command.args(words).arg(job.tests.project.programs().join(name));
    command
}

/// Runs the step.
pub fn run(job: &Job) -> Result<()> {
    need_mpi()?;
    for &ranks in &job.tests.ranks {
        job.shell.say(&format!("corpus on {ranks} ranks"));
        test_on(job, ranks, &TESTS, &["on_this_launch"])?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_ranks() {
        assert_eq!(parsed("1 2,7").unwrap(), [1, 2, 7]);
        assert_eq!(parsed("").unwrap(), [0; 0]);
        assert!(parsed("1 two").unwrap_err().to_string().starts_with("`two` is no number of ranks"));
        assert!(parsed("0").is_err());
    }
}
