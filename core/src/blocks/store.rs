//! The store for spilled blocks and messages: a file for each rank.
//!
//! Blocks are written one after the other, and loops read them in this order. So the system reads ahead and writes behind by itself: a thread
//! for this gained nothing, with a cold cache and a disk of 200 MB/s too.

use crate::lock::lock;
use std::collections::BTreeMap;
use std::fs::File;
use std::hash::{DefaultHasher, Hasher};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

/// The bytes of a block, or of a message, in the store.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Extent {
    start: u64,
    len: u64,
    /// The fingerprint of the written bytes, to verify them when they are read.
    checksum: u32,
}

impl Extent {
    /// Whether the lengths are equal.
    pub(super) fn has_length(&self, bytes: &[u8]) -> bool {
        self.len == bytes.len() as u64
    }
}

/// A 64-bit hash of the bytes of a block.
pub(super) fn fingerprint(bytes: &[u8]) -> u64 {
    let mut hasher = DefaultHasher::new();
    hasher.write(bytes);
    hasher.finish()
}

/// An unnamed temporary file, which is deleted when the process ends. It is created by the first write.
#[derive(Debug)]
pub(super) struct Store {
    folder: PathBuf,
    space: Mutex<Space>,
}

/// The file and its free space.
#[derive(Debug, Default)]
struct Space {
    file: Option<Arc<File>>,
    end: u64,
    /// The free gaps: offset and length. Adjacent gaps are merged.
    gaps: BTreeMap<u64, u64>,
    /// The number of bytes written.
    written: u64,
    /// The number of bytes read.
    read: u64,
}

impl Space {
    /// Allocates space: the first gap that is long enough, else the end of the file.
    fn take(&mut self, len: u64) -> u64 {
        let gap = self.gaps.iter().find(|(_, gap)| **gap >= len).map(|(start, gap)| (*start, *gap));
        let Some((start, gap)) = gap else {
            let start = self.end;
            self.end += len;
            return start;
        };
        self.gaps.remove(&start);
        if gap > len {
            self.gaps.insert(start + len, gap - len);
        }
        start
    }

    /// Frees space.
    fn free(&mut self, mut start: u64, mut len: u64) {
        if len == 0 {
            return;
        }
        if let Some(after) = self.gaps.remove(&(start + len)) {
            len += after;
        }
        if let Some((&before, &gap)) = self.gaps.range(..start).next_back()
            && before + gap == start
        {
            self.gaps.remove(&before);
            (start, len) = (before, gap + len);
        }
        if start + len == self.end {
            self.end = start;
        } else {
            self.gaps.insert(start, len);
        }
    }
}

impl Store {
    pub(super) fn new(folder: PathBuf) -> Self {
        Store { folder, space: Mutex::default() }
    }

    /// The numbers of bytes written and read.
    pub(super) fn traffic(&self) -> [u64; 2] {
        let space = lock(&self.space);
        [space.written, space.read]
    }

    /// The folder of the file.
    pub(super) fn folder(&self) -> &Path {
        &self.folder
    }

    /// Writes bytes.
    ///
    /// # Errors
    /// The error of the system, such as a full disk. Nothing has changed then.
    pub(super) fn write(&self, bytes: &[u8]) -> io::Result<Extent> {
        let len = bytes.len() as u64;
        let (file, start) = {
            let mut space = lock(&self.space);
            let file = match &space.file {
                Some(file) => file.clone(),
                None => space.file.insert(Arc::new(tempfile::tempfile_in(&self.folder)?)).clone(),
            };
            (file, space.take(len))
        };
        let written = write_at(&file, start, bytes);
        let mut space = lock(&self.space);
        if let Err(error) = written {
            space.free(start, len);
            return Err(error);
        }
        space.written += len;
        Ok(Extent { start, len, checksum: crc32fast::hash(bytes) })
    }

    /// Reads bytes.
    ///
    /// # Errors
    /// The error of the system, or wrong content.
    pub(super) fn read(&self, extent: Extent) -> io::Result<Vec<u8>> {
        let mut bytes = vec![0; usize::try_from(extent.len).map_err(io::Error::other)?];
        let file = lock(&self.space).file.clone();
        let changed = || io::Error::new(io::ErrorKind::InvalidData, "the file has other bytes than were written");
        if let Some(file) = file {
            read_at(&file, extent.start, &mut bytes).map_err(|error| match error.kind() {
                io::ErrorKind::UnexpectedEof => changed(),
                _ => error,
            })?;
        }
        lock(&self.space).read += extent.len;
        if crc32fast::hash(&bytes) != extent.checksum {
            return Err(changed());
        }
        Ok(bytes)
    }

    /// Cuts the file to nothing.
    #[cfg(test)]
    pub(super) fn damage(&self) {
        if let Some(file) = &lock(&self.space).file {
            file.set_len(0).unwrap();
        }
    }

    /// Frees the space of these bytes.
    pub(super) fn free(&self, extent: Extent) {
        lock(&self.space).free(extent.start, extent.len);
    }
}

/// Writes bytes at a place of the file. Several workers use the file at the same time.
#[cfg(unix)]
fn write_at(file: &File, at: u64, bytes: &[u8]) -> io::Result<()> {
    std::os::unix::fs::FileExt::write_all_at(file, bytes, at)
}

#[cfg(unix)]
fn read_at(file: &File, at: u64, bytes: &mut [u8]) -> io::Result<()> {
    std::os::unix::fs::FileExt::read_exact_at(file, bytes, at)
}

#[cfg(windows)]
fn write_at(file: &File, mut at: u64, mut bytes: &[u8]) -> io::Result<()> {
    while !bytes.is_empty() {
        let count = std::os::windows::fs::FileExt::seek_write(file, bytes, at)?;
        (at, bytes) = (at + count as u64, &bytes[count..]);
    }
    Ok(())
}

#[cfg(windows)]
fn read_at(file: &File, mut at: u64, mut bytes: &mut [u8]) -> io::Result<()> {
    while !bytes.is_empty() {
        let count = std::os::windows::fs::FileExt::seek_read(file, bytes, at)?;
        if count == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        (at, bytes) = (at + count as u64, &mut bytes[count..]);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn store() -> Store {
        Store::new(std::env::temp_dir())
    }

    #[test]
    fn what_is_written_is_read() {
        let store = store();
        let blocks: Vec<Vec<u8>> =
            [0_usize, 1, 7, 5000].iter().map(|&len| (0..len).map(|i| i as u8).collect()).collect();
        let extents: Vec<Extent> = blocks.iter().map(|block| store.write(block).unwrap()).collect();
        for (block, &extent) in blocks.iter().zip(&extents).rev() {
            assert_eq!(store.read(extent).unwrap(), *block);
        }
    }

    #[test]
    fn room_is_used_again() {
        let store = store();
        let extents: Vec<Extent> = (0..4).map(|k| store.write(&[k; 10]).unwrap()).collect();
        // The second one, then its neighbour before it: one gap of twenty bytes.
        store.free(extents[1]);
        store.free(extents[0]);
        let long = store.write(&[9; 15]).unwrap();
        assert_eq!(long.start, 0);
        let rest = store.write(&[8; 5]).unwrap();
        assert_eq!(rest.start, 15);
        assert_eq!(store.read(extents[2]).unwrap(), [2; 10]);
        assert_eq!(store.read(long).unwrap(), [9; 15]);
        // All of it: nothing is left of the file's use.
        for extent in [extents[3], long, extents[2], rest] {
            store.free(extent);
        }
        let space = lock(&store.space);
        assert!(space.end == 0 && space.gaps.is_empty());
    }

    #[test]
    fn damage_is_found() {
        let store = store();
        let extent = store.write(b"a block").unwrap();
        write_at(lock(&store.space).file.as_ref().unwrap(), 2, b"X").unwrap();
        assert_eq!(store.read(extent).unwrap_err().kind(), io::ErrorKind::InvalidData);
        store.damage();
        assert_eq!(store.read(extent).unwrap_err().kind(), io::ErrorKind::InvalidData);
    }

    #[test]
    fn a_folder_that_is_not_there_is_an_error() {
        let store = Store::new("/nonexistent/folder".into());
        assert_eq!(store.write(b"x").unwrap_err().kind(), io::ErrorKind::NotFound);
    }
}
