//! A file that is written aside by all ranks, and gets its name when it is whole.

use super::agreed::agreed;
use super::error::CheckpointError;
use super::format::{HEADER, header};
use crate::comm::{Comm, collective};
use serde::{Deserialize, Serialize};
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::SystemTime;
use tempfile::NamedTempFile;

/// The file on this rank.
pub(super) struct Aside {
    path: PathBuf,
    rank: usize,
    file: File,
    /// On rank 0, what gives the file its name.
    owner: Option<Owner>,
}

/// The rank that made the file.
enum Owner {
    /// It has no name.
    #[cfg(target_os = "linux")]
    Unnamed,
    /// It has a name of its own, which is removed if it does not get another one.
    Named(NamedTempFile),
}

/// The place at which other ranks open the file, and its header.
#[derive(Serialize, Deserialize)]
struct Place {
    path: PathBuf,
    header: Vec<u8>,
}

impl Aside {
    /// Makes the file. All ranks call it.
    pub fn new(comm: &dyn Comm, path: &Path) -> Result<Aside, CheckpointError> {
        let path = agreed(comm, if comm.rank() == 0 { target(path) } else { Ok(path.to_owned()) })?;
        let unnamed = if comm.rank() == 0 { unnamed(&path) } else { None };
        if let Some(aside) = Self::opened(comm, &path, unnamed)? {
            return Ok(aside);
        }
        let named = if comm.rank() == 0 { named(&path).map(Some) } else { Ok(None) };
        let named = agreed(comm, named.map_err(|error| cannot(&path, 0, &error)))?;
        let reason = "the folder is not visible to this rank: choose one that all machines share";
        Self::opened(comm, &path, named)?.ok_or(CheckpointError::Write { path, rank: 1, reason: reason.to_owned() })
    }

    /// Opens the file that rank 0 has made on all ranks. `None` if a rank does not see it.
    fn opened(
        comm: &dyn Comm,
        path: &Path,
        made: Option<(File, PathBuf, Owner)>,
    ) -> Result<Option<Aside>, CheckpointError> {
        let (rank, header) = (comm.rank(), header(number()));
        let begun = match made {
            None => Ok(None),
            Some((mut file, place, owner)) => {
                file.write_all(&header).map(|()| Some((file, place, owner))).map_err(|error| cannot(path, 0, &error))
            }
        };
        let begun = agreed(comm, begun)?;
        let place = begun.as_ref().map(|(_, place, _)| Place { path: place.clone(), header });
        let place = (rank == 0).then(|| postcard::to_stdvec(&place).expect("a path in UTF-8 and bytes"));
        let place: Option<Place> =
            postcard::from_bytes(&collective::broadcast(comm, 0, place)).expect("all ranks run the same program");
        let Some(place) = place else { return Ok(None) };
        let own = match begun {
            Some((file, _, owner)) => Some((file, Some(owner))),
            None => same(&place).map(|file| (file, None)),
        };
        let seen = collective::allgather(comm, &[own.is_some()]);
        Ok(own.filter(|_| !seen.contains(&false)).map(|(file, owner)| Aside {
            path: path.to_owned(),
            rank,
            file,
            owner,
        }))
    }

    /// Writes bytes at a place of the file.
    pub fn write(&mut self, at: u64, bytes: &[u8]) -> Result<(), CheckpointError> {
        let mut write = || {
            self.file.seek(SeekFrom::Start(at))?;
            self.file.write_all(bytes)
        };
        write().map_err(|error| cannot(&self.path, self.rank, &error))
    }

    /// Returns when all bytes of this rank are on the disk.
    pub fn sync(&self) -> Result<(), CheckpointError> {
        self.file.sync_data().map_err(|error| cannot(&self.path, self.rank, &error))
    }

    /// Gives the file its name, in place of an earlier file. Only rank 0 does anything.
    pub fn publish(self) -> Result<(), CheckpointError> {
        let Aside { path, rank, file, owner } = self;
        let Some(owner) = owner else { return Ok(()) };
        let publish = || {
            file.sync_all()?;
            match owner {
                #[cfg(target_os = "linux")]
                Owner::Unnamed => {
                    let place = path_of(&file);
                    let link = |aside: &Path| {
                        let flags = rustix::fs::AtFlags::SYMLINK_FOLLOW;
                        Ok(rustix::fs::linkat(rustix::fs::CWD, &place, rustix::fs::CWD, aside, flags)?)
                    };
                    builder(&path, |builder| builder.make_in(folder_of(&path), link))?
                        .persist(&path)
                        .map_err(|refused| refused.error)?;
                }
                Owner::Named(named) => drop(named.persist(&path).map_err(|refused| refused.error)?),
            }
            // The name is on the disk too. Not all systems open folders.
            if let Ok(folder) = File::open(folder_of(&path)) {
                let _ = folder.sync_all();
            }
            Ok(())
        };
        publish().map_err(|error: io::Error| cannot(&path, rank, &error))
    }
}

/// The path of the file: that of an earlier one behind symbolic links, if there is one.
fn target(path: &Path) -> Result<PathBuf, CheckpointError> {
    let not_file = || CheckpointError::NotFile { path: path.to_owned() };
    if path.file_name().is_none() {
        return Err(not_file());
    }
    match fs::metadata(path) {
        Ok(earlier) if !earlier.is_file() => Err(not_file()),
        Ok(_) => fs::canonicalize(path).map_err(|error| cannot(path, 0, &error)),
        Err(_) => Ok(path.to_owned()),
    }
}

fn cannot(path: &Path, rank: usize, error: &io::Error) -> CheckpointError {
    CheckpointError::Write { path: path.to_owned(), rank, reason: error.to_string() }
}

fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// A number that no other file has which is being written now.
fn number() -> u128 {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let time = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).map_or(0, |time| time.as_nanos());
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    time ^ u128::from(std::process::id()) << 64 ^ u128::from(count) << 40
}

/// A file without a name, and the place at which other processes of this machine open it.
#[cfg(target_os = "linux")]
fn unnamed(path: &Path) -> Option<(File, PathBuf, Owner)> {
    use std::os::unix::fs::OpenOptionsExt;
    let flags = rustix::fs::OFlags::TMPFILE.bits() as i32;
    let file = OpenOptions::new().read(true).write(true).custom_flags(flags).open(folder_of(path)).ok()?;
    let place = path_of(&file);
    Some((file, place, Owner::Unnamed))
}

#[cfg(not(target_os = "linux"))]
fn unnamed(_: &Path) -> Option<(File, PathBuf, Owner)> {
    None
}

/// The path of an open file without a name.
#[cfg(target_os = "linux")]
fn path_of(file: &File) -> PathBuf {
    use std::os::fd::AsRawFd;
    format!("/proc/{}/fd/{}", std::process::id(), file.as_raw_fd()).into()
}

/// A file with a name of its own.
fn named(path: &Path) -> io::Result<(File, PathBuf, Owner)> {
    let named = builder(path, |builder| builder.tempfile_in(folder_of(path)))?;
    Ok((named.as_file().try_clone()?, named.path().to_owned(), Owner::Named(named)))
}

/// Calls `f` with the form of temporary names. The permissions are those of any new file.
fn builder<R>(path: &Path, f: impl FnOnce(&mut tempfile::Builder<'_, '_>) -> io::Result<R>) -> io::Result<R> {
    let prefix = format!(".{}.", path.file_name().unwrap_or_default().to_string_lossy());
    let mut builder = tempfile::Builder::new();
    builder.prefix(&prefix).suffix(".part");
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    f(&mut builder)
}

/// The file at this place, if it is the one that rank 0 has made.
fn same(place: &Place) -> Option<File> {
    let mut file = OpenOptions::new().read(true).write(true).open(&place.path).ok()?;
    let mut header = [0; HEADER as usize];
    file.read_exact(&mut header).ok()?;
    (header[..] == place.header[..]).then_some(file)
}
