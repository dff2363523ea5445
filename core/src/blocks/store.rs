//! The store for spilled blocks and messages: a file for each rank.

use crate::lock::lock;
use std::collections::BTreeMap;
use std::fs::File;
use std::hash::{DefaultHasher, Hasher};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::Mutex;

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
    file: Option<File>,
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
        let mut space = lock(&self.space);
        if space.file.is_none() {
            space.file = Some(tempfile::tempfile_in(&self.folder)?);
        }
        let len = bytes.len() as u64;
        let start = space.take(len);
        let written = space.file.as_mut().map_or(Ok(()), |file| {
            file.seek(SeekFrom::Start(start))?;
            file.write_all(bytes)
        });
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
        let mut space = lock(&self.space);
        if let Some(file) = &mut space.file {
            file.seek(SeekFrom::Start(extent.start))?;
            file.read_exact(&mut bytes)?;
        }
        space.read += extent.len;
        drop(space);
        if crc32fast::hash(&bytes) != extent.checksum {
            return Err(io::Error::new(io::ErrorKind::InvalidData, "what is read is not what was written"));
        }
        Ok(bytes)
    }

    /// Frees the space of these bytes.
    pub(super) fn free(&self, extent: Extent) {
        lock(&self.space).free(extent.start, extent.len);
    }
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
        {
            let mut space = lock(&store.space);
            let file = space.file.as_mut().unwrap();
            file.seek(SeekFrom::Start(2)).unwrap();
            file.write_all(b"X").unwrap();
        }
        assert_eq!(store.read(extent).unwrap_err().kind(), io::ErrorKind::InvalidData);
    }

    #[test]
    fn a_folder_that_is_not_there_is_an_error() {
        let store = Store::new("/nonexistent/folder".into());
        assert_eq!(store.write(b"x").unwrap_err().kind(), io::ErrorKind::NotFound);
    }
}
