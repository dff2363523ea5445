//! The file of `--report`: the figures of a run as JSON.

use crate::write::{WriteError, atomically};
use forall::{DistVec, Settings};
use serde::Serialize;
use std::num::NonZeroUsize;
use std::path::Path;
use std::time::Instant;

/// Who ran the loops: a part of every report, by `#[serde(flatten)]`.
#[derive(Debug, Clone, Copy, Serialize)]
pub struct Machine {
    /// How many ranks there were.
    pub ranks: usize,
    /// The threads of each.
    pub threads: usize,
    /// The backend of each.
    pub backend: &'static str,
}

impl Machine {
    /// The machine that the program runs on with these settings.
    pub fn of(settings: &Settings) -> Self {
        let cores = || std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN);
        let backend = forall::backend();
        let threads = if backend == "serial" { 1 } else { settings.threads.unwrap_or_else(cores).get() };
        Machine { ranks: forall::ranks(), threads, backend }
    }
}

/// The most memory that any rank ever held, where the system tells. All ranks call it together.
pub fn peak_memory() -> Option<u64> {
    let own = own_peak_memory().unwrap_or(0);
    DistVec::from_local(vec![own]).to_all().into_iter().max().filter(|&most| most > 0)
}

fn own_peak_memory() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok().map(|kib| kib * 1024)
}

/// Writes a report, on one rank.
///
/// # Errors
/// When the operating system refuses.
pub fn write(path: &Path, report: &impl Serialize) -> Result<(), WriteError> {
    if forall::rank() > 0 {
        return Ok(());
    }
    atomically(path, |file| {
        serde_json::to_writer_pretty(&mut *file, report)?;
        writeln!(file)
    })
}

/// Runs something, and adds the seconds that it takes.
pub fn timed<R>(seconds: &mut f64, run: impl FnOnce() -> R) -> R {
    let start = Instant::now();
    let result = run();
    *seconds += start.elapsed().as_secs_f64();
    result
}
