//! Parts of volumes whose pieces are in a file as they are, or in compressed blocks: only the blocks of the part are read.

use super::ReadError;
use super::planes::Scalar;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::ops::Range;
use std::path::Path;

/// A part of a volume that is stored on its own.
#[derive(Debug)]
pub(super) struct Piece {
    /// Its first point.
    pub at: [usize; 3],
    /// How many points it has along each axis.
    pub size: [usize; 3],
    /// Its values, x fastest.
    pub packed: Packed,
}

/// An array in a file.
#[derive(Debug)]
pub(super) struct Packed {
    /// The type of its values.
    pub scalar: Scalar,
    /// Whether the most significant byte comes first.
    pub big_endian: bool,
    /// Its length, decompressed.
    pub bytes: usize,
    /// Where its bytes are.
    pub blocks: Blocks,
}

/// Where the bytes of an array are.
#[derive(Debug)]
pub(super) enum Blocks {
    /// As they are, from there on.
    Plain(u64),
    /// In blocks of so many bytes, the last one perhaps shorter.
    Compressed {
        /// By this compressor.
        compressor: Compressor,
        /// The bytes of a block, decompressed.
        block: usize,
        /// Where each block begins, and the end of the last one.
        starts: Vec<u64>,
    },
}

/// The compressors of VTK.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Compressor {
    /// Deflate.
    ZLib,
    /// LZ4, without a frame.
    Lz4,
}

/// Why a block cannot be decompressed.
pub(super) enum BadBlock {
    Length,
    Damaged(String),
}

impl BadBlock {
    /// The problem, for messages.
    pub(super) fn of_block(self, number: usize) -> String {
        match self {
            BadBlock::Length => format!("block {number} of an array has another length than its header says"),
            BadBlock::Damaged(why) => format!("block {number} of an array is damaged ({why})"),
        }
    }
}

impl Compressor {
    /// Appends the bytes of a block, which has so many.
    pub(super) fn unpack(self, packed: &[u8], length: usize, bytes: &mut Vec<u8>) -> Result<(), BadBlock> {
        let found = match self {
            Compressor::ZLib => {
                // One byte more: the decoder checks its sum only at the end.
                let mut decoder = flate2::read::ZlibDecoder::new(packed).take(length as u64 + 1);
                decoder.read_to_end(bytes).map_err(|error| BadBlock::Damaged(error.to_string()))?
            }
            Compressor::Lz4 => {
                let block = lz4_flex::block::decompress(packed, length);
                let block = block.map_err(|error| BadBlock::Damaged(error.to_string()))?;
                bytes.extend_from_slice(&block);
                block.len()
            }
        };
        if found == length { Ok(()) } else { Err(BadBlock::Length) }
    }
}

/// Reads one array, and keeps the block that it has decompressed last.
struct Reader<'p> {
    path: &'p Path,
    file: File,
    packed: &'p Packed,
    last: Option<usize>,
    block: Vec<u8>,
    compressed: Vec<u8>,
}

impl Reader<'_> {
    /// Appends some of the bytes of the array.
    fn read(&mut self, range: Range<usize>, bytes: &mut Vec<u8>) -> Result<(), ReadError> {
        let failed = |source| ReadError::reading(self.path, "the array", source);
        match &self.packed.blocks {
            Blocks::Plain(first) => {
                self.file.seek(SeekFrom::Start(first + range.start as u64)).map_err(failed)?;
                let before = bytes.len();
                bytes.resize(before + range.len(), 0);
                self.file.read_exact(&mut bytes[before..]).map_err(failed)
            }
            Blocks::Compressed { compressor, block, starts } => {
                let mut at = range.start;
                while at < range.end {
                    let number = at / block;
                    let begin = number * block;
                    let length = (self.packed.bytes - begin).min(*block);
                    if self.last != Some(number) {
                        self.last = None;
                        self.compressed.resize((starts[number + 1] - starts[number]) as usize, 0);
                        self.file.seek(SeekFrom::Start(starts[number])).map_err(failed)?;
                        self.file.read_exact(&mut self.compressed).map_err(failed)?;
                        self.block.clear();
                        compressor.unpack(&self.compressed, length, &mut self.block).map_err(|why| {
                            ReadError::malformed(self.path, why.of_block(number), "fetch the file again")
                        })?;
                        self.last = Some(number);
                    }
                    let end = range.end.min(begin + length);
                    bytes.extend_from_slice(&self.block[at - begin..end - begin]);
                    at = end;
                }
                Ok(())
            }
        }
    }
}

/// The values of a part of a volume; those that no piece has are NaN.
pub(super) fn read(
    path: &Path,
    pieces: &[Piece],
    part: &[Range<usize>; 3],
    progress: &mut dyn FnMut(f64),
) -> Result<Vec<f32>, ReadError> {
    let [width, rows, planes] = [0, 1, 2].map(|axis| part[axis].len());
    let mut values = vec![f32::NAN; width * rows * planes];
    for (done, Piece { at, size, packed }) in pieces.iter().enumerate() {
        let shared = [0, 1, 2].map(|k| part[k].start.max(at[k])..part[k].end.min(at[k] + size[k]));
        if shared.iter().any(|range| range.start >= range.end) {
            progress((done + 1) as f64 / pieces.len() as f64);
            continue;
        }
        let file = File::open(path).map_err(|source| ReadError::Io { path: path.into(), source })?;
        let mut reader = Reader { path, file, packed, last: None, block: Vec::new(), compressed: Vec::new() };
        let [x, y, z] = shared;
        let bytes_of = packed.scalar.size();
        // Whole rows lie one after the other.
        let at_once = if x.len() == size[0] { y.len() } else { 1 };
        let mut bytes = Vec::new();
        for plane in z.clone() {
            for first in y.clone().step_by(at_once) {
                let value = ((plane - at[2]) * size[1] + first - at[1]) * size[0] + x.start - at[0];
                bytes.clear();
                reader.read(value * bytes_of..(value + at_once * x.len()) * bytes_of, &mut bytes)?;
                let mut places = (first..first + at_once).flat_map(|row| {
                    let begin =
                        ((plane - part[2].start) * rows + row - part[1].start) * width + x.start - part[0].start;
                    begin..begin + x.len()
                });
                packed.scalar.decode(packed.big_endian, &bytes, |value| {
                    if let Some(place) = places.next() {
                        values[place] = value as f32;
                    }
                });
            }
            let share = (plane + 1 - z.start) as f64 / z.len() as f64;
            progress((done as f64 + share) / pieces.len() as f64);
        }
    }
    Ok(values)
}
