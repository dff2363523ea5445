//! Loading: each rank reads the pieces that it needs.

use super::agreed::agreed;
use super::error::CheckpointError;
use super::format::{self, FOOTER, HEADER, Index, Part, Piece, Unreadable};
use super::saving::path_value;
use crate::comm::{Comm, Solo, collective};
use crate::data::together;
use crate::runtime::with_comm;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;

/// State that a checkpoint gives back: see [`Save`](super::Save).
pub trait Load: Sized {
    /// Reads the state. All ranks call it, and get the same error.
    ///
    /// # Errors
    /// As [`load`].
    fn load_from(from: &mut Loading<'_>) -> Result<Self, CheckpointError>;
}

/// A checkpoint that is being read.
pub struct Loading<'l> {
    comm: &'l dyn Comm,
    path: &'l Path,
    file: File,
    index: Index,
    /// The number of the next part.
    next: usize,
}

/// Loads a state that [`save`](super::save) has written, on any number of ranks. Collective.
///
/// Cost: rank 0 reads the index and broadcasts it. Each rank reads its own data once, and the checksums of all bytes are verified.
///
/// # Errors
/// [`CheckpointError`], the same on all ranks: the file does not exist or may not be read, is no checkpoint, is cut short, has changed in a bit, or
/// holds another type.
pub fn load<S: Load>(path: impl AsRef<Path>) -> Result<S, CheckpointError> {
    let mut loaded = None;
    load_dyn(path.as_ref(), &mut |from| {
        loaded = Some(S::load_from(from)?);
        Ok(())
    })?;
    Ok(loaded.expect("the state was loaded"))
}

type LoadFrom<'l> = dyn FnMut(&mut Loading<'_>) -> Result<(), CheckpointError> + 'l;

fn load_dyn(path: &Path, load_from: &mut LoadFrom<'_>) -> Result<(), CheckpointError> {
    let mut run = |comm: &dyn Comm| {
        let mut loading = Loading::open(comm, path)?;
        load_from(&mut loading)?;
        loading.finish()
    };
    match with_comm(|comm| comm.ranks()) {
        1 => run(Solo::comm()),
        _ => together("checkpoint::load", &[path_value(path)], |comm, _| run(comm)),
    }
}

impl<'l> Loading<'l> {
    fn open(comm: &'l dyn Comm, path: &'l Path) -> Result<Self, CheckpointError> {
        let own = if comm.rank() == 0 { read_index(path).map(Some) } else { Ok(None) };
        let own = agreed(comm, own)?;
        let bytes = own.map(|index| postcard::to_stdvec(&index).expect("an index has numbers and texts"));
        let index =
            postcard::from_bytes(&collective::broadcast(comm, 0, bytes)).expect("all ranks run the same program");
        let file = agreed(comm, File::open(path).map_err(|error| cannot(path, comm.rank(), &error)))?;
        Ok(Loading { comm, path, file, index, next: 0 })
    }

    /// The file.
    pub fn path(&self) -> &Path {
        self.path
    }

    /// The number of ranks that load.
    pub(crate) fn ranks(&self) -> usize {
        self.comm.ranks()
    }

    /// This rank.
    pub(crate) fn rank(&self) -> usize {
        self.comm.rank()
    }

    /// The next part, which has this type, with its pieces in the order of their places.
    pub(crate) fn part(&mut self, name: &str, size: usize) -> Result<(Part, Vec<Piece>), CheckpointError> {
        let number = self.next;
        self.next += 1;
        let found = self.index.parts.get(number).cloned();
        let other = |found: String| {
            let count = self.index.parts.len();
            let which = if count > 1 { format!(" as part {} of {count}", number + 1) } else { String::new() };
            let (found, wanted) = (format!("{found}{which}"), format!("`{name}`"));
            CheckpointError::Type { path: self.path.to_owned(), found, wanted }
        };
        let part = found.ok_or_else(|| other("no more data".to_owned()))?;
        if part.name != name {
            return Err(other(format!("`{}`", part.name)));
        }
        if part.size != size as u64 {
            let (found, wanted) = (part.size, size);
            return Err(other(format!("`{name}` with elements of {found} bytes (and not {wanted})")));
        }
        let pieces = self.index.pieces.iter().filter(|piece| piece.part as usize == number);
        Ok((part, pieces.cloned().collect()))
    }

    /// Reads a piece. `what` names it in errors, which this rank alone has.
    pub(crate) fn read(&mut self, piece: &Piece, what: &dyn Fn() -> String) -> Result<Vec<u8>, CheckpointError> {
        let mut bytes = vec![0; piece.len()];
        let read = self.file.seek(SeekFrom::Start(piece.at())).and_then(|_| self.file.read_exact(&mut bytes));
        match read {
            Err(error) if error.kind() != io::ErrorKind::UnexpectedEof => {
                Err(cannot(self.path, self.comm.rank(), &error))
            }
            Ok(()) if piece.is_whole(&bytes) => Ok(bytes),
            _ => Err(damaged(self.path, format!("the bytes of {} have changed", what()))),
        }
    }

    /// An error of this rank alone: the bytes are whole, and are no value of the type.
    pub(crate) fn misfit(&self, what: String) -> CheckpointError {
        CheckpointError::Value {
            path: self.path.to_owned(),
            reason: format!("{what}: its type had other fields when it was saved"),
        }
    }

    /// The result of this rank if no rank failed, otherwise the error of the first that did. All ranks call it.
    pub(crate) fn agreed<V>(&self, result: Result<V, CheckpointError>) -> Result<V, CheckpointError> {
        agreed(self.comm, result)
    }

    fn finish(self) -> Result<(), CheckpointError> {
        match self.index.parts.get(self.next) {
            None => Ok(()),
            Some(part) => {
                let (found, wanted) = (format!("a further `{}`", part.name), format!("{} parts", self.next));
                Err(CheckpointError::Type { path: self.path.to_owned(), found, wanted })
            }
        }
    }
}

fn read_index(path: &Path) -> Result<Index, CheckpointError> {
    let cannot = |error| cannot(path, 0, &error);
    let mut file = File::open(path).map_err(cannot)?;
    let about = file.metadata().map_err(cannot)?;
    if !about.is_file() {
        return Err(CheckpointError::NotFile { path: path.to_owned() });
    }
    let mut read = |at: u64, len: u64| -> io::Result<Vec<u8>> {
        file.seek(SeekFrom::Start(at))?;
        let mut bytes = Vec::new();
        (&mut file).take(len).read_to_end(&mut bytes)?;
        Ok(bytes)
    };
    let unreadable = |unreadable| match unreadable {
        Unreadable::NotCheckpoint => CheckpointError::NotCheckpoint { path: path.to_owned() },
        Unreadable::Version(found, known) => CheckpointError::Version { path: path.to_owned(), found, known },
        Unreadable::Damaged(reason) => damaged(path, reason.to_owned()),
    };
    format::check_header(&read(0, HEADER).map_err(cannot)?).map_err(unreadable)?;
    let footer = read(about.len().saturating_sub(FOOTER), FOOTER).map_err(cannot)?;
    let (at, len, checksum) = format::footer(&footer, about.len()).map_err(unreadable)?;
    format::index(&read(at, len).map_err(cannot)?, at, checksum).map_err(unreadable)
}

fn cannot(path: &Path, rank: usize, error: &io::Error) -> CheckpointError {
    CheckpointError::Read { path: path.to_owned(), rank, reason: error.to_string() }
}

fn damaged(path: &Path, reason: String) -> CheckpointError {
    CheckpointError::Damaged { path: path.to_owned(), reason }
}

impl std::fmt::Debug for Loading<'_> {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let parts: Vec<&str> = self.index.parts.iter().map(|part| &*part.name).collect();
        formatter.debug_struct("Loading").field("path", &self.path).field("parts", &parts).finish_non_exhaustive()
    }
}
