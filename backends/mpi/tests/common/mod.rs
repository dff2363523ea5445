//! Runs this test binary again, on several ranks.
#![allow(dead_code)] // Each test program uses its own part of this module.

use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// The output of a run on several ranks, and its end.
pub struct Run {
    /// Standard output and standard error.
    pub text: String,
    /// The launcher's status; `None` when a signal ended it.
    pub status: Option<i32>,
    /// How long it took.
    pub time: Duration,
}

/// Whether there is no launcher here, or this is one of its ranks already; the reason is printed.
pub fn cannot_launch() -> bool {
    if forall_core::runtime::launch::launched().is_some() {
        return true;
    }
    let found = Command::new("mpirun").arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status();
    if found.is_err() {
        println!("there is no mpirun here: skipped");
    }
    found.is_err()
}

/// Runs `mpirun -n ranks` with this binary and the arguments.
pub fn launch(ranks: usize, arguments: &[&str], variables: &[(&str, &str)]) -> Run {
    launch_by(&["mpirun", "-n", &ranks.to_string()], arguments, variables)
}

/// Runs this binary and the arguments by a launcher, or alone.
pub fn launch_by(launcher: &[&str], arguments: &[&str], variables: &[(&str, &str)]) -> Run {
    let start = Instant::now();
    let output = Command::new("timeout")
        .arg("60")
        .args(launcher)
        .arg(std::env::current_exe().expect("a program knows itself"))
        .args(arguments)
        .env("OMPI_ALLOW_RUN_AS_ROOT", "1")
        .env("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1")
        .env("OMPI_MCA_rmaps_base_oversubscribe", "1")
        .env_remove("RUST_BACKTRACE")
        .envs(variables.iter().copied())
        .output()
        .expect("mpirun starts");
    let text = [output.stdout, output.stderr].concat();
    Run { text: String::from_utf8_lossy(&text).into_owned(), status: output.status.code(), time: start.elapsed() }
}

/// How often a piece of text occurs.
pub fn count(text: &str, piece: &str) -> usize {
    text.matches(piece).count()
}
