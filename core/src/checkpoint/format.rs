//! The format of the file: a header, the pieces, the index, and a footer that has the place of the index.

use serde::{Deserialize, Serialize};
use std::fmt;

/// The first bytes of each file.
const MAGIC: [u8; 8] = *b"\x89forall\n";
/// The last bytes of each file.
const END: [u8; 8] = *b"\nllarof\x89";
const VERSION: u32 = 1;
/// A number whose bytes show the byte order.
const ORDER: u32 = 0x0102_0304;

/// The length of the header.
pub(super) const HEADER: u64 = 32;
/// The length of the footer.
pub(super) const FOOTER: u64 = 40;

/// A saved container or value.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub(crate) struct Part {
    /// The type, as a program writes it.
    pub name: String,
    /// The number of blocks or elements.
    pub len: u64,
    /// The size of an element in bytes; 0 for blocks and values.
    pub size: u64,
    /// The lengths of the shares of a vector, or the axes of an object.
    pub lengths: Vec<u64>,
}

impl fmt::Display for Part {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.name.contains('<') && self.size > 0 || self.name.starts_with("Blocks") {
            true => write!(formatter, "a `{}` of {}", self.name, self.len),
            false => write!(formatter, "a `{}`", self.name),
        }
    }
}

/// A range of bytes of the file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Piece {
    /// The number of its part.
    pub part: u32,
    /// The block, the range of elements, or the box.
    pub key: Vec<u64>,
    at: u64,
    len: u64,
    checksum: u32,
}

impl Piece {
    /// A piece at this place of the file.
    pub(super) fn new(part: usize, key: Vec<u64>, at: u64, bytes: &[u8]) -> Piece {
        Piece { part: part as u32, key, at, len: bytes.len() as u64, checksum: crc32fast::hash(bytes) }
    }

    /// The place of the first byte.
    pub(super) fn at(&self) -> u64 {
        self.at
    }

    /// Moves the piece towards the end of the file.
    pub(super) fn moved(&mut self, by: u64) {
        self.at += by;
    }

    /// The number of bytes.
    pub(super) fn len(&self) -> usize {
        self.len as usize
    }

    /// Whether these are the bytes that were written.
    pub(super) fn is_whole(&self, bytes: &[u8]) -> bool {
        self.len == bytes.len() as u64 && crc32fast::hash(bytes) == self.checksum
    }
}

/// The contents of a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Index {
    pub parts: Vec<Part>,
    pub pieces: Vec<Piece>,
}

/// The header. The number distinguishes files that are being written at the same time.
pub(super) fn header(number: u128) -> Vec<u8> {
    let number = &number.to_le_bytes()[..12];
    let mut bytes = [&MAGIC[..], &VERSION.to_le_bytes(), &ORDER.to_ne_bytes(), number].concat();
    bytes.extend_from_slice(&crc32fast::hash(&bytes).to_le_bytes());
    bytes
}

/// The reason why a program cannot read a file.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Unreadable {
    NotCheckpoint,
    Version(String, String),
    Damaged(&'static str),
}

/// Checks a header.
pub(super) fn check_header(header: &[u8]) -> Result<(), Unreadable> {
    if header.len() as u64 != HEADER || header[..8] != MAGIC {
        return Err(Unreadable::NotCheckpoint);
    }
    let (before, checksum) = header.split_at(header.len() - 4);
    if word(checksum) != crc32fast::hash(before) {
        return Err(Unreadable::Damaged("its header has changed"));
    }
    let (version, order) = (word(&header[8..12]), &header[12..16]);
    if version != VERSION {
        return Err(Unreadable::Version(format!("version {version}"), format!("version {VERSION}")));
    }
    if order != ORDER.to_ne_bytes() {
        return Err(Unreadable::Version("another byte order".to_owned(), "its own".to_owned()));
    }
    Ok(())
}

/// The index and the footer, for an index that begins at this place.
pub(super) fn ending(index: &Index, at: u64) -> Vec<u8> {
    let mut bytes = postcard::to_stdvec(index).expect("an index has numbers and texts");
    let (len, checksum) = (bytes.len() as u64, crc32fast::hash(&bytes));
    let mut footer = [&at.to_le_bytes()[..], &len.to_le_bytes(), &(at + len + FOOTER).to_le_bytes()].concat();
    footer.extend_from_slice(&checksum.to_le_bytes());
    footer.extend_from_slice(&crc32fast::hash(&footer).to_le_bytes());
    footer.extend_from_slice(&END);
    bytes.extend_from_slice(&footer);
    bytes
}

/// The place, the length and the checksum of the index, from the footer of a file of this length.
pub(super) fn footer(bytes: &[u8], file: u64) -> Result<(u64, u64, u32), Unreadable> {
    const CUT: Unreadable = Unreadable::Damaged("its end is missing or has changed");
    if bytes.len() as u64 != FOOTER || bytes[32..] != END || word(&bytes[28..32]) != crc32fast::hash(&bytes[..28]) {
        return Err(CUT);
    }
    let (at, len, whole) = (long(&bytes[..8]), long(&bytes[8..16]), long(&bytes[16..24]));
    match whole == file && at.checked_add(len).and_then(|end| end.checked_add(FOOTER)) == Some(file) && at >= HEADER {
        true => Ok((at, len, word(&bytes[24..28]))),
        false => Err(CUT),
    }
}

/// The index, which begins at this place. Its pieces are all bytes between the header and the index.
pub(super) fn index(bytes: &[u8], at: u64, checksum: u32) -> Result<Index, Unreadable> {
    const CHANGED: Unreadable = Unreadable::Damaged("its index has changed");
    if crc32fast::hash(bytes) != checksum {
        return Err(CHANGED);
    }
    let index: Index = postcard::from_bytes(bytes).map_err(|_| CHANGED)?;
    let mut ranges: Vec<(u64, u64)> = index.pieces.iter().map(|piece| (piece.at, piece.len)).collect();
    ranges.sort_unstable();
    let end = ranges.iter().try_fold(HEADER, |end, &(at, len)| if at == end { at.checked_add(len) } else { None });
    if end != Some(at) || index.pieces.iter().any(|piece| piece.part as usize >= index.parts.len()) {
        return Err(CHANGED);
    }
    Ok(index)
}

fn word(bytes: &[u8]) -> u32 {
    u32::from_le_bytes(bytes.try_into().unwrap_or_default())
}

fn long(bytes: &[u8]) -> u64 {
    u64::from_le_bytes(bytes.try_into().unwrap_or_default())
}
