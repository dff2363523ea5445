//! Checkpoints of a loop: one at each n-th step. The last two stay.

use super::agreed::agreed;
use super::error::CheckpointError;
use super::loading::{Load, load};
use super::saving::{Save, path_value, save};
use crate::comm::{Comm, Solo, collective};
use crate::data::together;
use crate::runtime::{rank, with_comm};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::{fs, io};

/// Saves the state after a step, if the number of the step is a multiple of `every`, and returns whether it did. Collective.
///
/// The file of step 300 has the name `path.300`. The last two stay, so that one is whole if the other is damaged later. Older ones are removed, and so
/// are those of later steps, which an earlier run has left. [`restart`] loads the newest one. If `every` is 0, nothing is saved.
///
/// ```
/// use forall_core::checkpoint::{checkpoint, restart};
/// use forall_core::data::DistVec;
///
/// # let folder = tempfile::tempdir().unwrap();
/// # let path = folder.path().join("run");
/// let (mut step, mut sums) = restart(&path)?.unwrap_or_else(|| (0, DistVec::filled(8, 0_u64)));
/// while step < 100 {
///     sums.local_mut().iter_mut().for_each(|sum| *sum += step as u64);
///     step += 1;
///     checkpoint(20, &path, step, &sums)?;
/// }
/// assert_eq!(restart(&path)?.map(|(step, sums): (usize, DistVec<u64>)| (step, sums.to_all()[0])), Some((100, 4950)));
/// # Ok::<(), forall_core::checkpoint::CheckpointError>(())
/// ```
///
/// Several containers are a tuple of references, `&(&heat, &blocks)`, and are loaded as a tuple.
///
/// Cost: that of [`save`] at each `every`-th step, otherwise nothing.
///
/// # Errors
/// As [`save`]. The earlier checkpoints stay then.
pub fn checkpoint<S: Save + ?Sized>(
    every: usize,
    path: impl AsRef<Path>,
    step: usize,
    state: &S,
) -> Result<bool, CheckpointError> {
    if every == 0 || !step.is_multiple_of(every) {
        return Ok(false);
    }
    let path = path.as_ref();
    save(of_step(path, step), state)?;
    if rank() == 0 {
        let steps = steps(path).unwrap_or_default();
        let before = steps.iter().copied().filter(|other| *other < step).max();
        for other in steps.into_iter().filter(|other| *other != step && Some(*other) != before) {
            // A file that cannot be removed does no harm.
            let _ = fs::remove_file(of_step(path, other));
        }
    }
    Ok(true)
}

/// The newest whole state that [`checkpoint`] has saved under this name, with its step; `None` if there is none. Collective; any number of ranks.
///
/// If the newest file is damaged, rank 0 says so on standard error, and the one before it is loaded.
///
/// # Errors
/// As [`load`]. If all files are damaged, the error of the newest one. A file of another type is an error at once.
pub fn restart<S: Load>(path: impl AsRef<Path>) -> Result<Option<(usize, S)>, CheckpointError> {
    let path = path.as_ref();
    let steps = match with_comm(|comm| comm.ranks()) {
        1 => all_steps(Solo::comm(), path),
        _ => together("checkpoint::restart", &[path_value(path)], |comm, _| all_steps(comm, path)),
    }?;
    let mut newest = None;
    for step in steps {
        match load(of_step(path, step)) {
            Ok(state) => return Ok(Some((step, state))),
            Err(error) if error.is_damage() => {
                if rank() == 0 {
                    eprintln!("note: {error}");
                }
                newest = newest.or(Some(error));
            }
            Err(error) => return Err(error),
        }
    }
    newest.map_or(Ok(None), Err)
}

/// The file of a step.
fn of_step(path: &Path, step: usize) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(format!(".{step}"));
    name.into()
}

/// The steps of the files in the folder of rank 0, the newest first, on all ranks.
fn all_steps(comm: &dyn Comm, path: &Path) -> Result<Vec<usize>, CheckpointError> {
    let own = if comm.rank() == 0 { steps(path) } else { Ok(Vec::new()) };
    let own = agreed(
        comm,
        own.map_err(|error| CheckpointError::Read { path: path.to_owned(), rank: 0, reason: error.to_string() }),
    )?;
    let mut steps: Vec<u64> = own.into_iter().map(|step| step as u64).collect();
    steps.sort_unstable_by(|one, other| other.cmp(one));
    let bytes = steps.iter().flat_map(|step| step.to_le_bytes()).collect();
    let bytes = collective::broadcast(comm, 0, (comm.rank() == 0).then_some(bytes));
    Ok(bytes.chunks_exact(8).map(|step| u64::from_le_bytes(step.try_into().unwrap_or_default()) as usize).collect())
}

/// The steps of the files.
fn steps(path: &Path) -> io::Result<Vec<usize>> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut start: OsString = path.file_name().unwrap_or_default().to_owned();
    start.push(".");
    let entries = match fs::read_dir(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries?,
    };
    let mut steps = Vec::new();
    for entry in entries {
        let name = entry?.file_name();
        let (name, start) = (name.as_encoded_bytes(), start.as_encoded_bytes());
        let number = name.strip_prefix(start).and_then(|number| std::str::from_utf8(number).ok());
        let step = number.filter(|number| number.bytes().all(|byte| byte.is_ascii_digit()));
        steps.extend(
            step.and_then(|number| number.parse::<usize>().ok()).filter(|step| number == Some(&step.to_string())),
        );
    }
    Ok(steps)
}
