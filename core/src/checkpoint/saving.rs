//! Saving: all ranks write their pieces side by side.

use super::agreed::{agreed, told};
use super::aside::Aside;
use super::error::CheckpointError;
use super::format::{HEADER, Index, Part, Piece, ending};
use crate::comm::{Comm, Solo, collective};
use crate::data::together;
use crate::runtime::{Value, with_comm};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::Path;

/// State that a checkpoint holds: [`Blocks`](crate::blocks::Blocks), [`DistVec`](crate::data::DistVec), [`Object`](crate::objects::Object),
/// numbers, [`Same`](super::Same), and tuples and references of these.
///
/// A struct saves its fields, one after the other:
///
/// ```
/// use forall_core::checkpoint::{self, CheckpointError, Load, Loading, Save, Saving};
/// use forall_core::data::DistVec;
///
/// struct Simulation {
///     time: f64,
///     heat: DistVec<f32>,
/// }
///
/// impl Save for Simulation {
///     fn save_to(&self, to: &mut Saving<'_>) -> Result<(), CheckpointError> {
///         self.time.save_to(to)?;
///         self.heat.save_to(to)
///     }
/// }
///
/// impl Load for Simulation {
///     fn load_from(from: &mut Loading<'_>) -> Result<Self, CheckpointError> {
///         Ok(Simulation { time: Load::load_from(from)?, heat: Load::load_from(from)? })
///     }
/// }
///
/// # let folder = tempfile::tempdir().unwrap();
/// # let path = folder.path().join("state");
/// checkpoint::save(&path, &Simulation { time: 0.5, heat: DistVec::filled(10, 1.0) })?;
/// let loaded: Simulation = checkpoint::load(&path)?;
/// assert_eq!((loaded.time, loaded.heat.to_all()), (0.5, vec![1.0; 10]));
/// # Ok::<(), CheckpointError>(())
/// ```
pub trait Save {
    /// Writes the state. All ranks call it.
    ///
    /// # Errors
    /// As [`save`].
    fn save_to(&self, to: &mut Saving<'_>) -> Result<(), CheckpointError>;
}

impl<S: Save + ?Sized> Save for &S {
    fn save_to(&self, to: &mut Saving<'_>) -> Result<(), CheckpointError> {
        (**self).save_to(to)
    }
}

/// A checkpoint that is being written.
pub struct Saving<'s> {
    comm: &'s dyn Comm,
    path: &'s Path,
    file: Aside,
    /// The end of the pieces so far.
    end: u64,
    parts: Vec<Part>,
    /// The pieces of this rank.
    pieces: Vec<Piece>,
    /// The result of the last write, which the next round tells all ranks.
    written: Result<(), CheckpointError>,
}

/// The approximate number of bytes that a rank writes in a round.
const ROUND: usize = 1 << 25;

/// The bytes of a piece, with its key.
pub(crate) type Bytes = (Vec<u64>, Vec<u8>);

/// The states of a rank in a round.
const MORE: u64 = 0;
const DONE: u64 = 1;
const FAILED: u64 = 2;

/// Saves a state in one file. Collective. An earlier file of this name stays until the new one is whole and on the disk.
///
/// ```
/// use forall_core::checkpoint;
/// use forall_core::data::DistVec;
///
/// # let folder = tempfile::tempdir().unwrap();
/// # let path = folder.path().join("state");
/// let (step, mass) = (17_usize, DistVec::from_fn(1000, |i| i as f64));
/// checkpoint::save(&path, &(step, &mass))?;
///
/// // In another run, on any number of ranks.
/// let (step, mass): (usize, DistVec<f64>) = checkpoint::load(&path)?;
/// assert_eq!((step, mass.back()), (17, Some(999.0)));
/// # Ok::<(), checkpoint::CheckpointError>(())
/// ```
///
/// Cost: each rank writes its own data once, in rounds of about 32 MiB with an allgather of 24 bytes a rank each. Memory: 32 MiB, or
/// the longest block. Rank 0 writes the index, about 20 bytes for each block or MiB.
///
/// # Errors
/// [`CheckpointError`], the same on all ranks: a full disk, a missing folder, no permission, a value that serde cannot write, a block that cannot
/// be read back from the store. An earlier file of this name is unchanged then, and nothing else is left.
pub fn save<S: Save + ?Sized>(path: impl AsRef<Path>, state: &S) -> Result<(), CheckpointError> {
    save_dyn(path.as_ref(), &mut |to| state.save_to(to))
}

type SaveTo<'s> = dyn FnMut(&mut Saving<'_>) -> Result<(), CheckpointError> + 's;

fn save_dyn(path: &Path, save_to: &mut SaveTo<'_>) -> Result<(), CheckpointError> {
    let mut run = |comm: &dyn Comm| {
        let file = Aside::new(comm, path)?;
        let (parts, pieces) = (Vec::new(), Vec::new());
        let mut saving = Saving { comm, path, file, end: HEADER, parts, pieces, written: Ok(()) };
        save_to(&mut saving)?;
        saving.finish()
    };
    match with_comm(|comm| comm.ranks()) {
        1 => run(Solo::comm()),
        _ => together("checkpoint::save", &[path_value(path)], |comm, _| run(comm)),
    }
}

/// The path, for the handshake of a collective operation.
pub(super) fn path_value(path: &Path) -> Value<'static> {
    Value::same("the hash of the path", hash_of(path))
}

fn hash_of(value: &(impl Hash + ?Sized)) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}

impl Saving<'_> {
    /// The file.
    pub fn path(&self) -> &Path {
        self.path
    }

    /// The number of ranks that save.
    pub(crate) fn ranks(&self) -> usize {
        self.comm.ranks()
    }

    /// This rank.
    pub(crate) fn rank(&self) -> usize {
        self.comm.rank()
    }

    /// Writes a part. `next` returns the pieces of this rank, one after the other. All ranks call it with the same part.
    pub(crate) fn part(
        &mut self,
        part: Part,
        next: &mut dyn FnMut() -> Option<Result<Bytes, CheckpointError>>,
    ) -> Result<(), CheckpointError> {
        let (number, hash) = (self.parts.len(), hash_of(&part));
        self.parts.push(part);
        let mut is_done = false;
        loop {
            let (mut bytes, first) = (Vec::new(), self.pieces.len());
            while !is_done && self.written.is_ok() && bytes.len() < ROUND {
                match next() {
                    None => is_done = true,
                    Some(Err(error)) => self.written = Err(error),
                    Some(Ok((key, piece))) => {
                        self.pieces.push(Piece::new(number, key, bytes.len() as u64, &piece));
                        match bytes.is_empty() {
                            true => bytes = piece,
                            false => bytes.extend_from_slice(&piece),
                        }
                    }
                }
            }
            let (at, all_done) = self.round(hash, bytes.len(), is_done)?;
            self.pieces[first..].iter_mut().for_each(|piece| piece.moved(at));
            if !bytes.is_empty() {
                self.written = self.file.write(at, &bytes);
            }
            if all_done {
                return Ok(());
            }
        }
    }

    /// Agrees on a round: where this rank writes, and whether all ranks are done.
    fn round(&mut self, hash: u64, len: usize, is_done: bool) -> Result<(u64, bool), CheckpointError> {
        let state = if self.written.is_err() { FAILED } else { u64::from(is_done) };
        let all = collective::allgather(self.comm, &[[hash, len as u64, state]]);
        if let Some(failed) = all.iter().position(|[.., state]| *state == FAILED) {
            let own = std::mem::replace(&mut self.written, Ok(())).err();
            return Err(told(self.comm, failed, own));
        }
        if let Some(rank) = all.iter().position(|[hash, ..]| *hash != all[0][0]) {
            let first = self.parts.last().map_or(String::new(), |part| format!("{part}"));
            let first = if hash == END { "no more data".to_owned() } else { first };
            return Err(told(self.comm, 0, Some(CheckpointError::Differ { path: self.path.to_owned(), first, rank })));
        }
        let before: u64 = all[..self.comm.rank()].iter().map(|[_, len, _]| len).sum();
        let at = self.end + before;
        self.end += all.iter().map(|[_, len, _]| len).sum::<u64>();
        debug_assert!(all.iter().all(|[.., state]| [MORE, DONE].contains(state)));
        Ok((at, all.iter().all(|[.., state]| *state == DONE)))
    }

    /// Writes the index, and gives the file its name.
    fn finish(mut self) -> Result<(), CheckpointError> {
        self.written = self.written.and_then(|()| self.file.sync());
        self.round(END, 0, true)?;
        let Saving { comm, mut file, end, parts, pieces, .. } = self;
        let own = postcard::to_stdvec(&pieces).expect("pieces are numbers");
        let mut result = Ok(());
        if let Some((bytes, lengths)) = collective::gather(comm, 0, &own) {
            let mut rest = &bytes[..];
            let mut all = Vec::new();
            for length in lengths {
                let (own, others) = rest.split_at(length);
                all.extend(postcard::from_bytes::<Vec<Piece>>(own).expect("all ranks run the same program"));
                rest = others;
            }
            all.sort_by_key(Piece::at);
            result = file.write(end, &ending(&Index { parts, pieces: all }, end));
        }
        agreed(comm, result.and_then(|()| file.publish()))
    }
}

/// The hash of a round after all parts.
const END: u64 = u64::MAX;

impl std::fmt::Debug for Saving<'_> {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Saving").field("path", &self.path).field("bytes", &self.end).finish_non_exhaustive()
    }
}
